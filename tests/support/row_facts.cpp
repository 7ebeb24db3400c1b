#include "tests/support/row_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "src/kernels/kernels.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"
#include "tests/support/sample.h"
#include "tests/support/source_dir.h"

namespace noclobber::golden {
namespace {

constexpr const char* kHead =
    "row\tmeaning\treach\ttoken\tin flight\tneutral\tsame as\tproduct\tshared\tshapes\tviews\ttypes";

struct Asked {
  Space space;
  Sizes sizes{space};
  const Schema* schema = nullptr;
  std::string functional;
  std::vector<Arg> arguments;
};

bool ask(const GoldenCall& call, Asked& asked) {
  const Step& step = call.value.after.steps[0];
  asked.schema = find_schema(step.op);
  if (asked.schema == nullptr) return false;
  const std::string functional = functional_op(step.op);
  asked.functional = std::string(base_name(functional.empty() ? *step.op : functional));
  auto bound = bind_arguments(*asked.schema, step);
  if (bound) asked.arguments = *std::move(bound);
  return bool(bound);
}

const Type& type_of(const GoldenCall& call, ValueId value) { return *call.value.after.value(value).type; }

/// Tensor arguments that are read, in schema order, lists flattened.
std::vector<ValueId> operands(const Asked& asked) {
  std::vector<ValueId> out;
  for (std::size_t k = 0; k < asked.arguments.size(); ++k) {
    const SchemaSlot& slot = asked.schema->arguments[k];
    const Arg& arg = asked.arguments[k];
    if (slot.written && slot.keyword_only) continue;
    for (const Arg& item : arg.kind == Arg::Kind::list ? *arg.list : std::vector<Arg>{arg})
      if (item.kind == Arg::Kind::ref) out.push_back(item.ref);
  }
  return out;
}

std::vector<InferredMeta> asked_meta(const GoldenCall& call, Asked& asked) {
  std::vector<TensorMeta> tensors;
  for (const ValueId v : operands(asked)) {
    const Type& type = type_of(call, v);
    tensors.push_back({asked.sizes.of(type.shape), type.dtype});
  }
  return infer_meta({asked.sizes, asked.functional, *asked.schema, asked.arguments, tensors});
}

std::vector<std::int64_t> extents(const Space& space, const Shape& shape) {
  std::vector<std::int64_t> out;
  for (const PolyId size : shape) out.push_back(space.value(size).value_or(-1));
  return out;
}

/// Where a view of `base` begins in its storage; Space::kBad where that is not known.
PolyId offset_of(Space& space, const ViewMaps& view, const Viewed& base, PolyId own) {
  if (view.flat) return view.maps[0].dim == 1 ? space.add(view.maps[0].start, own) : view.maps[0].start;
  Index at(view.shape.size(), 0);
  for (std::size_t k = view.maps.size(); k-- > 0;) at = forward(space, view.maps[k], at);
  for (std::size_t k = 0; k < at.size(); ++k) own = space.add(own, space.mul(at[k], (*base.strides)[k]));
  return own;
}

std::string fault_of(const std::string& what, std::size_t result) {
  return "result " + std::to_string(result) + ": the rule gives another " + what;
}

/// A view against the recorded result.
void compare_view(Asked& asked, const Viewed& base, PolyId offset, const ViewMaps& view, const Type& recorded,
                  bool fresh, std::size_t result, RowFacts& facts) {
  if (view.dtype && *view.dtype != recorded.dtype) facts.faults.push_back(fault_of("type", result));
  if (view.dtype && view.parts == ViewMaps::Parts::along) return;  // how wide it is: seen elsewhere
  Space& space = asked.space;
  const Shape shape = asked.sizes.of(recorded.shape), strides = asked.sizes.of(recorded.stride);
  const bool empty = space.value(element_count(space, shape)) == 0;
  if (!view.dtype && view.shape != shape) return facts.faults.push_back(fault_of("shape", result)), void();
  ++facts.views;
  if (fresh || view.dtype || empty) return;
  const auto own = view_strides(space, view.maps, base.strides);
  if (!own || has_strides(space, Viewed{shape, own}, strides) != true)
    facts.faults.push_back(fault_of("stride", result));
  if (offset_of(space, view, base, offset) != asked.sizes.of(recorded.offset))
    facts.faults.push_back(fault_of("offset", result));
}

void ask_view(const GoldenCall& call, Asked& asked, RowFacts& facts) {
  const Step& step = call.value.after.steps[0];
  const ViewRule rule = find_view_rule(base_name(step.op));
  if (rule == nullptr || asked.schema->writes() || asked.arguments[0].kind != Arg::Kind::ref) return;
  const bool scatters = meaning_of(base_name(step.op), *asked.schema) == Meaning::view_scatter;
  const Type& type = type_of(call, asked.arguments[0].ref);
  Viewed base{asked.sizes.of(type.shape), asked.sizes.of(type.stride), type.dtype};
  for (std::size_t k = 1; k < asked.arguments.size(); ++k)
    if (asked.arguments[k].kind == Arg::Kind::ref)
      base.others.push_back(asked.sizes.of(type_of(call, asked.arguments[k].ref).shape));
  std::vector<Arg> arguments = asked.arguments;
  if (scatters) arguments.erase(arguments.begin() + 1);
  const auto views = rule(asked.sizes, base, arguments);
  if (scatters) {
    ++facts.seen;
    if (!views) return;
    ++facts.views;
    if (views->front().shape != base.others[0]) facts.faults.push_back(fault_of("shape", 0));
    return;
  }
  facts.seen += static_cast<int>(step.results.size());
  if (!views) return;
  if (views->size() != step.results.size()) return facts.faults.push_back("another number of views"), void();
  for (std::size_t k = 0; k < views->size(); ++k)
    compare_view(asked, base, asked.sizes.of(type.offset), (*views)[k], type_of(call, step.results[k]),
                 call.shares[k] < 0, k, facts);
}

/// What lies in the storage of an argument, and what may not.
void ask_shared(const GoldenCall& call, const Asked& asked, RowFacts& facts) {
  const Step& step = call.value.after.steps[0];
  const Meaning meaning = meaning_of(base_name(step.op), *asked.schema);
  for (std::size_t k = 0; k < call.shares.size(); ++k) {
    ++facts.results;
    facts.shared += call.shares[k] < 0 ? 0 : 1;
    if (std::count(call.shapes[k].begin(), call.shapes[k].end(), 0) > 0) continue;  // it has no address
    const bool fresh = gives_fresh(meaning) && !asked.schema->writes();
    const bool shows = meaning == Meaning::view || meaning == Meaning::view_each;
    if (fresh && call.shares[k] >= 0) facts.faults.push_back("a result shares storage");
    if (shows && call.shares[k] < 0) facts.faults.push_back("a view shares no storage");
  }
}

void ask_shapes(const GoldenCall& call, Asked& asked, RowFacts& facts) {
  const std::vector<InferredMeta> rules = asked_meta(call, asked);
  const Few<ValueId>& results = call.value.after.steps[0].results;
  for (std::size_t k = 0; k < std::min(rules.size(), results.size()); ++k) {
    if (!results[k].valid() || !call.value.after.value(results[k]).type) continue;
    const Type& recorded = type_of(call, results[k]);
    ++facts.shapes;
    if (rules[k].shape != asked.sizes.of(recorded.shape)) facts.faults.push_back(fault_of("shape", k));
    if (!asked.schema->writes() && rules[k].dtype && *rules[k].dtype != recorded.dtype)
      facts.faults.push_back(fault_of("type", k));
  }
}

/// "b8:f32 ...": of the results for each type of the arguments.
std::string types_of(const GoldenCall& call) {
  const auto from = leading_type(call);
  std::string out;
  for (const Dtype to : retypes()) {
    const Inferred results = from ? inferred(retyped(call, *from, to)) : Inferred{};
    std::string text;
    for (const auto& dtype : results.dtypes)
      text += (text.empty() ? "" : "+") + (dtype ? std::string(name(*dtype)) : "open");
    if (!text.empty()) out += (out.empty() ? "" : " ") + std::string(name(to)) + ":" + text;
  }
  return out;
}

void add_file(const std::string& path, std::map<std::string, RowFacts>& out) {
  for (const GoldenCall& call : calls_of(path, true)) {
    Asked asked;
    if (!ask(call, asked)) continue;
    const OpRow* row = find_row(asked.functional);
    const OpRow* own = find_row(base_name(call.op));
    if (row == nullptr) row = own;
    if (row == nullptr) continue;
    RowFacts& facts = out[std::string(row->op)];
    const std::size_t before = facts.faults.size();
    ask_shared(call, asked, facts);
    ask_shapes(call, asked, facts);
    ask_view(call, asked, facts);
    if (facts.types.empty() && !asked.schema->writes()) facts.types = types_of(call);
    for (std::size_t k = before; k < facts.faults.size(); ++k)
      facts.faults[k] = call.op + ": " + facts.faults[k];
  }
}

template <std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, auto of) {
  return words.at(static_cast<std::size_t>(of));
}

std::string line_of(const OpRow& row) {
  static constexpr std::array<std::string_view, 30> kMeanings{
      "-",         "view",         "may_view",       "view_each",      "rebind",
      "set",       "resize",       "clone",          "view_copy",      "moved",
      "convert",   "may_convert",  "copy_into",      "copy_each",      "copy",
      "fill_into", "fill",         "empty",          "view_scatter",   "concatenate",
      "stack",     "self_if_real", "random_or_self", "reduce_or_self", "normalize_running",
      "ignored",   "describe",     "wait",           "unsupported",    ""};
  static constexpr std::array<std::string_view, 2> kReach{"-", "elementwise"};
  static constexpr std::array<std::string_view, 4> kToken{"-", "effects", "generator", "both"};
  static constexpr std::array<std::string_view, 3> kFlight{"-", "results", "all"};
  const auto at = row_facts().find(std::string(row.op));
  const RowFacts facts = at == row_facts().end() ? RowFacts{} : at->second;
  const Identity* keeps = find_identity(Identity::Form::keeps, row.op);
  const std::string neutral =
      keeps == nullptr ? "-"
                       : fmt::format("argument 1 = {}{}{}", keeps->value, keeps->either ? ", either" : "",
                                     keeps->assumed.empty() ? "" : ", but for -0");
  const auto part = [](int k, int of) { return of == 0 ? "-" : fmt::format("{}/{}", k, of); };
  const auto dash = [](std::string_view text) { return text.empty() ? std::string_view("-") : text; };
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", row.op, word(kMeanings, row.meaning),
                     word(kReach, row.reach), word(kToken, row.token), word(kFlight, row.in_flight), neutral,
                     dash(row.same_as), dash(product_of(row.op)), part(facts.shared, facts.results),
                     part(facts.shapes, facts.results), part(facts.views, facts.seen), dash(facts.types));
}

}  // namespace

