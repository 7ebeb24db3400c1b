#include "src/effects/moves.h"

#include <algorithm>

#include "src/effects/boundary.h"
#include "src/effects/collectives.h"
#include "src/effects/dense.h"
#include "src/effects/dispatch.h"
#include "src/effects/emit.h"
#include "src/effects/fills.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

struct Wanted {
  Dtype dtype = Dtype::other;
  std::string format;  // "": that of the argument
  bool fresh = false;  // a copy in any case
  bool open = false;   // whether the device changes is not known
};

/// Strides of channels_last: row-major, with dimension 1 innermost. Empty for a rank without such a format.
std::optional<std::vector<PolyId>> channels_last(Tracer& t, const Shape& shape) {
  if (shape.size() != 4 && shape.size() != 5) return std::nullopt;
  std::vector<PolyId> out(shape.size(), 0);
  PolyId step = t.space.constant(1);
  const auto place = [&](std::size_t dim) {
    out[dim] = step;
    step = t.space.mul(step, shape[dim]);
  };
  place(1);
  for (std::size_t dim = shape.size(); dim-- > 2;) place(dim);
  place(0);
  return out;
}

/// The strides of a memory format; those of `like` if it demands none.
std::optional<std::vector<PolyId>> strides_of(Tracer& t, const std::string& format, const Binding& like) {
  if (format.find("channels_last") != std::string::npos) return channels_last(t, like.view.shape);
  if (format.find("contiguous_format") != std::string::npos)
    return contiguous_strides(t.space, like.view.shape);
  return like.strides;
}

/// The strides that the dump or `memory_format` gives, else those of the argument if it is dense.
std::optional<std::vector<PolyId>> kept_strides(Tracer& t, const Binding& like, const Call& call,
                                                std::size_t result) {
  const Type* type = said(t, call, result);
  if (type != nullptr && type->strides != Type::Strides::unknown)
    return said_strides(t, *type, like.view.shape);
  for (std::size_t k = 0; k < call.arguments.size(); ++k)
    if (call.schema->arguments[k].name == "memory_format" && call.arguments[k].kind == Arg::Kind::text &&
        call.arguments[k].text->find("preserve") == std::string::npos)
      return strides_of(t, call.arguments[k].text, like);
  if (!like.strides) return std::nullopt;
  return is_dense(t.space, like.view.shape, *like.strides)
             ? std::optional(**like.strides)
             : preserved_strides(t.space, Viewed{like.view.shape, like.strides});
}

/// What to, contiguous or type_as ask for. Empty if that is not modelled.
std::optional<Wanted> wanted(Tracer& t, const Call& call, const Binding& from) {
  Wanted out{call.op == "aten.dequantize" ? Dtype::f32 : from.dtype, "", false, false};
  for (std::size_t k = 1; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const std::string& what = call.schema->arguments[k].name;
    const bool is_type = what == "dtype";  // a number in TorchScript's overloads, which is not modelled
    if (arg.kind == Arg::Kind::none || (arg.kind == Arg::Kind::boolean && !arg.boolean && !is_type)) continue;
    const bool named = arg.kind == Arg::Kind::text || arg.kind == Arg::Kind::device;
    const auto like = what == "other" ? t.seen(arg) : nullptr;
    if (arg.kind == Arg::Kind::dtype || like) {
      out.dtype = like ? like->dtype : arg.dtype;
      if (!like || t.devices.generators.empty()) continue;  // a single device
      if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
      const auto stays = same_device(t.devices.placed->of(call.arguments[0]), t.devices.placed->of(arg));
      out.fresh = out.fresh || stays == false;
      out.open = out.open || !stays;
    } else if (what == "memory_format" && arg.kind == Arg::Kind::text) {
      if (arg.text->find("preserve_format") == std::string::npos) out.format = arg.text;
    } else if (what == "non_blocking") {
      continue;  // when it is copied, not whether
    } else if (what == "copy" && arg.kind == Arg::Kind::boolean) {
      out.fresh = true;
    } else if (what == "device" && named) {
      if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
      const auto stays = same_device(t.devices.placed->of(call.arguments[0]), arg.text);
      out.fresh = out.fresh || stays == false;
      out.open = out.open || !stays;
    } else if (what != "layout" || !named || arg.text->find("strided") == std::string::npos) {
      t.unknown("unsupported-op", call.step->op + " (" + what + ")");
      return std::nullopt;
    }
  }
  return out;
}

