// Operators that only move data, as moves and fills of the Trace.
#include <algorithm>

#include "src/effects/builder.h"

namespace noclobber {

/// `cat(..., out=o)` and its like: what the functional form gives, moved into `o`. false: not of this kind.
bool Builder::out_variant(const Call& call) {
  if (!call.schema->has(Tag::out)) return false;
  const std::string& functional = call.functional;
  const Schema* pure = functional.empty() ? nullptr : ops_.find(functional);
  if (pure == nullptr || meaning_of(base_name(functional), *pure) == Meaning::opaque) return false;
  if (call.schema->returns.size() != 1) return false;
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
      if (const auto operand = bound_of(item); operand && may_meet(operand->view, out->view)) {
        unknown("unsupported-op", call.step->op + " (an operand meets out)");
        return true;
      }
  for (std::size_t j = 0; j < pure->arguments.size(); ++j)  // zeros(out=o) is of o's type
    if (pure->arguments[j].name == "dtype" && inner.arguments[j].kind == Arg::Kind::none)
      inner.arguments[j] = Arg::of_dtype(out->dtype);
  Step made = *call.step;  // its result has a name until it is moved, whoever asks for it
  made.results = {ValueId(values_.size())};
  inner.step = &made;
  values_.emplace_back();
  hushed_ = true;
  dispatch(inner);
  hushed_ = false;
  const auto result = values_.back();
  values_.pop_back();
  if (!result || result->view.shape != out->view.shape || result->dtype != out->dtype) {
    unknown("no-metadata", call.step->op);
    return true;
  }
  move(*out, *result, call.number);
  ++in_place_;
  bind(call, 0, *out);
  return true;
}

/// Row-major with the second dimension innermost; nothing for a rank that has no such format.
std::optional<std::vector<PolyId>> Builder::channels_last(const Shape& shape) {
  if (shape.size() != 4 && shape.size() != 5) return std::nullopt;
  std::vector<PolyId> out(shape.size(), 0);
  PolyId step = space_.constant(1);
  const auto place = [&](std::size_t dim) {
    out[dim] = step;
    step = space_.mul(step, shape[dim]);
  };
  place(1);
  for (std::size_t dim = shape.size(); dim-- > 2;) place(dim);
  place(0);
  return out;
}

/// The strides that a memory format asks for; those of `like` where it asks for nothing.
std::optional<std::vector<PolyId>> Builder::strides_of(const std::string& format, const Binding& like) {
  if (format.find("channels_last") != std::string::npos) return channels_last(like.view.shape);
  if (format.find("contiguous_format") != std::string::npos)
    return contiguous_strides(space_, like.view.shape);
  return like.strides;
}

/// Strides of a result that keeps its argument's layout where that is dense.
std::optional<std::vector<PolyId>> Builder::kept_strides(const Binding& like, const Call& call,
                                                         std::size_t result) {
  const Type* type = said(call, result);
  if (type != nullptr && type->strides != Type::Strides::unknown) return said_strides(*type, like.view.shape);
  for (std::size_t k = 0; k < call.arguments.size(); ++k)
    if (call.schema->arguments[k].name == "memory_format" && call.arguments[k].kind == Arg::Kind::text &&
        call.arguments[k].text->find("preserve") == std::string::npos)
      return strides_of(call.arguments[k].text, like);
  if (!like.strides) return std::nullopt;
  return is_dense(space_, like.view.shape, *like.strides)
             ? like.strides
             : preserved_strides(space_, Viewed{like.view.shape, like.strides});
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
  copy_off(call, *from, out);
  bind(call, 0, std::move(out));
}

/// What to, contiguous, type_as ask for; nothing where that is not modelled.
std::optional<Builder::Wanted> Builder::wanted(const Call& call, const Binding& from) {
  Wanted out{call.op == "aten.dequantize" ? Dtype::f32 : from.dtype, "", false, false};
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const std::string& what = call.schema->arguments[k].name;
    const bool is_type = what == "dtype";  // of TorchScript's overloads a number, which is not understood
    if (arg.kind == Arg::Kind::none || (arg.kind == Arg::Kind::boolean && !arg.boolean && !is_type)) continue;
    const bool named = arg.kind == Arg::Kind::text || arg.kind == Arg::Kind::device;
    const auto like = what == "other" ? bound_of(arg) : std::nullopt;
    if (arg.kind == Arg::Kind::dtype || like) {
      out.dtype = like ? like->dtype : arg.dtype;
      if (!like || generators_.empty()) continue;  // all lies on one device
      if (!devices_) devices_.emplace(*request_.graph);
      const auto stays = same_device(devices_->of(call.arguments[0]), devices_->of(arg));
      out.fresh = out.fresh || stays == false;
      out.open = out.open || !stays;
    } else if (what == "memory_format" && arg.kind == Arg::Kind::text) {
      if (arg.text->find("preserve_format") == std::string::npos) out.format = arg.text;
    } else if (what == "non_blocking") {
      continue;  // when it is copied, not whether
    } else if (what == "copy" && arg.kind == Arg::Kind::boolean) {
      out.fresh = true;
    } else if (what == "device" && named) {
      if (!devices_) devices_.emplace(*request_.graph);
      const auto stays = same_device(devices_->of(call.arguments[0]), arg.text);
      out.fresh = out.fresh || stays == false;
      out.open = out.open || !stays;
    } else if (what != "layout" || !named || arg.text->find("strided") == std::string::npos) {
      unknown("unsupported-op", call.step->op + " (" + what + ")");
      return std::nullopt;
    }
  }
  return out;
}

