// Shapes and types that rules say, at the bounds of what they take. The results are PyTorch's; where a rule
// may only be silent, PyTorch refuses the call or does not go by shapes and types alone.
#include <cmath>

#include "tests/unit/ops/said.h"

namespace shapes_said_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

using Typed = std::pair<Dtype, Extents>;
const Typed kX{kF32, {2, 3}}, kWide{kF64, {2, 3}}, kRow{kI64, {1, 2}}, kTwo{kI64, {2}}, kTall{kI64, {3, 1}},
    kNoIndex{kI64, {0}}, kMask{Dtype::boolean, {2, 3}};

std::string call(const char* op, const std::vector<Typed>& tensors, const std::vector<Arg>& arguments) {
  return results_of({op, tensors, arguments, ""});
}

}  // namespace

/// A tensor without a dimension counts less than others: f64[] + f32[3] is f32.
TEST_CASE("types are promoted as PyTorch does, and left open where ranks matter for it") {
  const std::vector<Arg> two{to(0), to(1)};
  const auto sum = [&](Dtype a, Dtype b) {
    return results_of({"aten.add.Tensor", {{a, {3}}, {b, {3}}}, two, ""});
  };
  CHECK(sum(Dtype::u8, Dtype::i8) == "i16 3");
  CHECK(sum(Dtype::i8, Dtype::u8) == "i16 3");
  CHECK(sum(Dtype::u8, Dtype::i16) == "i16 3");
  CHECK(sum(Dtype::u8, Dtype::i32) == "i32 3");
  CHECK(sum(kI64, Dtype::u8) == "i64 3");
  check_all({
      {"aten.add.Tensor", {{kF64, {}}, {kF32, {3}}}, two, "f32 3"},
      {"aten.add.Tensor", {{kF32, {3}}, {kF64, {}}}, two, "f32 3"},
      {"aten.add.Tensor", {{kI64, {3}}, {kF32, {}}}, two, "f32 3"},
      {"aten.add.Tensor", {{kI64, {3}}, {kF64, {}}}, two, "open 3"},
      {"aten.add.Tensor", {{kF32, {}}, {kF32, {3}}}, two, "f32 3"},
      {"aten.add.Tensor", {{kF64, {1}}, {kF32, {3}}}, two, "f64 3"},
      {"aten.mul.Tensor", {{Dtype::boolean, {3}}}, {to(0), Arg::of_bool(true)}, "bool 3"},
      {"aten.mul.Tensor", {{Dtype::boolean, {3}}}, {to(0), n(2)}, "i64 3"},
      {"aten.mul.Tensor", {{kF32, {3}}}, {to(0), Arg::of_text("complex(0, 2)")}, "open 3"},
      {"aten.mul.Tensor", {{Dtype::c64, {3}}}, {to(0), Arg::of_text("complex(0, 2)")}, "c64 3"},
      {"aten.abs.default", {{Dtype::c64, {3}}}, {to(0)}, "f32 3"},
      {"aten.abs.default", {{Dtype::c128, {3}}}, {to(0)}, "f64 3"},
      {"aten.abs.default", {{kI64, {3}}}, {to(0)}, "i64 3"},
  });
}

TEST_CASE("a dimension is one of the tensor's, counted from either end") {
  check_all({
      {"aten.topk.default", {{kF32, {3}}}, {to(0), n(2), n(-1)}, "f32 2, i64 2"},
      {"aten.topk.default", {{kF32, {3}}}, {to(0), n(2), n(0)}, "f32 2, i64 2"},
      {"aten.topk.default", {{kF32, {3}}}, {to(0), n(2), n(1)}, ""},
      {"aten.topk.default", {{kF32, {3}}}, {to(0), n(2), n(-2)}, ""},
      {"aten.sum.dim_IntList", {{kF32, {3, 4}}}, {to(0), ns({1})}, "f32 3"},
      {"aten.sum.dim_IntList", {{kF32, {3, 4}}}, {to(0), ns({-2})}, "f32 4"},
      {"aten.sum.dim_IntList", {{kF32, {3, 4}}}, {to(0), ns({2})}, ""},
  });
}

