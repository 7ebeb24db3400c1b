// View operators: a new name for elements of a storage.
#include <algorithm>

#include "src/effects/builder.h"

namespace noclobber {

/// Maps from the flat storage (elements of the base's type) up to the storage's own index space.
std::vector<Map> Builder::flat(const Binding& base) {
  const Layout& layout = layouts_[base.view.storage];
  std::vector<Map> out;
  if (!layout.strides) return out;
  Shape shape = layout.shape;
  const auto known = dense_order(space_, shape, *layout.strides);
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
  const PolyId count = element_count(space_, shape);
  out.push_back(reshape_map(shape, {count}));
  const std::string& key = trace_.storages[base.view.storage].key;
  const std::int64_t own = parts(key, layout.dtype), as = parts(key, base.dtype);
  if (own != as) {
    const PolyId bytes = space_.scale(count, own);
    out.push_back(reshape_map({count, space_.constant(own)},
                              {space_.quotient(bytes, space_.constant(as)), space_.constant(as)}));
  }
  return out;
}

/// Windows seen through a further view, from the start of the storage: only as a whole may they be apart.
void Builder::fold_to_strides(Binding& bound) {
  std::vector<Map>& maps = bound.view.maps;
  const auto window =
      std::find_if(maps.begin(), maps.end(), [](const Map& m) { return m.kind == Map::Kind::unfold; });
  if (window == maps.end() || window + 1 == maps.end() || !bound.strides || bound.view.lanes > 0) return;
  const Index first = root_index(space_, bound.view, Index(bound.view.shape.size(), 0));
  std::vector<Map> all = flat(bound);
  const Layout& layout = layouts_[bound.view.storage];
  if (all.empty() || first.size() != layout.strides->size()) return;
  Map strided;
  strided.kind = Map::Kind::strided;
  strided.from = all.back().to;
  strided.to = bound.view.shape;
  strided.strides = *bound.strides;
  for (std::size_t k = 0; k < first.size(); ++k)
    strided.start = space_.add(strided.start, space_.mul(first[k], (*layout.strides)[k]));
  if (strided.start == Space::kBad || strided.from.size() != 1) return;
  all.push_back(std::move(strided));
  maps = std::move(all);
}

/// A view of a strided view is strided itself: one map says more about which elements meet than a chain.
void Builder::fold(Binding& bound) {
  if (is_thrown_away()) return;
  fold_to_strides(bound);
  std::vector<Map>& maps = bound.view.maps;
  const auto at =
      std::find_if(maps.begin(), maps.end(), [](const Map& m) { return m.kind == Map::Kind::strided; });
  if (at == maps.end() || !bound.strides || bound.view.lanes > 0) return;
  const TraceView above{bound.view.storage, {at, maps.end()}, bound.view.shape, "", 0};
  const Index first = root_index(space_, above, Index(bound.view.shape.size(), 0));
  if (first.size() != 1 || first[0] == Space::kBad) return;
  Map folded = *at;
  folded.start = first[0];
  folded.to = bound.view.shape;
  folded.strides = *bound.strides;
  maps.erase(at, maps.end());
  maps.push_back(std::move(folded));
}

std::optional<Binding> Builder::viewed(const Binding& base, const ViewMaps& maps) {
  if (maps.dtype && maps.parts == ViewMaps::Parts::along) return reinterpreted(base, *maps.dtype);
  if (maps.dtype) return paired(base, maps);
  Binding out = base;
  out.view.shape = maps.shape;
  if (maps.flat) {
    reaches(base.view.storage, maps.maps[0].dim == 0);
    std::vector<Map> all = flat(base);
    if (all.empty()) return std::nullopt;
    Map strided = maps.maps[0];
    if (strided.dim == 1) strided.start = space_.add(strided.start, base.offset);
    strided.dim = 0;
    strided.from = {all.back().to[0]};
    PolyId last = strided.start;
    for (std::size_t k = 0; k < strided.to.size(); ++k)
      last = space_.add(last, space_.mul(strided.strides[k], space_.sub(strided.to[k], space_.constant(1))));
    const bool empty = space_.value(element_count(space_, strided.to)) == 0;
    const PolyId room = space_.sub(space_.sub(strided.from[0], last), space_.constant(1));
    if (strided.start == Space::kBad || !space_.nonnegative(strided.start) ||
        (!empty && !space_.nonnegative(room)))
      return std::nullopt;
    all.push_back(strided);
    out.view.maps = std::move(all);
    out.strides = strided.strides;
    out.offset = strided.start;
    return out;
  }
  out.view.maps.insert(out.view.maps.end(), maps.maps.begin(), maps.maps.end());
  out.strides = view_strides(space_, maps.maps, base.strides);
  fold(out);
  for (const Map& map : maps.maps) {
    const bool shifts = map.kind == Map::Kind::slice || map.kind == Map::Kind::diagonal;
    if (!shifts || out.offset == Space::kBad) continue;
    if (map.kind == Map::Kind::diagonal || !base.strides || maps.maps.front().kind != Map::Kind::slice) {
      out.offset = Space::kBad;
    } else {
      out.offset = space_.add(out.offset, space_.mul(map.start, (*base.strides)[map.dim]));
    }
  }
  return out;
}

/// view.dtype: the same bytes read as another type; of another width only along a last dimension without
/// gaps. Of two 4-bit elements in a byte the first is the lower half.
std::optional<Binding> Builder::reinterpreted(const Binding& base, Dtype to) {
  const int from_bits = bit_width(base.dtype), to_bits = bit_width(to);
  if (std::min(from_bits, to_bits) < 4 || (std::min(from_bits, to_bits) < 8 && request_.value->plan))
    return std::nullopt;
  Binding out = base;
  out.dtype = to;
  out.view.type = type_text(to);
  if (from_bits == to_bits) return out;
  const std::string& key = trace_.storages[base.view.storage].key;
  if (!wide(base.view.storage)) more_lanes_.insert(key);
  if (std::min(from_bits, to_bits) < 8 && !request_.lanes->contains(halves_of(key))) {
    more_lanes_.insert(halves_of(key));
    return std::nullopt;
  }
  if (base.view.shape.empty() || !base.strides || space_.value(base.strides->back()) != 1)
    return std::nullopt;
  const PolyId old_width = space_.constant(parts(key, base.dtype)),
               new_width = space_.constant(parts(key, to));
  Shape before = base.view.shape, after = base.view.shape;
  before.push_back(old_width);
  after.back() = space_.quotient(space_.mul(after.back(), old_width), new_width);
  if (!space_.same(space_.mul(after.back(), new_width), space_.mul(base.view.shape.back(), old_width)))
    return std::nullopt;
  out.view.shape = after;
  after.push_back(new_width);
  if (wide(base.view.storage)) out.view.maps.push_back(reshape_map(before, after));
  out.view.lanes = wide(base.view.storage) ? parts(key, to) : 0;
  for (std::size_t k = 0; k + 1 < out.strides->size(); ++k) {
    PolyId& stride = (*out.strides)[k];
    const PolyId bytes = space_.mul(stride, old_width);
    stride = space_.quotient(bytes, new_width);
    if (!space_.same(space_.mul(stride, new_width), bytes)) return std::nullopt;
  }
  const PolyId bytes = space_.mul(out.offset, old_width);
  out.offset = space_.quotient(bytes, new_width);
  if (to_bits > from_bits && !space_.same(space_.mul(out.offset, new_width), bytes)) return std::nullopt;
  return out;
}

/// Complex numbers as pairs of reals, pairs as complex numbers, or one part of each.
std::optional<Binding> Builder::paired(const Binding& base, const ViewMaps& maps) {
  const std::int64_t from = bit_width(base.dtype) / 8, to = bit_width(*maps.dtype) / 8;
  const bool joins = maps.parts == ViewMaps::Parts::joined;
  const std::string& key = trace_.storages[base.view.storage].key;
  if (!wide(base.view.storage)) more_lanes_.insert(key);
  if (request_.lanes->contains(halves_of(key))) return std::nullopt;
  if (!base.strides || !wide(base.view.storage) || (joins && space_.value(base.strides->back()) != 1))
    return std::nullopt;
  Binding out = base;
  out.dtype = *maps.dtype;
  out.view.type = type_text(*maps.dtype);
  out.view.lanes = to;
  const PolyId two = space_.constant(2), unit = space_.constant(1);
  Shape before = base.view.shape, after = base.view.shape;
  if (joins) after.pop_back();
  if (!joins) after.push_back(two);
  out.view.shape = after;
  before.push_back(space_.constant(from));
  after.push_back(space_.constant(to));
  out.view.maps.push_back(reshape_map(before, after));
  if (joins) out.strides->pop_back();
  for (PolyId& stride : *out.strides) {
    const PolyId halved = space_.quotient(stride, two);
    if (joins && !space_.same(space_.mul(halved, two), stride)) return std::nullopt;
    stride = joins ? halved : space_.mul(stride, two);
  }
  if (!joins) out.strides->push_back(unit);
  const PolyId halved = space_.quotient(out.offset, two);
  if (joins && !space_.same(space_.mul(halved, two), out.offset)) return std::nullopt;
  out.offset = joins ? halved : space_.mul(out.offset, two);
  if (joins || maps.parts == ViewMaps::Parts::split) return out;
  const std::int64_t part = maps.parts == ViewMaps::Parts::first ? 0 : 1;
  const std::vector<Arg> last{Arg{}, Arg::of(SymExpr(-1)), Arg::of(SymExpr(part))};
  const auto selected = find_view_rule("aten.select")(sizes_, Viewed{out.view.shape, out.strides}, last);
  return selected ? viewed(out, selected->front()) : std::nullopt;
}

std::optional<std::vector<Binding>> Builder::views_of(const Call& call, std::string_view op,
                                                      const Binding& base) {
  const ViewRule rule = find_view_rule(op);
  if (rule == nullptr) return std::nullopt;
  Viewed seen{base.view.shape, base.strides, base.dtype};
  for (std::size_t k = 1; k < call.arguments.size(); ++k)
    if (const auto other = bound_of(call.arguments[k])) seen.others.push_back(other->view.shape);
  const auto all = rule(sizes_, seen, call.arguments);
  if (!all) return std::nullopt;
  std::vector<Binding> out;
  for (const ViewMaps& maps : *all) {
    auto bound = viewed(base, maps);
    if (!bound || has_negative(space_, bound->view.shape)) return std::nullopt;
    out.push_back(std::move(*bound));
  }
  return out;
}

void Builder::view(const Call& call) {
  const auto base = tensor(call, 0);
  if (!base) return;
  const auto all = views_of(call, call.op, *base);
  const bool reshaping = call.op == "aten.view" || call.op == "aten._reshape_alias" ||
                         call.op == "aten._unsafe_view" || call.op == "aten.view_as" ||
                         call.op == "aten.unflatten" || call.op == "prims.split_dim" ||
                         call.op == "prims.collapse_view";
  if (all && reshaping && all->front().dtype == base->dtype &&
      can_view(space_, Viewed{base->view.shape, base->strides}, all->front().view.shape) == false)
    return unknown("unsupported-op", call.step->op + " (needs a copy)");
  if (!all) return unknown(more_lanes_.empty() ? "no-metadata" : "unsupported-op", call.step->op);
  for (std::size_t k = 0; k < all->size(); ++k) bind_view(call, k, (*all)[k]);
}

/// reshape, flatten: a view if strides allow it, else a copy. Where that is open, nothing is known.
void Builder::may_view(const Call& call) {
  const auto base = tensor(call, 0);
  if (!base) return;
  const auto all = views_of(call, call.op, *base);
  if (!all) return unknown("no-metadata", call.step->op);
  const Viewed from{base->view.shape, base->strides};
  const auto shares = find_row(call.op)->of_contiguous ? is_contiguous(space_, from)
                                                       : can_view(space_, from, all->front().view.shape);
  if (!shares) return unknown("no-metadata", call.step->op + " (strides)");
  if (*shares) return bind_view(call, 0, all->front());
  Binding out =
      fresh(all->front().view.shape, base->dtype, contiguous_strides(space_, all->front().view.shape));
  move(out, all->front(), call.number);
  bind(call, 0, std::move(out));
}

void Builder::view_copy(const Call& call) {
  const auto base = tensor(call, 0);
  if (!base) return;
  const auto all = views_of(call, call.op, *base);
  if (!all) return unknown("no-metadata", call.step->op);
  for (std::size_t k = 0; k < all->size(); ++k) {
    const Binding& from = (*all)[k];
    auto out = fresh_for(call, k, InferredMeta{from.view.shape, from.dtype});
    if (!out || out->view.shape != from.view.shape) return unknown("no-metadata", call.step->op);
    move(*out, from, call.number);
    bind(call, k, std::move(*out));
  }
}

/// The view with leading and one-sized dimensions repeated; nothing where shapes do not fit.
std::optional<Binding> Builder::broadcast_to(const Binding& from, const Shape& shape) {
  if (from.view.shape == shape) return from;
  if (from.view.shape.size() > shape.size()) return std::nullopt;
  Map map;
  map.kind = Map::Kind::expand;
  map.from.assign(shape.size() - from.view.shape.size(), space_.constant(1));
  map.from.insert(map.from.end(), from.view.shape.begin(), from.view.shape.end());
  map.to = shape;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (!space_.same(map.from[k], shape[k]) && space_.value(map.from[k]) != 1) return std::nullopt;
  Binding out = from;
  if (map.from.size() != from.view.shape.size())
    out.view.maps.push_back(reshape_map(from.view.shape, map.from));
  out.view.maps.push_back(map);
  out.view.shape = shape;
  out.strides = view_strides(
      space_,
      {out.view.maps.end() - (map.from.size() != from.view.shape.size() ? 2 : 1), out.view.maps.end()},
      from.strides);
  return out;
}

}  // namespace noclobber
