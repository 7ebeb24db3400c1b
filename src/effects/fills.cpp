#include "src/effects/fills.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "src/effects/call_text.h"
#include "src/effects/emit.h"
#include "src/effects/identities.h"
#include "src/effects/opaque.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"
#include "src/ops/array.h"
#include "src/ops/complex_text.h"

namespace noclobber::effects {

namespace {

void place(Tracer& t, const Moved& moves, const Binding& base, const Binding& out, std::uint32_t origin) {
  if (moves.fill) fill_with(t, out, scalar_text(t, *moves.fill, out.dtype), origin);
  for (const MovedPiece& piece : moves.pieces) {
    Binding to = out, from = base;
    to.view.maps.append(piece.to);
    from.view.maps.append(piece.from);
    to.view.shape = from.view.shape = piece.shape;
    move(t, to, from, origin);
  }
}

/// The number of that type that PyTorch stores. Unchanged if it is too large, which PyTorch rejects.
Arg rounded(const Arg& arg, Dtype dtype) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  const bool whole = arg.kind == Arg::Kind::sym && arg.sym.is_constant() && arg.sym.constant() <= kExact &&
                     arg.sym.constant() >= -kExact;
  if (!is_floating(dtype) || (arg.kind != Arg::Kind::real && !whole)) return arg;
  const double given = whole ? static_cast<double>(arg.sym.constant()) : arg.real;
  const Number single = convert(Number::of_real(given), dtype == Dtype::f64 ? dtype : Dtype::f32);
  const double stored = convert(single, dtype).as_real();  // narrower types are made from floats
  return std::isinf(stored) ? arg : Arg::of_real(stored);
}

/// One spelling of a complex number, however a reader wrote it; a real number if its imaginary part is +0.
Arg complex_alike(const Arg& arg) {
  const auto number = arg.kind == Arg::Kind::text ? complex_of_text(arg.text) : std::nullopt;
  if (!number) return arg;
  if (number->imag() == 0 && !std::signbit(number->imag())) return Arg::of_real(number->real());
  return Arg::of_text(fmt::format("complex({:.17g}, {:.17g})", number->real(), number->imag()));
}

/// The scalar that a factory or fill stores everywhere.
std::optional<Arg> fill_value(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments) {
  if (op.find("zero") != std::string_view::npos) return Arg::of(SymExpr(0));
  if (op.find("ones") != std::string_view::npos) return Arg::of(SymExpr(1));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string& what = schema.arguments[k].name;
    if (what == "fill_value" || what == "value" || what == "s") return arguments[k];
  }
  return std::nullopt;
}

/// Claims that a tensor to fill with has no dimensions: PyTorch takes no other.
void claim_number(Tracer& t, const Call& call, const Binding& value) {
  if (!value.view.shape.empty())
    t.trace.claims.push_back({call.number, "rank", t.space.constant(0), Space::kBad});
}

/// The metadata that a factory's arguments give its result: shape and type of a tensor in front, then its own
/// size and dtype. Empty if no argument gives a shape.
std::optional<InferredMeta> factory_meta(Tracer& t, const Call& call) {
  InferredMeta out;
  const auto like = call.arguments.empty() ? std::nullopt : t.bound_of(call.arguments[0]);
  if (like) out = {like->view.shape, like->dtype};
  bool sized = like.has_value() || call.op == "aten.scalar_tensor" || call.op == "prims.scalar_tensor";
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    if (arg.kind == Arg::Kind::dtype) out.dtype = arg.dtype;
    const std::string& what = call.schema->arguments[k].name;
    if ((what != "size" && what != "shape") || arg.kind != Arg::Kind::list) continue;
    out.shape.clear();
    for (const Arg& extent : arg.list)
      out.shape.push_back(extent.kind == Arg::Kind::sym ? t.sizes.of(extent.sym) : Space::kBad);
    sized = true;
  }
  return sized ? std::optional(out) : std::nullopt;
}

/// The type of a factory's result if no argument gives it: PyTorch's default, but for `full` that of the
/// value. Empty if the value is a tensor.
std::optional<Dtype> default_type(std::string_view op, const Arg& value) {
  if (op != "aten.full" || value.kind == Arg::Kind::real) return Dtype::f32;
  if (value.kind == Arg::Kind::boolean) return Dtype::boolean;
  return value.kind == Arg::Kind::sym ? std::optional(Dtype::i64) : std::nullopt;
}

}  // namespace