TEST_CASE("what indices give stands where they stood, or in front where another dimension lies between") {
  const auto picks = [](const std::vector<Arg>& indices, const Extents& i, const Extents& j) {
    return results_of(
        {"aten.index.Tensor", {{kF32, {4, 5, 6, 7}}, {kI64, i}, {kI64, j}}, {to(0), Arg::of(indices)}, ""});
  };
  CHECK(picks({to(1), to(2)}, {2, 1}, {3}) == "f32 2 3 6 7");
  CHECK(picks({Arg{}, to(1), to(2)}, {2, 1}, {3}) == "f32 4 2 3 7");
  CHECK(picks({to(1), Arg{}, to(2)}, {2}, {2}) == "f32 2 5 7");
  CHECK(picks({Arg{}, to(1), Arg{}, to(2)}, {2}, {2}) == "f32 2 4 6");
  CHECK(picks({to(1), to(2)}, {2}, {3}).empty());
  const Arg half = Arg::of_real(0.5), off = Arg::of_bool(false);
  check_all({
      {"aten.bucketize.Scalar", {{kF32, {4}}}, {half, to(0)}, "i64"},
      {"aten.bucketize.Tensor", {{kF32, {2}}, {kF32, {4}}}, {to(0), to(1)}, "i64 2"},
      {"aten._pdist_forward.default", {{kF32, {0, 3}}}, {to(0)}, "f32 0"},
      {"aten._pdist_forward.default", {{kF32, {3, 3}}}, {to(0)}, "f32 3"},
  });
}

TEST_CASE("an index is of integers, and nowhere larger than what it picks from but along its dimension") {
  const auto gather = [&](const Typed& index, int dim) {
    return call("aten.gather.default", {kX, index}, {to(0), n(dim), to(1)});
  };
  CHECK(gather(kRow, 1) == "f32 1 2");
  CHECK(gather(kRow, 2).empty());
  CHECK(gather({kF32, {1, 2}}, 1).empty());
  CHECK(gather(kTall, 0) == "f32 3 1");
  CHECK(gather(kTall, 1).empty());
  CHECK(gather(kNoIndex, 0) == "f32 0");
  const auto scatter = [&](const Typed& index, const Typed& source) {
    return call("aten.scatter.src", {kX, index, source}, {to(0), n(1), to(1), to(2)});
  };
  CHECK(scatter(kRow, kX) == "f32 2 3");
  CHECK(scatter(kRow, kWide).empty());
  CHECK(scatter(kRow, {kF32, {1, 1}}).empty());
  CHECK(scatter(kTwo, kX).empty());
  CHECK(scatter(kNoIndex, {kF32, {1}}) == "f32 2 3");
  CHECK(call("aten.scatter.value", {kX, {kI64, {2, 5}}}, {to(0), n(-1), to(1), n(1)}) == "f32 2 3");
}

TEST_CASE("what is stored at computed places is of the type of what is there, and fits") {
  const auto put = [&](const std::vector<Arg>& indices, std::vector<Typed> tensors) {
    tensors.insert(tensors.begin(), kX);
    return call("aten.index_put.default", tensors,
                {to(0), Arg::of(indices), to(static_cast<int>(tensors.size()) - 1)});
  };
  CHECK(put({to(1)}, {kTwo, kX}) == "f32 2 3");
  CHECK(put({to(1)}, {kTwo, kWide}).empty());                                 // seed 8900100080
  CHECK(put({to(1), to(2), to(3)}, {kTwo, kTwo, kTwo, {kF32, {}}}).empty());  // seed 8900243416
  CHECK(put({to(1), to(2)}, {kMask, kTwo, {kF32, {}}}).empty());
  CHECK(put({to(1)}, {kMask, {kF64, {}}}) == "f32 2 3");
  CHECK(put({Arg{}, to(1)}, {kTwo, {kF32, {2, 2}}}) == "f32 2 3");
  CHECK(put({to(1)}, {kTwo, {kF32, {2, 2}}}).empty());
  CHECK(put({to(1)}, {kTwo, {kF32, {1, 2, 3}}}).empty());
  const auto add = [&](const Typed& index, const Typed& source, int dim) {
    return call("aten.index_add.default", {kX, index, source}, {to(0), n(dim), to(1), to(2), n(1)});
  };
  CHECK(add(kTwo, kX, 0) == "f32 2 3");
  CHECK(add(kTwo, kX, 1).empty());
  CHECK(add(kTwo, kWide, 0).empty());
  CHECK(add(kRow, kX, 0).empty());
  CHECK(add({Dtype::i32, {2}}, kX, 0) == "f32 2 3");
  const auto fill = [&](Dtype index, int dim) {
    return call("aten.index_fill.int_Scalar", {kX, {index, {2}}}, {to(0), n(dim), to(1), n(1)});
  };
  CHECK(fill(kI64, -2) == "f32 2 3");
  CHECK(fill(kI64, 2).empty());
  CHECK(fill(Dtype::i32, 0).empty());
  const std::vector<Arg> three{to(0), to(1), to(2)};
  check_all({
      {"aten.masked_fill.Scalar", {kX, kMask}, {to(0), to(1), n(1)}, "f32 2 3"},
      {"aten.masked_fill.Scalar", {kX, kX}, {to(0), to(1), n(1)}, ""},
      {"aten.masked_scatter.default", {kX, kMask, kX}, three, "f32 2 3"},
      {"aten.masked_scatter.default", {kX, kMask, kWide}, three, ""},
      {"aten.cumsum.default", {kX}, {to(0), n(-2)}, "f32 2 3"},
      {"aten.cumsum.default", {kX}, {to(0), n(2)}, ""},
      {"aten.cummax.default", {kX}, {to(0), n(-3)}, ""},
      {"aten.sort.default", {kX}, {to(0)}, "f32 2 3, i64 2 3"},
      {"aten._softmax.default", {kX}, {to(0), n(2), Arg::of_bool(false)}, ""},
      {"aten._softmax.default", {{kF32, {}}}, {to(0), n(0), Arg::of_bool(false)}, "f32"},
  });
}

