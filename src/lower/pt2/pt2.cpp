// torch.export's `.pt2`: a zip archive with one JSON document per program, `models/NAME.json`, or
// `serialized_exported_program.json` before PyTorch 2.8.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "src/graph/constant_bytes.h"
#include "src/lower/pt2/graph.h"
#include "src/lower/pt2/pt2.h"
#include "src/lower/pt2/tree.h"
#include "src/text/zip.h"

namespace noclobber {
namespace {

constexpr std::size_t kLargestModel = std::size_t{1} << 28;   // bytes of JSON
constexpr std::size_t kLargestConfig = std::size_t{1} << 26;  // bytes of JSON
constexpr std::size_t kKeptWeight = std::size_t{1} << 24;     // bytes; kept to compute folded ones again
constexpr std::size_t kKeptWeights = std::size_t{1} << 28;    // bytes of all kept ones
constexpr std::size_t kLargestWeight = std::size_t{1} << 32;  // bytes
constexpr std::size_t kMostModels = 100;
constexpr const char* kWeights = "data/weights/";
constexpr std::int64_t kNewestSchema = 8;                      // its major number
constexpr std::int64_t kLargestBound = std::int64_t{1} << 62;  // larger numbers are no bound

struct Pt2Model {
  std::string name;    // "model"; "" in the older layout
  std::string member;  // of the archive
};

std::vector<Pt2Model> models_of(const Pt2Archive& archive) {
  std::vector<Pt2Model> models;
  if (const std::string old = archive.find("serialized_exported_program.json"); !old.empty())
    models.push_back({"", old});
  constexpr std::string_view kFolder = "models/", kEnding = ".json";
  for (const std::string& member : archive.names()) {
    const std::size_t slash = member.rfind('/');
    if (slash == member.npos || !member.ends_with(kEnding)) continue;
    const std::string folder = member.substr(0, slash + 1);
    const bool is_model = folder == kFolder || (folder.ends_with("/models/") &&
                                                folder.find('/') == folder.size() - kFolder.size() - 1);
    if (is_model)
      models.push_back({member.substr(slash + 1, member.size() - slash - 1 - kEnding.size()), member});
  }
  return models;
}

/// Quotes the bare words that Python writes for numbers that JSON does not have; older exporters kept them.
std::string quoted_numbers(std::string_view text) {
  std::string out;
  bool is_string = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '"') is_string = !is_string;
    if (is_string && text[k] == '\\' && k + 1 < text.size()) out += text[k++];
    std::string_view word;
    for (const std::string_view candidate : {"-Infinity", "Infinity", "NaN"})
      if (!is_string && word.empty() && text.substr(k).starts_with(candidate)) word = candidate;
    if (word.empty()) {
      out += text[k];
      continue;
    }
    (out += '"').append(word) += '"';
    k += word.size() - 1;
  }
  return out;
}

/// Reads 4 or {"as_int": 4}.
std::optional<std::int64_t> whole_number(const OrderedJson& json) {
  const OrderedJson* inside = json.is_object() ? find_member(json, "as_int") : &json;
  if (!inside || !inside->is_number_integer()) return std::nullopt;
  return inside->get<std::int64_t>();
}

bool whole_numbers(const OrderedJson& json, std::string_view key, std::vector<std::int64_t>& out) {
  const OrderedJson* list = find_member(json, key);
  if (!list || !list->is_array()) return false;
  for (const OrderedJson& item : *list) {
    const auto number = whole_number(item);
    if (!number) return false;
    out.push_back(*number);
  }
  return true;
}

class Pt2Reader {
 public:
  Pt2Reader(const Pt2Archive& archive, const Pt2Model& model, bool with_contents)
      : archive_(archive), model_(model), with_contents_(with_contents) {}

  Result<Case> read();

 private:
  void exported(const OrderedJson& json);
  void version(const OrderedJson& json);
  void signature(const OrderedJson& json, const JsonAt& at, Pt2Graph& reader);
  void input_spec(const OrderedJson& json, const JsonAt& at, Pt2Graph& reader);
  void output_spec(const OrderedJson& json, const JsonAt& at, Arg output);
  void ranges(const OrderedJson& json);
  std::optional<std::int64_t> bound(const OrderedJson& json, const JsonAt& at, std::string_view key);
  void weights();
  void storages(const std::string& member, const std::string& folder);
  void storage(const OrderedJson& meta, const std::string& folder, const std::vector<std::size_t>& inputs);
  void contents(const OrderedJson& meta, const std::string& member, const std::vector<std::size_t>& inputs);