/// flip, repeat, constant_pad_nd and the like: moves each piece of the argument where the row puts it.
void moved(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  const OpRow* row = find_row(call.op);
  if (!base || row == nullptr || row->moves == nullptr) return;
  const bool counted =
      call.schema->arguments[0].name == "repeats" ||  // repeat_interleave with counts as data
      call.arguments[1].kind == Arg::Kind::ref;
  if (counted) return opaque(t, call);
  const auto moves =
      row->moves(t.sizes, Viewed{base->view.shape, base->strides, base->dtype}, call.arguments);
  if (!moves) return opaque(t, call);
  auto out = fresh_for(t, call, 0, InferredMeta{moves->shape, base->dtype});
  if (!out || out->view.shape != moves->shape || out->dtype != base->dtype)
    return t.unknown("no-metadata", call.step->op);
  place(t, *moves, *base, *out, call.number);
  bind(t, call, 0, std::move(*out));
}

/// tril_ and the like: the functional result, moved into the argument. False if it is no such call.
bool moved_in_place(Tracer& t, const Call& call) {
  const bool in_place =
      call.op.ends_with('_') && !call.arguments.empty() && call.schema->arguments[0].written;
  const OpRow* row = in_place ? find_row(call.op.substr(0, call.op.size() - 1)) : nullptr;
  const auto base = row != nullptr && row->moves != nullptr ? t.bound_of(call.arguments[0]) : std::nullopt;
  if (!base) return false;
  const auto moves =
      row->moves(t.sizes, Viewed{base->view.shape, base->strides, base->dtype}, call.arguments);
  if (!moves || moves->shape != base->view.shape) return false;
  const Binding made = fresh(t, moves->shape, base->dtype, std::nullopt);
  place(t, *moves, *base, made, call.number);
  ++t.in_place;
  move(t, *base, made, call.number);
  bind(t, call, 0, *base);
  return true;
}

/// Text of the bits that a scalar becomes in that type. Whole numbers have one text, as integer or as real.
std::string scalar_text(const Tracer& t, const Arg& given, Dtype dtype) {
  const std::string type(name(dtype));
  const Arg arg = rounded(is_complex(dtype) ? complex_alike(given) : given, dtype);
  if (arg.kind == Arg::Kind::boolean) return type + ":" + (arg.boolean ? "1" : "0");
  if (arg.kind == Arg::Kind::real &&
      arg.real == static_cast<double>(static_cast<std::int64_t>(std::clamp(arg.real, -1e15, 1e15))) &&
      !(arg.real == 0 && std::signbit(arg.real)))
    return type + ":" + std::to_string(static_cast<std::int64_t>(arg.real));
  if (arg.kind == Arg::Kind::sym && dtype == Dtype::boolean && arg.sym.is_constant())
    return type + ":" + (arg.sym.constant() != 0 ? "1" : "0");
  return type + ":" + attribute(t, arg);
}

void fill_into(Tracer& t, const Call& call) {
  const auto to = t.tensor(call, 0);
  if (!to) return;
  const auto value = fill_value(call.op, *call.schema, call.arguments);
  if (!value) return t.unknown("unsupported-op", call.step->op);
  ++t.in_place;
  if (const auto from = t.bound_of(*value)) {
    claim_number(t, call, *from);
    const auto source = broadcast_to(t, *from, to->view.shape);
    if (!source) return t.unknown("no-metadata", call.step->op);
    move(t, *to, *source, call.number);
  } else {
    fill_with(t, *to, scalar_text(t, *value, to->dtype), call.number);
  }
  bind(t, call, 0, *to);
}

void fill(Tracer& t, const Call& call) {
  const auto value = fill_value(call.op, *call.schema, call.arguments);
  auto meta = factory_meta(t, call);
  if (meta && !meta->dtype && value) meta->dtype = default_type(call.op, *value);
  auto out = fresh_for(t, call, 0, meta);
  if (!out || !value) return t.unknown("no-metadata", call.step->op);
  if (const auto from = t.bound_of(*value)) {
    claim_number(t, call, *from);
    const auto source = broadcast_to(t, *from, out->view.shape);
    if (!source) return t.unknown("no-metadata", call.step->op);
    move(t, *out, *source, call.number);
  } else {
    fill_with(t, *out, scalar_text(t, *value, out->dtype), call.number);
    const auto device = std::ranges::find(call.arguments, Arg::Kind::device, &Arg::kind);
    if (const auto number = whole(*value, out->dtype))
      holds(t, *out, *number, device == call.arguments.end() ? Arg{} : *device);
    else if (const auto real = real_number(*value, out->dtype))
      holds_real(t, *out, *real);
  }
  bind(t, call, 0, std::move(*out));
}

void empty(Tracer& t, const Call& call) {
  auto meta = factory_meta(t, call);
  if (meta && !meta->dtype) meta->dtype = Dtype::f32;
  auto out = unwritten_for(t, call, meta);
  if (!out) return t.unknown("no-metadata", call.step->op);
  bind(t, call, 0, std::move(*out));
}

}  // namespace noclobber::effects
