// Views as sets of bytes, and the choice of sizes.
#include "src/interp/replay_view.h"
#include "src/interp/replay_search.h"

#include "tests/catch.h"

namespace replay_view_test {

using namespace noclobber;

namespace {

Tensor view(std::vector<std::int64_t> shape, std::vector<std::int64_t> stride, std::int64_t offset = 0) {
  return {0, Dtype::f32, std::move(shape), std::move(stride), offset};
}

}  // namespace

TEST_CASE("replay view: columns of one matrix share bytes only where they cross") {
  const Tensor even = view({2, 3}, {6, 2}), odd = view({2, 3}, {6, 2}, 1), third = view({2, 2}, {6, 3});
  CHECK_FALSE(share_bytes(even, odd));
  CHECK(share_bytes(even, third));
  CHECK(shared_extent(even, third).first == 0);
  CHECK(shared_extent(even, third).last == 28);
}

TEST_CASE("replay view: an empty view shares nothing") {
  CHECK_FALSE(share_bytes(view({0, 3}, {3, 1}), view({2, 3}, {3, 1})));
  CHECK(byte_extent(view({0}, {1}, 7)).empty());
}

TEST_CASE("replay view: windows repeat bytes, tiles do not") {
  CHECK(repeats_bytes(view({3, 2}, {1, 1})));
  CHECK_FALSE(repeats_bytes(view({3, 2}, {2, 1})));
  CHECK(repeats_bytes(view({std::int64_t{1} << 40}, {0})));
  CHECK_FALSE(repeats_bytes(view({1, 4}, {0, 1})));
}

TEST_CASE("replay view: a view that repeats one element a trillion times shows that element") {
  const Tensor repeated = view({std::int64_t{1} << 40}, {0}, 2);
  CHECK(share_bytes(repeated, view({4}, {1})));
  CHECK_FALSE(share_bytes(repeated, view({2}, {1})));
}

TEST_CASE("replay view: strides of dimensions of size 1 do not matter to a map") {
  CHECK(same_map(view({1, 4}, {9, 1}), view({1, 4}, {4, 1})));
  CHECK_FALSE(same_map(view({2, 4}, {9, 1}), view({2, 4}, {4, 1})));
}

TEST_CASE("replay view: elements compare by bits, NaN with NaN, zero with zero") {
  const auto bytes = [](float x) {
    std::vector<std::uint8_t> out(4);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(&x), 4, out.begin());
    return out;
  };
  CHECK(same_element(Dtype::f32, bytes(0.0F), bytes(-0.0F)));
  CHECK(same_element(Dtype::f32, bytes(std::numeric_limits<float>::quiet_NaN()),
                     bytes(-std::numeric_limits<float>::quiet_NaN())));
  CHECK_FALSE(same_element(Dtype::f32, bytes(1.0F), bytes(1.0000001F)));
  CHECK(element_text(Dtype::f32, bytes(-0.5F)) == "-0.5");
}

TEST_CASE("replay search: assignments keep ranges, multiples and relations; contradictions give none") {
  Case value;
  value.symbols["n"] = SymbolRange{3, 100, 4, false, std::nullopt};
  value.symbols["i"] = SymbolRange{0, std::nullopt, 1, false, std::nullopt};
  value.assume.push_back(*parse_relation("i + 4 <= n"));
  const std::vector<Symbols> found = assignments(value, {}, 20);
  REQUIRE(found.size() == 20);
  for (const Symbols& s : found) {
    CHECK(s.at("n") % 4 == 0);
    CHECK(s.at("i") + 4 <= s.at("n"));
  }
  value.assume.push_back(*parse_relation("n < i"));
  CHECK(assignments(value, {}, 20).empty());
}

TEST_CASE("replay search: a hint that breaks a relation is not used") {
  Case value;
  value.symbols["n"] = SymbolRange{2, 10, 1, false, std::nullopt};
  ReplayHint hint;
  hint.symbols = {{{"n", 11}}, {{"n", 7}}};
  CHECK(assignments(value, hint, 4).front().at("n") == 7);
}

}  // namespace replay_view_test
