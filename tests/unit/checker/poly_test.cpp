// Space against plain evaluation at random values.
#include "checker/kernel/poly.h"

#include <iostream>

#include "src/certify/nonnegative.h"
#include "tests/catch.h"
#include "tests/support/evaluate.h"
#include "tests/support/generator.h"
#include "tests/support/sample.h"

namespace poly_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// Symbols s0 >= 0, s1 in 1..9, s2 in -4..4, s3 >= 2; indices of extents s1, 5, s3.
struct World {
  Space space = searching_space();
  std::vector<PolyId> atoms, positive;

  World() {
    space.range("s0", 0, std::nullopt);
    space.range("s1", 1, 9);
    space.range("s2", -4, 4);
    space.range("s3", 2, std::nullopt);
    for (const char* name : {"s0", "s1", "s2", "s3"}) atoms.push_back(space.symbol(name));
    positive = {atoms[1],          atoms[3],          space.constant(2),
                space.constant(3), space.constant(7), space.mul(atoms[1], atoms[3])};
    atoms.push_back(space.index(0, atoms[1]));
    atoms.push_back(space.index(1, space.constant(5)));
    atoms.push_back(space.index(0, atoms[3]));
  }

  Choice choose(Random& random) {
    Choice out;
    out.symbols = {{"s0", random.below(30)},
                   {"s1", random.between(1, 9)},
                   {"s2", random.between(-4, 4)},
                   {"s3", random.between(2, 20)}};
    if (random.chance(20)) out.symbols["s3"] = 2;
    if (random.chance(20)) out.symbols["s1"] = 1;
    out.indices[{0, atoms[1]}] = random.below(out.symbols["s1"]);
    out.indices[{1, space.constant(5)}] = random.below(5);
    out.indices[{0, atoms[3]}] = random.chance(30) ? out.symbols["s3"] - 1 : random.below(out.symbols["s3"]);
    return out;
  }

  PolyId poly(Random& random, int depth) {
    if (depth == 0 || random.chance(20))
      return random.chance(40)
                 ? space.constant(random.between(-6, 6))
                 : atoms[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(atoms.size())))];
    const PolyId a = poly(random, depth - 1);
    switch (random.below(5)) {
      case 0:
        return space.add(a, poly(random, depth - 1));
      case 1:
        return space.sub(a, poly(random, depth - 1));
      case 2:
        return space.mul(a, poly(random, depth - 1));
      case 3:
        return space.scale(a, random.between(-3, 3));
      default:
        return space.quotient(
            a, positive[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(positive.size())))]);
    }
  }
};

}  // namespace

TEST_CASE("sums, products and quotients have the values of what they were made of", "[poly]") {
  World world;
  Random random(1);
  Space& space = world.space;
  for (int round = 0; round < 3000; ++round) {
    const PolyId a = world.poly(random, 3), b = world.poly(random, 2);
    const PolyId d = world.positive[static_cast<std::size_t>(random.below(6))];
    const PolyId sum = space.add(a, b), product = space.mul(a, b), quotient = space.quotient(a, d);
    for (int k = 0; k < 6; ++k) {
      const Choice at = world.choose(random);
      const auto x = evaluate(space, a, at), y = evaluate(space, b, at), by = evaluate(space, d, at);
      if (!x || !y) continue;
      INFO(readable(space, a) << " | " << readable(space, b) << " | " << readable(space, d));
      if (const auto v = evaluate(space, sum, at)) CHECK(*v == *x + *y);
      if (const auto v = evaluate(space, product, at)) CHECK(*v == *x * *y);
      REQUIRE(quotient != Space::kBad);
      if (const auto v = evaluate(space, quotient, at)) CHECK(*v == floor_of(*x, *by));
      const auto rest = evaluate(space, space.sub(a, space.mul(quotient, d)), at);
      if (rest) CHECK((*rest >= 0 && *rest < *by));
    }
  }
}

