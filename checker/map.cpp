#include "checker/map.h"

#include <algorithm>
#include <numeric>

namespace noclobber {
namespace {

/// One stretch of dimensions of `from` that holds the same elements as one stretch of `to`.
struct Group {
  std::size_t from_begin, from_end, to_begin, to_end;
};

/// Cuts two shapes of equally many elements wherever their running products meet.
std::vector<Group> groups(Space& space, const Shape& from, const Shape& to) {
  std::vector<Group> out;
  std::size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Group group{i, i + 1, j, j + 1};
    PolyId a = from[i++], b = to[j++];
    while (!space.same(a, b)) {
      const bool take_from = i < from.size() && space.nonnegative(space.sub(b, a));
      if (!take_from && j == to.size()) return {{0, from.size(), 0, to.size()}};
      if (take_from) a = space.mul(a, from[i++]);
      if (!take_from) b = space.mul(b, to[j++]);
    }
    group.from_end = i;
    group.to_end = j;
    out.push_back(group);
  }
  const auto is_one = [&](PolyId extent) { return space.value(extent) == 1; };
  const bool whole = std::all_of(from.begin() + static_cast<std::ptrdiff_t>(i), from.end(), is_one) &&
                     std::all_of(to.begin() + static_cast<std::ptrdiff_t>(j), to.end(), is_one);
  if (!whole) return {{0, from.size(), 0, to.size()}};
  return out;
}

template <class T>
std::vector<T> part(const std::vector<T>& all, std::size_t begin, std::size_t end) {
  return {all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end)};
}

Index reshaped(Space& space, const Shape& from, const Shape& to, const Index& index) {
  Index out(from.size(), 0);
  for (const Group& g : groups(space, from, to)) {
    const PolyId at = linear(space, part(to, g.to_begin, g.to_end), part(index, g.to_begin, g.to_end));
    const Index piece = delinear(space, part(from, g.from_begin, g.from_end), at);
    std::copy(piece.begin(), piece.end(), out.begin() + static_cast<std::ptrdiff_t>(g.from_begin));
  }
  return out;
}

Condition at_least(PolyId a) { return {false, a}; }

/// 0 <= a < extent.
void within(Space& space, PolyId a, PolyId extent, std::vector<Condition>& out) {
  out.push_back(at_least(a));
  out.push_back(at_least(space.sub(space.sub(extent, a), space.constant(1))));
}

Inverse inverse_slice(Space& space, const Map& map, const Index& parent) {
  Inverse out{{}, parent};
  const PolyId away = space.sub(parent[map.dim], map.start);
  if (space.value(map.to[map.dim]) == 1) {
    out.conditions.push_back({true, away});
    out.index[map.dim] = 0;
    return out;
  }
  const PolyId at = space.quotient(away, map.step);
  out.index[map.dim] = at;
  within(space, at, map.to[map.dim], out.conditions);
  if (space.value(map.step) != 1) out.conditions.push_back({true, space.sub(away, space.mul(at, map.step))});
  return out;
}

Inverse inverse_diagonal(Space& space, const Map& map, const Index& parent) {
  Inverse out;
  for (std::size_t k = 0; k < map.from.size(); ++k)
    if (k != map.dim && k != map.other) out.index.push_back(parent[k]);
  const PolyId at = space.sub(parent[map.dim], map.start);
  out.conditions.push_back({true, space.sub(space.sub(parent[map.other], map.step), at)});
  within(space, at, map.to.back(), out.conditions);
  out.index.push_back(space.value(map.to.back()) == 1 ? 0 : at);
  return out;
}

std::optional<Inverse> inverse_unfold(Space& space, const Map& map, const Index& parent) {
  const PolyId size = map.to.back();
  if (!space.nonnegative(space.sub(map.step, size))) return std::nullopt;  // windows overlap
  Inverse out{{}, parent};
  const PolyId window = space.quotient(parent[map.dim], map.step);
  const PolyId inside = space.sub(parent[map.dim], space.mul(window, map.step));
  within(space, window, map.to[map.dim], out.conditions);
  within(space, inside, size, out.conditions);
  out.index[map.dim] = window;
  out.index.push_back(inside);
  return out;
}

