// Operators that only move data, as moves and fills of the Trace.
#include <algorithm>
#include <cmath>

#include "src/effects/builder.h"

namespace noclobber {

namespace {
const Arg* given(const std::vector<Arg>& arguments, std::size_t at) {
  return at < arguments.size() && arguments[at].kind != Arg::Kind::none ? &arguments[at] : nullptr;
}
}  // namespace

/// `cat(..., out=o)` and its like: what the functional form gives, moved into `o`. false: not of this kind.
bool Builder::out_variant(const Call& call) {
  const std::string functional = ops_.functional(call.step->op);
  const Schema* pure = functional.empty() ? nullptr : ops_.find(functional);
  if (pure == nullptr || meaning_of(base_name(functional), *pure) == Meaning::opaque) return false;
  if (call.step->results.size() != 1 || !call.step->results[0].valid()) return false;
  Call inner = call;
  inner.schema = pure;
  inner.op = std::string(base_name(functional));
  inner.arguments.assign(pure->arguments.size(), Arg{});
  std::optional<Binding> out;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (call.schema->arguments[k].written) out = bound_of(call.arguments[k]);
    for (std::size_t j = 0; j < pure->arguments.size(); ++j)
      if (pure->arguments[j].name == call.schema->arguments[k].name) inner.arguments[j] = call.arguments[k];
  }
  if (!out) return false;
  for (const Arg& arg : inner.arguments)
    for (const Arg& item : arg.kind == Arg::Kind::list ? arg.list : std::vector<Arg>{arg})
      if (const auto operand = bound_of(item); operand && !apart(space_, operand->view, out->view)) {
        unknown("unsupported-op", call.step->op + " (an operand meets out)");
        return true;
      }
  dispatch(inner);
  const auto result = values_[call.step->results[0].index];
  if (!result || result->view.shape != out->view.shape || result->dtype != out->dtype) {
    unknown("no-metadata", call.step->op);
    return true;
  }
  move(*out, *result, call.number);
  ++in_place_;
  bind(call, 0, *out);
  return true;
}

/// Strides of a result that keeps its argument's layout where that is dense.
std::optional<std::vector<PolyId>> Builder::kept_strides(const Binding& like, const Call& call,
                                                         std::size_t result) {
  if (const Type* type = said(call, result)) return said_strides(*type, like.view.shape);
  for (std::size_t k = 0; k < call.arguments.size(); ++k)
    if (call.schema->arguments[k].name == "memory_format" && call.arguments[k].kind == Arg::Kind::text &&
        call.arguments[k].text.find("contiguous_format") != std::string::npos)
      return contiguous_strides(space_, like.view.shape);
  if (!like.strides) return std::nullopt;
  return is_dense(space_, like.view.shape, *like.strides) ? *like.strides
                                                          : contiguous_strides(space_, like.view.shape);
}

void Builder::clone(const Call& call) {
  const auto from = tensor(call, 0);
  if (!from) return;
  Binding out = fresh(from->view.shape, from->dtype, kept_strides(*from, call, 0));
  move(out, *from, call.number);
  bind(call, 0, std::move(out));
}

void Builder::convert(const Call& call) {
  const auto from = tensor(call, 0);
  if (!from) return;
  Dtype dtype = from->dtype;
  for (const Arg& arg : call.arguments)
    if (arg.kind == Arg::Kind::dtype) dtype = arg.dtype;
  Binding out = fresh(from->view.shape, dtype, kept_strides(*from, call, 0));
  move(out, *from, call.number);
  bind(call, 0, std::move(out));
}

/// to, contiguous: the argument itself if it already is what is asked for.
void Builder::may_convert(const Call& call) {
  const auto from = tensor(call, 0);
  if (!from) return;
  std::optional<bool> same = true;
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const std::string& what = call.schema->arguments[k].name;
    if (arg.kind == Arg::Kind::none || (arg.kind == Arg::Kind::boolean && !arg.boolean)) continue;
    const bool format = what == "memory_format" && arg.kind == Arg::Kind::text;
    if (format && arg.text.find("preserve_format") != std::string::npos) continue;
    if (arg.kind == Arg::Kind::dtype) {
      same = *same && arg.dtype == from->dtype;
    } else if (format && arg.text.find("contiguous_format") != std::string::npos) {
      const auto contiguous = is_contiguous(space_, Viewed{from->view.shape, from->strides});
      if (!contiguous) return unknown("no-metadata", call.step->op + " (strides)");
      same = *same && *contiguous;
    } else {
      return unknown("unsupported-op", call.step->op + " (" + what + ")");
    }
  }
  if (*same) return bind(call, 0, *from);
  if (call.op == "aten.contiguous") {
    Binding out = fresh(from->view.shape, from->dtype, contiguous_strides(space_, from->view.shape));
    move(out, *from, call.number);
    return bind(call, 0, std::move(out));
  }
  convert(call);
}

