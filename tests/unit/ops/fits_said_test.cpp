// What PyTorch takes and what it refuses, by types and sizes alone. Rows were asked of the CPU kernels of
// PyTorch 2.15, but for out_dtype and gradients of f16 in f32, which exist for CUDA.
#include "tests/unit/ops/said.h"

namespace fits_said_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

constexpr Dtype kU8 = Dtype::u8, kI32 = Dtype::i32, kC64 = Dtype::c64, kBool = Dtype::boolean;

Arg of(Dtype dtype) { return Arg::of_dtype(dtype); }

using Typed = std::pair<Dtype, Extents>;

/// An operator, and whether PyTorch takes it.
struct Taken {
  bool taken;
  const char* op;
  std::vector<Typed> tensors;
  std::vector<Arg> arguments;
};

void check_taken(const std::vector<Taken>& rows) {
  for (const Taken& row : rows) {
    std::string given;
    for (const auto& [dtype, shape] : row.tensors) {
      given += " " + std::string(name(dtype)) + "[";
      for (const std::int64_t extent : shape) given += " " + std::to_string(extent);
      given += "]";
    }
    INFO(row.op << given);
    CHECK(results_of({row.op, row.tensors, row.arguments, ""}).empty() == !row.taken);
  }
}

const Typed kSquare = {kF32, {2, 2}};

}  // namespace

TEST_CASE("elements of some types are not computed with") {
  for (const char* op : {"aten.erf.default", "aten.erfc.default", "aten.frac.default", "aten.nansum.default",
                         "aten.special_erf.default", "prims.erf.default", "prims.erfc.default"})
    check_taken({{true, op, {{kF32, {2}}}, {to(0)}}, {false, op, {{kC64, {2}}}, {to(0)}}});
  check_taken({
      {true, "aten.addcdiv.default", {{kF32, {2}}, {kI64, {2}}, {kF32, {2}}}, {to(0), to(1), to(2)}},
      {true, "aten.addcdiv.default", {{kF32, {2}}, {kF32, {2}}, {kI64, {2}}}, {to(0), to(1), to(2)}},
      {false, "aten.addcdiv.default", {{kF32, {2}}, {kI64, {2}}, {kBool, {2}}}, {to(0), to(1), to(2)}},
      {true, "aten.take.default", {{kF32, {2}}, {kI64, {2}}}, {to(0), to(1)}},
      {false, "aten.take.default", {{kF32, {2}}, {kI32, {2}}}, {to(0), to(1)}},
      {true, "aten.mean.default", {{kC64, {2}}}, {to(0)}},
      {false, "aten.mean.default", {{kI64, {2}}}, {to(0)}},
      {true, "aten.mean.default", {{kI64, {2}}}, {to(0), of(kF32)}},
  });
}

