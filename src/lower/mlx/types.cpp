// Result types of MLX instructions that stand for no operator of the graph.
#include <algorithm>

#include "src/graph/uses.h"
#include "src/lower/mlx/values.h"
#include "src/ops/infer.h"
#include "src/ops/layout.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

/// Empty if the type is unknown or a size is symbolic.
std::optional<Extents> extents_of(const SharedType& type) {
  return type ? constant_extents(type->shape) : std::nullopt;
}

std::optional<Extents> numbers_of(const Arg& list) {
  Extents out;
  for (const Arg& one : list.list) {
    if (one.kind != Arg::Kind::sym || !one.sym.is_constant()) return std::nullopt;
    out.push_back(one.sym.constant());
  }
  return out;
}

SharedType of_extents(Dtype dtype, const Extents& extents) {
  Type out;
  out.dtype = dtype;
  out.shape.assign(extents.begin(), extents.end());
  return out;
}

std::optional<Extents> permuted(const Extents& of, const Extents& order) {
  Extents out;
  for (const std::int64_t at : order) {
    if (at < 0 || at >= static_cast<std::int64_t>(of.size())) return std::nullopt;
    out.push_back(of[static_cast<std::size_t>(at)]);
  }
  return of.size() == order.size() ? std::optional(out) : std::nullopt;
}

std::int64_t product_of(const Extents& all) {
  std::int64_t out = 1;
  for (const std::int64_t one : all)
    if (one < 0 || __builtin_mul_overflow(out, one, &out)) return -1;
  return out;
}

/// One extent may be -1.
std::optional<Extents> reshaped(const Extents& of, Extents wanted) {
  const auto open = std::ranges::find(wanted, -1);
  if (open != wanted.end()) {
    *open = 1;
    const std::int64_t rest = product_of(wanted), all = product_of(of);
    if (rest <= 0 || all < 0 || all % rest != 0) return std::nullopt;
    *open = all / rest;
  }
  return product_of(wanted) == product_of(of) ? std::optional(wanted) : std::nullopt;
}

SharedType by_rule(const Graph& graph, const Step& step) {
  const Schema* schema = find_schema(step.op);
  if (schema == nullptr) return {};
  Space space;
  Sizes sizes(space);
  const auto arguments = bind_arguments(*schema, step);
  if (!arguments) return {};
  std::vector<TensorMeta> given;
  for (const ValueId id : uses_of(step)) {
    const SharedType type = graph.value(id).type;
    const auto extents = extents_of(type);
    if (!extents) return {};
    given.push_back({{}, type->dtype});
    for (const std::int64_t extent : *extents) given.back().shape.push_back(space.constant(extent));
  }
  const auto made = infer_meta({sizes, base_name(step.op), *schema, *arguments, given});
  if (made.empty() || !made[0].dtype) return {};
  Extents out;
  for (const PolyId extent : made[0].shape) {
    const auto known = space.value(extent);
    if (!known) return {};
    out.push_back(*known);
  }
  return of_extents(*made[0].dtype, out);
}

}  // namespace

SharedType mlx_result_type(const Graph& graph, const Step& step) {
  if (step.args.empty() || step.args[0].kind != Arg::Kind::ref) return by_rule(graph, step);
  const SharedType first = graph.value(step.args[0].ref).type;
  const auto of = extents_of(first);
  if (!of) return {};
  const std::string_view op = base_name(step.op);
  std::optional<Extents> made;
  if (op == "aten.clone" || op == "aten.slice_scatter") return first;
  if (op != "aten.permute_copy" && op != "aten.view_copy") return by_rule(graph, step);
  const auto numbers = numbers_of(step.args[1]);
  if (numbers) made = op == "aten.permute_copy" ? permuted(*of, *numbers) : reshaped(*of, *numbers);
  return made ? of_extents(first->dtype, *made) : SharedType();
}

/// False only if the shape that the payload states for register `at` contradicts `type`.
bool MlxCase::is_shaped(std::uint32_t at, const SharedType& type) const {
  const auto own = numbers_.shapes.find(at);
  if (own == numbers_.shapes.end() || !type) return true;
  return std::ranges::equal(own->second, type->shape, [](std::int64_t size, const SymExpr& meant) {
    return size < 0 || !meant.is_constant() || meant.constant() == size;
  });
}

/// Applies the shape rule of the instruction. Gives neither shape nor refusal if an operand's is unknown.
MlxFit MlxCase::fit_of(const RegisterStep& step) const {
  const auto fields = numbers_.steps.find(step.at);
  std::vector<MlxExtents> of;
  for (const std::uint32_t at : step.reads) {
    const MlxHeld& held = held_[at];
    if (held.kind == MlxHeld::Kind::nothing) return {};
    const auto extents =
        held.kind == MlxHeld::Kind::number ? Extents{} : extents_of(graph_.value(held.value).type);
    if (!extents) return {};
    of.push_back(*extents);
  }
  return fields == numbers_.steps.end() ? MlxFit{} : mlx_fit(step.op, fields->second, of);
}

/// The type of the first result of an instruction that stands for no operator: that of the operator `made`
/// that it computes, else the shape rule of its node with the common floating dtype of its operands.
SharedType MlxCase::odd_type(const RegisterStep& step, const Step& made) const {
  if (SharedType known = mlx_result_type(graph_, made)) return known;
  const MlxFit fit = fit_of(step);
  const std::vector<ValueId> values = values_read(step);
  if (!fit.made || values.size() != step.reads.size() || !mlx_op_of(step.op).op.empty()) return {};
  const Dtype dtype = graph_.value(values[0]).type->dtype;
  const bool alike =
      std::ranges::all_of(values, [&](ValueId id) { return graph_.value(id).type->dtype == dtype; });
  if (step.op == "AsTypeNode")
    for (const auto& [name, value] : made.kwargs)
      if (name == "dtype") return of_extents(value.dtype, *fit.made);
  const bool floats = type_category(dtype) == 2;
  return floats && (alike || step.op == "TakeNode") ? of_extents(dtype, *fit.made) : SharedType();
}

SharedType mlx_product_type(const SharedType& a, const SharedType& b, const SharedType& bias) {
  const auto left = extents_of(a), right = extents_of(b);
  if (!left || !right || left->empty() || right->size() != 2 || left->back() != (*right)[0] ||
      a->dtype != b->dtype)
    return {};
  Extents out = *left;
  out.back() = (*right)[1];
  if (!bias) return of_extents(a->dtype, out);
  const auto added = extents_of(bias);
  const bool fits = added && bias->dtype == a->dtype && added->size() == 1 && (*added)[0] == out.back();
  return fits ? of_extents(a->dtype, out) : SharedType();
}

}  // namespace noclobber