void Builder::copy_into(const Call& call) {
  const auto to = tensor(call, 0);
  const auto from = tensor(call, 1);
  if (!to || !from) return;
  const auto source = broadcast_to(*from, to->view.shape);
  if (!source) return unknown("no-metadata", call.step->op + " (shapes)");
  ++in_place_;
  move(*to, *source, call.number);
  bind(call, 0, *to);
}

/// aten.copy(self, src): a fresh tensor like self with the elements of src.
void Builder::copy(const Call& call) {
  const auto like = tensor(call, 0);
  const auto from = tensor(call, 1);
  if (!like || !from) return;
  const auto source = broadcast_to(*from, like->view.shape);
  if (!source) return unknown("no-metadata", call.step->op + " (shapes)");
  Binding out = fresh(like->view.shape, like->dtype, kept_strides(*like, call, 0));
  move(out, *source, call.number);
  bind(call, 0, std::move(out));
}

/// A scalar as the bits it becomes in that type. Whole numbers are written alike for all number types.
std::string Builder::scalar_text(const Arg& arg, Dtype dtype) const {
  const std::string type(name(dtype));
  if (arg.kind == Arg::Kind::boolean && dtype != Dtype::boolean)
    return type + ":" + (arg.boolean ? "1" : "0");
  if (arg.kind == Arg::Kind::real &&
      arg.real == static_cast<double>(static_cast<std::int64_t>(std::clamp(arg.real, -1e15, 1e15))) &&
      !(arg.real == 0 && std::signbit(arg.real)))
    return type + ":" + std::to_string(static_cast<std::int64_t>(arg.real));
  if (arg.kind == Arg::Kind::boolean) return type + ":" + (arg.boolean ? "1" : "0");
  if (arg.kind == Arg::Kind::sym && dtype == Dtype::boolean && arg.sym.is_constant())
    return type + ":" + (arg.sym.constant() != 0 ? "1" : "0");
  return type + ":" + attribute(arg);
}

namespace {
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
}  // namespace

void Builder::fill_into(const Call& call) {
  const auto to = tensor(call, 0);
  const auto value = fill_value(call.op, *call.schema, call.arguments);
  if (!to || !value) return unknown("unsupported-op", call.step->op);
  ++in_place_;
  if (const auto from = bound_of(*value)) {
    const auto source = broadcast_to(*from, to->view.shape);
    if (!source) return unknown("no-metadata", call.step->op);
    move(*to, *source, call.number);
  } else {
    fill_with(*to, scalar_text(*value, to->dtype), call.number);
  }
  bind(call, 0, *to);
}

/// What a factory's arguments say of its result: the first tensor's shape and type, then its own size and
/// dtype. Nothing where no argument gives a shape.
std::optional<InferredMeta> Builder::factory_meta(const Call& call) {
  InferredMeta out;
  const auto like = call.arguments.empty() ? std::nullopt : bound_of(call.arguments[0]);
  if (like) out = {like->view.shape, like->dtype};
  bool sized = like.has_value() || call.op == "aten.scalar_tensor";
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    if (arg.kind == Arg::Kind::dtype) out.dtype = arg.dtype;
    if (call.schema->arguments[k].name != "size" || arg.kind != Arg::Kind::list) continue;
    out.shape.clear();
    for (const Arg& extent : arg.list)
      out.shape.push_back(extent.kind == Arg::Kind::sym ? sizes_.of(extent.sym) : Space::kBad);
    sized = true;
  }
  return sized ? std::optional(out) : std::nullopt;
}

void Builder::fill(const Call& call) {
  const auto value = fill_value(call.op, *call.schema, call.arguments);
  auto meta = factory_meta(call);
  const bool real = value && value->kind == Arg::Kind::real;
  if (meta && !meta->dtype && value)
    meta->dtype = value->kind == Arg::Kind::boolean ? Dtype::boolean
                  : call.op == "aten.full" && !real ? Dtype::i64
                                                    : Dtype::f32;
  auto out = fresh_for(call, 0, meta);
  if (!out || !value) return unknown("no-metadata", call.step->op);
  if (const auto from = bound_of(*value)) {
    const auto source = broadcast_to(*from, out->view.shape);
    if (!source) return unknown("no-metadata", call.step->op);
    move(*out, *source, call.number);
  } else {
    fill_with(*out, scalar_text(*value, out->dtype), call.number);
  }
  bind(call, 0, std::move(*out));
}