/// Copies a base with gaps or repeated elements as PyTorch does: the memory from its first to its last
/// element, viewed with the same strides. False if that is not how the result lies.
bool whole_window(Tracer& t, const Call& call, const Binding& out, const Binding& base) {
  const bool spread = !out.view.maps.empty() && out.view.maps[0].kind == Map::Kind::strided;
  if (!spread || !base.strides || out.strides != base.strides || base.offset == Space::kBad) return false;
  const PolyId numel = out.view.maps[0].from[0];
  Binding from = base, to = out;
  from.view.maps = flat(t, base);
  if (from.view.maps.empty() || t.wide(base.view.storage)) return false;
  Map window;
  window.kind = Map::Kind::strided;
  window.from = from.view.maps.back().to;
  window.to = from.view.shape = to.view.shape = {numel};
  window.start = base.offset;
  window.strides = {t.space.constant(1)};
  const PolyId room = t.space.sub(window.from[0], t.space.add(base.offset, numel));
  if (window.from.size() != 1 || !t.space.nonnegative(room)) return false;
  from.view.maps.edit().push_back(std::move(window));
  to.view.maps.clear();
  move(t, to, from, call.number);
  return true;
}

}  // namespace

/// `cat(..., out=o)` and the like: the functional result, moved into `o`. False if it is no such call.
bool out_variant(Tracer& t, const Call& call) {
  if (!call.schema->has(Tag::out)) return false;
  const std::string& functional = call.functional;
  const Schema* pure = functional.empty() ? nullptr : t.ops.find(functional);
  if (pure == nullptr || meaning_of(base_name(functional), *pure) == Meaning::opaque) return false;
  if (call.schema->returns.size() != 1) return false;
  Call inner = call;
  inner.schema = pure;
  inner.op = std::string(base_name(functional));
  inner.arguments.assign(pure->arguments.size(), Arg{});
  std::optional<Binding> out;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    if (call.schema->arguments[k].written) out = t.bound_of(call.arguments[k]);
    for (std::size_t j = 0; j < pure->arguments.size(); ++j)
      if (pure->arguments[j].name == call.schema->arguments[k].name) inner.arguments[j] = call.arguments[k];
  }
  if (!out) return false;
  for (const Arg& arg : inner.arguments)
    for (const Arg& item : items_of(arg))
      if (const Binding* operand = t.seen(item); operand != nullptr && t.may_meet(operand->view, out->view)) {
        t.unknown("unsupported-op", call.step->op + " (an operand meets out)");
        return true;
      }
  for (std::size_t j = 0; j < pure->arguments.size(); ++j)  // zeros(out=o) has o's type
    if (pure->arguments[j].name == "dtype" && inner.arguments[j].kind == Arg::Kind::none)
      inner.arguments[j] = Arg::of_dtype(out->dtype);
  Step made = *call.step;  // its result has a name until it is moved, used or not
  made.results = {ValueId(t.names.bound.size())};
  inner.step = &made;
  t.names.bound.emplace_back();
  t.at_hand.hushed = true;
  dispatch(t, inner);
  t.at_hand.hushed = false;
  const auto result = t.names.bound.back();
  t.names.bound.pop_back();
  if (!result || result->view.shape != out->view.shape || result->dtype != out->dtype) {
    t.unknown("no-metadata", call.step->op);
    return true;
  }
  move(t, *out, *result, call.number);
  ++t.in_place;
  bind(t, call, 0, *out);
  return true;
}

void clone(Tracer& t, const Call& call) {
  const auto from = t.tensor(call, 0);
  if (!from) return;
  Binding out = fresh(t, from->view.shape, from->dtype, kept_strides(t, *from, call, 0));
  move(t, out, *from, call.number);
  bind(t, call, 0, std::move(out));
}

