// Strides of views, as PyTorch computes them.
#include <algorithm>

#include "src/ops/layout.h"
#include "src/ops/views.h"

namespace noclobber {
namespace {

using Strides = std::vector<PolyId>;

/// True if the extent is known to be at least 2, so that its stride matters.
bool several(Space& space, PolyId extent) {
  return space.nonnegative(space.beyond(extent, space.constant(1)));
}

/// The strides of a reshape that needs no copy (computeStride): runs of dimensions that are contiguous with
/// each other are regrouped. Empty if a copy is needed, or, if `open` is set, may be needed.
std::optional<Strides> regrouped(Space& space, const Shape& from, const Strides& base, const Shape& to,
                                 bool& open) {
  Strides out(to.size(), 0);
  if (from.empty()) return contiguous_strides(space, to);
  std::size_t next = to.size();
  PolyId run = space.constant(1), seen = space.constant(1), inner = base.back();
  for (std::size_t k = from.size(); k-- > 0;) {
    run = space.mul(run, from[k]);
    const PolyId wanted = space.mul(run, inner);
    const bool breaks = k == 0 || (space.value(from[k - 1]) != 1 && !space.same(base[k - 1], wanted));
    if (!breaks) continue;
    open =
        open || (k > 0 && !(space.value(base[k - 1]) && space.value(wanted) && several(space, from[k - 1])));
    while (next > 0 && (!space.same(seen, run) || space.value(to[next - 1]) == 1)) {
      --next;
      out[next] = space.mul(seen, inner);
      seen = space.mul(seen, to[next]);
      if (space.value(seen) && space.value(run) && *space.value(seen) > *space.value(run))
        return std::nullopt;
    }
    if (!space.same(seen, run)) {
      open = open || !space.value(seen) || !space.value(run);
      return std::nullopt;
    }
    if (k > 0) {
      inner = base[k - 1];
      run = seen = space.constant(1);
    }
  }
  return next == 0 ? std::optional(out) : std::nullopt;
}

std::optional<Strides> through(Space& space, const Map& map, const Strides& base) {
  Strides out = base;
  switch (map.kind) {
    case Map::Kind::slice:
      out[map.dim] = space.mul(base[map.dim], map.step);
      return out;
    case Map::Kind::permute:
      for (std::size_t k = 0; k < map.order.size(); ++k) out[k] = base[map.order[k]];
      return out;
    case Map::Kind::reshape: {
      bool open = false;
      return regrouped(space, map.from, base, map.to, open);
    }
    case Map::Kind::expand:
      for (std::size_t k = 0; k < out.size(); ++k)
        if (!space.same(map.from[k], map.to[k])) out[k] = 0;
      return out;
    case Map::Kind::diagonal:
      out.clear();
      for (std::size_t k = 0; k < base.size(); ++k)
        if (k != map.dim && k != map.other) out.push_back(base[k]);
      out.push_back(space.add(base[map.dim], base[map.other]));
      return out;
    case Map::Kind::unfold:
      out[map.dim] = space.mul(base[map.dim], map.step);
      out.push_back(base[map.dim]);
      return out;
    case Map::Kind::strided:
      return map.strides;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Strides> view_strides(Space& space, const std::vector<Map>& maps,
                                    const std::optional<Strides>& base) {
  std::optional<Strides> out = base;
  for (const Map& map : maps) {
    if (map.kind == Map::Kind::strided) out = map.strides;
    if (!out) return std::nullopt;
    out = through(space, map, *out);
  }
  return out;
}

std::optional<bool> can_view(Space& space, const Viewed& base, const Shape& shape) {
  if (!base.strides) return std::nullopt;
  for (PolyId extent : base.shape)
    if (space.value(extent) == 0) return true;
  bool open = false;
  const bool fits = regrouped(space, base.shape, *base.strides, shape, open).has_value();
  if (fits) return true;
  return open ? std::nullopt : std::optional(false);
}

std::optional<bool> has_strides(Space& space, const Viewed& base, const Strides& wanted) {
  if (!base.strides || wanted.size() != base.strides->size()) return std::nullopt;
  bool open = false;
  for (PolyId extent : base.shape)
    if (space.value(extent) == 0) return true;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    if (space.value(base.shape[k]) == 1 || space.same(wanted[k], (*base.strides)[k])) continue;
    const bool numbers = space.value(wanted[k]) && space.value((*base.strides)[k]);
    if (numbers && several(space, base.shape[k])) return false;
    open = true;
  }
  return open ? std::nullopt : std::optional(true);
}

std::optional<Strides> preserved_strides(Space& space, const Viewed& base) {
  if (!base.strides) return std::nullopt;
  const Strides& strides = *base.strides;
  bool open = false;
  const auto above = [&](PolyId a, PolyId b) { return space.nonnegative(space.beyond(a, b)); };
  const auto order = [&](std::size_t a, std::size_t b) {
    if (strides[a] == 0 || strides[b] == 0) return 0;
    const bool same = space.same(strides[a], strides[b]);
    const PolyId x = same ? base.shape[a] : strides[a], y = same ? base.shape[b] : strides[b];
    const bool larger = above(x, y), smaller = same ? space.nonnegative(space.sub(y, x)) : above(y, x);
    open = open || !above(strides[a], 0) || !above(strides[b], 0) || (!larger && !smaller);
    return larger ? 1 : same ? 0 : -1;
  };
  const auto inner_first = sorted_dims(strides.size(), order);
  if (open) return std::nullopt;
  Strides out(strides.size(), 0);
  PolyId next = space.constant(1);
  for (std::size_t dim : inner_first) {
    out[dim] = next;
    next = space.mul(next, base.shape[dim]);
  }
  return out;
}

std::optional<bool> is_contiguous(Space& space, const Viewed& base) {
  return has_strides(space, base, contiguous_strides(space, base.shape));
}

}  // namespace noclobber