  const Pt2Archive& archive_;
  const Pt2Model& model_;
  bool with_contents_;
  Pt2Program program_;
  Case case_;
  std::map<std::string, ValueId> targets_;                       // buffers, parameters, user inputs
  std::map<std::string, std::vector<std::size_t>> input_names_;  // weight -> inputs
  std::size_t kept_ = 0;                                         // bytes of weights
  std::map<std::string, std::vector<std::size_t>> files_;        // file of the archive -> inputs
};

Result<Case> Pt2Reader::read() {
  const auto text = archive_.read(model_.member, kLargestModel);
  if (!text) return text.fault();
  const auto json = parse_strict_json(quoted_numbers(*text));
  const auto located = [&](const Diagnostic& fault) {
    return Diagnostic{model_.member + (fault.where.empty() ? "" : ": " + fault.where), fault.message};
  };
  if (!json) return located(json.fault());
  exported(*json);
  if (program_.faults.failed()) return located(program_.faults.first());
  weights();
  case_.name = model_.name;
  case_.inputs_may_overlap = true;
  return std::move(case_);
}

void Pt2Reader::version(const OrderedJson& json) {
  const OrderedJson* version = find_member(json, "schema_version");
  if (!version) return;
  const JsonAt root, at(root, "schema_version");
  const OrderedJson* major = version->is_object() ? find_member(*version, "major") : version;
  if (major && major->is_number_integer() && major->get<std::int64_t>() > kNewestSchema)
    program_.faults.fail(at, "version " + show(*major) + " of the schema is not known");
}

void Pt2Reader::exported(const OrderedJson& json) {
  JsonFaults& faults = program_.faults;
  const JsonAt root, module_at(root, "graph_module"), graph_at(module_at, "graph"),
      signature_at(module_at, "signature");
  if (!faults.object(json, root)) return;
  version(json);
  const OrderedJson* module = faults.required(json, root, "graph_module");
  if (faults.failed() || !faults.object(*module, module_at)) return;
  const OrderedJson* graph = faults.required(*module, module_at, "graph");
  const OrderedJson* signed_by = faults.required(*module, module_at, "signature");
  if (faults.failed()) return;
  Pt2Graph reader(program_);
  case_.after = reader.read(*graph, graph_at);
  if (!faults.failed()) signature(*signed_by, signature_at, reader);
  case_.after.output_keys = pt2_output_keys(*module);
  if (case_.after.output_keys.size() != case_.after.outputs.size()) case_.after.output_keys.clear();
  case_.symbols = program_.symbols.take();
  if (!faults.failed()) ranges(json);
}

void Pt2Reader::signature(const OrderedJson& json, const JsonAt& at, Pt2Graph& reader) {
  JsonFaults& faults = program_.faults;
  if (!faults.object(json, at)) return;
  const OrderedJson* inputs = faults.required(json, at, "input_specs");
  const OrderedJson* outputs = faults.required(json, at, "output_specs");
  const JsonAt in(at, "input_specs"), out(at, "output_specs");
  if (faults.failed() || !faults.array(*inputs, in) || !faults.array(*outputs, out)) return;
  for (std::size_t k = 0; k < inputs->size() && !faults.failed(); ++k)
    input_spec((*inputs)[k], JsonAt(in, k), reader);
  if (faults.failed()) return;
  std::vector<Arg> given = std::exchange(case_.after.outputs, {});
  if (given.size() != outputs->size()) return faults.fail(out, "has not one entry per output of the graph");
  for (std::size_t k = 0; k < given.size() && !faults.failed(); ++k)
    output_spec((*outputs)[k], JsonAt(out, k), std::move(given[k]));
}