TEST_CASE("norms say means and deviations of all places that there are") {
  const Arg none, on = Arg::of_bool(true), off = Arg::of_bool(false), tenth = Arg::of_real(0.1);
  const auto norm = [&](const Extents& shape, const Extents& normalized) {
    return results_of(
        {"aten.native_layer_norm.default", {{kF32, shape}}, {to(0), ns(normalized), none, none, tenth}, ""});
  };
  CHECK(norm({2, 3}, {2, 3}) == "f32 2 3, f32 1 1, f32 1 1");
  CHECK(norm({2, 3}, {3}) == "f32 2 3, f32 2 1, f32 2 1");
  CHECK(norm({3}, {2, 3}).empty());
  const char* legit = "aten._native_batch_norm_legit_functional.default";
  check_all({
      {legit,
       {{kF32, {4, 3}}, {kF32, {3}}, {kF32, {3}}},
       {to(0), none, none, to(1), to(2), on, tenth, tenth},
       "f32 4 3, f32 3, f32 3, f32 3, f32 3"},
      {legit,
       {{kF32, {4, 3}}, {kF32, {3}}, {kF32, {3}}},
       {to(0), none, none, to(1), to(2), off, tenth, tenth},
       "f32 4 3"},
      {"aten.native_batch_norm.default",
       {{kF32, {3}}},
       {to(0), none, none, none, none, on, tenth, tenth},
       "f32 3"},  // PyTorch: there are no channels
      {"aten.native_batch_norm_backward.default",
       {{kF32, {3}}, {kF32, {3}}},
       {to(0), to(1), none, none, none, none, none, on, tenth},
       "f32 3"},
  });
}

TEST_CASE("attention gives a row and a sum for each row of the query") {
  const char* flash = "aten._scaled_dot_product_flash_attention_for_cpu.default";
  const std::vector<Arg> three{to(0), to(1), to(2)};
  check_all({
      {flash,
       {{kF32, {1, 2, 3, 4}}, {kF32, {1, 2, 5, 4}}, {kF32, {1, 2, 5, 4}}},
       three,
       "f32 1 2 3 4, f32 1 2 3"},
      {flash,
       {{kF32, {2, 3, 4}}, {kF32, {2, 5, 4}}, {kF32, {2, 5, 4}}},
       three,
       ""},  // PyTorch wants four dimensions
  });
}