TEST_CASE("matrices are of one type, of the rank that an operator takes, and fit what is added") {
  const Typed batch = {kF32, {3, 2, 2}}, vector = {kF32, {2}};
  const std::vector<Arg> two = {to(0), to(1)}, three = {to(0), to(1), to(2)};
  const std::vector<Arg> asked = {to(0), to(1), to(2), of(kF32)};
  check_taken({
      {true, "aten.mm.default", {kSquare, kSquare}, two},
      {false, "aten.mm.default", {kSquare, {kF64, {2, 2}}}, two},
      {false, "aten.mm.default", {batch, batch}, two},
      {false, "aten.mm.default", {kSquare, vector}, two},
      {true, "aten.bmm.default", {batch, batch}, two},
      {false, "aten.bmm.default", {kSquare, kSquare}, two},
      {true, "aten.mv.default", {kSquare, vector}, two},
      {false, "aten.mv.default", {kSquare, kSquare}, two},
      {true, "aten.dot.default", {vector, vector}, two},
      {false, "aten.dot.default", {vector, {kF32, {3}}}, two},
      {false, "aten.dot.default", {vector, {kF64, {2}}}, two},
      {false, "aten.dot.default", {kSquare, vector}, two},
      {false, "aten.dot.default", {vector, kSquare}, two},
      {true, "aten.addmm.default", {vector, kSquare, kSquare}, three},
      {true, "aten.addmm.default", {{kF32, {2, 1}}, kSquare, kSquare}, three},
      {false, "aten.addmm.default", {{kF32, {3}}, kSquare, kSquare}, three},
      {false, "aten.addmm.default", {{kF64, {2}}, kSquare, kSquare}, three},
      {true, "aten.addmm.dtype", {{kF32, {2}}, {kF16, {2, 2}}, {kF16, {2, 2}}}, asked},
      {false, "aten.addmm.dtype", {{kF32, {2}}, {kF16, {2, 2}}, {kF32, {2, 2}}}, asked},
      {true, "aten.addmv.default", {vector, kSquare, vector}, three},
      {false, "aten.addmv.default", {{kF32, {3}}, kSquare, vector}, three},
      {true, "aten.baddbmm.default", {kSquare, batch, batch}, three},
      {false, "aten.baddbmm.default", {{kF64, {3, 2, 2}}, batch, batch}, three},
      {true, "aten.linear.default", {{kF32, {2, 3}}, {kF32, {4, 3}}, {kF32, {1}}}, three},
      {true, "aten.linear.default", {{kF32, {2, 3}}, {kF32, {4, 3}}}, two},
      {true, "aten.linear.default", {{kF32, {5, 2, 3}}, {kF32, {4, 3}}, {kF32, {2, 4}}}, three},
      {false, "aten.linear.default", {{kF32, {2, 3}}, {kF32, {4, 3}}, {kF32, {5}}}, three},
      {false, "aten.trace.default", {batch}, {to(0)}},
      {true, "aten.trace.default", {kSquare}, {to(0)}},
      {false, "aten.tril.default", {vector}, {to(0)}},
      {true, "aten.tril.default", {batch}, {to(0)}},
      {false, "aten.bucketize.Tensor", {vector, kSquare}, two},
      {true, "aten.bucketize.Tensor", {kSquare, vector}, two},
      {true,
       "aten._cdist_forward.default",
       {{kF32, {2, 3}}, {kF32, {4, 3}}},
       {to(0), to(1), Arg::of_real(2), {}}},
      {false,
       "aten._cdist_forward.default",
       {{kF32, {2, 3}}, {kF32, {4, 2}}},
       {to(0), to(1), Arg::of_real(2), {}}},
      {false,
       "aten._cdist_forward.default",
       {{kF32, {3}}, {kF32, {4, 3}}},
       {to(0), to(1), Arg::of_real(2), {}}},
  });
}

TEST_CASE("gradients have the shape of what they are gradients of") {
  const auto softmax = [](const Typed& grad, const Typed& out, Dtype input) {
    return Taken{true, "aten._softmax_backward_data.default", {grad, out}, {to(0), to(1), n(0), of(input)}};
  };
  Taken taken = softmax({kF32, {2}}, {kF32, {2}}, kF32);
  check_taken({taken, softmax({kF32, {2}}, {kF32, {2}}, kF16)});
  for (Taken refused : {softmax({kF32, {1}}, {kF32, {2}}, kF32), softmax({kF32, {2}}, {kF32, {2}}, kF64)}) {
    refused.taken = false;
    check_taken({refused});
  }
  const std::vector<Arg> three = {to(0), to(1), to(2)};
  const std::vector<Arg> dense = {to(0), to(1), n(4), n(-1), Arg::of_bool(false)};
  const std::vector<Arg> pool = {to(0), to(1), ns({2, 2}), ns({2, 2}), ns({0, 0})};
  check_taken({
      {true, "aten.log_sigmoid_backward.default", {{kF32, {2}}, {kF32, {2}}, {kF32, {2}}}, three},
      {true, "aten.log_sigmoid_backward.default", {{kF32, {2}}, {kF32, {2}}, {kF32, {0}}}, three},
      {false, "aten.log_sigmoid_backward.default", {{kF32, {2}}, {kF32, {2}}, {kF32, {3}}}, three},
      {true, "aten.embedding_dense_backward.default", {{kF32, {6, 3}}, {kI64, {6}}}, dense},
      {false, "aten.embedding_dense_backward.default", {{kF32, {6, 3}}, {kI64, {5}}}, dense},
      {true, "aten.embedding_dense_backward.default", {{kF32, {6, 3}}, {kI64, {2, 3}}}, dense},
      {true, "aten.avg_pool2d_backward.default", {{kF32, {1, 2, 2}}, {kF32, {1, 4, 4}}}, pool},
      {false, "aten.avg_pool2d_backward.default", {{kF32, {1, 2, 3}}, {kF32, {1, 4, 4}}}, pool},
      {false, "aten.avg_pool2d_backward.default", {{kF32, {1, 2, 2}}, {kF32, {1, 1, 4, 4}}}, pool},
      {true,
       "aten._adaptive_avg_pool2d_backward.default",
       {{kF32, {1, 2, 2}}, {kF32, {1, 4, 4}}},
       {to(0), to(1)}},
      {false,
       "aten._adaptive_avg_pool2d_backward.default",
       {{kF32, {2, 2}}, {kF32, {1, 4, 4}}},
       {to(0), to(1)}},
  });
}