std::optional<Inverse> inverse_expand(Space& space, const Map& map, const Index& parent) {
  for (std::size_t k = 0; k < map.from.size(); ++k)
    if (!space.same(map.from[k], map.to[k])) return std::nullopt;
  return Inverse{{}, parent};
}

/// Dimensions of more than one element, largest stride first; nothing if strides cannot be compared.
std::optional<std::vector<std::size_t>> by_stride(Space& space, const Map& map) {
  std::vector<std::size_t> dims;
  for (std::size_t k = 0; k < map.to.size(); ++k) {
    if (space.value(map.to[k]) == 1) continue;
    std::size_t at = 0;
    while (at < dims.size() && !space.nonnegative(space.sub(map.strides[k], map.strides[dims[at]]))) ++at;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), k);
  }
  for (std::size_t k = 1; k < dims.size(); ++k)
    if (!space.nonnegative(space.sub(map.strides[dims[k - 1]], map.strides[dims[k]]))) return std::nullopt;
  return dims;
}

/// A mixed-radix number: each stride is larger than all that the smaller ones can reach.
std::optional<Inverse> inverse_strided(Space& space, const Map& map, const Index& parent) {
  const auto dims = by_stride(space, map);
  if (!dims) return std::nullopt;
  Inverse out{{}, Index(map.to.size(), 0)};
  PolyId rest = space.sub(parent[0], map.start);
  PolyId reach = 0;
  for (auto k = dims->rbegin(); k != dims->rend(); ++k) {
    if (!space.nonnegative(space.sub(space.sub(map.strides[*k], reach), space.constant(1))))
      return std::nullopt;
    reach = space.add(reach, space.mul(map.strides[*k], space.sub(map.to[*k], space.constant(1))));
  }
  for (std::size_t k : *dims) {
    const PolyId at = space.quotient(rest, map.strides[k]);
    out.index[k] = at;
    within(space, at, map.to[k], out.conditions);
    rest = space.sub(rest, space.mul(at, map.strides[k]));
  }
  out.conditions.push_back({true, rest});
  return out;
}

std::size_t rank_of(const Map& map, bool of_view) { return of_view ? map.to.size() : map.from.size(); }

Index forward_diagonal(Space& space, const Map& map, const Index& index) {
  Index out;
  std::size_t next = 0;
  for (std::size_t k = 0; k < map.from.size(); ++k) {
    const PolyId start = k == map.dim ? map.start : map.step;
    const bool on = k == map.dim || k == map.other;
    out.push_back(on ? space.add(index.back(), start) : index[next++]);
  }
  return out;
}

Index forward_own(Space& space, const Map& map, Index index) {
  switch (map.kind) {
    case Map::Kind::slice:
      index[map.dim] = space.add(map.start, space.mul(map.step, index[map.dim]));
      return index;
    case Map::Kind::permute: {
      Index out(index.size(), 0);
      for (std::size_t k = 0; k < map.order.size(); ++k) out[map.order[k]] = index[k];
      return out;
    }
    case Map::Kind::reshape:
      return reshaped(space, map.from, map.to, index);
    case Map::Kind::expand:
      for (std::size_t k = 0; k < index.size(); ++k)
        if (!space.same(map.from[k], map.to[k])) index[k] = space.value(map.from[k]) == 1 ? 0 : Space::kBad;
      return index;
    case Map::Kind::diagonal:
      return forward_diagonal(space, map, index);
    case Map::Kind::unfold:
      index[map.dim] = space.add(space.mul(index[map.dim], map.step), index.back());
      index.pop_back();
      return index;
    case Map::Kind::strided: {
      PolyId at = map.start;
      for (std::size_t k = 0; k < index.size(); ++k) at = space.add(at, space.mul(map.strides[k], index[k]));
      return {at};
    }
  }
  return {};
}

