#include "src/fuzz/brute.h"

#include <algorithm>
#include <set>

#include "src/formats/fx_text/fx_text.h"
#include "src/fuzz/random.h"
#include "src/interp/replay_search.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"

namespace noclobber::fuzz {
namespace {

using Places =
    std::vector<std::pair<std::uint32_t, std::int64_t>>;  // per byte of a tensor: (storage, position)

Places places(const Tensor& tensor) {
  const std::int64_t width = std::max(1, bit_width(tensor.dtype) / 8);
  Places out;
  std::int64_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= extent;
  for (std::int64_t at = 0; at < count; ++at) {
    std::int64_t rest = at, position = tensor.offset;
    for (std::size_t d = tensor.shape.size(); d-- > 0; rest /= tensor.shape[d])
      position += rest % tensor.shape[d] * tensor.stride[d];
    for (std::int64_t b = 0; b < width; ++b) out.emplace_back(tensor.storage, position * width + b);
  }
  return out;
}

/// Byte `byte` of output `output` is byte `at` of an input's storage (`of`: its index among the names), or of
/// an earlier output, or of the same output.
struct Share {
  std::size_t output, byte;
  bool input;
  std::size_t of;
  std::int64_t at;
  auto operator<=>(const Share&) const = default;
};

std::set<Share> shares(const Run& run) {
  std::set<Share> out;
  std::map<std::uint32_t, std::size_t> inputs;
  for (const auto& [name, storage] : run.input_storage) inputs.emplace(storage, inputs.size());
  std::map<Places::value_type, std::vector<std::pair<std::size_t, std::int64_t>>> earlier;
  for (std::size_t k = 0; k < run.outputs.size(); ++k) {
    const Places all = run.outputs[k].tensor ? places(*run.outputs[k].tensor) : Places{};
    for (std::size_t b = 0; b < all.size(); ++b) {
      if (const auto input = inputs.find(all[b].first); input != inputs.end())
        out.insert({k, b, true, input->second, all[b].second});
      auto& there = earlier[all[b]];
      for (const auto& [output, byte] : there) out.insert({k, b, false, output, byte});
      there.emplace_back(k, static_cast<std::int64_t>(b));
    }
  }
  return out;
}

/// Compares strides as far as they are observable: not in dimensions of size 1, and not of an empty tensor.
bool same_strides(const Tensor& a, const Tensor& b) {
  if (places(a).empty()) return true;
  for (std::size_t d = 0; d < a.shape.size(); ++d)
    if (a.shape[d] != 1 && a.stride[d] != b.stride[d]) return false;
  return true;
}

std::string output_difference(const Run::Output& a, const Run::Output& b, bool strides) {
  if (a.tensor.has_value() != b.tensor.has_value() || a.scalar != b.scalar) return "kind";
  if (!a.tensor) return "";
  if (a.tensor->dtype != b.tensor->dtype || a.tensor->shape != b.tensor->shape) return "metadata";
  if (strides && !same_strides(*a.tensor, *b.tensor)) return "strides";
  const std::size_t width = static_cast<std::size_t>(std::max(1, bit_width(a.tensor->dtype) / 8));
  for (std::size_t at = 0; at < a.bytes.size(); ++at)
    if (a.defined[at / width] != 0 && a.bytes[at] != b.bytes[at]) return "byte " + std::to_string(at);
  return "";
}

/// What `before` allows, and which part of it binds `after`.
struct Allowed {
  std::set<Share> shared;         // the sharing of its outputs
  std::set<std::string> written;  // inputs that may be stored into
  std::set<std::string> free;     // inputs with arbitrary contents at exit
};

/// Empty if these runs cannot be compared.
std::optional<std::string> run_difference(const Case& value, const Run& a, const Run& b,
                                          const Allowed& allowed) {
  // An index out of range, a division by zero or an unsupported dtype concerns contents, not memory.
  const auto says = [&](const char* text) { return b.raised->message.find(text) != std::string::npos; };
  if (b.raised && (says("index ") || says("ZeroDivisionError") || says(" is not implemented for ")))
    return std::nullopt;
  if (b.raised) return "raises: " + b.raised->message;
  if (!b.immutable_writes.empty()) return "writes an input";
  if (a.outputs.size() != b.outputs.size()) return "number of outputs";
  for (std::size_t k = 0; k < a.outputs.size(); ++k)
    if (const std::string d = output_difference(a.outputs[k], b.outputs[k], value.compare_strides);
        !d.empty())
      return "output " + std::to_string(k) + ": " + d;
  for (const auto& [name, storage] : a.input_storage) {
    if (allowed.free.contains(name)) continue;
    const Storage& was = a.storages[storage];
    const Storage& is = b.storages[b.input_storage.at(name)];
    for (std::size_t at = 0; at < was.bytes.size(); ++at)
      if (was.defined[at] != 0 && was.bytes[at] != is.bytes[at])
        return name + " at exit: byte " + std::to_string(at);
  }
  if (!value.sharing_may_grow) {
    for (const Share& share : shares(b))
      if (!allowed.shared.contains(share))
        return "sharing: byte " + std::to_string(share.byte) + " of output " + std::to_string(share.output);
  }
  return a.effects == b.effects ? "" : "effects";
}

std::set<std::string> input_names(const Graph& graph) {
  std::set<std::string> out;
  for (const Input& input : graph.inputs) out.insert(graph.value(input.value).name);
  return out;
}

std::set<std::string> written_inputs(const Graph& graph, const Run& run) {
  std::set<std::string> out;
  for (const auto& [input, contents] : graph.finals) out.insert(graph.value(input).name);
  for (const auto& [name, storage] : run.input_storage)
    if (run.written.contains(storage)) out.insert(name);
  return out;
}

Allowed allowed_by(const Case& value, const Run& before) {
  Allowed out{shares(before), {}, {}};
  const auto written = written_inputs(*value.before, before);
  for (const Input& input : value.after.inputs) {
    const std::string& name = value.after.value(input.value).name;
    const bool own = written.contains(name), may = input.may_write.value_or(own);
    if (may) out.written.insert(name);
    if (input.exit ? *input.exit == Input::Exit::any : may && !own) out.free.insert(name);
  }
  return out;
}

/// True if the run replaced an operator by a hash of its operands although the operator table knows that it
/// copies, fills, keeps or folds values, or makes fresh ones in a known way.
bool hash_hides_meaning(const Run& run) {
  return std::any_of(run.hashed.begin(), run.hashed.end(), [](const std::string& op) {
    const std::string functional = functional_op(op);
    for (const std::string_view name : {base_name(op), base_name(functional)})
      if (const OpRow* row = find_row(name);
          row != nullptr && (find_identity(Identity::Form::keeps, row->op) != nullptr ||
                             find_identity(Identity::Form::folds, row->op) != nullptr ||
                             (row->meaning != Meaning::opaque && gives_fresh(row->meaning)) ||
                             row->meaning == Meaning::copy_into || row->meaning == Meaning::fill_into))
        return true;
    return false;
  });
}

/// All runs of `after` that are compared with one of `before`: directions and orders.
struct Sweep {
  const Case& value;
  const std::vector<std::vector<std::uint32_t>>& orders;
  RunOptions options;
};

/// "": no difference. Empty if `before` does not run with these contents and sizes.
std::optional<std::string> difference_at(Sweep sweep) {
  const Case& value = sweep.value;
  const auto before = run_graph(value, *value.before, input_names(*value.before), sweep.options);
  if (!before || before->raised || !before->unsupported.empty() || hash_hides_meaning(*before))
    return std::nullopt;
  RunOptions other = sweep.options;
  other.backwards = true;
  other.garbage_seed = 7;
  const auto again = run_graph(value, *value.before, input_names(*value.before), other);
  // If the two directions differ, a step overlaps its own operands and its result is not determined.
  const Allowed allowed = allowed_by(value, *before);
  if (!again || run_difference(value, *before, *again, {allowed.shared, {}, {}}) != "") return std::nullopt;
  for (const bool turned : {false, true}) {
    sweep.options.garbage_seed = turned ? 7 : 1;
    sweep.options.backwards = turned;
    for (const auto& order : sweep.orders) {
      sweep.options.order = order;
      const auto after = run_graph(value, value.after, allowed.written, sweep.options);
      if (!after || !after->unsupported.empty() || hash_hides_meaning(*after)) return std::nullopt;
      if (auto out = run_difference(value, *before, *after, allowed); out != "") return out;
    }
  }
  return "";
}

/// A random order that names, edges and streams allow.
std::vector<std::uint32_t> some_order(const Case& value, const std::vector<std::set<std::uint32_t>>& needs,
                                      Random& random) {
  std::vector<std::uint32_t> out;
  std::set<std::uint32_t> done;
  while (out.size() < value.after.steps.size()) {
    std::vector<std::uint32_t> ready;
    for (std::uint32_t k = 0; k < needs.size(); ++k)
      if (!done.contains(k) && std::includes(done.begin(), done.end(), needs[k].begin(), needs[k].end()))
        ready.push_back(k);
    const auto next = random.one_of(ready);
    done.insert(next);
    out.push_back(next);
  }
  return out;
}

void collect_refs(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) collect_refs(item, out);
}

/// Per step: the steps that must run before it.
std::vector<std::set<std::uint32_t>> needs_of(const Graph& graph) {
  std::vector<std::set<std::uint32_t>> out(graph.steps.size());
  std::map<std::string, std::uint32_t> last, named;
  for (std::uint32_t k = 0; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    std::vector<ValueId> used;
    for (const Arg& arg : step.args) collect_refs(arg, used);
    for (const auto& [name, arg] : step.kwargs) collect_refs(arg, used);
    for (const ValueId v : used)
      if (graph.value(v).from == Value::From::step) out[k].insert(graph.value(v).at);
    for (const std::string& name : step.extras->after)
      if (const auto at = named.find(name); at != named.end()) out[k].insert(at->second);
    if (!step.extras->stream.empty()) {
      if (const auto at = last.find(step.extras->stream); at != last.end()) out[k].insert(at->second);
      last[step.extras->stream] = k;
    }
    for (const ValueId v : step.results)
      if (v.valid()) named[graph.value(v).name] = k;
    if (!step.extras->id.empty()) named[step.extras->id] = k;
  }
  return out;
}

std::vector<std::vector<std::uint32_t>> orders_of(const Case& value) {
  std::vector<std::vector<std::uint32_t>> out{{}};
  if (!value.dataflow) return out;
  const auto needs = needs_of(value.after);
  Random random(value.after.steps.size());
  for (int k = 0; k < 16; ++k) out.push_back(some_order(value, needs, random));
  return out;
}

}  // namespace

BruteForce brute_force(const Case& value) {
  BruteForce out;
  const auto orders = orders_of(value);
  const auto symbols = assignments(value, {}, 16);
  for (const Symbols& sizes : symbols)
    for (const std::uint64_t contents : {0ULL, 2ULL, 5ULL, 8ULL, 12ULL, 23ULL, 38ULL}) {
      if (symbols.size() > 1 && contents > 5) break;
      Sweep sweep{value, orders, {}};
      sweep.options.symbols = sizes;
      sweep.options.contents_seed = contents;
      const auto difference = difference_at(std::move(sweep));
      if (!difference && value.symbols.empty()) return {};
      if (!difference) break;
      out.usable = true;
      out.difference = *difference;
      if (!out.difference.empty()) return out;
    }
  return out;
}

std::string both_graphs(const Case& value) {
  return "before\n" + (value.before ? write_fx_text(*value.before) : "") + "after\n" +
         write_fx_text(value.after);
}

}  // namespace noclobber::fuzz
