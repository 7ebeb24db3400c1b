#include "src/trace/map.h"

#include <algorithm>
#include <numeric>

namespace noclobber {
namespace {

/// Dimensions [i, i_end) of one shape hold the same elements as [j, j_end) of another.
struct Group {
  std::size_t i, i_end, j, j_end;
};

/// Splits two shapes of equally many elements wherever their running products are equal.
std::vector<Group> groups(Space& space, const Shape& from, const Shape& to) {
  std::vector<Group> out;
  const auto whole = [&] { return std::vector<Group>{{0, from.size(), 0, to.size()}}; };
  std::size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Group group{i, 0, j, 0};
    PolyId a = from[i++], b = to[j++];
    while (!space.same(a, b)) {
      const bool take_from = i < from.size() && space.nonnegative(space.sub(b, a));
      if (!take_from && j == to.size()) return whole();
      (take_from ? a : b) = take_from ? space.mul(a, from[i++]) : space.mul(b, to[j++]);
    }
    group.i_end = i, group.j_end = j;
    out.push_back(group);
  }
  for (; i < from.size(); ++i)
    if (space.value(from[i]) != 1) return whole();
  for (; j < to.size(); ++j)
    if (space.value(to[j]) != 1) return whole();
  return out;
}

Index reshaped(Space& space, const Shape& from, const Shape& to, const Index& index) {
  Index out(from.size(), 0);
  const auto part = [](const Index& all, std::size_t begin, std::size_t end) {
    return std::span(all).subspan(begin, end - begin);
  };
  for (const Group& g : groups(space, from, to)) {
    if (g.i_end - g.i == 1 && g.j_end - g.j == 1) {
      out[g.i] = index[g.j];
      continue;
    }
    const PolyId at = linear(space, part(to, g.j, g.j_end), part(index, g.j, g.j_end));
    std::ranges::copy(delinear(space, part(from, g.i, g.i_end), at), out.data() + g.i);
  }
  return out;
}

/// For maps other than reshape: parent[d] = start_of(d) + sum over k of factor(k, d) * i[k].
PolyId start_of(const Map& m, std::size_t d) {
  if (m.kind == Map::Kind::diagonal && d == m.other) return m.step;
  const bool moved = m.kind == Map::Kind::slice || m.kind == Map::Kind::diagonal;
  return m.kind == Map::Kind::strided || (moved && d == m.dim) ? m.start : 0;
}

PolyId factor(const Space& space, const Map& m, std::size_t k, std::size_t d, PolyId one) {
  const bool last = k + 1 == m.to.size();
  switch (m.kind) {
    case Map::Kind::slice:
      return k != d ? 0 : d == m.dim ? m.step : one;
    case Map::Kind::permute:
      return m.order[k] == d ? one : 0;
    case Map::Kind::expand:
      return k != d                           ? 0
             : space.same(m.from[k], m.to[k]) ? one
             : space.value(m.from[k]) == 1    ? 0
                                              : Space::kBad;
    case Map::Kind::diagonal:
      if (last || d == m.dim || d == m.other) return last && (d == m.dim || d == m.other) ? one : 0;
      return d == k + (m.dim < d ? 1 : 0) + (m.other < d ? 1 : 0) ? one : 0;
    case Map::Kind::unfold:
      return k == d ? (d == m.dim ? m.step : one) : last && d == m.dim ? one : 0;
    case Map::Kind::strided:
      return m.strides[k];
    case Map::Kind::reshape:
      break;
  }
  return Space::kBad;
}

/// The range [first, second) of dimensions of the view on which parent dimension d may depend. The factors of
/// all others are 0.
std::pair<std::size_t, std::size_t> depends_on(const Map& m, std::size_t d) {
  if (m.kind == Map::Kind::slice || m.kind == Map::Kind::expand) return {d, d + 1};
  if (m.kind != Map::Kind::permute) return {0, m.to.size()};
  const auto k = static_cast<std::size_t>(std::ranges::find(m.order, d) - m.order.begin());
  return {k, k + 1};
}

/// The dimensions of the view to be solved for in one parent dimension, by descending factor. They must form
/// a mixed-radix number, in which each factor exceeds what the smaller ones can reach; else empty.
std::optional<std::vector<std::size_t>> digits(Space& space, const Map& m, const std::vector<PolyId>& factors,
                                               const std::vector<bool>& solved) {
  std::vector<std::size_t> dims;
  for (std::size_t k = 0; k < m.to.size(); ++k) {
    if (solved[k] || factors[k] == 0) continue;
    const auto larger = [&](std::size_t j) { return !space.nonnegative(space.sub(factors[k], factors[j])); };
    dims.insert(std::find_if_not(dims.begin(), dims.end(), larger), k);
  }
  PolyId reach = 0;
  for (auto k = dims.rbegin(); k != dims.rend(); ++k) {
    if (!space.nonnegative(space.beyond(factors[*k], reach))) return std::nullopt;
    reach = space.add(reach, space.mul(factors[*k], space.beyond(m.to[*k], 0)));
  }
  return dims;
}

std::optional<Inverse> inverse_affine(Space& space, const Map& m, const Index& parent) {
  Inverse out{{}, Index(m.to.size(), 0)};
  const PolyId one = space.constant(1);
  std::vector<bool> solved;
  for (PolyId extent : m.to) solved.push_back(extent == one);
  std::vector<PolyId> factors(m.to.size());
  for (std::size_t d = 0; d < m.from.size(); ++d) {
    PolyId rest = space.sub(parent[d], start_of(m, d));
    const auto [begin, end] = depends_on(m, d);
    std::ranges::fill(factors, 0);
    for (std::size_t k = begin; k < end; ++k) {
      factors[k] = factor(space, m, k, d, one);
      if (solved[k]) rest = space.sub(rest, space.mul(factors[k], out.index[k]));
    }
    const auto dims = digits(space, m, factors, solved);
    if (!dims) return std::nullopt;
    for (std::size_t k : *dims) {
      const PolyId at = out.index[k] = space.quotient(rest, factors[k]);
      out.conditions.push_back({false, at});
      out.conditions.push_back({false, space.beyond(m.to[k], at)});
      rest = space.sub(rest, space.mul(factors[k], at));
      solved[k] = true;
    }
    if (rest != 0) out.conditions.push_back({true, rest});
  }
  if (std::find(solved.begin(), solved.end(), false) != solved.end()) return std::nullopt;
  return out;
}

}  // namespace