void convert(Tracer& t, const Call& call) {
  const auto from = t.tensor(call, 0);
  if (!from) return;
  Dtype dtype = from->dtype;
  for (const Arg& arg : call.arguments)
    if (arg.kind == Arg::Kind::dtype) dtype = arg.dtype;
  Binding out = fresh(t, from->view.shape, dtype, kept_strides(t, *from, call, 0));
  move(t, out, *from, call.number);
  copy_off(t, call, *from, out);
  bind(t, call, 0, std::move(out));
}

/// to, contiguous, type_as: the argument itself if it already is what is asked for.
void may_convert(Tracer& t, const Call& call) {
  const auto from = t.tensor(call, 0);
  if (!from) return;
  if (call.op == "aten.dequantize" && !is_floating(from->dtype))
    return t.unknown("unsupported-op", call.step->op + " (of quantized numbers)");
  const auto asked = wanted(t, call, *from);
  if (!asked) return;
  bool placed = true, known = true;
  auto strides = kept_strides(t, *from, call, 0);
  if (!asked->format.empty()) {
    strides = strides_of(t, asked->format, *from);
    const Viewed now{from->view.shape, from->strides};
    const auto has = strides ? has_strides(t.space, now, *strides) : std::nullopt;
    known = has.has_value();
    placed = has.value_or(false);
  }
  const bool converts = asked->fresh || asked->dtype != from->dtype || (known && !placed);
  if (!converts && !known) return t.unknown("no-metadata", call.step->op + " (strides)");
  if (!converts && asked->open) return t.unknown("no-metadata", call.step->op + " (device)");
  if (!converts) return bind_view(t, call, 0, *from);
  Binding out = fresh(t, from->view.shape, asked->dtype, strides);
  move(t, out, *from, call.number);
  copy_off(t, call, *from, out);
  bind(t, call, 0, std::move(out));
}

void copy_into(Tracer& t, const Call& call) {
  const auto to = t.tensor(call, 0);
  const auto from = t.tensor(call, 1);
  if (!to || !from) return;
  const auto source = broadcast_to(t, *from, to->view.shape);
  if (!source) return t.unknown("no-metadata", call.step->op + " (shapes)");
  ++t.in_place;
  move(t, *to, *source, call.number);
  copy_off(t, call, *from, *to);
  bind(t, call, 0, *to);
}

/// _foreach_copy_, _foreach_zero_ of lists that each_item() does not take item by item: not modelled.
void copy_each(Tracer& t, const Call& call) {
  const bool paired =
      call.arguments.size() < 2 || call.arguments[1].list.size() == call.arguments[0].list.size();
  if (!paired) return t.unknown("no-metadata", call.step->op);
  t.unknown("unsupported-op", call.step->op + " (items meet)");
}

/// aten.copy(self, src): a fresh tensor like self with the elements of src.
void copy(Tracer& t, const Call& call) {
  const auto like = t.tensor(call, 0);
  const auto from = t.tensor(call, 1);
  if (!like || !from) return;
  const auto source = broadcast_to(t, *from, like->view.shape);
  if (!source) return t.unknown("no-metadata", call.step->op + " (shapes)");
  Binding out = fresh(t, like->view.shape, like->dtype, kept_strides(t, *like, call, 0));
  move(t, out, *source, call.number);
  bind(t, call, 0, std::move(out));
}