void Pt2Reader::input_spec(const OrderedJson& json, const JsonAt& at, Pt2Graph& reader) {
  struct Row {
    std::string_view tag, name;
    Input::Kind kind;
  };
  constexpr Row kRows[] = {{"parameter", "parameter_name", Input::Kind::parameter},
                           {"buffer", "buffer_name", Input::Kind::buffer},
                           {"tensor_constant", "tensor_constant_name", Input::Kind::constant}};
  JsonFaults& faults = program_.faults;
  if (!faults.object(json, at)) return;
  if (const OrderedJson* user = find_member(json, "user_input"); user && user->is_object()) {
    const OrderedJson* arg = find_member(*user, "arg");
    const OrderedJson* tensor = arg && arg->is_object() ? find_member(*arg, "as_tensor") : nullptr;
    const JsonAt inside(at, "user_input"), arg_at(inside, "arg"), tensor_at(arg_at, "as_tensor");
    if (!tensor || tensor->is_null()) return;
    const ValueId id = reader.tensor(*tensor, tensor_at);
    if (id.valid()) targets_["user " + case_.after.value(id).name] = id;
    return;
  }
  for (const Row& row : kRows) {
    const OrderedJson* spec = find_member(json, row.tag);
    if (!spec || spec->is_null()) continue;
    const JsonAt inside(at, row.tag), arg_at(inside, "arg"), name_at(inside, row.name);
    if (!faults.object(*spec, inside)) return;
    const OrderedJson* arg = faults.required(*spec, inside, "arg");
    const OrderedJson* name = faults.required(*spec, inside, row.name);
    if (faults.failed()) return;
    const ValueId id = reader.tensor(*arg, arg_at);
    const std::string target = faults.text(*name, name_at);
    if (faults.failed()) return;
    const Value& value = case_.after.value(id);
    if (value.from != Value::From::input) return faults.fail(arg_at, "is no input of the graph");
    case_.after.inputs[value.at].kind = row.kind;
    targets_[std::string(row.tag) + " " + target] = id;
    input_names_[target].push_back(value.at);
  }
}

/// A mutation is the final contents of an input; everything else is an output.
void Pt2Reader::output_spec(const OrderedJson& json, const JsonAt& at, Arg output) {
  struct Row {
    std::string_view tag, name, target;
  };
  constexpr Row kRows[] = {{"buffer_mutation", "buffer_name", "buffer "},
                           {"parameter_mutation", "parameter_name", "parameter "},
                           {"user_input_mutation", "user_input_name", "user "}};
  JsonFaults& faults = program_.faults;
  if (!faults.object(json, at)) return;
  for (const Row& row : kRows) {
    const OrderedJson* spec = find_member(json, row.tag);
    if (!spec || spec->is_null()) continue;
    const JsonAt inside(at, row.tag), name_at(inside, row.name);
    if (!faults.object(*spec, inside)) return;
    const OrderedJson* name = faults.required(*spec, inside, row.name);
    if (!name) return;
    const std::string text = faults.text(*name, name_at);
    const auto found = targets_.find(std::string(row.target) + text);
    if (found == targets_.end()) return faults.fail(name_at, in_quotes(text) + " is no such input");
    case_.after.finals.emplace_back(found->second, std::move(output));
    return;
  }
  case_.after.outputs.push_back(std::move(output));
}

std::optional<std::int64_t> Pt2Reader::bound(const OrderedJson& json, const JsonAt& at,
                                             std::string_view key) {
  const OrderedJson* value = find_member(json, key);
  if (!value || value->is_null()) return std::nullopt;
  const std::int64_t number = program_.faults.integer(*value, JsonAt(at, key));
  if (number >= kLargestBound || number <= -kLargestBound) return std::nullopt;
  return number;
}

void Pt2Reader::ranges(const OrderedJson& json) {
  const OrderedJson* all = find_member(json, "range_constraints");
  const JsonAt root, at(root, "range_constraints");
  if (!all || !program_.faults.object(*all, at)) return;
  for (const auto& [name, hint] : program_.hints)
    if (const auto known = case_.symbols.find(name); known != case_.symbols.end()) known->second.hint = hint;
  for (const auto& [name, value] : all->get_ref<const OrderedJson::object_t&>()) {
    const JsonAt inside(at, name);
    const auto known = case_.symbols.find(name);
    if (program_.faults.failed() || !program_.faults.object(value, inside)) return;
    const auto least = bound(value, inside, "min_val"), most = bound(value, inside, "max_val");
    if (known == case_.symbols.end()) continue;
    if (least) known->second.min = std::max(known->second.min, *least);
    if (most) known->second.max = most;
    known->second.told = true;
  }
}

