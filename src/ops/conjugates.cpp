#include "src/ops/conjugates.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "src/graph/uses.h"
#include "src/ops/layout.h"
#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::string_view kLazy = "aten._conj.default";

/// True if a result may share storage with an operand: it is not known to be fresh.
bool may_share(const Step& step, const Schema& schema) {
  const bool says =
      std::ranges::any_of(schema.returns, [](const SchemaSlot& slot) { return !slot.alias.empty(); });
  return says || !gives_fresh(meaning_of(base_name(step.op), schema));
}

/// True if the step may be given a tensor with the conjugate bit: it writes nothing, neither rejects nor
/// inspects the bit, and its result is fresh or a view.
bool reads_numbers(const Step& step) {
  if (!writes_nothing(step) || !step.op->starts_with("aten.")) return false;
  for (const std::string_view refuses : {"aten.view_as_real", "aten.view.dtype", "aten._neg_view",
                                         "aten.is_conj", "aten.resolve_", "aten.real", "aten.imag"})
    if (step.op->starts_with(refuses)) return false;
  const Meaning meaning = meaning_of(base_name(step.op), *find_schema(step.op));
  return gives_fresh(meaning) || meaning == Meaning::view || meaning == Meaning::may_view;
}

bool mentions_one(const std::vector<ValueId>& values, const std::set<ValueId>& of) {
  return std::ranges::any_of(values, [&](ValueId id) { return of.contains(id); });
}

/// True if the call can be replaced by one that makes a fresh tensor.
bool is_only_read(const Graph& graph, std::size_t at) {
  if (std::ranges::any_of(graph.steps, [](const Step& step) { return !step.extras->stream.empty(); }))
    return false;
  std::set<ValueId> lazy{graph.steps[at].results[0]};
  bool written = false;
  for (std::size_t k = at + 1; k < graph.steps.size(); ++k) {
    const Step& step = graph.steps[k];
    const bool reads = mentions_one(uses_of(step), lazy);
    if (reads && (written || !reads_numbers(step))) return false;
    written = written || !writes_nothing(step);
    if (reads && may_share(step, *find_schema(step.op)))
      lazy.insert(step.results.begin(), step.results.end());
  }
  std::vector<ValueId> returned;
  for (const Arg& output : graph.outputs) collect_uses(output, returned);
  return !mentions_one(returned, lazy) && graph.finals.empty();
}

/// True if the strides are dense (no gaps, no element twice), so that a fresh tensor like it has the same
/// ones. False without elements, since strides then have no meaning.
bool is_dense(const Type& type) {
  if (type.strides != Type::Strides::given) return type.strides == Type::Strides::contiguous;
  Geometry at;
  for (std::size_t k = 0; k < type.shape.size(); ++k) {
    if (!type.shape[k].is_constant() || !type.stride[k].is_constant()) return false;
    at.shape.push_back(type.shape[k].constant()), at.stride.push_back(type.stride[k].constant());
  }
  return at.numel() > 0 && is_dense(at);
}

/// True if the argument is a dense complex tensor and the result is not described as having gaps.
bool is_plain(const Graph& graph, const Step& step) {
  const Arg& arg = step.args[0];
  const SharedType of = arg.kind == Arg::Kind::ref ? graph.value(arg.ref).type : SharedType();
  const SharedType is = graph.value(step.results[0]).type;
  if (!of || (of->dtype != Dtype::c64 && of->dtype != Dtype::c128) || !is_dense(*of)) return false;
  return !is || is->strides != Type::Strides::given || is_dense(*is);
}

void conjugate(Graph& graph) {
  for (std::size_t at = graph.steps.size(); at-- > 0;) {  // a conjugate's own readers are replaced first
    const Step& step = graph.steps[at];
    if (step.op != kLazy || step.args.size() != 1 || step.results.size() != 1 || !step.results[0].valid())
      continue;
    if (is_plain(graph, step) && is_only_read(graph, at)) graph.steps[at].op = "aten._conj_physical.default";
  }
}

}  // namespace

void conjugate_at_once(Case& value) {
  if (value.dataflow || value.every_order) return;  // a later write might run before a reader
  if (value.before) conjugate(*value.before);
  conjugate(value.after);
}

}  // namespace noclobber