std::optional<Inverse> inverse_own(Space& space, const Map& map, const Index& parent) {
  switch (map.kind) {
    case Map::Kind::slice:
      return inverse_slice(space, map, parent);
    case Map::Kind::permute: {
      Inverse out{{}, {}};
      for (std::uint32_t k : map.order) out.index.push_back(parent[k]);
      return out;
    }
    case Map::Kind::reshape:
      return Inverse{{}, reshaped(space, map.to, map.from, parent)};
    case Map::Kind::expand:
      return inverse_expand(space, map, parent);
    case Map::Kind::diagonal:
      return inverse_diagonal(space, map, parent);
    case Map::Kind::unfold:
      return inverse_unfold(space, map, parent);
    case Map::Kind::strided:
      return inverse_strided(space, map, parent);
  }
  return std::nullopt;
}

}  // namespace

PolyId linear(Space& space, const Shape& shape, const Index& index) {
  PolyId at = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) at = space.add(space.mul(at, shape[k]), index[k]);
  return at;
}

Index delinear(Space& space, const Shape& shape, PolyId position) {
  Index out(shape.size(), 0);
  for (std::size_t k = shape.size(); k-- > 0;) {
    const bool first = std::all_of(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(k),
                                   [&](PolyId extent) { return space.value(extent) == 1; });
    if (first) {
      out[k] = position;
      return out;
    }
    const PolyId above = space.quotient_in(position, shape[k]);
    out[k] = space.sub(position, space.mul(above, shape[k]));
    position = above;
  }
  return out;
}

PolyId element_count(Space& space, const Shape& shape) {
  PolyId out = space.constant(1);
  for (PolyId extent : shape) out = space.mul(out, extent);
  return out;
}

Index running(Space& space, const Shape& shape) {
  Index out;
  for (std::size_t k = 0; k < shape.size(); ++k)
    out.push_back(space.index(static_cast<std::uint32_t>(k), shape[k]));
  return out;
}

Index forward(Space& space, const Map& map, const Index& index) {
  const auto rank = static_cast<std::ptrdiff_t>(rank_of(map, true));
  Index out = forward_own(space, map, Index(index.begin(), index.begin() + rank));
  out.insert(out.end(), index.begin() + rank, index.end());
  return out;
}

std::optional<Inverse> inverse(Space& space, const Map& map, const Index& parent) {
  const auto rank = static_cast<std::ptrdiff_t>(rank_of(map, false));
  auto out = inverse_own(space, map, Index(parent.begin(), parent.begin() + rank));
  if (out) out->index.insert(out->index.end(), parent.begin() + rank, parent.end());
  return out;
}

Truth holds(Space& space, const Condition& condition, const std::vector<PolyId>& facts) {
  const PolyId p = condition.poly;
  if (p == Space::kBad) return Truth::unknown;
  const PolyId below = space.sub(space.scale(p, -1), space.constant(1));  // p <= -1
  if (space.nonnegative(below, facts)) return Truth::no;
  if (!condition.zero) return space.nonnegative(p, facts) ? Truth::yes : Truth::unknown;
  if (p == 0) return Truth::yes;
  if (space.nonnegative(space.sub(p, space.constant(1)), facts)) return Truth::no;
  std::int64_t step = 0, constant = 0;
  for (const Monomial& m : space.terms(p)) {
    if (m.atoms.empty()) constant = m.factor;
    if (!m.atoms.empty()) step = std::gcd(step, m.factor);
  }
  if (step != 0 && constant % step != 0) return Truth::no;
  return space.nonnegative(p, facts) && space.nonnegative(space.scale(p, -1), facts) ? Truth::yes
                                                                                     : Truth::unknown;
}

}  // namespace noclobber
