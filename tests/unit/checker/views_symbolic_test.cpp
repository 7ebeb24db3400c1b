// Views of sizes that are symbols, each accepted beside its refused twin; and conditions under facts.
#include "tests/catch.h"
#include "tests/unit/checker/by_hand.h"

namespace views_symbolic_test {

using namespace noclobber::testing;
using namespace noclobber::testing::hand;
namespace checker = noclobber::checker;

namespace {

using Factors = std::vector<Map::Factor>;

/// Sizes n >= 0 and s, t >= 1, and views of a row of n.
struct Symbolic {
  Space space = searching_space();
  PolyId n = symbol("n", 0), s = symbol("s", 1), t = symbol("t", 1), one = space.constant(1);

  PolyId symbol(const std::string& name, std::int64_t least) {
    const PolyId out = space.symbol(name);
    space.range(name, least, std::nullopt);
    return out;
  }
  PolyId number(std::int64_t value) { return space.constant(value); }
  static ViewForm view(std::vector<Map> maps) {
    ViewForm out;
    out.type = "f32", out.shape = maps.back().to, out.maps = std::move(maps);
    return out;
  }
  ViewForm slice(PolyId start, PolyId length, PolyId step) {
    return view({{false, {n}, {length}, {}, {start}, {{0, 0, step}}}});
  }
  bool single(const Shape& from, const Shape& to, const Factors& factors) {
    ViewForm v = view({{false, from, to, {}, Index(from.size(), 0), factors}});
    return injective(space, v);
  }
  bool disjoint(ViewForm a, ViewForm b) {
    const bool out = apart(space, a, b);
    CHECK(apart(space, b, a) == out);
    return out;
  }
};

}  // namespace

TEST_CASE("slices of any length are apart where one ends before the other", "[views]") {
  Symbolic v;
  const PolyId behind = v.space.add(v.s, v.number(1)), before = v.space.sub(v.s, v.number(1));
  CHECK(v.disjoint(v.slice(0, v.s, v.one), v.slice(v.s, v.t, v.one)));
  CHECK_FALSE(v.disjoint(v.slice(0, v.s, v.one), v.slice(before, v.t, v.one)));
  CHECK_FALSE(v.disjoint(v.slice(0, behind, v.one), v.slice(v.s, v.t, v.one)));
  CHECK(v.disjoint(v.slice(v.n, v.s, v.one), v.slice(v.space.add(v.n, v.s), v.t, v.one)));
  CHECK_FALSE(v.disjoint(v.slice(v.n, v.s, v.one), v.slice(v.space.add(v.n, v.t), v.t, v.one)));
  CHECK(v.disjoint(v.slice(0, 0, v.one), v.slice(0, v.s, v.one)));          // nothing
  CHECK_FALSE(v.disjoint(v.slice(0, v.n, v.one), v.slice(0, v.n, v.one)));  // perhaps nothing
}

TEST_CASE("what has no elements is apart from all, also from itself", "[views]") {
  Symbolic v;
  for (const std::int64_t rows : {0, 1}) {
    ViewForm whole;
    whole.shape = {v.n, v.number(rows)};
    CHECK(v.disjoint(whole, whole) == (rows == 0));
    const ViewForm flat = Symbolic::view({{true, whole.shape, {v.space.scale(v.n, rows)}, {{2, 1}}, {}, {}}});
    CHECK(v.disjoint(flat, whole) == (rows == 0));
  }
}

TEST_CASE("elements of other remainders are apart, of one they are not", "[views]") {
  Symbolic v;
  const PolyId two = v.number(2), three = v.number(3);
  CHECK(v.disjoint(v.slice(0, v.s, two), v.slice(v.one, v.t, two)));
  CHECK_FALSE(v.disjoint(v.slice(0, v.s, two), v.slice(two, v.t, two)));
  CHECK(v.disjoint(v.slice(0, v.s, two), v.slice(three, v.t, v.number(4))));
  CHECK_FALSE(v.disjoint(v.slice(0, v.s, two), v.slice(three, v.t, three)));
}

TEST_CASE("a step of unknown size is at least 1, or the view may meet itself", "[views]") {
  Symbolic v;
  CHECK(v.single({v.n}, {v.s}, {{0, 0, v.t}}));
  CHECK_FALSE(v.single({v.n}, {v.s}, {{0, 0, v.n}}));  // may be 0
  CHECK_FALSE(v.single({v.n}, {v.s}, {{0, 0, v.space.sub(v.t, v.one)}}));
  CHECK_FALSE(v.single({v.n}, {v.s}, {{0, 0, Space::kBad}}));
  CHECK_FALSE(v.single({v.n}, {v.s}, {}));
  CHECK(v.single({v.n}, {v.one}, {}));
}

TEST_CASE("windows meet unless they are as far apart as they are long", "[views]") {
  Symbolic v;
  const Factors windows{{0, 0, v.s}, {1, 0, v.one}};
  CHECK(v.single({v.n}, {v.n, v.s}, windows));
  CHECK_FALSE(v.single({v.n}, {v.n, v.t}, windows));
  CHECK_FALSE(v.single({v.n}, {v.n, v.space.add(v.s, v.one)}, windows));
  CHECK_FALSE(v.single({v.n}, {v.n, v.s}, {{1, 0, v.one}, {0, 0, v.s}}));  // this order does not tell
  Symbolic w;
  w.space.assume_nonnegative(w.space.sub(w.s, w.t));
  CHECK(w.single({w.n}, {w.n, w.t}, windows));
}

TEST_CASE("diagonals and permutations lie at one place each; what is repeated does not", "[views]") {
  Symbolic v;
  CHECK(v.single({v.s, v.t}, {v.n}, {{0, 0, v.one}, {0, 1, v.one}}));
  CHECK(v.single({v.s, v.t}, {v.t, v.s}, {{1, 0, v.one}, {0, 1, v.one}}));
  CHECK_FALSE(v.single({v.s, v.t}, {v.t, v.s}, {{1, 0, v.one}, {1, 1, v.one}}));
  CHECK_FALSE(v.single({v.s, v.one}, {v.s, v.t}, {{0, 0, v.one}}));
  const auto diagonal = [&](PolyId down) {
    return Symbolic::view({{false, {v.n, v.n}, {v.s}, {}, {down, 0}, {{0, 0, v.one}, {0, 1, v.one}}}});
  };
  CHECK(v.disjoint(diagonal(0), diagonal(v.t)));
  CHECK_FALSE(v.disjoint(diagonal(0), diagonal(v.n)));
}

TEST_CASE("a reshape of any size leads back to where it came from", "[views]") {
  Symbolic v;
  const ViewForm flat = Symbolic::view({{true, {v.s, v.t}, {v.space.mul(v.s, v.t)}, {{2, 1}}, {}, {}}});
  const Index at = checker::running(v.space, flat.shape, 0), root = root_index(v.space, flat, at);
  CHECK(root[0] == v.space.quotient(at[0], v.t));
  std::vector<Condition> none;
  CHECK(inverse(v.space, flat, root, none) == at);
  const Index cell = checker::running(v.space, {v.s, v.t}, 0);
  CHECK(inverse(v.space, flat, cell, none) == Index{v.space.add(v.space.mul(cell[0], v.t), cell[1])});
  CHECK(none.empty());
  const ViewForm other = Symbolic::view({{true, {v.t, v.s}, {v.space.mul(v.s, v.t)}, {{2, 1}}, {}, {}}});
  CHECK(same_elements(v.space, flat, flat));
  CHECK_FALSE(same_elements(v.space, flat, other));
}

TEST_CASE("two ways to one place are the same elements; shapes, bytes and bad numbers are not", "[views]") {
  Symbolic v;
  ViewForm slice = v.slice(v.s, v.t, v.one);
  const PolyId half = v.number(2);
  ViewForm nested = Symbolic::view({{false, {v.n}, {v.n}, {}, {v.space.sub(v.s, half)}, {{0, 0, v.one}}},
                                    {false, {v.n}, {v.t}, {}, {half}, {{0, 0, v.one}}}});
  CHECK(same_elements(v.space, slice, nested));
  nested.maps[1].start = {v.one};
  CHECK_FALSE(same_elements(v.space, slice, nested));
  CHECK_FALSE(same_elements(v.space, slice, v.slice(v.s, v.s, v.one)));
  const ViewForm one = v.slice(v.s, v.one, v.one);
  const ViewForm none = Symbolic::view({{false, {v.n}, {}, {}, {v.s}, {}}});  // it, without a dimension
  CHECK(same_elements(v.space, one, one));
  CHECK_FALSE(same_elements(v.space, one, none));
  const ViewForm bad = v.slice(v.s, v.t, Space::kBad);
  CHECK_FALSE(same_elements(v.space, bad, bad));
  ViewForm bytes = slice;
  bytes.lanes = 4;
  CHECK(same_elements(v.space, bytes, bytes));
  CHECK_FALSE(same_elements(v.space, slice, bytes));
}

TEST_CASE("the byte passes through maps of elements, and is told by those of bytes", "[views]") {
  Symbolic v;
  const PolyId four = v.number(4), byte = v.space.index(Space::kLane, four);
  const ViewForm slice = v.slice(v.s, v.t, v.one);
  const PolyId i = v.space.index(0, v.t);
  CHECK(root_index(v.space, slice, {i, byte}) == Index{v.space.add(v.s, i), byte});
  std::vector<Condition> conditions;
  CHECK(inverse(v.space, slice, {v.space.add(v.s, i), byte}, conditions) == Index{i, byte});
  const ViewForm bytes = Symbolic::view({{true, {v.n, four}, {v.n, four, v.one}, {{1, 1}, {2, 3}}, {}, {}}});
  const Index at{v.space.index(0, v.n), v.space.index(1, four), 0};
  CHECK(root_index(v.space, bytes, at) == Index{at[0], at[1]});
  CHECK(inverse(v.space, bytes, {at[0], byte}, conditions) == Index{at[0], byte, 0});
}

TEST_CASE("conditions hold, or never, only where they do at every place of the facts", "[views]") {
  Space space = searching_space();
  const PolyId two = space.constant(2), three = space.constant(3);
  const PolyId i = space.index(0, two), j = space.index(1, three);
  const std::vector<std::vector<PolyId>> all_facts{{},
                                                   {space.sub(i, j)},
                                                   {space.beyond(j, 0)},
                                                   {space.beyond(i, 0), space.beyond(1, j)},
                                                   {space.beyond(0, i), space.sub(j, two)}};
  int known = 0, constant = 0, lies = 0;
  for (const auto& facts : all_facts)
    for (std::int64_t code = 0; code < 2 * 5 * 5 * 9; ++code) {
      const std::int64_t a = code / 2 % 5 - 2, b = code / 10 % 5 - 2, c = code / 50 - 4;
      const Condition condition{
          code % 2 == 1, space.add(space.add(space.scale(i, a), space.scale(j, b)), space.constant(c))};
      int yes = 0, no = 0;
      for (const Ints& at : all_indices({2, 3})) {
        const Choice choice = choice_of({two, three}, at);
        const auto value = [&](PolyId p) { return evaluate(space, p, choice).value(); };
        if (std::ranges::any_of(facts, [&](PolyId f) { return value(f) < 0; })) continue;
        const std::int64_t is = value(condition.poly);
        ++((condition.zero ? is == 0 : is >= 0) ? yes : no);
      }
      const Truth said = holds(space, condition, facts);
      lies += (said == Truth::yes && no > 0) || (said == Truth::no && yes > 0) ? 1 : 0;
      known += said != Truth::unknown ? 1 : 0, constant += yes == 0 || no == 0 ? 1 : 0;
      if (facts.empty() && condition.zero && said == Truth::yes) CHECK(condition.poly == 0);
      const bool equal = checker::same(space, {i, condition.poly}, {i, 0}, facts);
      lies += equal && (condition.zero ? no > 0 : said == Truth::no) ? 1 : 0;
    }
  CHECK(lies == 0);
  CHECK(known * 10 > constant * 8);
}

TEST_CASE("remainders, bad numbers and lengths of indices", "[views]") {
  Symbolic v;
  const PolyId i = v.space.index(0, v.n), odd = v.space.add(v.space.scale(i, 2), v.one);
  CHECK(holds(v.space, Condition{true, odd}, {}) == Truth::no);
  CHECK(holds(v.space, Condition{true, v.space.add(odd, v.one)}, {}) == Truth::no);  // i >= 0
  CHECK(holds(v.space, Condition{true, v.space.sub(odd, v.number(2))}, {}) == Truth::no);
  CHECK(holds(v.space, Condition{true, v.space.sub(odd, v.number(3))}, {}) == Truth::unknown);
  for (const bool zero : {false, true})
    CHECK(holds(v.space, Condition{zero, Space::kBad}, {}) == Truth::unknown);
  CHECK(checker::same(v.space, {i}, {i}));
  CHECK_FALSE(checker::same(v.space, {i}, {i, i}));
  CHECK_FALSE(checker::same(v.space, {Space::kBad}, {Space::kBad}));
  CHECK_FALSE(checker::same(v.space, {i}, {0}));
  CHECK(checker::same(v.space, {i}, {0}, {v.space.scale(i, -1)}));
  CHECK_FALSE(checker::same(v.space, {i}, {0}, {Space::kBad}));
}

}  // namespace views_symbolic_test
