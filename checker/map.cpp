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

/// 0 <= a < extent.
void within(Space& space, PolyId a, PolyId extent, std::vector<Condition>& out) {
  out.push_back({false, a});
  out.push_back({false, space.sub(space.sub(extent, a), space.constant(1))});
}

/// Every map but reshape: parent[d] = start[d] + sum over k of factor[k][d] * i[k].
struct Affine {
  std::vector<PolyId> start;
  std::vector<std::vector<PolyId>> factor;  // [dimension of the view][of the parent]
};

Affine affine(const Space& space, const Map& m, PolyId one) {
  Affine out{std::vector<PolyId>(m.from.size()), {}};
  out.factor.assign(m.to.size(), out.start);
  const std::size_t straight = m.kind == Map::Kind::permute || m.kind == Map::Kind::diagonal ? 0
                               : m.kind == Map::Kind::strided                                ? 0
                                                              : std::min(m.from.size(), m.to.size());
  for (std::size_t k = 0; k < straight; ++k) out.factor[k][k] = one;
  switch (m.kind) {
    case Map::Kind::reshape: break;
    case Map::Kind::slice: out.start[m.dim] = m.start, out.factor[m.dim][m.dim] = m.step; break;
    case Map::Kind::permute:
      for (std::size_t k = 0; k < m.to.size(); ++k) out.factor[k][m.order[k]] = one;
      break;
    case Map::Kind::expand:
      for (std::size_t k = 0; k < m.to.size(); ++k)
        if (!space.same(m.from[k], m.to[k])) out.factor[k][k] = space.value(m.from[k]) == 1 ? 0 : Space::kBad;
      break;
    case Map::Kind::diagonal:
      for (std::size_t d = 0, next = 0; d < m.from.size(); ++d)
        out.factor[d == m.dim || d == m.other ? m.to.size() - 1 : next++][d] = one;
      out.start[m.dim] = m.start, out.start[m.other] = m.step;
      break;
    case Map::Kind::unfold: out.factor[m.dim][m.dim] = m.step, out.factor.back()[m.dim] = one; break;
    case Map::Kind::strided:
      out.start[0] = m.start;
      for (std::size_t k = 0; k < m.to.size(); ++k) out.factor[k][0] = m.strides[k];
      break;
  }
  return out;
}

/// Dimensions of the view still to be solved for in one parent dimension, by descending factor. A mixed-radix
/// number: each factor must be larger than all that the smaller ones can reach.
std::optional<std::vector<std::size_t>> digits(Space& space, const Map& m, const Affine& by, std::size_t d,
                                               const std::vector<bool>& solved) {
  std::vector<std::size_t> dims;
  const auto factor = [&](std::size_t k) { return by.factor[k][d]; };
  for (std::size_t k = 0; k < m.to.size(); ++k) {
    if (solved[k] || factor(k) == 0) continue;
    std::size_t at = 0;
    while (at < dims.size() && !space.nonnegative(space.sub(factor(k), factor(dims[at])))) ++at;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), k);
  }
  PolyId reach = 0;
  for (auto k = dims.rbegin(); k != dims.rend(); ++k) {
    if (!space.nonnegative(space.sub(space.sub(factor(*k), reach), space.constant(1)))) return std::nullopt;
    reach = space.add(reach, space.mul(factor(*k), space.sub(m.to[*k], space.constant(1))));
  }
  return dims;
}

std::optional<Inverse> inverse_affine(Space& space, const Map& m, const Index& parent) {
  const Affine by = affine(space, m, space.constant(1));
  Inverse out{{}, Index(m.to.size(), 0)};
  std::vector<bool> solved;
  for (PolyId extent : m.to) solved.push_back(space.value(extent) == 1);
  for (std::size_t d = 0; d < m.from.size(); ++d) {
    PolyId rest = space.sub(parent[d], by.start[d]);
    for (std::size_t k = 0; k < m.to.size(); ++k)
      if (solved[k]) rest = space.sub(rest, space.mul(by.factor[k][d], out.index[k]));
    const auto dims = digits(space, m, by, d, solved);
    if (!dims) return std::nullopt;
    for (std::size_t k : *dims) {
      out.index[k] = space.quotient(rest, by.factor[k][d]);
      within(space, out.index[k], m.to[k], out.conditions);
      rest = space.sub(rest, space.mul(by.factor[k][d], out.index[k]));
      solved[k] = true;
    }
    if (rest != 0) out.conditions.push_back({true, rest});
  }
  if (std::find(solved.begin(), solved.end(), false) != solved.end()) return std::nullopt;
  return out;
}

Index forward_own(Space& space, const Map& m, const Index& index) {
  if (m.kind == Map::Kind::reshape) return reshaped(space, m.from, m.to, index);
  const Affine by = affine(space, m, space.constant(1));
  Index out = by.start;
  for (std::size_t d = 0; d < out.size(); ++d)
    for (std::size_t k = 0; k < index.size(); ++k)
      out[d] = space.add(out[d], space.mul(by.factor[k][d], index[k]));
  return out;
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
  const auto rank = static_cast<std::ptrdiff_t>(map.to.size());
  Index out = forward_own(space, map, Index(index.begin(), index.begin() + rank));
  out.insert(out.end(), index.begin() + rank, index.end());
  return out;
}

std::optional<Inverse> inverse(Space& space, const Map& map, const Index& parent) {
  const auto rank = static_cast<std::ptrdiff_t>(map.from.size());
  const Index own(parent.begin(), parent.begin() + rank);
  auto out = map.kind == Map::Kind::reshape ? Inverse{{}, reshaped(space, map.to, map.from, own)}
                                            : inverse_affine(space, map, own);
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