/// to, contiguous, type_as: the argument itself if it already is what is asked for.
void Builder::may_convert(const Call& call) {
  const auto from = tensor(call, 0);
  if (!from) return;
  if (call.op == "aten.dequantize" && !is_floating(from->dtype))
    return unknown("unsupported-op", call.step->op + " (of quantized numbers)");
  const auto asked = wanted(call, *from);
  if (!asked) return;
  bool placed = true, known = true;
  auto strides = kept_strides(*from, call, 0);
  if (!asked->format.empty()) {
    strides = strides_of(asked->format, *from);
    const Viewed now{from->view.shape, from->strides};
    const auto has = strides ? has_strides(space_, now, *strides) : std::nullopt;
    known = has.has_value();
    placed = has.value_or(false);
  }
  const bool converts = asked->fresh || asked->dtype != from->dtype || (known && !placed);
  if (!converts && !known) return unknown("no-metadata", call.step->op + " (strides)");
  if (!converts && asked->open) return unknown("no-metadata", call.step->op + " (device)");
  if (!converts) return bind_view(call, 0, *from);
  Binding out = fresh(from->view.shape, asked->dtype, strides);
  move(out, *from, call.number);
  copy_off(call, *from, out);
  bind(call, 0, std::move(out));
}

void Builder::copy_into(const Call& call) {
  const auto to = tensor(call, 0);
  const auto from = tensor(call, 1);
  if (!to || !from) return;
  const auto source = broadcast_to(*from, to->view.shape);
  if (!source) return unknown("no-metadata", call.step->op + " (shapes)");
  ++in_place_;
  move(*to, *source, call.number);
  copy_off(call, *from, *to);
  bind(call, 0, *to);
}