/// Parameters and buffers that are stored in one file of the archive share a storage.
void Pt2Reader::weights() {
  for (const std::string folder : {kWeights, "data/constants/"})
    for (const std::string ending :
         {"_weights_config.json", "_model_param_config.json", "_constants_config.json"})
      if (const std::string member = archive_.find(folder + model_.name + ending); !member.empty())
        storages(member, folder);
}

/// Ignores what cannot be read: the tensors then have storages of their own.
void Pt2Reader::storages(const std::string& member, const std::string& folder) {
  const auto text = archive_.read(member, kLargestConfig);
  if (!text) return;
  const auto json = parse_strict_json(*text);
  const OrderedJson* config = json && json->is_object() ? find_member(*json, "config") : nullptr;
  if (!config || !config->is_object()) return;
  for (const auto& [name, meta] : config->get_ref<const OrderedJson::object_t&>())
    if (const auto inputs = input_names_.find(name); inputs != input_names_.end() && meta.is_object())
      storage(meta, folder, inputs->second);
}

void Pt2Reader::storage(const OrderedJson& meta, const std::string& folder,
                        const std::vector<std::size_t>& inputs) {
  const OrderedJson* path = find_member(meta, "path_name");
  if (!path || !path->is_string()) return;
  const std::string file = path->get<std::string>();
  const std::string member = archive_.find(folder + file);
  const auto bytes = archive_.size(member);
  if (with_contents_ && bytes) contents(meta, member, inputs);
  std::vector<std::size_t>& sharing = files_[folder + file];
  sharing.insert(sharing.end(), inputs.begin(), inputs.end());
  if (sharing.size() < 2) return;
  for (const std::size_t at : sharing) {
    Input& input = case_.after.inputs[at];
    const std::optional<Type>& type = case_.after.values[input.value.index].type;
    const int bits = type ? bit_width(type->dtype) : 0;
    if (!bytes || bits < 8) continue;
    input.storage = folder == kWeights ? file : folder + file;
    input.storage_numel = SymExpr(static_cast<std::int64_t>(*bytes / static_cast<std::size_t>(bits / 8)));
  }
}

/// Sets the digest of a weight's contents in row-major order, and keeps the bytes of small weights. Does
/// nothing for pickled weights.
void Pt2Reader::contents(const OrderedJson& meta, const std::string& member,
                         const std::vector<std::size_t>& inputs) {
  const OrderedJson* pickled = find_member(meta, "use_pickle");
  const OrderedJson* tensor = find_member(meta, "tensor_meta");
  if ((pickled && *pickled != false) || !tensor || !tensor->is_object()) return;
  const auto storage = archive_.read(member, kLargestWeight);
  if (!storage) return;
  ConstantLayout layout;
  const OrderedJson* offset = find_member(*tensor, "storage_offset");
  const auto start = offset ? whole_number(*offset) : std::optional<std::int64_t>(0);
  if (!start || !whole_numbers(*tensor, "sizes", layout.sizes) ||
      !whole_numbers(*tensor, "strides", layout.strides))
    return;
  layout.offset = *start;
  for (const std::size_t at : inputs) {
    Input& input = case_.after.inputs[at];
    const std::optional<Type>& type = case_.after.values[input.value.index].type;
    layout.dtype = type ? type->dtype : Dtype::other;
    const auto held = row_major(*storage, layout);
    if (!held) continue;
    input.digest = digest_of(*held);
    if (held->size() > kKeptWeight || kept_ + held->size() > kKeptWeights) continue;
    kept_ += held->size();
    input.bytes = *held;
  }
}

}  // namespace

Result<std::vector<Case>> read_pt2(std::string_view bytes, bool with_contents) {
  const auto archive = Pt2Archive::open(bytes);
  if (!archive) return archive.fault();
  const std::vector<Pt2Model> models = models_of(*archive);
  if (models.empty())
    return Diagnostic{"byte " + std::to_string(bytes.size()), "is an archive without an exported program"};
  if (models.size() > kMostModels)
    return Diagnostic{models.back().member, "the archive has too many programs"};
  std::vector<Case> cases;
  for (const Pt2Model& model : models) {
    auto value = Pt2Reader(*archive, model, with_contents).read();
    if (!value) return value.fault();
    cases.push_back(*std::move(value));
  }
  return cases;
}

}  // namespace noclobber