TEST_CASE("layers take parameters of their sizes") {
  const Arg none, eps = Arg::of_real(1e-5);
  const std::vector<Arg> layer = {to(0), ns({4}), to(1), none, eps};
  const std::vector<Arg> group = {to(0), to(1), none, n(2), n(4), n(3), n(2), eps};
  const std::vector<Arg> conv = {
      to(0), to(1), to(2), ns({1, 1}), ns({0, 0}), ns({1, 1}), Arg::of_bool(false), ns({0, 0}), n(1)};
  const Typed image = {kF32, {1, 1, 3, 3}}, kernel = {kF32, {2, 1, 2, 2}};
  check_taken({
      {true, "aten.native_layer_norm.default", {{kF32, {2, 4}}, {kF32, {4}}}, layer},
      {false, "aten.native_layer_norm.default", {{kF32, {2, 4}}, {kF32, {1, 4}}}, layer},
      {false, "aten.native_layer_norm.default", {{kF32, {2, 5}}, {kF32, {4}}}, layer},
      {false, "aten.native_layer_norm.default", {{kF32, {}}, {kF32, {4}}}, layer},
      {true, "aten.native_group_norm.default", {{kF32, {2, 4, 3}}, {kF32, {4}}}, group},
      {false, "aten.native_group_norm.default", {{kF32, {2, 4, 3}}, {kF32, {3}}}, group},
      {false, "aten.native_group_norm.default", {{kF32, {2, 5, 3}}, {kF32, {4}}}, group},
      {true, "aten.convolution.default", {image, kernel, {kF32, {2}}}, conv},
      {true, "aten.convolution.default", {image, kernel, {kF64, {2}}}, conv},
      {false, "aten.convolution.default", {{kF64, {1, 1, 3, 3}}, kernel, {kF32, {2}}}, conv},
      {false, "aten.convolution.default", {image, kernel, {kF32, {3}}}, conv},
      {false, "aten.convolution.default", {image, kernel, {kF32, {2, 1}}}, conv},
      {true, "aten.upsample_nearest2d.default", {{kF32, {1, 1, 3, 3}}}, {to(0), ns({6, 6})}},
      {false, "aten.upsample_nearest2d.default", {{kF32, {1, 3, 3}}}, {to(0), ns({6, 6})}},
      {true, "aten.reflection_pad1d.default", {{kF32, {1, 3}}}, {to(0), ns({1, 1})}},
      {true, "aten.reflection_pad1d.default", {{kF32, {1, 1, 3}}}, {to(0), ns({1, 1})}},
      {false, "aten.reflection_pad1d.default", {{kF32, {1, 1, 3, 3}}}, {to(0), ns({1, 1})}},
      {false, "aten.reflection_pad1d.default", {{kF32, {3}}}, {to(0), ns({1, 1})}},
      {true,
       "aten.col2im.default",
       {{kF32, {4, 9}}},
       {to(0), ns({4, 4}), ns({2, 2}), ns({1, 1}), ns({0, 0}), ns({1, 1})}},
      {false,
       "aten.col2im.default",
       {{kF32, {4, 8}}},
       {to(0), ns({4, 4}), ns({2, 2}), ns({1, 1}), ns({0, 0}), ns({1, 1})}},
  });
}

TEST_CASE("index_put takes masks of the extents that they stand for, and indices that broadcast") {
  const auto put = [](const Typed& mask) {
    return results_of(
        {"aten.index_put.default", {kSquare, mask, {kF32, {}}}, {to(0), Arg::of({to(1)}), to(2)}, ""});
  };
  CHECK(put({kBool, {2, 2}}) == "f32 2 2");
  CHECK(put({kBool, {2}}) == "f32 2 2");
  CHECK(put({kBool, {3}}).empty());
  CHECK(put({kBool, {2, 3}}).empty());
  CHECK(put({kBool, {2, 2, 2}}).empty());
  CHECK(put({kU8, {3}}).empty());
  CHECK(put({kU8, {2}}) == "f32 2 2");
  CHECK(put({kI64, {3}}) == "f32 2 2");
  const auto both = [](const Extents& one, const Extents& other) {
    return results_of({"aten.index_put.default",
                       {kSquare, {kI64, one}, {kI64, other}, {kF32, {}}},
                       {to(0), Arg::of({to(1), to(2)}), to(3)},
                       ""});
  };
  CHECK(both({3}, {3}) == "f32 2 2");
  CHECK(both({3}, {1}) == "f32 2 2");
  CHECK(both({1}, {4, 3}) == "f32 2 2");
  CHECK(both({3}, {2}).empty());
  CHECK(both({2, 1}, {3, 2}).empty());
}

}  // namespace fits_said_test
