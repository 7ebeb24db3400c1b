// Space against plain evaluation at random values.
#include "checker/poly.h"

#include <iostream>

#include "src/prover/nonnegative.h"
#include "tests/catch.h"
#include "tests/support/evaluate.h"
#include "tests/support/generator.h"

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
  for (int round = 0; round < 6000; ++round) {
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
  for (int round = 0; round < 4000; ++round) {
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