TEST_CASE("nonnegative is never said of what can be negative", "[poly]") {
  World world;
  Random random(2);
  int said = 0, never_negative = 0;
  for (std::size_t round = 0; round < testing::sampled(6000); ++round) {
    const PolyId a = world.poly(random, 4);
    const bool shown = world.space.nonnegative(a);
    bool negative = false;
    for (int k = 0; k < 40 && !negative; ++k) {
      const auto v = evaluate(world.space, a, world.choose(random));
      negative = v && *v < 0;
    }
    INFO(readable(world.space, a));
    CHECK_FALSE((shown && negative));
    said += shown ? 1 : 0;
    never_negative += a != Space::kBad && !negative ? 1 : 0;
  }
  std::cout << "nonnegative: shown for " << said << " of " << never_negative
            << " that were never seen negative\n";
  CHECK(said * 2 > never_negative);
}

TEST_CASE("a fact helps only where it follows", "[poly]") {
  World world;
  Random random(3);
  for (std::size_t round = 0; round < testing::sampled(4000); ++round) {
    const PolyId fact = world.poly(random, 2), other = world.poly(random, 2), a = world.poly(random, 3);
    if (!world.space.nonnegative(a, {fact, other})) continue;
    for (int k = 0; k < 40; ++k) {
      const Choice at = world.choose(random);
      const auto f = evaluate(world.space, fact, at), g = evaluate(world.space, other, at),
                 v = evaluate(world.space, a, at);
      INFO(readable(world.space, fact)
           << ", " << readable(world.space, other) << " |- " << readable(world.space, a));
      if (f && g && v && *f >= 0 && *g >= 0) CHECK(*v >= 0);
    }
  }
}

TEST_CASE("what overflows, or divides by what may be zero, is bad and stays bad", "[poly]") {
  Space space = searching_space();
  space.range("n", 0, std::nullopt);
  const PolyId n = space.symbol("n"), huge = space.constant(INT64_MAX);
  const PolyId bad = space.add(space.mul(n, huge), n);
  CHECK(bad == Space::kBad);
  CHECK(space.mul(huge, huge) == Space::kBad);
  for (const PolyId p : {space.add(bad, n), space.mul(bad, n), space.quotient(bad, space.constant(2)),
                         space.scale(bad, 3), space.index(0, bad)})
    CHECK(p == Space::kBad);
  CHECK_FALSE(space.nonnegative(bad));
  CHECK_FALSE(space.same(bad, bad));
  CHECK(space.quotient(space.constant(5), n) == Space::kBad);
  CHECK(space.quotient(space.constant(5), space.add(n, space.constant(1))) != Space::kBad);
}

TEST_CASE("the constant bounds of an atom, and no others", "[poly]") {
  Space space;  // without a finder: by bounds alone
  const auto minus = [&](PolyId a) { return space.scale(a, -1); };
  const auto less = [&](PolyId a, std::int64_t b) { return space.sub(a, space.constant(b)); };
  space.range("n", 0, std::nullopt), space.range("low", -3, 4), space.range("one", 0, 1);
  space.range("open", std::nullopt, 5);
  const PolyId n = space.symbol("n"), low = space.symbol("low"), open = space.symbol("open");
  const PolyId i = space.index(0, n), j = space.index(1, n), last = space.index(2, space.symbol("one"));
  CHECK(space.plain(n));
  CHECK(space.plain(less(low, -3)));
  CHECK_FALSE(space.plain(less(low, -2)));
  CHECK(space.plain(less(minus(low), -4)));
  CHECK_FALSE(space.plain(less(minus(low), -3)));
  CHECK_FALSE(space.plain(open));
  CHECK_FALSE(space.plain(less(open, -1000)));
  CHECK(space.plain(space.mul(i, j)));
  CHECK_FALSE(space.plain(less(space.mul(low, n), -100)));
  CHECK_FALSE(space.plain(minus(i)));
  CHECK(space.plain(minus(last)));  // of an extent that is 1 at most
  CHECK_FALSE(space.plain(less(minus(last), 1)));
  const PolyId at = space.opaque("at", {i});
  CHECK_FALSE(space.plain(at));
  CHECK_FALSE(space.plain(minus(at)));
  const PolyId part = space.quotient_in(i, n), none = space.quotient_in(last, n);
  REQUIRE(part != none);
  CHECK(space.plain(part));
  CHECK_FALSE(space.plain(less(part, 1)));
  CHECK(space.plain(none));
  CHECK(space.plain(minus(none)));
  CHECK_FALSE(space.plain(less(minus(none), 1)));
  CHECK_FALSE(space.plain(space.quotient_in(low, n)));
  const PolyId half = space.quotient_in(low, space.constant(2));
  CHECK(space.plain(less(half, -2)));  // floor(-3 / 2)
  CHECK_FALSE(space.plain(less(half, -1)));
  CHECK(space.plain(less(minus(half), -2)));
  CHECK_FALSE(space.plain(less(minus(half), -1)));
}

