#include "src/certify/farkas.h"

#include "src/certify/nonnegative.h"
#include "tests/catch.h"

namespace farkas_test {

using namespace noclobber;

namespace {
using Rows = std::vector<std::vector<std::int64_t>>;

/// by * target - sum of multiplier * row, coefficient by coefficient; the constant must be `rest`.
void require_exact(const Rows& rows, const std::vector<std::int64_t>& target, const Combination& c) {
  REQUIRE(c.by >= 1);
  REQUIRE(c.rest > -c.by);
  for (std::size_t k = 0; k < target.size(); ++k) {
    std::int64_t left = c.by * target[k];
    for (const auto& [row, times] : c.multipliers) {
      REQUIRE(times > 0);
      left -= times * rows[row][k];
    }
    REQUIRE(left == (k + 1 == target.size() ? c.rest : 0));
  }
}
}  // namespace

TEST_CASE("multipliers add up to the target", "[farkas]") {
  const Rows rows{{1, 0, -2}, {-1, 1, 3}, {0, -1, 7}};  // x >= 2, y >= x - 3, y <= 7
  for (const std::vector<std::int64_t>& target :
       {std::vector<std::int64_t>{1, 0, 0}, {-1, 0, 10}, {0, 1, 1}, {1, -1, 5}}) {
    const auto found = combine(rows, target);
    REQUIRE(found);
    require_exact(rows, target, *found);
  }
  REQUIRE_FALSE(combine(rows, {-1, 0, 9}));  // x may be 10
  REQUIRE_FALSE(combine(rows, {1, 0, -3}));  // x may be 2
  REQUIRE_FALSE(combine({}, {0, 0, -1}));
}

TEST_CASE("whole numbers are rounded", "[farkas]") {
  const Rows rows{{2, -1}};  // 2 x >= 1
  const auto found = combine(rows, {1, -1});
  REQUIRE(found);
  require_exact(rows, {1, -1}, *found);
  REQUIRE_FALSE(combine(rows, {1, -2}));
}

TEST_CASE("facts are combined where no single one is enough", "[farkas]") {
  Space space = searching_space();
  const PolyId a = space.symbol("a"), b = space.symbol("b"), c = space.symbol("c");
  for (const char* name : {"a", "b", "c"}) space.range(name, 0, std::nullopt);
  // 2b >= a + c, a >= b, c >= b: all three are equal.
  const std::vector<PolyId> facts{space.sub(space.scale(b, 2), space.add(a, c)), space.sub(a, b),
                                  space.sub(c, b)};
  REQUIRE(space.nonnegative(space.sub(b, a), facts));
  REQUIRE(space.nonnegative(space.sub(a, c), facts));
  REQUIRE_FALSE(space.nonnegative(space.sub(space.sub(a, c), space.constant(1)), facts));
  REQUIRE_FALSE(space.nonnegative(space.sub(b, a)));
  // 3a >= 2 leaves a >= 1 to whole numbers.
  REQUIRE(
      space.nonnegative(space.sub(a, space.constant(1)), {space.sub(space.scale(a, 3), space.constant(2))}));
}

TEST_CASE("a wrong derivation shows nothing", "[farkas]") {
  Space space;
  const PolyId a = space.symbol("a");
  space.range("a", 0, std::nullopt);
  const PolyId less = space.sub(a, space.constant(1));
  using Rule = Line::Rule;
  REQUIRE_FALSE(space.derive({{}, {{Rule::plain, 0, 0, 0, less, 0}}}));
  REQUIRE_FALSE(space.derive({{}, {{Rule::fact, 0, 0, 0, less, 0}}}));
  REQUIRE_FALSE(space.derive({{}, {{Rule::plain, 0, 0, 0, a, 0}, {Rule::add, 0, 1, 0, 0, 0}}}));  // itself
  REQUIRE_FALSE(space.derive({{}, {}}));
  // a + 1 >= 0 and 2 - 1 - 2 < 0: no division
  const PolyId two = space.constant(2);
  const Line whole{Rule::plain, 0, 0, 0, space.add(a, two), 0};
  REQUIRE_FALSE(space.derive({{}, {whole, {Rule::plain, 0, 0, 0, 0, 0}, {Rule::divide, 0, 1, 1, a, two}}}));
  REQUIRE_FALSE(space.nonnegative(less));
  REQUIRE(space.derive({{less}, {{Rule::fact, 0, 0, 0, less, 0}}}));
  REQUIRE(space.nonnegative(less, {less}));
  REQUIRE_FALSE(space.nonnegative(less));
}

TEST_CASE("forms that say the same of two unknowns leave one of them over", "[farkas]") {
  const Rows rows{{1, 1, 0}, {2, 2, -1}};
  for (const std::vector<std::int64_t>& target : {std::vector<std::int64_t>{2, 2, 0}, {3, 3, -1}}) {
    const auto found = combine(rows, target);
    REQUIRE(found);
    require_exact(rows, target, *found);
  }
  REQUIRE_FALSE(combine(rows, {1, 2, 0}));
  REQUIRE_FALSE(combine({{1, 1, 0}}, {1, 1, -1}));
}

TEST_CASE("a quotient is as large as its dividend makes it", "[farkas]") {
  Space space = searching_space();
  const PolyId i = space.index(0, space.constant(8)), eight = space.constant(8);
  const PolyId q = space.quotient_in(space.add(i, space.constant(4)), eight);  // 1 from i = 4 on
  const auto upper = [&](std::int64_t room) {                                  // 8 q + room - i
    return space.sub(space.add(space.mul(eight, q), space.constant(room)), i);
  };
  const std::vector<PolyId> later{space.sub(i, space.constant(4))}, sooner{space.sub(i, space.constant(3))};
  CHECK(space.nonnegative(upper(-1), later));
  CHECK_FALSE(space.nonnegative(upper(-2), later));  // i may be 7
  CHECK_FALSE(space.nonnegative(upper(-1), sooner));
  CHECK_FALSE(space.nonnegative(upper(-1)));
}

}  // namespace farkas_test