bool well_formed(const Map& m) {
  const std::size_t from = m.from.size(), to = m.to.size();
  switch (m.kind) {
    case Map::Kind::slice:
      return from == to && m.dim < from;
    case Map::Kind::permute:
      return from == to && m.order.size() == from &&
             std::set<std::uint32_t>(m.order.begin(), m.order.end()).size() == from &&
             std::all_of(m.order.begin(), m.order.end(), [&](auto k) { return k < from; });
    case Map::Kind::reshape:
      return true;
    case Map::Kind::expand:
      return from == to;
    case Map::Kind::diagonal:
      return from >= 2 && to + 1 == from && m.dim < from && m.other < from && m.dim != m.other;
    case Map::Kind::unfold:
      return to == from + 1 && m.dim < from;
    case Map::Kind::strided:
      return from == 1 && m.strides.size() == to;
  }
  return false;
}

PolyId linear(Space& space, std::span<const PolyId> shape, std::span<const PolyId> index) {
  PolyId at = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) at = space.add(space.mul(at, shape[k]), index[k]);
  return at;
}

Index delinear(Space& space, std::span<const PolyId> shape, PolyId position) {
  Index out(shape.size(), 0);
  std::size_t first = 0;  // first extent that is not 1: what is left is its index
  while (first + 1 < shape.size() && space.value(shape[first]) == 1) ++first;
  for (std::size_t k = shape.size(); k-- > first + 1;) {
    const PolyId above = space.quotient_in(position, shape[k]);
    out[k] = space.sub(position, space.mul(above, shape[k]));
    position = above;
  }
  if (!shape.empty()) out[first] = position;
  return out;
}

PolyId element_count(Space& space, const Shape& shape) {
  PolyId out = space.constant(1);
  for (PolyId extent : shape) out = space.mul(out, extent);
  return out;
}