/// _foreach_copy_, _foreach_zero_ of lists that cannot be taken item by item (each_item).
void Builder::copy_each(const Call& call) {
  const bool paired =
      call.arguments.size() < 2 || call.arguments[1].list.size() == call.arguments[0].list.size();
  if (!paired) return unknown("no-metadata", call.step->op);
  unknown("unsupported-op", call.step->op + " (items meet)");
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

/// A result with gaps, or that shows an element twice, is made as PyTorch makes it: the memory from the first
/// to the last element of the base is copied, and shown with the same strides.
bool Builder::whole_window(const Call& call, const Binding& out, const Binding& base) {
  const bool spread = !out.view.maps.empty() && out.view.maps[0].kind == Map::Kind::strided;
  if (!spread || !base.strides || out.strides != base.strides || base.offset == Space::kBad) return false;
  const PolyId numel = out.view.maps[0].from[0];
  Binding from = base, to = out;
  from.view.maps = flat(base);
  if (from.view.maps.empty() || wide(base.view.storage)) return false;
  Map window;
  window.kind = Map::Kind::strided;
  window.from = from.view.maps.back().to;
  window.to = from.view.shape = to.view.shape = {numel};
  window.start = base.offset;
  window.strides = {space_.constant(1)};
  const PolyId room = space_.sub(window.from[0], space_.add(base.offset, numel));
  if (window.from.size() != 1 || !space_.nonnegative(room)) return false;
  from.view.maps.push_back(std::move(window));
  to.view.maps.clear();
  move(to, from, call.number);
  return true;
}

/// slice_scatter and its like: a copy of the first argument, then the second into a view of the copy.
void Builder::view_scatter(const Call& call) {
  const auto base = tensor(call, 0);
  const auto from = tensor(call, 1);
  if (!base || !from) return;
  // With its gaps, and overlapping as it does; what is expanded is made dense.
  bool as_base = said(call, 0) == nullptr && base->strides;
  for (std::size_t k = 0; as_base && k < base->view.shape.size(); ++k)
    as_base = space_.value((*base->strides)[k]) != 0 || space_.value(base->view.shape[k]) == 1;
  Binding out = fresh(base->view.shape, base->dtype, as_base ? base->strides : kept_strides(*base, call, 0));
  Call inner = call;
  inner.arguments.erase(inner.arguments.begin() + 1);
  const auto target = views_of(inner, call.op, out);
  if (!target) return unknown("no-metadata", call.step->op);
  if (from->view.shape != target->front().view.shape)
    return unknown("no-metadata", call.step->op + " (shapes)");
  // PyTorch copies the base's whole storage, offset and all: unless the base is all of it, an as_strided of
  // the result would see elements that are not modelled.
  const bool part = !base->view.maps.empty() || base->offset != 0;
  const bool dense = base->strides && base->strides == contiguous_strides(space_, base->view.shape);
  const bool strided = find_view_rule(call.op) == find_view_rule("aten.as_strided");
  if (part && !(dense && base->offset == 0) && strided)
    return unknown("unsupported-op", call.step->op + " (of a part of a storage)");
  if (strided) reaches(base->view.storage, true);
  if (part) layouts_[out.view.storage].strides.reset();
  if (!whole_window(call, out, *base)) move(out, *base, call.number);
  move(target->front(), *from, call.number);
  bind(call, 0, std::move(out));
}

/// cat and stack: each piece into its slice of a fresh result.
void Builder::concatenate(const Call& call, bool stacked) {
  std::vector<Binding> pieces;
  const std::vector<Arg>& list = call.arguments[0].list;
  for (const Arg& arg : list) {
    const auto piece = bound_of(arg);
    if (!piece) return unknown("no-metadata", call.step->op);
    const bool legacy_empty = piece->view.shape.size() == 1 && space_.value(piece->view.shape[0]) == 0;
    if (stacked || !legacy_empty || list.size() == 1) pieces.push_back(*piece);
  }
  const Arg& at = call.arguments[1];
  if (pieces.empty() || at.kind != Arg::Kind::sym || !at.sym.is_constant())
    return unknown("no-metadata", call.step->op);
  const auto rank = static_cast<std::int64_t>(pieces[0].view.shape.size() + (stacked ? 1 : 0));
  std::int64_t dim = at.sym.constant();
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return unknown("no-metadata", call.step->op);
  const auto d = static_cast<std::size_t>(dim);
  Dtype dtype = pieces[0].dtype;
  Shape shape;
  PolyId length = 0;
  for (Binding& piece : pieces) {
    Shape own = piece.view.shape;
    if (own.size() + (stacked ? 1 : 0) != static_cast<std::size_t>(rank))
      return unknown("no-metadata", call.step->op);
    if (stacked) {
      own.insert(own.begin() + static_cast<std::ptrdiff_t>(d), space_.constant(1));
      piece.view.maps.push_back(reshape_map(piece.view.shape, own));
      piece.view.shape = own;
    }
    length = space_.add(length, own[d]);
    dtype = promoted(dtype, piece.dtype);
    if (shape.empty()) shape = own;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (k != d && !space_.same(own[k], shape[k]))
        return unknown("no-metadata", call.step->op + " (shapes)");
  }
  shape[d] = length;
  auto out = unwritten_for(call, InferredMeta{shape, dtype});
  if (!out || out->view.shape != shape) return unknown("no-metadata", call.step->op);
  // The pieces cover the result; nobody sees what lies beneath. A single graph is asked whether everything
  // was written, and who looks at one piece at a time cannot tell.
  if (!request_.value->before && !request_.value->plan)
    fill_with(*out, scalar_text(Arg::of(SymExpr(0)), out->dtype), call.number);
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
