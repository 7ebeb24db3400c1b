// Thunder's own operators: one row per symbol, with the equivalent ATen operators beside it.
//
// A prim means what its executor in PyTorch does (thunder/executors/torchex.py): a view there is a view here.
// Source: https://github.com/Lightning-AI/lightning-thunder, release 0.2.6.
#include <algorithm>
#include <iterator>
#include <utility>

#include "src/lower/thunder/rows.h"
#include "src/lower/thunder/writes.h"

namespace noclobber {

namespace {

using Call = ThunderBuilder::Call;
using Emit = ThunderBuilder::Emit;

bool is_ref(const Arg& arg) { return arg.kind == Arg::Kind::ref; }

bool ignore(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  builder.bind_target(call, {});
  return true;
}

bool function(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  return emit_thunder_function(builder, call, {});
}

/// `(mantissa, exponent) = frexp(a)`: the type of a, and i32 of its shape.
bool parted(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  if (call.args.size() != 1 || !call.args[0].is_tensor()) return false;
  std::vector<Type> types = thunder_type_like(builder, call.args[0].id);
  if (!types.empty()) types.push_back(types[0]);
  if (!types.empty()) types[1].dtype = Dtype::i32;
  return emit_thunder_function(builder, call, {.types = std::move(types)});
}

bool impure(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  return emit_thunder_function(builder, call, {.pure = false});
}

/// Passes the same arguments in the same order.
bool direct(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  Emit what{std::string(row.op), {}, {}, thunder_pointwise_layout(builder, call)};
  for (const ThunderThing& thing : call.args) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    what.args.push_back(*std::move(arg));
  }
  for (const auto& [key, thing] : call.kwargs) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    if (arg->kind != Arg::Kind::none) what.kwargs.emplace_back(key, *std::move(arg));
  }
  builder.emit(call, std::move(what));
  return true;
}

/// An operator whose results are contiguous for all arguments.
bool fresh(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  if (!std::ranges::all_of(call.args, [](const ThunderThing& t) { return thunder_argument(t).has_value(); }))
    return false;
  Emit what{std::string(row.op), {}};
  for (const ThunderThing& thing : call.args) what.args.push_back(*thunder_argument(thing));
  for (const auto& [key, thing] : call.kwargs)
    if (auto arg = thunder_argument(thing); arg && arg->kind != Arg::Kind::none)
      what.kwargs.emplace_back(key, *std::move(arg));
  builder.emit(call, std::move(what));
  return true;
}

bool binary(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  if (call.args.size() != 2 || !call.kwargs.empty()) return false;
  const ThunderThing &a = call.args[0], &b = call.args[1];
  const auto left = thunder_argument(a), right = thunder_argument(b);
  if (!left || !right) return false;
  const std::string_view op = a.is_tensor() ? b.is_tensor() ? row.op : row.scalar : row.turned;
  const bool plain = left->kind != Arg::Kind::list && right->kind != Arg::Kind::list;  // complex(1.0, 2.0)
  if (op.empty() || !plain) return emit_thunder_function(builder, call, {});
  Emit what{std::string(op), {*left, *right}, {}, thunder_pointwise_layout(builder, call)};
  if (!a.is_tensor() && row.swap) std::swap(what.args[0], what.args[1]);
  builder.emit(call, std::move(what));
  return true;
}

/// The abs of a complex tensor is real: a declared function then.
bool absolute(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  const auto type = thunder_tensor_type(call.statement->type);
  const bool known =
      type && call.args.size() == 1 && call.args[0].is_tensor() && builder.type_of(call.args[0].id);
  if (!known || builder.type_of(call.args[0].id)->dtype != type->dtype)
    return emit_thunder_function(builder, call, {});
  return direct(builder, call, row);
}

/// Division of integers rounds towards zero, while aten.div gives a float.
bool divide(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  const auto type = thunder_tensor_type(call.statement->type);
  if (!type || !(is_floating(type->dtype) || is_complex(type->dtype)))
    return emit_thunder_function(builder, call, {});
  return binary(builder, call, row);
}

bool where(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  if (call.args.size() != 3 || !call.args[0].is_tensor()) return false;
  const bool a = call.args[1].is_tensor(), b = call.args[2].is_tensor();
  const auto is_list = [](const ThunderThing& t) { return t.kind == ThunderThing::Kind::sequence; };
  if ((!a && !b) || std::ranges::any_of(call.args, is_list)) return emit_thunder_function(builder, call, {});
  ThunderRow row{"where", direct,
                 a ? b ? "aten.where.self" : "aten.where.ScalarOther" : "aten.where.ScalarSelf"};
  return direct(builder, call, row);
}