const std::vector<Dtype>& retypes() {
  static const std::vector<Dtype> all{Dtype::boolean, Dtype::u8,  Dtype::i32, Dtype::i64, Dtype::bf16,
                                      Dtype::f16,     Dtype::f32, Dtype::f64, Dtype::c64};
  return all;
}

std::optional<Dtype> leading_type(const GoldenCall& call) {
  std::optional<Dtype> first;
  for (std::size_t k = 0; k < call.inputs; ++k) {
    const Dtype dtype = call.value.after.values[k].type->dtype;
    if (is_floating(dtype)) return dtype;
    if (!first) first = dtype;
  }
  return first;
}

GoldenCall retyped(const GoldenCall& call, Dtype from, Dtype to) {
  GoldenCall out = call;
  const std::int64_t old_width = item_bytes(from), width = item_bytes(to);
  for (std::size_t k = 0; k < out.inputs; ++k) {
    Value& value = out.value.after.values[k];
    if (value.type->dtype != from) continue;
    value.type.edit().dtype = to;
    auto& bytes = out.options.contents.at(value.name);
    const auto count = static_cast<std::int64_t>(bytes.size()) / old_width;
    bytes.assign(static_cast<std::size_t>(count * width), 0);
    for (std::int64_t i = 0; i < count; ++i) store_number(to, bytes.data() + i * width, Number::of(1));
  }
  const auto change = [&](Arg& arg) {  // input_dtype and its like
    if (arg.kind == Arg::Kind::dtype && arg.dtype == from) arg.dtype = to;
  };
  for (Arg& arg : out.value.after.steps[0].args) change(arg);
  for (auto& [name, arg] : out.value.after.steps[0].kwargs.items()) change(arg);
  for (std::size_t k = out.inputs; k < out.value.after.values.size(); ++k)
    out.value.after.values[k].type = std::nullopt;
  return out;
}

Inferred inferred(const GoldenCall& call) {
  Asked asked;
  Inferred out;
  if (!ask(call, asked)) return out;
  for (const InferredMeta& meta : asked_meta(call, asked)) {
    out.shapes.push_back(extents(asked.space, meta.shape));
    out.dtypes.push_back(meta.dtype);
  }
  return out;
}

const std::map<std::string, RowFacts>& row_facts() {
  static const auto all = [] {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(in_sources("/corpus/golden")))
      if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    std::map<std::string, RowFacts> out;
    for (const std::string& path : paths) add_file(path, out);
    return out;
  }();
  return all;
}

std::vector<std::string> rows_page() {
  std::vector<std::string> out{kHead};
  for (const OpRow& row : op_rows()) out.push_back(line_of(row));
  return out;
}

}  // namespace noclobber::golden