/// slice_scatter and the like: a copy of the first argument, then the second moved into a view of the copy.
void view_scatter(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  const auto from = t.tensor(call, 1);
  if (!base || !from) return;
  // The result keeps the base's gaps and overlaps; an expanded base is made dense.
  bool as_base = said(t, call, 0) == nullptr && base->strides;
  for (std::size_t k = 0; as_base && k < base->view.shape.size(); ++k)
    as_base = t.space.value((*base->strides)[k]) != 0 || t.space.value(base->view.shape[k]) == 1;
  Binding out = fresh(t, base->view.shape, base->dtype,
                      as_base ? std::optional(**base->strides) : kept_strides(t, *base, call, 0));
  Call inner = call;
  inner.arguments.erase(inner.arguments.begin() + 1);
  const auto target = views_of(t, inner, call.op, out);
  if (!target) return t.unknown("no-metadata", call.step->op);
  if (from->view.shape != target->front().view.shape)
    return t.unknown("no-metadata", call.step->op + " (shapes)");
  // PyTorch copies the base's whole storage, with its offset: unless the base is all of it, an as_strided of
  // the result would read elements that are not modelled.
  const bool part = !base->view.maps.empty() || base->offset != 0;
  const bool dense = base->strides && base->strides == contiguous_strides(t.space, base->view.shape);
  const bool strided = find_view_rule(call.op) == find_view_rule("aten.as_strided");
  if (part && !(dense && base->offset == 0) && strided)
    return t.unknown("unsupported-op", call.step->op + " (of a part of a storage)");
  if (strided) reaches(t, base->view.storage, true);
  if (part) t.storages.layouts[out.view.storage].strides.reset();
  if (!whole_window(t, call, out, *base)) move(t, out, *base, call.number);
  move(t, target->front(), *from, call.number);
  bind(t, call, 0, std::move(out));
}

/// cat and stack: each piece into its slice of a fresh result.
void concatenate(Tracer& t, const Call& call, bool stacked) {
  std::vector<Binding> pieces;
  const std::vector<Arg>& list = call.arguments[0].list;
  for (const Arg& arg : list) {
    const Binding* piece = t.seen(arg);
    if (piece == nullptr) return t.unknown("no-metadata", call.step->op);
    const bool legacy_empty = piece->view.shape.size() == 1 && t.space.value(piece->view.shape[0]) == 0;
    if (stacked || !legacy_empty || list.size() == 1) pieces.push_back(*piece);
  }
  const Arg& at = call.arguments[1];
  if (pieces.empty() || at.kind != Arg::Kind::sym || !at.sym.is_constant())
    return t.unknown("no-metadata", call.step->op);
  const auto rank = static_cast<std::int64_t>(pieces[0].view.shape.size() + (stacked ? 1 : 0));
  std::int64_t dim = at.sym.constant();
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return t.unknown("no-metadata", call.step->op);
  const auto d = static_cast<std::size_t>(dim);
  Dtype dtype = pieces[0].dtype;
  Shape shape;
  PolyId length = 0;
  for (Binding& piece : pieces) {
    Shape own = piece.view.shape;
    if (own.size() + (stacked ? 1 : 0) != static_cast<std::size_t>(rank))
      return t.unknown("no-metadata", call.step->op);
    if (stacked) {
      own.insert(own.begin() + static_cast<std::ptrdiff_t>(d), t.space.constant(1));
      piece.view.maps.edit().push_back(reshape_map(piece.view.shape, own));
      piece.view.shape = own;
    }
    length = t.space.add(length, own[d]);
    dtype = promoted(dtype, piece.dtype);
    if (shape.empty()) shape = own;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (k != d && !t.space.same(own[k], shape[k]))
        return t.unknown("no-metadata", call.step->op + " (shapes)");
  }
  shape[d] = length;
  auto out = unwritten_for(t, call, InferredMeta{shape, dtype});
  if (!out || out->view.shape != shape) return t.unknown("no-metadata", call.step->op);
  // The pieces cover the result, so that the fill is never read. A single graph must be shown to have written
  // all of the result, which cannot be told from one piece at a time.
  if (!t.request.value->before && !t.request.value->plan)
    fill_with(t, *out, scalar_text(t, Arg::of(SymExpr(0)), out->dtype), call.number);
  PolyId start = 0;
  for (const Binding& piece : pieces) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = map.to = shape;
    map.to[d] = piece.view.shape[d];
    map.dim = static_cast<std::uint32_t>(d);
    map.start = start;
    map.step = t.space.constant(1);
    start = t.space.add(start, piece.view.shape[d]);
    Binding target = *out;
    target.view.shape = map.to;
    if (map.to != shape) target.view.maps.edit().push_back(map);
    if (t.space.value(map.to[d]) != 0) move(t, target, piece, call.number);
  }
  bind(t, call, 0, std::move(*out));
}

}  // namespace noclobber::effects