/// An alias of the argument.
bool same(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  if (call.args.size() != 1 || !call.args[0].is_tensor()) return false;
  const ValueId id = call.args[0].id;
  builder.emit(call,
               {"aten.alias.default", {Arg::of(id)}, {}, builder.layout(id), thunder_type_like(builder, id)});
  return true;
}

/// `(t10, t11) = update_aliases((x0, t9))`: aliases of the same tensors, ordered after all of them.
bool barrier(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  const PythonExpr& target = call.statement->target;
  if (call.args.size() != 1 || call.args[0].kind != ThunderThing::Kind::sequence) return false;
  const std::vector<ThunderThing>& from = call.args[0].items;
  if (target.kind != PythonExpr::Kind::sequence || target.items.size() != from.size()) return false;
  if (!std::ranges::all_of(from, &ThunderThing::is_tensor)) return false;
  for (std::size_t k = 0; k < from.size(); ++k) {
    ThunderStatement one = *call.statement;
    one.target = target.items[k];
    Call part = call;
    part.statement = &one;
    const ValueId id = from[k].id;
    builder.emit(
        part, {"aten.alias.default", {Arg::of(id)}, {}, builder.layout(id), thunder_type_like(builder, id)});
    builder.mark_barrier();
  }
  return true;
}

/// `copy_(source, destination, grad_enabled=True)`: the operands are in the opposite order of ATen's.
bool copy_into(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  if (call.args.size() < 2 || !call.args[0].is_tensor() || !call.args[1].is_tensor()) return false;
  const ValueId to = call.args[1].id;
  Emit what{"aten.copy_.default",
            {Arg::of(to), Arg::of(call.args[0].id)},
            {},
            builder.layout(to),
            thunder_type_like(builder, to)};
  if (call.statement->target.kind == PythonExpr::Kind::none) {
    builder.emit_effect(call, std::move(what));
  } else {
    builder.emit(call, std::move(what));
  }
  return true;
}

bool convert(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  const ThunderThing* type = thunder_given(call, 1, "dtype");
  if (call.args.empty() || !call.args[0].is_tensor() || type == nullptr) return false;
  auto dtype = thunder_argument(*type);
  if (!dtype || dtype->kind != Arg::Kind::dtype) return false;
  builder.emit(
      call,
      {"aten.to.dtype", {Arg::of(call.args[0].id), *std::move(dtype)}, {}, builder.layout(call.args[0].id)});
  return true;
}

/// `bitcast(a, dtype)`: the same bytes as elements of another type.
bool bitcast(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  const ThunderThing* type = thunder_given(call, 1, "dtype");
  if (call.args.empty() || !call.args[0].is_tensor() || type == nullptr) return false;
  auto dtype = thunder_argument(*type);
  if (!dtype || dtype->kind != Arg::Kind::dtype) return false;
  const ValueId from = call.args[0].id;
  builder.emit(call, {"aten.view.dtype", {Arg::of(from), *std::move(dtype)}, {}, builder.layout(from)});
  return true;
}

/// `stride_order(a, order)`: for decreasing strides, the argument itself if it has them already.
bool stride_order(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  if (call.args.empty() || !call.args[0].is_tensor()) return false;
  const auto order = thunder_integers(thunder_given(call, 1, "order"));
  const bool falling = call.args.size() == 1 || (order && std::ranges::is_sorted(*order, std::greater<>()));
  if (!falling) return false;
  builder.emit(call, {"aten.contiguous.default", {Arg::of(call.args[0].id)}});
  return true;
}

/// The argument itself if it is on the device already.
bool device_put(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  const auto to = thunder_tensor_type(call.statement->type);
  if (call.args.size() != 2 || !call.args[0].is_tensor() || !to) return false;
  const auto& from = builder.type_of(call.args[0].id);
  if (!from) return false;
  if (from->device != to->device) return emit_thunder_function(builder, call, {});
  Call only = call;
  only.args.resize(1);
  return same(builder, only, row);
}

