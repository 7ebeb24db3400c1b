// Thunder's views, and helpers for rows.
#include <algorithm>

#include "src/lower/thunder/rows.h"

namespace noclobber {

using ViewCall = ThunderBuilder::Call;
using ViewEmit = ThunderBuilder::Emit;

const ThunderThing* thunder_given(const ViewCall& call, std::size_t at, std::string_view name) {
  return at < call.args.size() ? &call.args[at] : call.keyword(name);
}

std::optional<Arg> thunder_argument(const ThunderThing& thing) {
  switch (thing.kind) {
    case ThunderThing::Kind::tensor:
      return Arg::of(thing.id);
    case ThunderThing::Kind::argument:
      return thing.argument;
    case ThunderThing::Kind::other:
      return std::nullopt;
    case ThunderThing::Kind::sequence: {
      std::vector<Arg> items;
      for (const ThunderThing& item : thing.items) {
        auto arg = thunder_argument(item);
        if (!arg) return std::nullopt;
        items.push_back(*std::move(arg));
      }
      return Arg::of(std::move(items));
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::int64_t>> thunder_integers(const ThunderThing* thing) {
  if (thing == nullptr) return std::nullopt;
  std::vector<std::int64_t> out;
  const auto take = [&](const ThunderThing& item) {
    const bool whole = item.kind == ThunderThing::Kind::argument && item.argument.kind == Arg::Kind::sym &&
                       item.argument.sym.is_constant();
    if (whole) out.push_back(item.argument.sym.constant());
    return whole;
  };
  if (thing->kind != ThunderThing::Kind::sequence) return take(*thing) ? std::optional(out) : std::nullopt;
  return std::ranges::all_of(thing->items, take) ? std::optional(out) : std::nullopt;
}

Arg thunder_list(const std::vector<std::int64_t>& numbers) {
  std::vector<Arg> items;
  for (const std::int64_t n : numbers) items.push_back(Arg::of(SymExpr(n)));
  return Arg::of(std::move(items));
}

std::vector<Type> thunder_type_like(const ThunderBuilder& builder, ValueId id) {
  const auto& type = builder.type_of(id);
  if (!type) return {};
  Type out = *type;
  out.strides = Type::Strides::contiguous;
  out.stride.clear();
  out.offset = 0;
  return {out};
}

const std::vector<SymExpr>* thunder_shape(const ThunderBuilder& builder, const ThunderThing* thing) {
  if (thing == nullptr || !thing->is_tensor()) return nullptr;
  const auto& type = builder.type_of(thing->id);
  return type ? &type->shape : nullptr;
}

ThunderLayout thunder_pointwise_layout(const ThunderBuilder& builder, const ViewCall& call) {
  const bool ordered = std::ranges::all_of(call.args, [&](const ThunderThing& arg) {
    return !arg.is_tensor() || builder.layout(arg.id) != ThunderLayout::open;
  });
  return ordered ? ThunderLayout::plain : ThunderLayout::open;
}

namespace {

/// The layout of a view that keeps the order of dimensions, but not all elements.
ThunderLayout partial(ThunderLayout base) { return std::min(base, ThunderLayout::ordered); }

}  // namespace

bool thunder_reshape(ThunderBuilder& builder, const ViewCall& call, const ThunderRow&) {
  const auto shape = thunder_integers(thunder_given(call, 1, "shape"));
  if (call.args.empty() || !call.args[0].is_tensor() || !shape) return false;
  builder.emit(call, {"aten.reshape.default",
                      {Arg::of(call.args[0].id), thunder_list(*shape)},
                      {},
                      builder.layout(call.args[0].id)});
  return true;
}

bool thunder_permute(ThunderBuilder& builder, const ViewCall& call, const ThunderRow&) {
  const auto order = thunder_integers(thunder_given(call, 1, "permutation"));
  if (call.args.empty() || !call.args[0].is_tensor() || !order) return false;
  const bool still = std::ranges::is_sorted(*order);
  builder.emit(call, {"aten.permute.default",
                      {Arg::of(call.args[0].id), thunder_list(*order)},
                      {},
                      still ? builder.layout(call.args[0].id) : ThunderLayout::open});
  return true;
}

bool thunder_squeeze(ThunderBuilder& builder, const ViewCall& call, const ThunderRow&) {
  const auto dims = thunder_integers(thunder_given(call, 1, "dims"));
  if (call.args.empty() || !call.args[0].is_tensor() || !dims) return false;
  builder.emit(call, {"aten.squeeze.dims",
                      {Arg::of(call.args[0].id), thunder_list(*dims)},
                      {},
                      builder.layout(call.args[0].id)});
  return true;
}

/// `slice_prim(a, starts, ends, steps)`: one slice per dimension that is not taken whole.
bool thunder_slice(ThunderBuilder& builder, const ViewCall& call, const ThunderRow&) {
  const auto starts = thunder_integers(thunder_given(call, 1, "start_indices")),
             ends = thunder_integers(thunder_given(call, 2, "end_indices"));
  const ThunderThing* stepped = thunder_given(call, 3, "strides");
  const bool unit = stepped == nullptr || thunder_argument(*stepped) == Arg();
  const auto steps = thunder_integers(stepped);
  const auto* shape = call.args.empty() ? nullptr : thunder_shape(builder, &call.args[0]);
  if (!starts || !ends || (!steps && !unit) || shape == nullptr || starts->size() != shape->size() ||
      ends->size() != shape->size() || (steps && steps->size() != shape->size()))
    return false;
  ValueId at = call.args[0].id;
  std::vector<ViewEmit> parts;
  for (std::size_t k = 0; k < shape->size(); ++k) {
    const std::int64_t step = unit ? 1 : (*steps)[k];
    if ((*starts)[k] == 0 && SymExpr((*ends)[k]) == (*shape)[k] && step == 1) continue;
    parts.push_back({"aten.slice.Tensor",
                     {Arg(), Arg::of(SymExpr(static_cast<std::int64_t>(k))), Arg::of(SymExpr((*starts)[k])),
                      Arg::of(SymExpr((*ends)[k])), Arg::of(SymExpr(step))},
                     {},
                     partial(builder.layout(at))});
  }
  if (parts.empty()) parts.push_back({"aten.alias.default", {Arg()}, {}, builder.layout(at)});
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].args[0] = Arg::of(at);
    if (k + 1 < parts.size())
      at = builder.emit_part(call, std::move(parts[k]));
    else
      builder.emit(call, std::move(parts[k]));
  }
  return true;
}

/// `broadcast_in_dim(a, shape, dims)`: dimension k of a becomes dims[k], the others are repeated.
bool thunder_broadcast(ThunderBuilder& builder, const ViewCall& call, const ThunderRow&) {
  const auto shape = thunder_integers(thunder_given(call, 1, "shape")),
             dims = thunder_integers(thunder_given(call, 2, "broadcast_dimensions"));
  const auto* from = call.args.empty() ? nullptr : thunder_shape(builder, &call.args[0]);
  if (!shape || !dims || from == nullptr) return false;
  ValueId at = call.args[0].id;
  std::vector<bool> kept(shape->size(), false);
  for (const std::int64_t d : *dims) {
    if (d < 0 || static_cast<std::size_t>(d) >= shape->size()) return false;
    kept[static_cast<std::size_t>(d)] = true;
  }
  const bool placed = dims->size() == from->size() && std::ranges::is_sorted(*dims);
  if (!placed && from->size() != shape->size()) return false;  // else executed as an expand of equal rank
  for (std::size_t k = 0; placed && k < shape->size(); ++k)
    if (!kept[k])
      at = builder.emit_part(call, {"aten.unsqueeze.default",
                                    {Arg::of(at), Arg::of(SymExpr(static_cast<std::int64_t>(k)))},
                                    {},
                                    builder.layout(at)});
  builder.emit(call,
               {"aten.expand.default", {Arg::of(at), thunder_list(*shape)}, {}, partial(builder.layout(at))});
  return true;
}

ValueId thunder_scalar(ThunderBuilder& builder, const ViewCall& call, Arg number, Dtype dtype) {
  Type type;
  type.dtype = dtype;
  return builder.emit_part(call, {"aten.scalar_tensor.default",
                                  {std::move(number)},
                                  {{"dtype", Arg::of_dtype(dtype)}},
                                  ThunderLayout::plain,
                                  {type}});
}

/// `tensor_from_sequence([0, 2], dtype=, device=)`: a stack of numbers, or a full if all are equal.
bool thunder_numbers(ThunderBuilder& builder, const ViewCall& call, const ThunderRow&) {
  constexpr std::size_t kMost = 64;
  const auto type = thunder_tensor_type(call.statement->type);
  const auto given = call.args.empty() ? std::nullopt : thunder_argument(call.args[0]);
  const auto is_number = [](const Arg& arg) {
    return arg.kind == Arg::Kind::sym || arg.kind == Arg::Kind::real || arg.kind == Arg::Kind::boolean;
  };
  if (!type || !given || given->kind != Arg::Kind::list || given->list.empty() ||
      given->list.size() > kMost || !std::ranges::all_of(given->list, is_number))
    return emit_thunder_function(builder, call, {});
  const auto& first = given->list.front();
  if (type->shape.size() == 1 &&
      std::ranges::all_of(given->list, [&](const Arg& one) { return one == first; })) {
    builder.emit(call, {"aten.full.default",
                        {thunder_list({static_cast<std::int64_t>(given->list.size())}), first},
                        {{"dtype", Arg::of_dtype(type->dtype)}}});
    return true;
  }
  std::vector<Arg> numbers;
  for (const Arg& one : given->list)
    numbers.push_back(Arg::of(thunder_scalar(builder, call, one, type->dtype)));
  builder.emit(call, {"aten.stack.default", {Arg::of(std::move(numbers))}});
  return true;
}

}  // namespace noclobber
