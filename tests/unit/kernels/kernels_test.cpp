#include "src/kernels/kernels.h"

#include <cmath>
#include <limits>

#include "src/ops/schema.h"
#include "tests/catch.h"

namespace kernels_test {

namespace {

using namespace noclobber;

double through(Dtype type, double value) {
  std::uint8_t bytes[16] = {};
  store_number(type, bytes, Number::of_real(value));
  return load_number(type, bytes).as_real();
}

Geometry strided(Extents shape, Extents stride) {
  return {Dtype::f32, std::move(shape), std::move(stride), 0};
}

}  // namespace

TEST_CASE("every kernel's operator is in the vocabulary") {
  for (const std::string_view op : kernel_names()) {
    INFO(op);
    const bool generated = op.find("_copy.") != std::string_view::npos;  // of views that have no copying twin
    CHECK((find_schema(op) != nullptr || generated));
  }
  CHECK(find_kernel("aten.add.Tensor") != nullptr);
  CHECK(find_kernel("aten.add_.Tensor") == nullptr);
}

TEST_CASE("narrow floats round to nearest even and keep their limits") {
  CHECK(through(Dtype::f16, 2049) == 2048);
  CHECK(through(Dtype::f16, 2051) == 2052);
  CHECK(through(Dtype::f16, 65504) == 65504);
  CHECK(std::isinf(through(Dtype::f16, 65520)));
  CHECK(through(Dtype::f16, std::ldexp(1.0, -24)) == std::ldexp(1.0, -24));
  CHECK(through(Dtype::f16, std::ldexp(1.0, -26)) == 0);
  CHECK(through(Dtype::bf16, 257) == 256);
  CHECK(through(Dtype::bf16, 259) == 260);
  CHECK(through(Dtype::f8e5m2, 5) == 5);
  CHECK(through(Dtype::f8e5m2, 9) == 8);
  CHECK(through(Dtype::f8e4m3fn, 448) == 448);
  CHECK(through(Dtype::f8e4m3fn, 17) == 16);
  CHECK(std::isnan(through(Dtype::f8e4m3fn, 500)));
}

TEST_CASE("every bit pattern of the narrow floats survives a round trip") {
  for (const Dtype type : {Dtype::f16, Dtype::bf16, Dtype::f8e4m3fn, Dtype::f8e5m2}) {
    const std::uint32_t count = item_bytes(type) == 1 ? 256 : 65536;
    for (std::uint32_t bits = 0; bits < count; ++bits) {
      const std::uint8_t before[2] = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8)};
      std::uint8_t after[2] = {};
      const Number value = load_number(type, before);
      store_number(type, after, value);
      const bool same =
          std::isnan(value.re) || (before[0] == after[0] && (count == 256 || before[1] == after[1]));
      if (!same) FAIL(name(type) << " " << bits);
    }
  }
}

TEST_CASE("integers wrap, floats truncate, bools are 0 or 1") {
  CHECK(convert(Number::of(300), Dtype::u8).integer == 44);
  CHECK(convert(Number::of(200), Dtype::i8).integer == -56);
  CHECK(convert(Number::of_real(-2.9), Dtype::i32).integer == -2);
  CHECK(convert(Number::of_real(0.1), Dtype::boolean).integer == 1);
  CHECK(convert(Number::of(9), Dtype::i4).integer == -7);
}

TEST_CASE("result types follow dimensions before numbers") {
  using Rank = Promoted::Rank;
  const auto type = [](std::initializer_list<Promoted> inputs) {
    return result_type(std::vector<Promoted>(inputs));
  };
  CHECK(type({{Rank::dimensioned, Dtype::i64}, {Rank::wrapped, Dtype::f32}}) == Dtype::f32);
  CHECK(type({{Rank::dimensioned, Dtype::bf16}, {Rank::zero_dim, Dtype::f64}}) == Dtype::bf16);
  CHECK(type({{Rank::dimensioned, Dtype::f16}, {Rank::dimensioned, Dtype::bf16}}) == Dtype::f32);
  CHECK(type({{Rank::dimensioned, Dtype::u8}, {Rank::dimensioned, Dtype::i8}}) == Dtype::i16);
  CHECK(type({{Rank::dimensioned, Dtype::boolean}, {Rank::wrapped, Dtype::i64}}) == Dtype::i64);
}

TEST_CASE("a shape is shown through strides where that is possible") {
  CHECK(reshaped_strides(strided({2, 3}, {3, 1}), {6}) == Extents{1});
  CHECK(!reshaped_strides(strided({2, 3}, {1, 2}), {6}));
  CHECK(reshaped_strides(strided({4, 2}, {1, 4}), {2, 2, 2}) == Extents{2, 1, 4});
  CHECK(reshaped_strides(strided({6}, {2}), {2, 3}) == Extents{6, 2});
}

TEST_CASE("fresh results keep the order of their operands' dimensions") {
  const Geometry columns = strided({2, 3}, {1, 2}), rows = strided({2, 3}, {3, 1});
  CHECK(iterator_strides(std::vector{columns, columns}, {2, 3}) == Extents{1, 2});
  CHECK(iterator_strides(std::vector{rows, columns}, {2, 3}) == Extents{3, 1});
  CHECK(preserved_strides(strided({2, 3}, {0, 1})) == Extents{3, 1});
}

TEST_CASE("sizes and strides that overflow are refused, not computed") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(!reach(strided({3}, {huge})));
  CHECK(!reach(strided({2}, {-1})));
  CHECK(reach(strided({3}, {2})) == 5);
  CHECK(!element_count({huge, 2}));
  CHECK(element_count({huge, 2, 0}) == 0);
}

TEST_CASE("a kernel stops at its bounds") {
  Call call;
  call.budget = 100;
  call.memory_left = 1 << 20;
  call.args = {Datum::of_list({Datum::of(std::int64_t{1000})})};
  run_kernel(*find_kernel("aten.zeros.default"), call);
  REQUIRE(call.fault.has_value());
  CHECK(call.fault->kind == Fault::Kind::bound);
  Call small;
  small.budget = 100;
  small.memory_left = 1 << 20;
  small.args = {Datum::of_list({Datum::of(std::int64_t{10})})};
  run_kernel(*find_kernel("aten.zeros.default"), small);
  CHECK(small.ok());
}

}  // namespace kernels_test