/// `sum(a, dims)`, `amax(a, dims)`.
bool reduce(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  const auto dims = thunder_integers(thunder_given(call, 1, "dims"));
  if (call.args.size() != 2 || !call.args[0].is_tensor() || !dims) return false;
  const auto& type = builder.type_of(call.args[0].id);
  const auto made = thunder_tensor_type(call.statement->type);
  const bool counts = row.name == "sum" && type && !is_floating(type->dtype) && !is_complex(type->dtype);
  // torch sums integers and booleans to int64, whatever dtype the trace prints for the prim.
  if (counts && (!made || made->dtype != Dtype::i64)) return false;
  if (!type || (!counts && !is_floating(type->dtype))) return emit_thunder_function(builder, call, {});
  builder.emit(call, {std::string(row.op), {Arg::of(call.args[0].id), thunder_list(*dims)}});
  return true;
}

/// `var(a, dims, correction=0)`
bool variance(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  const auto dims = thunder_integers(thunder_given(call, 1, "dims"));
  const ThunderThing* correction = call.keyword("correction");
  if (call.args.size() != 2 || !call.args[0].is_tensor() || !dims || correction == nullptr) return false;
  auto number = thunder_argument(*correction);
  if (!number) return false;
  std::vector<Type> types;
  if (const auto like = thunder_type_like(builder, call.args[0].id); !like.empty()) {
    Type type = like[0];
    type.shape.clear();
    for (std::size_t k = 0; k < like[0].shape.size(); ++k)
      if (std::ranges::find(*dims, static_cast<std::int64_t>(k)) == dims->end())
        type.shape.push_back(like[0].shape[k]);
    types = {type, type};
  }
  builder.emit(call, {std::string(row.op),
                      {Arg::of(call.args[0].id), thunder_list(*dims)},
                      {{"correction", *std::move(number)}},
                      ThunderLayout::plain,
                      std::move(types)});
  return true;
}

/// A view whose layout does not follow from its base's.
bool window(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  Emit what{std::string(row.op), {}, {}, ThunderLayout::open};
  for (const ThunderThing& thing : call.args) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    what.args.push_back(*std::move(arg));
  }
  if (!call.kwargs.empty()) return false;
  builder.emit(call, std::move(what));
  return true;
}

/// A factory that takes `dtype=` and `device=` as ATen does.
bool factory(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  if (call.args.size() > 1 &&
      call.args[1].kind == ThunderThing::Kind::sequence)  // full(shape, complex(1.0, 2.0))
    return emit_thunder_function(builder, call, {});
  Emit what{std::string(row.op), {}};
  for (const ThunderThing& thing : call.args) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    what.args.push_back(*std::move(arg));
  }
  for (const auto& [key, thing] : call.kwargs) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    what.kwargs.emplace_back(key, *std::move(arg));
  }
  if (row.name == "iota") what.kwargs.emplace_back("requires_grad", Arg::of_bool(false));
  builder.emit(call, std::move(what));
  return true;
}

/// `f(a, index, value, dim)` where ATen takes `f(a, dim, index, value)`.
bool indexed(ThunderBuilder& builder, const Call& call, const ThunderRow& row) {
  std::vector<Arg> args;
  for (const ThunderThing& thing : call.args) {
    auto arg = thunder_argument(thing);
    if (!arg) return false;
    args.push_back(*std::move(arg));
  }
  for (const auto& [key, thing] : call.kwargs) {
    auto arg = thunder_argument(thing);
    if (key != "dim" || !arg) return false;
    args.push_back(*std::move(arg));
  }
  if (args.size() < 3 || args.back().kind != Arg::Kind::sym) return false;
  std::rotate(args.begin() + 1, args.end() - 1, args.end());
  const bool tensors = args.size() < 4 || is_ref(args[3]);
  if (!tensors && row.scalar.empty()) return emit_thunder_function(builder, call, {});
  builder.emit(call, {std::string(tensors ? row.op : row.scalar), std::move(args)});
  return true;
}

bool gradient(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  if (call.statement->value.items.size() != 1) return false;
  builder.bind_gradient(call);
  return true;
}

/// `(i0, i1) = shape(a)`
bool sizes(ThunderBuilder& builder, const Call& call, const ThunderRow&) {
  const auto* shape = call.args.empty() ? nullptr : thunder_shape(builder, &call.args[0]);
  ThunderThing out;
  out.kind = ThunderThing::Kind::sequence;
  if (shape != nullptr)
    for (const SymExpr& size : *shape) out.items.push_back(ThunderThing::of(Arg::of(size)));
  builder.bind_target(call, out);
  return true;
}