Index running(Space& space, const Shape& shape, std::int64_t lanes) {
  Index out;
  out.reserve(shape.size() + 1);
  for (PolyId extent : shape) out.push_back(space.index(static_cast<std::uint32_t>(out.size()), extent));
  if (lanes > 0) out.push_back(space.index(Space::kLane, space.constant(lanes)));
  return out;
}

Index forward(Space& space, const Map& m, const Index& index) {
  Index out(m.from.size(), 0);
  const PolyId one = space.constant(1);
  if (m.kind == Map::Kind::reshape) out = reshaped(space, m.from, m.to, index);
  for (std::size_t d = 0; m.kind != Map::Kind::reshape && d < out.size(); ++d) {
    out[d] = start_of(m, d);
    const auto [begin, end] = depends_on(m, d);
    for (std::size_t k = begin; k < end; ++k)
      out[d] = space.add(out[d], space.mul(factor(space, m, k, d, one), index[k]));
  }
  out.insert(out.end(), index.data() + m.to.size(), index.data() + index.size());
  return out;
}

std::optional<Inverse> inverse(Space& space, const Map& m, const Index& parent) {
  auto out = m.kind == Map::Kind::reshape ? Inverse{{}, reshaped(space, m.to, m.from, parent)}
                                          : inverse_affine(space, m, parent);
  if (out) out->index.insert(out->index.end(), parent.data() + m.from.size(), parent.data() + parent.size());
  return out;
}

std::optional<Inverse> inverse(Space& space, const std::vector<Map>& maps, Index root) {
  Inverse out{{}, std::move(root)};
  for (const Map& map : maps) {
    std::optional<Inverse> step = inverse(space, map, out.index);
    if (!step) return std::nullopt;
    out.conditions.insert(out.conditions.end(), step->conditions.begin(), step->conditions.end());
    out.index = std::move(step->index);
  }
  return out;
}

Truth holds(Space& space, const Condition& condition, const std::vector<PolyId>& facts) {
  const PolyId p = condition.poly;
  if (p == Space::kBad) return Truth::unknown;
  const PolyId minus = space.scale(p, -1);
  if (space.nonnegative(space.beyond(minus, 0), facts)) return Truth::no;
  if (!condition.zero) return space.nonnegative(p, facts) ? Truth::yes : Truth::unknown;
  if (p == 0) return Truth::yes;
  if (space.nonnegative(space.beyond(p, 0), facts)) return Truth::no;
  std::int64_t step = 0, constant = 0;
  for (const Monomial& m : space.terms(p)) (m.first == 0 ? constant : step) = std::gcd(step, m.factor);
  if (step != 0 && constant % step != 0) return Truth::no;
  return space.nonnegative(p, facts) && space.nonnegative(minus, facts) ? Truth::yes : Truth::unknown;
}

Affine affine(Space& space, const Map& m) {
  Affine out;
  const PolyId one = space.constant(1);
  std::vector<bool> solved;
  for (PolyId extent : m.to) solved.push_back(space.value(extent) == 1);
  for (std::uint32_t d = 0; d < m.from.size(); ++d) {
    out.start.push_back(start_of(m, d));
    std::vector<Affine::Factor> known, asked;
    for (std::uint32_t k = 0; k < m.to.size(); ++k) {
      const Affine::Factor f{k, d, factor(space, m, k, d, one)};
      if (f.by == 0) continue;
      if (solved[k]) known.push_back(f);
      const auto larger = [&](const Affine::Factor& g) { return !space.nonnegative(space.sub(f.by, g.by)); };
      if (!solved[k]) asked.insert(std::find_if_not(asked.begin(), asked.end(), larger), f);
    }
    out.factors.insert(out.factors.end(), known.begin(), known.end());
    out.factors.insert(out.factors.end(), asked.begin(), asked.end());
    for (const Affine::Factor& f : asked) solved[f.to] = true;
  }
  return out;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> group_ends(Space& space, const Map& m) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (const Group& g : groups(space, m.from, m.to))
    out.emplace_back(static_cast<std::uint32_t>(g.i_end), static_cast<std::uint32_t>(g.j_end));
  const auto from = static_cast<std::uint32_t>(m.from.size()), to = static_cast<std::uint32_t>(m.to.size());
  if (out.empty() || out.back() != std::pair(from, to)) out.emplace_back(from, to);
  return out;
}

}  // namespace noclobber