TEST_CASE("windows lie inside, or begin inside where their number is rounded up") {
  const Arg on = Arg::of_bool(true), off = Arg::of_bool(false), none;
  const auto pooled = [&](const Extents& shape, std::int64_t kernel, std::int64_t stride, const Arg& up) {
    return results_of(
        {"aten.avg_pool1d.default", {{kF32, shape}}, {to(0), ns({kernel}), ns({stride}), ns({0}), up}, ""});
  };
  CHECK(pooled({1, 1, 4}, 2, 4, on) == "f32 1 1 1");  // the second one would begin behind the last element
  CHECK(pooled({1, 1, 5}, 2, 4, on) == "f32 1 1 2");
  CHECK(pooled({1, 1, 5}, 2, 4, off) == "f32 1 1 1");
  CHECK(pooled({1, 4}, 2, 2, off) == "f32 1 2");
  CHECK(pooled({4}, 2, 2, off).empty());
  const auto convolved = [&](std::int64_t kernel) {
    return results_of({"aten.convolution.default",
                       {{kF32, {1, 1, 3}}, {kF32, {1, 1, kernel}}},
                       {to(0), to(1), none, ns({1}), ns({0}), ns({1}), off, ns({0}), n(1)},
                       ""});
  };
  CHECK(convolved(3) == "f32 1 1 1");
  CHECK(convolved(4).empty());
  check_all({
      {"aten.max_pool2d_with_indices.default",
       {{kF32, {3, 4, 4}}},
       {to(0), ns({2, 2})},
       "f32 3 2 2, i64 3 2 2"},
      {"aten.max_pool2d_with_indices.default", {{kF32, {4, 4}}}, {to(0), ns({2, 2})}, ""},
      {"aten.upsample_nearest1d.default", {{kF32, {1, 2, 3}}}, {to(0), ns({6})}, "f32 1 2 6"},
      {"aten.upsample_nearest1d.default", {{kF32, {3}}}, {to(0), ns({6})}, ""},
  });
}

TEST_CASE("windows as columns, and columns as an image") {
  const auto columns = [](const Extents& shape, const Extents& kernel) {
    return results_of({"aten.im2col.default",
                       {{kF32, shape}},
                       {to(0), ns(kernel), ns({1, 1}), ns({0, 0}), ns({1, 1})},
                       ""});
  };
  CHECK(columns({3, 4, 4}, {2, 2}) == "f32 12 9");
  CHECK(columns({1, 3, 4, 4}, {1, 2}) == "f32 1 6 12");
  CHECK(columns({1, 3, 4, 4}, {2, 1}) == "f32 1 6 12");
  CHECK(columns({1, 3, 4, 4}, {0, 2}).empty());
  CHECK(columns({4, 4}, {2, 2}).empty());
  const auto image = [](const Extents& shape, const Extents& kernel) {
    return results_of({"aten.col2im.default",
                       {{kF32, shape}},
                       {to(0), ns({4, 4}), ns(kernel), ns({1, 1}), ns({0, 0}), ns({1, 1})},
                       ""});
  };
  CHECK(image({1, 3, 16}, {1, 1}) == "f32 1 3 4 4");
  CHECK(image({4, 9}, {2, 2}) == "f32 1 4 4");
  CHECK(image({4, 9}, {0, 2}).empty());
}

TEST_CASE("arange counts what lies before its end, of reals in f64 whatever it gives") {
  const auto of = [](double start, double end, double step, const Arg& dtype) {
    return call("aten.arange.start_step", {},
                {Arg::of_real(start), Arg::of_real(end), Arg::of_real(step), dtype});
  };
  CHECK(of(0, 4, 1, {}) == "f32 4");
  CHECK(of(0, 1, 0.3, {}) == "f32 4");
  CHECK(of(0, 1, 0.3, Arg::of_dtype(kI64)) == "i64 4");
  CHECK(of(0.5, 3.2, 0.9, {}) == "f32 3");
  CHECK(of(5, 0, -0.7, Arg::of_dtype(kF16)) == "f16 8");
  CHECK(of(5, 0, 0.7, {}) == "");  // PyTorch raises, as for a step of 0 and for what is no number
  CHECK(of(0, 1, 0, {}) == "");
  CHECK(of(0, NAN, 1, {}) == "");
  CHECK(of(0, 1e300, 1, {}) == "");
  CHECK(call("aten.arange.start_step", {}, {n(0), Arg::of_real(4), n(1), {}}) == "f32 4");
  CHECK(call("aten.arange.start_step", {}, {n(0), n(4), n(3), {}}) == "i64 2");
}

TEST_CASE("of a number index_select selects itself") {
  check_all({
      {"aten.index_select.default", {{kI64, {}}, {kI64, {}}}, {to(0), n(0), to(1)}, "i64"},
      {"aten.index_select.default", {{kI64, {}}, {kI64, {1}}}, {to(0), n(0), to(1)}, "i64"},
      {"aten.index_select.default", {{kI64, {}}, {kI64, {1}}}, {to(0), n(1), to(1)}, ""},
      {"aten.index_select.default", {{kF32, {3, 2}}, {kI64, {}}}, {to(0), n(1), to(1)}, "f32 3 1"},
  });
}

}  // namespace shapes_said_test