// table: sorted by name
constexpr ThunderRow kThunderRows[] = {
    {"abs", absolute, "aten.abs.default"},
    {"acos", direct, "aten.acos.default"},
    {"acosh", direct, "aten.acosh.default"},
    {"adaptive_avg_pool2d_backward", direct, "aten._adaptive_avg_pool2d_backward.default"},
    {"add", binary, "aten.add.Tensor", "aten.add.Scalar", "aten.add.Scalar", true},
    {"all_gather", thunder_all_gather},
    {"all_reduce", thunder_all_reduce},
    {"amax", reduce, "aten.amax.default"},
    {"amin", reduce, "aten.amin.default"},
    {"argmax", direct, "aten.argmax.default"},
    {"argmin", direct, "aten.argmin.default"},
    {"argsort", thunder_ordered, "aten.argsort.stable"},
    {"as_strided", window, "aten.as_strided.default"},
    {"asin", direct, "aten.asin.default"},
    {"asinh", direct, "aten.asinh.default"},
    {"atan", direct, "aten.atan.default"},
    {"atan2", binary, "aten.atan2.default"},
    {"atanh", direct, "aten.atanh.default"},
    {"bitcast", bitcast},
    {"bitwise_and", binary, "aten.bitwise_and.Tensor", "aten.bitwise_and.Scalar"},
    {"bitwise_left_shift", function},
    {"bitwise_not", direct, "aten.bitwise_not.default"},
    {"bitwise_or", binary, "aten.bitwise_or.Tensor", "aten.bitwise_or.Scalar"},
    {"bitwise_right_shift", function},
    {"bitwise_xor", binary, "aten.bitwise_xor.Tensor", "aten.bitwise_xor.Scalar"},
    {"bookend", same},
    {"broadcast", thunder_share},
    {"broadcast_in_dim", thunder_broadcast},
    {"cat", fresh, "aten.cat.default"},
    {"ceil", direct, "aten.ceil.default"},
    {"clear_mutable_collection", ignore},
    {"clone", direct, "aten.clone.default"},
    {"convert_element_type", convert},
    {"convolution", fresh, "aten.convolution.default"},
    {"copy_", copy_into},
    {"copy_with_setitem", thunder_set_item},
    {"copysign", function},
    {"cos", direct, "aten.cos.default"},
    {"cosh", direct, "aten.cosh.default"},
    {"cumsum", function},
    {"device_put", device_put},
    {"digamma", direct, "aten.digamma.default"},
    {"div", divide, "aten.div.Tensor", "aten.div.Scalar"},
    {"embedding", function},
    {"embedding_backward", function},
    {"empty", factory, "aten.empty.memory_format"},
    {"eq", binary, "aten.eq.Tensor", "aten.eq.Scalar", "aten.eq.Scalar", true},
    {"erf", direct, "aten.erf.default"},
    {"erfc", direct, "aten.erfc.default"},
    {"erfcinv", function},
    {"erfinv", direct, "aten.erfinv.default"},
    {"exp", direct, "aten.exp.default"},
    {"exp2", direct, "aten.exp2.default"},
    {"expm1", direct, "aten.expm1.default"},
    {"exponential", impure},
    {"flip", fresh, "aten.flip.default"},
    {"floor", direct, "aten.floor.default"},
    {"fmod", binary, "aten.fmod.Tensor", "aten.fmod.Scalar"},
    {"frexp", parted},
    {"full", factory, "aten.full.default"},
    {"gather", indexed, "aten.gather.default"},
    {"ge", binary, "aten.ge.Tensor", "aten.ge.Scalar", "aten.le.Scalar", true},
    {"get_grad", gradient},
    {"gt", binary, "aten.gt.Tensor", "aten.gt.Scalar", "aten.lt.Scalar", true},
    {"imag", window, "aten.imag.default"},
    {"index_add", indexed, "aten.index_add.default"},
    {"index_copy", indexed, "aten.index_copy.default"},
    {"index_put", fresh, "aten.index_put.default"},
    {"iota", factory, "prims.iota.default"},
    {"isfinite", direct, "aten.isfinite.default"},
    {"item", impure},
    {"le", binary, "aten.le.Tensor", "aten.le.Scalar", "aten.ge.Scalar", true},
    {"lerp", function},
    {"lgamma", direct, "aten.lgamma.default"},
    {"linear", fresh, "aten.linear.default"},
    {"log", direct, "aten.log.default"},
    {"log10", direct, "aten.log10.default"},
    {"log1p", direct, "aten.log1p.default"},
    {"log2", direct, "aten.log2.default"},
    {"lt", binary, "aten.lt.Tensor", "aten.lt.Scalar", "aten.gt.Scalar", true},
    {"matmul", fresh, "aten.matmul.default"},
    {"max_pool2d_with_indices", direct, "aten.max_pool2d_with_indices.default"},
    {"max_pool2d_with_indices_backward", direct, "aten.max_pool2d_with_indices_backward.default"},
    {"max_pool3d_with_indices", direct, "aten.max_pool3d_with_indices.default"},
    {"max_pool3d_with_indices_backward", direct, "aten.max_pool3d_with_indices_backward.default"},
    {"maximum", binary, "aten.maximum.default"},
    {"minimum", binary, "aten.minimum.default"},
    {"mul", binary, "aten.mul.Tensor", "aten.mul.Scalar", "aten.mul.Scalar", true},
    {"multinomial", impure},
    {"ndtri", function},
    {"ne", binary, "aten.ne.Tensor", "aten.ne.Scalar", "aten.ne.Scalar", true},
    {"neg", direct, "aten.neg.default"},
    {"nextafter", direct, "aten.nextafter.default"},
    {"nll_loss_backward", function},
    {"pad", function},
    {"polygamma", function},
    {"pow", binary, "aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar"},
    {"prod", function},
    {"py_floordiv", function},
    {"randint", factory, "aten.randint.low"},
    {"randn", factory, "aten.randn.default"},
    {"real", window, "aten.real.default"},
    {"reciprocal", direct, "aten.reciprocal.default"},
    {"reduce_scatter", thunder_reduce_scatter},
    {"remainder", binary, "aten.remainder.Tensor", "aten.remainder.Scalar"},
    {"reshape", thunder_reshape},
    {"round", direct, "aten.round.default"},
    {"rsqrt", direct, "aten.rsqrt.default"},
    {"scatter", indexed, "aten.scatter.src", "aten.scatter.value"},
    {"scatter_add", indexed, "aten.scatter_add.default"},
    {"setitem", thunder_set_item},
    {"shallow_copy", same},
    {"shape", sizes},
    {"sign", direct, "aten.sign.default"},
    {"signbit", direct, "aten.signbit.default"},
    {"sin", direct, "aten.sin.default"},
    {"sinh", direct, "aten.sinh.default"},
    {"sink", ignore},
    {"slice_prim", thunder_slice},
    {"sort", thunder_ordered, "aten.sort.stable"},
    {"sqrt", direct, "aten.sqrt.default"},
    {"squeeze", thunder_squeeze},
    {"std", variance, "aten.std.correction"},
    {"stride_order", stride_order},
    {"sub", binary, "aten.sub.Tensor", "aten.sub.Scalar", "aten.rsub.Scalar", true},
    {"sum", reduce, "aten.sum.dim_IntList"},
    {"synchronize", thunder_synchronize},
    {"take", indexed, "aten.index_select.default"},
    {"take_along_axis", function},
    {"tan", direct, "aten.tan.default"},
    {"tanh", direct, "aten.tanh.default"},
    {"tensor_from_sequence", thunder_numbers},
    {"topk", fresh, "aten.topk.default"},
    {"transpose", thunder_permute},
    {"trunc", direct, "aten.trunc.default"},
    {"unfold", window, "aten.unfold.default"},
    {"uniform", impure},
    {"uniform_philox", function},
    {"update_aliases", barrier},
    {"var", variance, "aten.var.correction"},
    {"var_mean", variance, "aten.var_mean.correction"},
    {"wait", thunder_wait},
    {"where", where},
    {"zeta", function},
};

static_assert(std::ranges::is_sorted(kThunderRows, {}, &ThunderRow::name));

}  // namespace

bool lower_thunder_call(ThunderBuilder& builder, const Call& call) {
  const auto at = std::ranges::lower_bound(kThunderRows, call.name, {}, &ThunderRow::name);
  return at != std::end(kThunderRows) && at->name == call.name && at->lowering(builder, call, *at);
}

bool is_thunder_prim(const std::string& name) {
  return std::ranges::binary_search(kThunderRows, std::string_view(name), {}, &ThunderRow::name);
}

bool thunder_result_is_fresh(const std::string& name) {
  const auto at = std::ranges::lower_bound(kThunderRows, std::string_view(name), {}, &ThunderRow::name);
  if (at == std::end(kThunderRows) || at->name != name) return false;
  return at->lowering == function || at->lowering == impure || (!at->op.empty() && at->lowering != window);
}

}  // namespace noclobber
