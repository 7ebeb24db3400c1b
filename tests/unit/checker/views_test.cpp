// Maps of a certificate, what is found again in views, and views that never meet: against enumeration.
#include <algorithm>

#include "tests/catch.h"
#include "tests/unit/checker/by_hand.h"

namespace views_test {

using namespace noclobber::testing;
using namespace noclobber::testing::hand;
namespace checker = noclobber::checker;
using hand::Seen;

namespace {

std::string text(const Ints& all) {
  std::string out = "[";
  for (const std::int64_t v : all) out += std::to_string(v) + " ";
  return out + "]";
}
std::string text(const std::vector<IntMap>& maps) {
  std::string out;
  for (const IntMap& m : maps) {
    out += m.reshape ? "reshape " : "affine ";
    out += text(m.from) + text(m.to) + text(m.start);
    for (const auto& [a, b] : m.groups) out += " (" + std::to_string(a) + " " + std::to_string(b) + ")";
    for (const auto& [to, from, by] : m.factors)
      out += " (" + std::to_string(to) + " " + std::to_string(from) + " " + std::to_string(by) + ")";
  }
  return out;
}

bool good(const std::vector<Condition>& conditions) {
  return std::ranges::none_of(conditions, [](const Condition& c) { return c.poly == Space::kBad; });
}
bool inside(const Space& space, const std::vector<Condition>& conditions, const Choice& choice) {
  return std::ranges::all_of(conditions, [&](const Condition& c) {
    const auto value = evaluate(space, c.poly, choice);
    return value && (c.zero ? *value == 0 : *value >= 0);
  });
}

/// Elements of the storage and, of an affine view, what lies around these.
std::vector<Ints> places_around(const Seen& v) {
  const bool apart = !v.maps.empty() && std::ranges::none_of(v.maps, &IntMap::reshape);
  Ints wide = v.base;
  for (std::int64_t& extent : wide) extent += apart ? 2 : 0;
  auto out = all_indices(wide);
  for (Ints& at : out)
    for (std::int64_t& k : at) k -= apart ? 1 : 0;
  return out;
}

std::string forward_fault(Space& space, const Seen& v) {
  const Index symbolic = root_index(space, v.form, checker::running(space, v.form.shape, 0));
  for (const auto& [at, root] : v.where) {
    if (values(space, symbolic, choice_of(v.form.shape, at)) != root) return "running index at " + text(at);
    if (root_index(space, v.form, constants(space, at)) != constants(space, root)) return "at " + text(at);
  }
  return "";
}

/// Of an injective view: what it finds are its elements, asked of numbers. Where an order of factors does not
/// tell, conditions are bad: then it finds nothing, and denies nothing that is there.
std::string found_fault(Space& space, const Seen& v, const Ints& root, const Ints* known) {
  std::vector<Condition> conditions;
  const Index at = inverse(space, v.form, constants(space, root), conditions);
  const auto open = [&](const Condition& c) { return holds(space, c, {}) != Truth::yes; };
  const auto denied = [&](const Condition& c) { return holds(space, c, {}) == Truth::no; };
  if (known != nullptr && std::ranges::any_of(conditions, denied)) return "denied at " + text(root);
  const auto first = std::ranges::find_if(conditions, open);
  if (!good(conditions)) return first == conditions.end() ? "bad, and held at " + text(root) : "";
  if ((known != nullptr) != (first == conditions.end())) return "conditions at " + text(root);
  if (known == nullptr && !denied(*first)) return "an open condition at " + text(root);
  return known != nullptr && at != constants(space, *known) ? "element at " + text(root) : "";
}

/// And the same of a running index.
std::string backward_fault(Space& space, const Seen& v) {
  std::map<Ints, Ints> element;
  for (const auto& [at, root] : v.where) element[root] = at;
  const Shape base = constants(space, v.base);
  std::vector<Condition> running;
  const Index found = inverse(space, v.form, checker::running(space, base, 0), running);
  for (const Ints& root : places_around(v)) {
    const auto at = element.find(root);
    const Ints* const known = at == element.end() ? nullptr : &at->second;
    if (auto fault = found_fault(space, v, root, known); !fault.empty()) return fault;
    const bool in_base = std::ranges::equal(root, v.base, [](auto k, auto n) { return k >= 0 && k < n; });
    if (!in_base || !good(running)) continue;
    const Choice choice = choice_of(base, root);
    if (inside(space, running, choice) != (known != nullptr)) return "running conditions at " + text(root);
    if (known != nullptr && values(space, found, choice) != *known) return "running at " + text(root);
  }
  return "";
}

struct Tally {
  int views = 0, single = 0, injective = 0;
};
void look(Space& space, Seen v, Tally& tally) {
  std::string fault = forward_fault(space, v);
  const bool single = !v.meets_itself(), said = injective(space, v.form);
  ++tally.views, tally.single += single ? 1 : 0, tally.injective += said ? 1 : 0;
  if (said && !single) fault = "it meets itself";
  if (fault.empty() && said) fault = backward_fault(space, v);
  if (!fault.empty()) FAIL_CHECK(fault << ": " << text(v.maps));
}

/// All lists of at most `most` of these.
std::vector<std::vector<IntFactor>> lists(const std::vector<IntFactor>& of, std::size_t most) {
  std::vector<std::vector<IntFactor>> out{{}};
  for (std::size_t k = 0; k < out.size() && out[k].size() < most; ++k)
    for (const IntFactor& f : of) {
      auto longer = out[k];
      longer.push_back(f);
      out.push_back(std::move(longer));
    }
  return out;
}

std::vector<Ints> shapes(std::int64_t most, std::size_t ranks, std::int64_t most_elements) {
  std::vector<Ints> out{{}};
  for (std::size_t k = 0; k < out.size() && out[k].size() < ranks; ++k)
    for (std::int64_t extent = 1; extent <= most; ++extent) {
      Ints longer = out[k];
      longer.push_back(extent);
      if (elements(longer) <= most_elements) out.push_back(std::move(longer));
    }
  return out;
}

void add_affine(std::vector<IntMap>& maps, const Ints& shape, Random& random) {
  IntMap m{false, shape, {}, {}, Ints(shape.size(), 0), {}};
  for (std::uint32_t d = 0; d < shape.size(); ++d) {
    const std::int64_t start = random.below(shape[d]), step = random.between(1, 3);
    const auto to = static_cast<std::uint32_t>(m.to.size());
    m.start[d] = start;
    if (random.chance(15)) continue;    // one element of this dimension
    if (to > 0 && random.chance(15)) {  // a diagonal
      m.factors.push_back({to - 1, d, 1});
      m.to.back() = std::min(m.to.back(), shape[d] - start);
      continue;
    }
    m.to.push_back(random.between(1, (shape[d] - start - 1) / step + 1));
    m.factors.push_back({to, d, step});
    const std::int64_t last = start + step * (m.to.back() - 1);
    if (random.chance(20) && last + 1 < shape[d]) {  // a window
      m.to.push_back(shape[d] - last);
      m.factors.push_back({to + 1, d, 1});
    }
  }
  if (random.chance(10)) m.to.push_back(2);  // repeated
  if (random.chance(50) && !m.factors.empty()) std::swap(m.factors[0], random.one_of(m.factors));
  maps.push_back(std::move(m));
}

void add_reshape(std::vector<IntMap>& maps, const Ints& shape, Random& random) {
  Ints to;
  std::int64_t rest = elements(shape);
  for (const std::int64_t p : {2, 3, 2, 1}) {
    if (rest % p != 0 || random.chance(40)) continue;
    to.push_back(p);
    rest /= p;
  }
  to.insert(to.begin() + random.below(static_cast<std::int64_t>(to.size()) + 1), rest);
  maps.push_back({true,
                  shape,
                  to,
                  {{static_cast<std::uint32_t>(shape.size()), static_cast<std::uint32_t>(to.size())}},
                  {},
                  {}});
}

Seen some_view(Space& space, const Ints& base, Random& random) {
  std::vector<IntMap> maps;
  Ints shape = base;
  for (std::int64_t k = random.below(4); k > 0; --k) {
    random.chance(60) ? add_affine(maps, shape, random) : add_reshape(maps, shape, random);
    shape = maps.back().to;
  }
  return seen(space, base, maps);
}

}  // namespace

TEST_CASE("every affine view of a row: what it finds, and where it meets itself", "[views]") {
  Space space = searching_space();
  Tally tally;
  std::vector<IntFactor> factors;
  for (const std::int64_t by : {-1, 0, 1, 2, 3}) factors.push_back({0, 0, by});
  const auto all = lists(factors, 2);
  for (std::int64_t from = 1; from <= 5; from += 2)
    for (std::int64_t to = 0; to <= 4; ++to)
      for (std::int64_t start = 0; start <= 2; ++start)
        for (const auto& list : all)
          look(space, seen(space, {from}, {{false, {from}, {to}, {}, {start}, list}}), tally);
  CHECK(tally.views == 3 * 5 * 3 * 31);
  CHECK(tally.injective * 10 > tally.single * 4);
  CHECK(tally.injective < tally.single);  // steps back are not looked for
}

TEST_CASE("every diagonal and every window", "[views]") {
  Space space = searching_space();
  Tally diagonals, windows;
  for (const auto& list : lists({{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 1, 2}}, 3))
    for (std::int64_t to = 1; to <= 3; ++to)
      for (const std::int64_t start : {0, 1})
        look(space, seen(space, {3, 2}, {{false, {3, 2}, {to}, {}, {start, 0}, list}}), diagonals);
  for (const auto& list : lists({{0, 0, 1}, {0, 0, 2}, {0, 0, 3}, {1, 0, 1}, {1, 0, 3}, {1, 0, 4}}, 2))
    for (std::int64_t rows = 0; rows <= 3; ++rows)
      for (std::int64_t columns = 1; columns <= 3; ++columns)
        look(space, seen(space, {7}, {{false, {7}, {rows, columns}, {}, {1}, list}}), windows);
  for (const Tally& tally : {diagonals, windows}) {
    CHECK(tally.injective * 10 > tally.single * 5);
    CHECK(tally.single < tally.views);
  }
}

TEST_CASE("every small view of rows and columns: permuted, sheared, repeated", "[views]") {
  Space space = searching_space();
  Tally tally;
  std::vector<IntFactor> factors;
  for (const std::uint32_t to : {0U, 1U})
    for (const std::uint32_t from : {0U, 1U})
      for (const std::int64_t by : {1, 2}) factors.push_back({to, from, by});
  for (const auto& list : lists(factors, 2))
    for (const auto& [rows, columns] : {std::pair{1, 3}, std::pair{2, 2}, std::pair{3, 2}})
      look(space, seen(space, {3, 4}, {{false, {3, 4}, {rows, columns}, {}, {0, 1}, list}}), tally);
  CHECK(tally.views == 3 * 73);
  for (const auto& list : lists(factors, 3))
    if (list.size() == 3)
      look(space, seen(space, {2, 3}, {{false, {2, 3}, {2, 2}, {}, {0, 0}, list}}), tally);
  CHECK(tally.injective * 10 > tally.single * 3);
}

TEST_CASE("every small reshape, in one group and in several", "[views]") {
  Space space = searching_space();
  Tally tally;
  const auto all = shapes(4, 3, 12);
  const auto rank = [](const Ints& shape) { return static_cast<std::uint32_t>(shape.size()); };
  for (const Ints& from : all)
    for (const Ints& to : all) {
      if (elements(from) != elements(to)) continue;
      look(space, seen(space, from, {{true, from, to, {{rank(from), rank(to)}}, {}, {}}}), tally);
      for (std::uint32_t a = 0; a <= rank(from); ++a)
        for (std::uint32_t b = 0; b <= rank(to); ++b) {
          if (elements(Ints(from.begin(), from.begin() + a)) != elements(Ints(to.begin(), to.begin() + b)))
            continue;
          const std::vector<checker::Places> groups{{a, b}, {rank(from), rank(to)}};
          look(space, seen(space, from, {{true, from, to, groups, {}, {}}}), tally);
        }
    }
  CHECK(tally.views > 500);
  CHECK(tally.injective == tally.views);
}

TEST_CASE("chains of maps find what enumeration finds, and are apart only where they never meet", "[views]") {
  Random random(21);
  Tally tally;
  int said = 0, disjoint = 0;
  for (int round = 0; round < 3000; ++round) {
    Space space = searching_space();
    Ints base;
    for (std::int64_t k = random.between(1, 3); k > 0; --k) base.push_back(random.between(1, 5));
    Seen a = some_view(space, base, random), b = some_view(space, base, random);
    look(space, a, tally);
    const bool meet = a.meets(b), shown = apart(space, a.form, b.form);
    if (shown && meet) FAIL_CHECK("apart: " << text(a.maps) << " and " << text(b.maps));
    CHECK_FALSE(apart(space, a.form, a.form));
    said += shown ? 1 : 0, disjoint += meet ? 0 : 1;
  }
  CHECK(tally.injective * 10 > tally.single * 7);
  CHECK(said * 10 > disjoint * 6);
}

TEST_CASE("every pair of slices of a row is apart, or the same, where enumeration says", "[views]") {
  Space space = searching_space();
  std::vector<Seen> all;
  for (std::int64_t start = 0; start < 6; ++start)
    for (std::int64_t step = 1; step <= 3; ++step)
      for (std::int64_t length = 0; start + step * (length - 1) < 6; ++length)
        all.push_back(seen(space, {6}, {slice(6, start, length, step)}));
  int said = 0, disjoint = 0;
  for (Seen& a : all)
    for (Seen& b : all) {
      const bool meet = a.meets(b), shown = apart(space, a.form, b.form);
      const bool one = a.shape == b.shape && a.where == b.where;
      if (shown && meet) FAIL_CHECK("apart: " << text(a.maps) << " and " << text(b.maps));
      if (a.shape[0] > 0 && same_elements(space, a.form, b.form) != one)
        FAIL_CHECK("same: " << text(a.maps) << " and " << text(b.maps));
      said += shown ? 1 : 0, disjoint += meet ? 0 : 1;
    }
  CHECK(said * 10 > disjoint * 9);
}

}  // namespace views_test
