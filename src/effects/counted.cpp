#include "src/effects/counted.h"

#include <utility>

#include "src/effects/dispatch.h"
#include "src/effects/emit.h"
#include "src/effects/identities.h"
#include "src/effects/results.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

/// An extent as an argument. Empty if it is no number and no type gives it.
std::optional<Arg> extent_of(const Tracer& t, const Call& call, const Shape& shape, std::size_t dim) {
  if (const auto number = t.space.value(shape[dim])) return Arg::of(SymExpr(*number));
  const Type* type = said(t, call, 0);
  return type != nullptr && dim < type->shape.size() ? std::optional(Arg::of(type->shape[dim]))
                                                     : std::nullopt;
}

/// Binds a call's result to `line` along one dimension, repeated along all others.
bool upright(Tracer& t, const Call& call, const InferredMeta& meta, Binding line, std::size_t dim) {
  Shape shape(meta.shape.size() - dim, t.space.constant(1));
  shape[0] = meta.shape[dim];
  line.view.maps.edit().push_back(reshape_map({meta.shape[dim]}, shape));
  line.view.shape = shape;
  const auto everywhere = broadcast_to(t, line, meta.shape);
  const auto out = everywhere ? fresh_for(t, call, 0, meta) : std::nullopt;
  if (!out) return false;
  move(t, *out, *everywhere, call.number);
  bind(t, call, 0, *out);
  return true;
}

}  // namespace

/// Runs a call that the graph does not contain, without metadata. Its result is named until names are cut.
Arg aside(Tracer& t, const Call& call, const char* op, std::vector<Arg> arguments) {
  Step step;
  step.op = op;
  step.results = {ValueId(t.names.bound.size())};
  t.names.bound.emplace_back();
  const bool was = std::exchange(t.at_hand.hushed, true);
  dispatch(t, call_of(t, step, *t.ops.find(op), std::move(arguments), call.number));
  t.at_hand.hushed = was;
  return Arg::of(step.results[0]);
}

/// The cumulative sums of a constant whole number are its multiples, computed as Inductor does: from 1, or
/// for reals from 0 and plus 1, as doubles. Integers wrap around alike; reals must hold the last sum exactly.
bool counted_up(Tracer& t, const Call& call, const Identity& row, const InferredMeta& meta) {
  const auto from = t.bound_of(call.arguments[0]);
  const auto dim = from && !call.schema->writes() ? whole(call.arguments[1], Dtype::i64) : std::nullopt;
  if (!dim) return false;
  const auto number = constant_of(t, *from);
  const std::size_t rank = meta.shape.size();
  const bool real = is_floating(*meta.dtype);
  if (!number || rank == 0 || !row.exact.contains(*meta.dtype)) return false;
  const Arg& device = t.known.constants.at(from->view.storage).device;
  const std::size_t at = static_cast<std::size_t>(*dim < 0 ? *dim + static_cast<std::int64_t>(rank) : *dim);
  const auto length = at < rank ? extent_of(t, call, meta.shape, at) : std::nullopt;
  if (!length || device.kind != Arg::Kind::device) return false;
  std::int64_t last = 0;
  if (real && (!length->sym.is_constant() || __builtin_mul_overflow(length->sym.constant(), *number, &last) ||
               !holds_whole(*meta.dtype, last)))
    return false;
  ++t.identities.simpler;
  if (t.request.use == Identities::none) return false;
  t.identities.built_by.emplace(row.name);
  const std::size_t own = t.names.bound.size();
  const Arg one = Arg::of(SymExpr(1));
  Arg line = aside(t, call, "prims.iota.default",
                   {*length, real ? Arg::of(SymExpr(0)) : one, one, Arg::of_dtype(Dtype::i64), device,
                    Arg::of_bool(false)});
  const char* convert = "prims.convert_element_type.default";
  if (real)
    line = aside(t, call, convert,
                 {aside(t, call, "aten.add.Tensor", {line, one, one}), Arg::of_dtype(Dtype::f64)});
  line = aside(t, call, "aten.mul.Tensor", {line, Arg::of(SymExpr(*number))});
  if (real) line = aside(t, call, convert, {line, Arg::of_dtype(*meta.dtype)});
  const auto counted = t.bound_of(line);
  t.names.bound.resize(own);
  return counted && upright(t, call, meta, *counted, at);
}

}  // namespace noclobber::effects