TEST_CASE("values of numbers at values of their symbols", "[poly]") {
  Space space;
  const PolyId s = space.symbol("s"), t = space.symbol("t"), half = space.quotient_in(s, space.constant(2));
  const PolyId by = space.quotient_in(s, t), sum = space.add(space.mul(s, t), half);
  using Values = std::map<std::string, std::int64_t>;
  CHECK(space.value(half, Values{{"s", 7}}) == 3);
  CHECK(space.value(half, Values{{"s", -7}}) == -4);
  CHECK(space.value(sum, Values{{"s", 7}, {"t", 5}}) == 38);
  CHECK(space.value(by, Values{{"s", 7}, {"t", 5}}) == 1);
  for (const std::int64_t t_is : {0, -1}) CHECK_FALSE(space.value(by, Values{{"s", 7}, {"t", t_is}}));
  CHECK_FALSE(space.value(sum, Values{{"s", 7}}));
  CHECK_FALSE(space.value(space.opaque("s", {}), Values{{"s", 7}}));
  CHECK_FALSE(space.value(space.index(0, s), Values{{"s", 7}}));
  CHECK(space.value(space.constant(-3)) == -3);
  CHECK(space.value(0) == 0);
  CHECK_FALSE(space.value(Space::kBad));
  // A quotient that stands in two products.
  const PolyId twice = space.add(space.mul(half, t), half);
  CHECK(space.value(twice, Values{{"s", 7}, {"t", 5}}) == 18);
  CHECK(space.value(space.sub(twice, half), Values{{"s", 7}, {"t", 5}}) == 15);
  CHECK_FALSE(space.value(twice, Values{{"t", 5}}));
  const PolyId nested = space.quotient_in(space.add(half, t), space.constant(3));
  CHECK(space.value(space.add(space.mul(nested, half), nested), Values{{"s", -7}, {"t", 5}}) == 0);
  CHECK(space.value(space.add(space.mul(nested, half), nested), Values{{"s", 7}, {"t", 5}}) == 8);
}

TEST_CASE("a quotient of more terms than a number may have is bad", "[poly]") {
  Space space;
  const auto of = [&](const char* name, int count) {
    PolyId out = 0;
    for (int k = 0; k < count; ++k) out = space.add(out, space.symbol(name + std::to_string(k)));
    return out;
  };
  const PolyId most = space.mul(of("s", 32), of("t", 64)), two = space.constant(2);
  REQUIRE(most != Space::kBad);
  const PolyId less = space.sub(most, space.mul(space.symbol("s0"), space.symbol("t0")));
  CHECK(space.quotient_in(space.scale(less, 2), two) == less);
  CHECK(space.quotient_in(space.scale(most, 2), two) == Space::kBad);
  CHECK(space.add(most, space.symbol("s0")) == Space::kBad);
}

TEST_CASE("what depends on the running byte", "[poly]") {
  Space space;
  const PolyId lane = space.index(Space::kLane, space.constant(4)), i = space.index(0, space.symbol("n"));
  CHECK(space.has_lane(lane));
  CHECK(space.has_lane(space.add(i, lane)));
  CHECK(space.has_lane(space.quotient_in(lane, space.constant(2))));
  CHECK(space.has_lane(space.quotient_in(i, space.index(Space::kLane, space.symbol("n")))));
  CHECK(space.has_lane(space.opaque("f", {i, lane})));
  for (const PolyId p : {i, PolyId{0}, space.constant(5), space.quotient_in(i, space.constant(2)),
                         space.opaque("f", {i}), space.mul(i, i)})
    CHECK_FALSE(space.has_lane(p));
}