void Builder::empty(const Call& call) {
  auto meta = factory_meta(call);
  if (meta && !meta->dtype) meta->dtype = Dtype::f32;
  auto out = fresh_for(call, 0, meta);
  if (!out) return unknown("no-metadata", call.step->op);
  bind(call, 0, std::move(*out));
}

/// slice_scatter and its like: a copy of the first argument, then the second into a view of the copy.
void Builder::view_scatter(const Call& call) {
  const auto base = tensor(call, 0);
  const auto from = tensor(call, 1);
  if (!base || !from) return;
  Binding out = fresh(base->view.shape, base->dtype, kept_strides(*base, call, 0));
  Call inner = call;
  inner.arguments.erase(inner.arguments.begin() + 1);
  const auto target = views_of(inner, scattered_view(call.op), out);
  if (!target) return unknown("no-metadata", call.step->op);
  if (from->view.shape != target->front().view.shape)
    return unknown("no-metadata", call.step->op + " (shapes)");
  // PyTorch copies the base's whole storage, offset and all: unless the base is all of it, an as_strided of
  // the result would see elements that are not modelled.
  if (!base->view.maps.empty() || base->offset != 0) layouts_[out.view.storage].strides.reset();
  move(out, *base, call.number);
  move(target->front(), *from, call.number);
  bind(call, 0, std::move(out));
}

/// cat and stack: each piece into its slice of a fresh result.
void Builder::concatenate(const Call& call, bool stacked) {
  std::vector<Binding> pieces;
  const Arg* list = given(call.arguments, 0);
  for (const Arg& arg : list != nullptr ? list->list : std::vector<Arg>{}) {
    const auto piece = bound_of(arg);
    if (!piece) return unknown("no-metadata", call.step->op);
    const bool legacy_empty = piece->view.shape.size() == 1 && space_.value(piece->view.shape[0]) == 0;
    if (stacked || !legacy_empty || list->list.size() == 1) pieces.push_back(*piece);
  }
  if (pieces.empty()) return unknown("no-metadata", call.step->op);
  const auto rank = static_cast<std::int64_t>(pieces[0].view.shape.size() + (stacked ? 1 : 0));
  const Arg* at = given(call.arguments, 1);
  std::int64_t dim =
      at != nullptr && at->kind == Arg::Kind::sym && at->sym.is_constant() ? at->sym.constant() : 0;
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return unknown("no-metadata", call.step->op);
  const auto d = static_cast<std::size_t>(dim);
  Dtype dtype = pieces[0].dtype;
  Shape shape;
  PolyId length = 0;
  for (Binding& piece : pieces) {
    Shape own = piece.view.shape;
    if (stacked) {
      own.insert(own.begin() + static_cast<std::ptrdiff_t>(d), space_.constant(1));
      piece.view.maps.push_back(reshape_map(piece.view.shape, own));
      piece.view.shape = own;
    }
    if (static_cast<std::int64_t>(own.size()) != rank) return unknown("no-metadata", call.step->op);
    length = space_.add(length, own[d]);
    dtype = promoted(dtype, piece.dtype);
    if (shape.empty()) shape = own;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (k != d && !space_.same(own[k], shape[k]))
        return unknown("no-metadata", call.step->op + " (shapes)");
  }
  shape[d] = length;
  auto out = fresh_for(call, 0, InferredMeta{shape, dtype});
  if (!out || out->view.shape != shape) return unknown("no-metadata", call.step->op);
  PolyId start = 0;
  for (const Binding& piece : pieces) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = map.to = shape;
    map.to[d] = piece.view.shape[d];
    map.dim = static_cast<std::uint32_t>(d);
    map.start = start;
    map.step = space_.constant(1);
    start = space_.add(start, piece.view.shape[d]);
    Binding target = *out;
    target.view.shape = map.to;
    if (map.to != shape) target.view.maps.push_back(map);
    if (space_.value(map.to[d]) != 0) move(target, piece, call.number);
  }
  bind(call, 0, std::move(*out));
}

}  // namespace noclobber
