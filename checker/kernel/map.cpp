// Maps of views: from an element of a view to its storage, and back.
#include <numeric>

#include "checker/kernel/trace.h"

namespace noclobber::checker {
namespace {

/// The index in `from` of the element at `index` of `to`, group by group.
Index reshaped(Space& space, const Shape& from, const Shape& to, const std::vector<Places>& groups, bool back,
               const Index& index) {
  Index out(from.size(), 0);
  std::size_t i = 0, j = 0;
  for (const auto& [a, b] : groups) {
    const std::size_t i_end = back ? b : a, j_end = back ? a : b;
    PolyId at = 0;
    for (; j < j_end; ++j) at = space.add(space.mul(at, to[j]), index[j]);
    std::size_t first = i;  // first extent that is not 1: what is left is its index
    while (first + 1 < i_end && space.value(from[first]) == 1) ++first;
    for (std::size_t k = i_end; k-- > first + 1;) {
      const PolyId above = space.quotient_in(at, from[k]);
      out[k] = space.sub(at, space.mul(above, from[k]));
      at = above;
    }
    if (first < i_end) out[first] = at;
    i = i_end;
  }
  return out;
}

Index forward(Space& space, const Map& m, const Index& index) {
  Index out = m.reshape ? reshaped(space, m.from, m.to, m.groups, false, index) : m.start;
  for (const auto& [to, from, by] : m.factors) out[from] = space.add(out[from], space.mul(by, index[to]));
  out.insert(out.end(), index.begin() + static_cast<std::ptrdiff_t>(m.to.size()), index.end());
  return out;
}

/// Solves for each index of the view by the first factor that has it. kBad if none has. Lemma 4.
Index backward(Space& space, const Map& m, const Index& parent, std::vector<Condition>& conditions) {
  Index out = m.reshape ? reshaped(space, m.to, m.from, m.groups, true, parent) : Index();
  for (std::size_t k = out.size(); k < m.to.size(); ++k)
    out.push_back(space.value(m.to[k]) == 1 ? 0 : Space::kBad);
  Index rest;
  for (std::size_t d = 0; d < m.start.size(); ++d) rest.push_back(space.sub(parent[d], m.start[d]));
  for (const auto& [to, from, by] : m.factors) {
    if (out[to] == Space::kBad) {
      out[to] = space.quotient(rest[from], by);
      conditions.push_back({false, out[to]});
      conditions.push_back({false, space.beyond(m.to[to], out[to])});
    }
    rest[from] = space.sub(rest[from], space.mul(by, out[to]));
  }
  for (PolyId left : rest)
    if (left != 0) conditions.push_back({true, left});
  out.insert(out.end(), parent.begin() + static_cast<std::ptrdiff_t>(m.from.size()), parent.end());
  return out;
}

/// True if `backward` finds each element again from where it lies. Then no other element lies there.
bool finds_again(Space& space, const Map& m) {
  const Index at = running(space, m.to, 0);
  std::vector<Condition> conditions;
  return backward(space, m, forward(space, m, at), conditions) == at &&
         std::ranges::find(conditions, Space::kBad, &Condition::poly) == conditions.end();
}

}  // namespace

/// Lemma 3.
Truth holds(Space& space, const Condition& condition, const std::vector<PolyId>& facts) {
  const PolyId p = condition.poly, minus = space.scale(p, -1);
  if (p == Space::kBad) return Truth::unknown;
  if (condition.zero && p == 0) return Truth::yes;
  if (space.nonnegative(space.beyond(minus, 0), facts)) return Truth::no;
  if (!condition.zero) return space.nonnegative(p, facts) ? Truth::yes : Truth::unknown;
  if (space.nonnegative(space.beyond(p, 0), facts)) return Truth::no;
  std::int64_t step = 0, constant = 0;
  for (const Monomial& m : space.terms(p)) (m.first == 0 ? constant : step) = std::gcd(step, m.factor);
  if (step != 0 && constant % step != 0) return Truth::no;
  return space.nonnegative(p, facts) && space.nonnegative(minus, facts) ? Truth::yes : Truth::unknown;
}

bool same(Space& space, const Index& a, const Index& b, const std::vector<PolyId>& facts) {
  return std::ranges::equal(a, b, [&](PolyId x, PolyId y) {
    return space.same(x, y) || holds(space, {true, space.sub(x, y)}, facts) == Truth::yes;
  });
}

Index running(Space& space, const Shape& shape, std::int64_t lanes) {
  Index out;
  out.reserve(shape.size() + 1);
  for (PolyId extent : shape) out.push_back(space.index(static_cast<std::uint32_t>(out.size()), extent));
  if (lanes > 0) out.push_back(space.index(Space::kLane, space.constant(lanes)));
  return out;
}

Index root_index(Space& space, const ViewForm& view, Index index) {
  for (auto m = view.maps.rbegin(); m != view.maps.rend(); ++m) index = forward(space, *m, index);
  return index;
}

/// Lemma 4.
bool injective(Space& space, ViewForm& view) {
  const auto found = [&](const Map& m) { return m.reshape || finds_again(space, m); };
  if (!view.injective) view.injective = std::ranges::all_of(view.maps, found);
  return *view.injective;
}

Index inverse(Space& space, const ViewForm& view, Index root, std::vector<Condition>& conditions) {
  for (const Map& m : view.maps) root = backward(space, m, root, conditions);
  return root;
}

bool empty(const Shape& shape) { return std::ranges::find(shape, PolyId{0}) != shape.end(); }

bool same_elements(Space& space, const ViewForm& a, const ViewForm& b) {
  space.work(4 + a.shape.size());
  if (a.shape != b.shape || a.lanes != b.lanes) return false;
  return same(space, root_index(space, a, running(space, a)), root_index(space, b, running(space, b)));
}

/// Lemma 5.
bool apart(Space& space, ViewForm& a, ViewForm& b) {
  space.work(4 + a.shape.size() + b.shape.size());
  if (empty(a.shape) || empty(b.shape)) return true;
  const auto never = [&](const Condition& c) { return holds(space, c, {}) == Truth::no; };
  for (const auto& [x, y] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    std::vector<Condition> in;
    if (injective(space, *x)) inverse(space, *x, root_index(space, *y, running(space, *y)), in);
    if (std::ranges::any_of(in, never)) return true;
  }
  return false;
}

}  // namespace noclobber::checker
