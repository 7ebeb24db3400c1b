#include "src/effects/view_steps.h"

#include <algorithm>

#include "src/effects/boundary.h"
#include "src/effects/dense.h"
#include "src/effects/emit.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"

namespace noclobber::effects {

namespace {

/// Folds windows (unfold) and the maps behind them into one strided map from the start of the storage: the
/// windows overlap, but the elements of the whole chain may be distinct.
void fold_to_strides(Tracer& t, Binding& bound) {
  const std::vector<Map>& maps = bound.view.maps;
  const auto window =
      std::find_if(maps.begin(), maps.end(), [](const Map& m) { return m.kind == Map::Kind::unfold; });
  if (window == maps.end() || window + 1 == maps.end() || !bound.strides || bound.view.lanes > 0) return;
  const Index first = root_index(t.space, bound.view, Index(bound.view.shape.size(), 0));
  std::vector<Map> all = flat(t, bound);
  const Layout& layout = t.storages.layouts[bound.view.storage];
  if (all.empty() || first.size() != layout.strides->size()) return;
  Map strided;
  strided.kind = Map::Kind::strided;
  strided.from = all.back().to;
  strided.to = bound.view.shape;
  strided.strides = *bound.strides;
  for (std::size_t k = 0; k < first.size(); ++k)
    strided.start = t.space.add(strided.start, t.space.mul(first[k], (*layout.strides)[k]));
  if (strided.start == Space::kBad || strided.from.size() != 1) return;
  all.push_back(std::move(strided));
  bound.view.maps = std::move(all);
}

/// Folds a view of a strided view into one strided map: it decides more overlaps than a chain of maps does.
void fold(Tracer& t, Binding& bound) {
  if (t.is_thrown_away()) return;
  fold_to_strides(t, bound);
  const std::vector<Map>& maps = bound.view.maps;
  const auto at =
      std::find_if(maps.begin(), maps.end(), [](const Map& m) { return m.kind == Map::Kind::strided; });
  if (at == maps.end() || !bound.strides || bound.view.lanes > 0) return;
  const TraceView above{bound.view.storage, std::vector<Map>(at, maps.end()), bound.view.shape, "", 0};
  const Index first = root_index(t.space, above, Index(bound.view.shape.size(), 0));
  if (first.size() != 1 || first[0] == Space::kBad) return;
  Map folded = *at;
  folded.start = first[0];
  folded.to = bound.view.shape;
  folded.strides = *bound.strides;
  std::vector<Map> all(maps.begin(), at);
  all.push_back(std::move(folded));
  bound.view.maps = std::move(all);
}

/// view.dtype: the same bytes as another type; of another width only along a last dimension without gaps. The
/// first of two 4-bit elements in a byte is its lower half.
std::optional<Binding> reinterpreted(Tracer& t, const Binding& base, Dtype to) {
  const int from_bits = bit_width(base.dtype), to_bits = bit_width(to);
  if (std::min(from_bits, to_bits) < 4 || (std::min(from_bits, to_bits) < 8 && t.request.value->plan))
    return std::nullopt;
  Binding out = base;
  out.dtype = to;
  out.view.type = t.type_text(to);
  if (from_bits == to_bits) return out;
  const std::string key = t.trace.storages[base.view.storage].key;
  if (!t.wide(base.view.storage)) t.storages.more_lanes.insert(key);
  if (std::min(from_bits, to_bits) < 8 && !t.request.lanes->contains(halves_of(key))) {
    t.storages.more_lanes.insert(halves_of(key));
    return std::nullopt;
  }
  if (base.view.shape.empty() || !base.strides || t.space.value(base.strides->back()) != 1)
    return std::nullopt;
  const PolyId old_width = t.space.constant(t.parts(key, base.dtype)),
               new_width = t.space.constant(t.parts(key, to));
  Shape before = base.view.shape, after = base.view.shape;
  before.push_back(old_width);
  after.back() = t.space.quotient(t.space.mul(after.back(), old_width), new_width);
  if (!t.space.same(t.space.mul(after.back(), new_width), t.space.mul(base.view.shape.back(), old_width)))
    return std::nullopt;
  out.view.shape = after;
  after.push_back(new_width);
  if (t.wide(base.view.storage)) out.view.maps.edit().push_back(reshape_map(before, after));
  out.view.lanes = t.wide(base.view.storage) ? t.parts(key, to) : 0;
  for (std::size_t k = 0; k + 1 < out.strides->size(); ++k) {
    PolyId& stride = out.strides->edit()[k];
    const PolyId bytes = t.space.mul(stride, old_width);
    stride = t.space.quotient(bytes, new_width);
    if (!t.space.same(t.space.mul(stride, new_width), bytes)) return std::nullopt;
  }
  const PolyId bytes = t.space.mul(out.offset, old_width);
  out.offset = t.space.quotient(bytes, new_width);
  if (to_bits > from_bits && !t.space.same(t.space.mul(out.offset, new_width), bytes)) return std::nullopt;
  return out;
}

/// Views complex numbers as pairs of reals, pairs as complex numbers, or takes one part of each.
std::optional<Binding> paired(Tracer& t, const Binding& base, const ViewMaps& maps) {
  const int from = bit_width(base.dtype) / 8, to = bit_width(*maps.dtype) / 8;
  const bool joins = maps.parts == ViewMaps::Parts::joined;
  const std::string key = t.trace.storages[base.view.storage].key;
  if (!t.wide(base.view.storage)) t.storages.more_lanes.insert(key);
  if (t.request.lanes->contains(halves_of(key))) return std::nullopt;
  if (!base.strides || !t.wide(base.view.storage) || (joins && t.space.value(base.strides->back()) != 1))
    return std::nullopt;
  Binding out = base;
  out.dtype = *maps.dtype;
  out.view.type = t.type_text(*maps.dtype);
  out.view.lanes = static_cast<std::int16_t>(to);  // at most 16
  const PolyId two = t.space.constant(2), unit = t.space.constant(1);
  Shape before = base.view.shape, after = base.view.shape;
  if (joins) after.pop_back();
  if (!joins) after.push_back(two);
  out.view.shape = after;
  before.push_back(t.space.constant(from));
  after.push_back(t.space.constant(to));
  out.view.maps.edit().push_back(reshape_map(before, after));
  if (joins) out.strides->edit().pop_back();
  for (PolyId& stride : out.strides->edit()) {
    const PolyId halved = t.space.quotient(stride, two);
    if (joins && !t.space.same(t.space.mul(halved, two), stride)) return std::nullopt;
    stride = joins ? halved : t.space.mul(stride, two);
  }
  if (!joins) out.strides->edit().push_back(unit);
  const PolyId halved = t.space.quotient(out.offset, two);
  if (joins && !t.space.same(t.space.mul(halved, two), out.offset)) return std::nullopt;
  out.offset = joins ? halved : t.space.mul(out.offset, two);
  if (joins || maps.parts == ViewMaps::Parts::split) return out;
  const std::int64_t part = maps.parts == ViewMaps::Parts::first ? 0 : 1;
  const std::vector<Arg> last{Arg{}, Arg::of(SymExpr(-1)), Arg::of(SymExpr(part))};
  const auto selected = find_view_rule("aten.select")(t.sizes, Viewed{out.view.shape, out.strides}, last);
  return selected ? viewed(t, out, selected->front()) : std::nullopt;
}

}  // namespace

/// Maps from the flat storage (elements of the base's type) up to the storage's own index space. Empty if its
/// layout is not known.
std::vector<Map> flat(Tracer& t, const Binding& base) {
  const Layout& layout = t.storages.layouts[base.view.storage];
  std::vector<Map> out;
  if (!layout.strides) return out;
  Shape shape = layout.shape;
  const auto known = dense_order(t.space, shape, *layout.strides);
  if (!known) return out;
  const std::vector<std::uint32_t>& order = *known;
  if (!std::is_sorted(order.begin(), order.end())) {
    Map permute;
    permute.kind = Map::Kind::permute;
    permute.from = shape;
    permute.order = order;
    for (std::uint32_t k : order) permute.to.push_back(shape[k]);
    shape = permute.to;
    out.push_back(std::move(permute));
  }
  const PolyId count = element_count(t.space, shape);
  out.push_back(reshape_map(shape, {count}));
  const std::string key = t.trace.storages[base.view.storage].key;
  const std::int64_t own = t.parts(key, layout.dtype), as = t.parts(key, base.dtype);
  if (own != as) {
    const PolyId bytes = t.space.scale(count, own);
    out.push_back(reshape_map({count, t.space.constant(own)},
                              {t.space.quotient(bytes, t.space.constant(as)), t.space.constant(as)}));
  }
  return out;
}

std::optional<Binding> viewed(Tracer& t, const Binding& base, const ViewMaps& maps) {
  if (maps.dtype && maps.parts == ViewMaps::Parts::along) return reinterpreted(t, base, *maps.dtype);
  if (maps.dtype) return paired(t, base, maps);
  Binding out = base;
  out.view.shape = maps.shape;
  if (maps.flat) {
    reaches(t, base.view.storage, maps.maps[0].dim == 0);
    std::vector<Map> all = flat(t, base);
    if (all.empty()) return std::nullopt;
    Map strided = maps.maps[0];
    if (strided.dim == 1) strided.start = t.space.add(strided.start, base.offset);
    strided.dim = 0;
    strided.from = {all.back().to[0]};
    PolyId last = strided.start;
    for (std::size_t k = 0; k < strided.to.size(); ++k)
      last =
          t.space.add(last, t.space.mul(strided.strides[k], t.space.sub(strided.to[k], t.space.constant(1))));
    const bool empty = t.space.value(element_count(t.space, strided.to)) == 0;
    const PolyId room = t.space.sub(t.space.sub(strided.from[0], last), t.space.constant(1));
    if (strided.start == Space::kBad || !t.space.nonnegative(strided.start) ||
        (!empty && !t.space.nonnegative(room)))
      return std::nullopt;
    all.push_back(strided);
    out.view.maps = std::move(all);
    out.strides = strided.strides;
    out.offset = strided.start;
    return out;
  }
  out.view.maps.append(maps.maps);
  out.strides = view_strides(t.space, maps.maps, base.strides);
  fold(t, out);
  for (const Map& map : maps.maps) {
    const bool shifts = map.kind == Map::Kind::slice || map.kind == Map::Kind::diagonal;
    if (!shifts || out.offset == Space::kBad) continue;
    if (map.kind == Map::Kind::diagonal || !base.strides || maps.maps.front().kind != Map::Kind::slice) {
      out.offset = Space::kBad;
    } else {
      out.offset = t.space.add(out.offset, t.space.mul(map.start, (*base.strides)[map.dim]));
    }
  }
  return out;
}

std::optional<std::vector<Binding>> views_of(Tracer& t, const Call& call, std::string_view op,
                                             const Binding& base) {
  const ViewRule rule = find_view_rule(op);
  if (rule == nullptr) return std::nullopt;
  Viewed seen{base.view.shape, base.strides, base.dtype};
  for (std::size_t k = 1; k < call.arguments.size(); ++k)
    if (const Binding* other = t.seen(call.arguments[k])) seen.others.push_back(other->view.shape);
  const auto all = rule(t.sizes, seen, call.arguments);
  if (!all) return std::nullopt;
  std::vector<Binding> out;
  for (const ViewMaps& maps : *all) {
    auto bound = viewed(t, base, maps);
    if (!bound || has_negative(t.space, bound->view.shape)) return std::nullopt;
    out.push_back(std::move(*bound));
  }
  return out;
}

void view(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  if (!base) return;
  const auto all = views_of(t, call, call.op, *base);
  const bool reshaping = call.op == "aten.view" || call.op == "aten._reshape_alias" ||
                         call.op == "aten._unsafe_view" || call.op == "aten.view_as" ||
                         call.op == "aten.unflatten" || call.op == "prims.split_dim" ||
                         call.op == "prims.collapse_view";
  if (all && reshaping && all->front().dtype == base->dtype &&
      can_view(t.space, Viewed{base->view.shape, base->strides}, all->front().view.shape) == false)
    return t.unknown("unsupported-op", call.step->op + " (needs a copy)");
  if (!all) return t.unknown(t.storages.more_lanes.empty() ? "no-metadata" : "unsupported-op", call.step->op);
  for (std::size_t k = 0; k < all->size(); ++k) bind_view(t, call, k, (*all)[k]);
}

/// reshape, flatten: a view if strides allow it, else a copy. Not modelled if they do not decide it.
void may_view(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  if (!base) return;
  const auto all = views_of(t, call, call.op, *base);
  if (!all) return t.unknown("no-metadata", call.step->op);
  const Viewed from{base->view.shape, base->strides};
  const auto shares = find_row(call.op)->of_contiguous ? is_contiguous(t.space, from)
                                                       : can_view(t.space, from, all->front().view.shape);
  if (!shares) return t.unknown("no-metadata", call.step->op + " (strides)");
  if (*shares) return bind_view(t, call, 0, all->front());
  Binding out =
      fresh(t, all->front().view.shape, base->dtype, contiguous_strides(t.space, all->front().view.shape));
  move(t, out, all->front(), call.number);
  bind(t, call, 0, std::move(out));
}

void view_copy(Tracer& t, const Call& call) {
  const auto base = t.tensor(call, 0);
  if (!base) return;
  const auto all = views_of(t, call, call.op, *base);
  if (!all) return t.unknown("no-metadata", call.step->op);
  for (std::size_t k = 0; k < all->size(); ++k) {
    const Binding& from = (*all)[k];
    auto out = fresh_for(t, call, k, InferredMeta{from.view.shape, from.dtype});
    if (!out || out->view.shape != from.view.shape) return t.unknown("no-metadata", call.step->op);
    move(t, *out, from, call.number);
    bind(t, call, k, std::move(*out));
  }
}

/// The view with leading and one-sized dimensions repeated. Empty if the shapes do not fit.
std::optional<Binding> broadcast_to(Tracer& t, const Binding& from, const Shape& shape) {
  if (from.view.shape == shape) return from;
  if (from.view.shape.size() > shape.size()) return std::nullopt;
  Map map;
  map.kind = Map::Kind::expand;
  map.from.assign(shape.size() - from.view.shape.size(), t.space.constant(1));
  map.from.insert(map.from.end(), from.view.shape.begin(), from.view.shape.end());
  map.to = shape;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (!t.space.same(map.from[k], shape[k]) && t.space.value(map.from[k]) != 1) return std::nullopt;
  Binding out = from;
  if (map.from.size() != from.view.shape.size())
    out.view.maps.edit().push_back(reshape_map(from.view.shape, map.from));
  out.view.maps.edit().push_back(map);
  out.view.shape = shape;
  out.strides = view_strides(
      t.space,
      {out.view.maps.end() - (map.from.size() != from.view.shape.size() ? 2 : 1), out.view.maps.end()},
      from.strides);
  return out;
}

}  // namespace noclobber::effects