TEST_CASE("what was not shown is, once more is known", "[poly]") {
  Space space = searching_space();
  for (const char* name : {"s", "t", "u", "v"}) space.range(name, 0, std::nullopt);
  const PolyId t = space.symbol("t"), rows = space.sub(space.mul(space.symbol("s"), t), t);
  const PolyId room = space.sub(space.symbol("u"), space.symbol("v"));
  CHECK_FALSE(space.nonnegative(rows));
  CHECK_FALSE(space.nonnegative(room));
  space.range("s", 1, std::nullopt);
  CHECK(space.nonnegative(rows));
  CHECK_FALSE(space.nonnegative(room));
  space.assume_nonnegative(room);
  CHECK(space.nonnegative(room));
}

TEST_CASE("a line may be about what stands inside of what is shown", "[poly]") {
  Space space;
  const PolyId n = space.symbol("n"), i = space.index(0, n), one = space.constant(1);
  const Line room{Line::Rule::below, 0, 0, 0, i, 0};  // n - 1 - i
  const PolyId at = space.opaque("at", {i}), part = space.quotient_in(i, space.symbol("m"));
  for (const PolyId p : {at, part}) {  // at - at + n - 1 - i + i is not about i any more
    const PolyId shown = space.sub(space.sub(n, one), space.constant(0));
    const Line least{Line::Rule::plain, 0, 0, 0, i, 0};
    const Derivation without{{}, {room, least, {Line::Rule::add, 0, 1, 0, 0, 0}}};
    CHECK(line_shows(space, room, {}, {}) == space.sub(shown, i));
    CHECK_FALSE(space.derive(without));
    const Derivation under{
        {p}, {room, least, {Line::Rule::add, 0, 1, 0, 0, 0}}};  // where the fact exists, so does i
    CHECK(space.derive(under));
    CHECK(space.nonnegative(shown, {p}));
    CHECK_FALSE(space.nonnegative(shown));
  }
}

TEST_CASE("what a line about a quotient shows", "[poly]") {
  Space space;
  const PolyId s = space.symbol("s"), three = space.constant(3), q = space.quotient_in(s, three);
  const PolyId i = space.index(0, s), rest = space.sub(s, space.mul(three, q));
  const auto shows = [&](Line::Rule rule, PolyId of) {
    return line_shows(space, {rule, 0, 0, 0, of, 0}, {}, {});
  };
  CHECK(shows(Line::Rule::below, q) == rest);
  CHECK(shows(Line::Rule::above, q) == space.beyond(three, rest));
  CHECK(shows(Line::Rule::divisor, q) == space.constant(2));
  CHECK(shows(Line::Rule::below, i) == space.beyond(s, i));
  CHECK(shows(Line::Rule::above, i) == Space::kBad);
  CHECK(shows(Line::Rule::divisor, i) == Space::kBad);
  for (const PolyId none : {s, three, space.add(q, q), space.mul(q, q), space.add(q, i)})
    CHECK(shows(Line::Rule::below, none) == Space::kBad);
}

TEST_CASE("what was derived is derived once", "[poly]") {
  Space space;
  const PolyId s = space.symbol("s"), i = space.index(0, s), room = space.beyond(s, i);
  const Line below{Line::Rule::below, 0, 0, 0, i, 0};
  CHECK_FALSE(space.nonnegative(room));
  CHECK(space.derive({{}, {below}}));
  CHECK_FALSE(space.derive({{}, {below}}));
  CHECK(space.derivations().size() == 1);
  CHECK(space.used().empty());
  CHECK(space.nonnegative(room));
  CHECK(space.used().size() == 1);
  CHECK(space.derive({{i}, {below}}));  // under another fact it is another
  CHECK(space.derivations().size() == 2);
}

}  // namespace poly_test
