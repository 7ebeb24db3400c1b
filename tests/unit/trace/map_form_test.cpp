// Maps: which are well formed, and what of their conditions is known.
#include "src/certify/nonnegative.h"
#include "src/trace/map.h"
#include "tests/catch.h"

namespace map_form_test {

using namespace noclobber;

namespace {

Map map_of(Map::Kind kind, std::size_t from, std::size_t to, std::uint32_t dim = 0, std::uint32_t other = 0) {
  Map out;
  out.kind = kind;
  out.from.resize(from), out.to.resize(to);
  out.dim = dim, out.other = other;
  return out;
}

Map permuted(std::size_t from, std::size_t to, std::vector<std::uint32_t> order) {
  Map out = map_of(Map::Kind::permute, from, to);
  out.order = std::move(order);
  return out;
}

Map with_strides(std::size_t from, std::size_t to, std::size_t strides) {
  Map out = map_of(Map::Kind::strided, from, to);
  out.strides.resize(strides);
  return out;
}

}  // namespace

TEST_CASE("a map's ranks and dimensions fit its kind", "[map]") {
  using enum Map::Kind;
  for (const Map& good :
       {map_of(slice, 2, 2, 1), permuted(2, 2, {1, 0}), permuted(0, 0, {}), map_of(reshape, 3, 1),
        map_of(expand, 2, 2), map_of(diagonal, 2, 1, 0, 1), map_of(diagonal, 3, 2, 2, 0),
        map_of(unfold, 2, 3, 1), with_strides(1, 3, 3), with_strides(1, 0, 0)})
    CHECK(well_formed(good));
  for (const Map& bad : {map_of(slice, 2, 1, 0),
                         map_of(slice, 1, 2, 0),
                         map_of(slice, 2, 2, 2),
                         map_of(slice, 2, 3, 5),
                         map_of(slice, 0, 0, 0),
                         permuted(2, 3, {1, 0}),
                         permuted(2, 2, {1, 1}),
                         permuted(2, 2, {0, 2}),
                         permuted(2, 2, {0, 3}),
                         permuted(2, 2, {0}),
                         permuted(2, 2, {0, 1, 1}),
                         map_of(expand, 2, 3),
                         map_of(diagonal, 2, 2, 0, 1),
                         map_of(diagonal, 1, 0, 0, 0),
                         map_of(diagonal, 2, 1, 0, 0),
                         map_of(diagonal, 2, 1, 0, 2),
                         map_of(diagonal, 2, 1, 2, 0),
                         map_of(diagonal, 3, 1, 0, 1),
                         map_of(unfold, 2, 3, 2),
                         map_of(unfold, 2, 2, 0),
                         map_of(unfold, 0, 1, 0),
                         with_strides(2, 3, 3),
                         with_strides(1, 3, 2),
                         with_strides(0, 3, 3),
                         map_of(static_cast<Map::Kind>(99), 1, 1)})
    CHECK_FALSE(well_formed(bad));
}

TEST_CASE("shapes are cut where they surely hold equally many elements", "[map]") {
  Space space = searching_space();
  const PolyId n = space.symbol("n"), m = space.symbol("m"), one = space.constant(1);
  space.range("n", 0, std::nullopt), space.range("m", 0, std::nullopt);
  Map flat;
  flat.from = {n, m}, flat.to = {space.mul(n, m)};
  const PolyId at = space.index(0, flat.to[0]), row = space.quotient_in(at, m);
  CHECK(forward(space, flat, {at}) == Index{row, space.sub(at, space.mul(row, m))});
  Map none;  // no elements, in two ways
  none.from = {space.constant(0)}, none.to = {space.constant(3), space.constant(0)};
  CHECK(forward(space, none, running(space, none.to)).size() == 1);
  std::swap(none.from, none.to);
  CHECK(forward(space, none, running(space, none.to)).size() == 2);
  Map ones;
  ones.from = {n, one}, ones.to = {one, n, one};
  const PolyId i = space.index(1, n);
  CHECK(forward(space, ones, {0, i, 0}) == Index{i, 0});
  const auto back = inverse(space, ones, {i, 0});
  REQUIRE(back);
  CHECK(back->index == Index{0, i, 0});
}

TEST_CASE("a condition holds, never holds, or is open", "[map]") {
  Space space = searching_space();
  const PolyId n = space.symbol("n"), i = space.index(0, n), one = space.constant(1);
  space.range("n", 1, std::nullopt);
  const PolyId odd = space.sub(space.scale(i, 2), one),
               even = space.sub(space.scale(i, 2), space.constant(2));
  CHECK(holds(space, {true, odd}, {}) == Truth::no);
  CHECK(holds(space, {true, even}, {}) == Truth::unknown);
  CHECK(holds(space, {false, odd}, {}) == Truth::unknown);
  CHECK(holds(space, {true, space.constant(2)}, {}) == Truth::no);
  CHECK(holds(space, {true, space.constant(-2)}, {}) == Truth::no);
  CHECK(holds(space, {true, 0}, {}) == Truth::yes);
  CHECK(holds(space, {false, 0}, {}) == Truth::yes);
  CHECK(holds(space, {false, i}, {}) == Truth::yes);
  CHECK(holds(space, {true, i}, {}) == Truth::unknown);
  CHECK(holds(space, {true, i}, {space.scale(i, -1)}) == Truth::yes);
  CHECK(holds(space, {false, space.sub(i, n)}, {}) == Truth::no);
  CHECK(holds(space, {false, Space::kBad}, {}) == Truth::unknown);
  CHECK(holds(space, {true, Space::kBad}, {}) == Truth::unknown);
}

}  // namespace map_form_test
