// Arithmetic on whole numbers that stand everywhere, and arguments that change nothing: which steps become
// simpler, and which must not.
#include "src/effects/dense.h"
#include "src/ops/identities.h"
#include "tests/unit/effects/trace_lines.h"

namespace whole_numbers_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

const std::string kInputs =
    R"(x: "f32[4]", n: "i32[4]", h: "f16[4]", w: "f32[2, 4]", b: "b8[4]", c: "c64[4]")";
const std::string kTwos = "f = aten.full.default([4], 2.0); ";
const std::string kAsItIs;

struct Row {
  std::string statements;
  std::string exact;     // the last step with identities that hold to the bit; kAsItIs: as without
  std::string all = "";  // with all of them; "": the same
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.statements);
    const Case value = alone(kInputs, row.statements, "r");
    const auto last = [&](Identities use) { return last_line(lines(value, "step unknown claim", use)); };
    const std::string none = last(Identities::none), exact = row.exact.empty() ? none : row.exact;
    CHECK(none.starts_with("opaque "));
    CHECK(last(Identities::exact) == exact);
    CHECK(last(Identities::all) == (row.all.empty() ? exact : row.all));
  }
}

}  // namespace

TEST_CASE("whole numbers that stand everywhere are reckoned with", "[identities]") {
  // table: statements, what is said of them
  check({
      {kTwos + "r = aten.add.Tensor(f, 3);", "fill f32:5  write S9:f32[4]"},
      {kTwos + "r = aten.sub.Tensor(f, 3);", "fill f32:-1  write S9:f32[4]"},
      {kTwos + "r = aten.mul.Tensor(f, -3);", "fill f32:-6  write S9:f32[4]"},
      {"f = aten.zeros.default([4]); r = aten.mul.Tensor(f, -3);", "fill f32:-0f  write S9:f32[4]"},
      {kTwos + "r = aten.neg.default(f);", "fill f32:-2  write S9:f32[4]"},
      {kTwos + "r = aten.add.Tensor(f, 3, alpha = 2);", kAsItIs},
      {kTwos + "r = aten.add.Tensor(f, 3, alpha = 1);", "fill f32:5  write S9:f32[4]"},
      {kTwos + "r = aten.lt.Scalar(f, 2);", "fill bool:0  write S9:bool[4]"},
      {kTwos + "r = aten.eq.Scalar(f, 2);", "fill bool:1  write S9:bool[4]"},
      {"f = aten.full.default([4], 2047.0, dtype = torch.float16); r = aten.add.Tensor(f, 1);",
       "fill f16:2048  write S9:f16[4]"},
      {"f = aten.full.default([4], 2048.0, dtype = torch.float16); r = aten.add.Tensor(f, 1);", kAsItIs},
      {"f = aten.full.default([4], 2147483646, dtype = torch.int32); r = aten.add.Tensor(f, 1);",
       "fill i32:2147483647  write S9:i32[4]"},
      {"f = aten.full.default([4], 2147483647, dtype = torch.int32); r = aten.add.Tensor(f, 1);", kAsItIs},
      {"f = aten.full.default([4], 2, dtype = torch.int32); r = aten.add.Tensor(f, 2.0);", kAsItIs},
      {"f = aten.full.default([4], 2, dtype = torch.int32); r = aten.lt.Scalar(f, 2.0);", kAsItIs},
      {"f = aten.full.default([4], 2, dtype = torch.int32); g = aten.full.default([4], 3.0); r = "
       "aten.add.Tensor(f, g);",
       kAsItIs},
      {kTwos + "g = aten.full.default([2, 1], 3.0); r = aten.add.Tensor(f, g);",
       "fill f32:5  write S10:f32[2, 4]"},
      {kTwos + "g = aten.full.default([4], 3.0); r = aten.maximum.default(f, g);",
       "fill f32:3  write S10:f32[4]"},
      {"f = aten.full.default([4], True); r = aten.add.Tensor(f, True);", kAsItIs},
      {"f = aten.full.default([4], True); r = aten.eq.Scalar(f, True);", kAsItIs},
      {kTwos + "g = aten.add_.Tensor(f, 3); r = aten.add.Tensor(f, 1);", "fill f32:6  write S9:f32[4]"},
      {kTwos + "v = aten.slice.Tensor(f, 0, 0, 2); r = aten.add_.Tensor(v, 3);",
       "fill f32:5  write S8:f32.slice(0, 0, step 1)[2]"},
      {kTwos + "v = aten.slice.Tensor(f, 0, 0, 2); g = aten.add_.Tensor(v, 3); r = aten.add.Tensor(f, 1);",
       kAsItIs},
      {kTwos + "v = aten.slice.Tensor(f, 0, 0, 2); r = aten.add.Tensor(v, 1);",
       "fill f32:3  write S9:f32[2]"},
      {"f = aten.full.default([2, 4], 2.0); v = aten.select.int(f, 0, 0); r = aten.add_.Tensor(f, v);",
       kAsItIs},
      {"f = aten.full.default([2, 4], 2.0); r = aten.add_.Tensor(f, f);", "fill f32:4  write S8:f32[2, 4]"},
      {kTwos + "g = aten.mul_.Tensor(f, x); r = aten.add.Tensor(f, 1);", kAsItIs},
      {"f = aten.full.default([4], -0.0); r = aten.add.Tensor(f, 1);", "fill f32:1  write S9:f32[4]"},
      {"f = aten.full.default([4], 2.5); r = aten.add.Tensor(f, 1);", "fill f32:3.5f  write S9:f32[4]"},
      {kTwos + "r = aten.add.Tensor(f, 1.5);", "fill f32:3.5f  write S9:f32[4]"},
      {kTwos + "r = aten.add.Tensor(f, -0.0);", "fill f32:2  write S9:f32[4]"},
      {kTwos + "g = aten.clone.default(f); r = aten.add.Tensor(g, 1);", "fill f32:3  write S10:f32[4]"},
      {kTwos + "g = aten._to_copy.default(f, dtype = torch.int32); r = aten.add.Tensor(g, 1);",
       "fill i32:3  write S10:i32[4]"},
      {kTwos + "g = aten._to_copy.default(f, dtype = torch.bool); r = aten.eq.Scalar(g, 1);", kAsItIs},
      {kTwos + "g = aten.empty.memory_format([8]); v = aten.slice.Tensor(g, 0, 0, 4); k = "
               "aten.copy_.default(v, f); r = aten.add.Tensor(g, 1);",
       kAsItIs},
      {kTwos + "k: \"i32[4]\" = aten.view.dtype(f, torch.int32); r = aten.add.Tensor(k, 1);", kAsItIs},
      {kTwos + "o = aten.empty.memory_format([4]); r = aten.add.out(f, f, out = o);",
       "fill f32:4  write S9:f32[4]"},
      {kTwos +
           "o = aten.empty.memory_format([4]); g = aten.add.out(f, f, out = o); r = aten.add.Tensor(o, 1);",
       "fill f32:5  write S10:f32[4]"},
      {kTwos + "o = aten.empty.memory_format([4], dtype = torch.float64); r = aten.add.out(f, f, out = o);",
       "opaque \"aten.add;T;2\"  write S9:f64[4]  read S8:f32[4]"},
      {kTwos + "r: \"f32[4]\" = aten.multiply.Tensor(f, 3);", "fill f32:6  write S9:f32[4]"},
      {kTwos + "r = prims.add.default(f, f);", "fill f32:4  write S9:f32[4]"},
      {kTwos + "r = prims.neg.default(f);", "fill f32:-2  write S9:f32[4]"},
      {kTwos + "r = aten.mul.Scalar(f, 3);", "fill f32:6  write S9:f32[4]"},
      // Numbers that are not whole: rounded once, by floats and doubles alone, and where they are ordinary.
      {"f = aten.zeros.default([4]); r = aten.mul.Tensor(f, 0.9);", "fill f32:0  write S9:f32[4]"},
      {"f = aten.full.default([4], 0.5); r = aten.mul.Tensor(f, 0.3);",
       "fill f32:0.15000000596046448f  write S9:f32[4]"},
      {"f = aten.full.default([4], 0.5); g = aten.mul_.Tensor(f, x); r = aten.mul.Tensor(f, 0.3);", kAsItIs},
      {"f = aten.full.default([4], 0.5); v = aten.slice.Tensor(f, 0, 0, 2); g = aten.mul_.Tensor(v, 0.3); r "
       "= "
       "aten.mul.Tensor(f, 0.3);",
       kAsItIs},
      {"f = aten.full.default([4], 0.5, dtype = torch.float16); r = aten.mul.Tensor(f, 0.3);", kAsItIs},
      {"f = aten.full.default([4], 1e-30); r = aten.mul.Tensor(f, 1e-12);", kAsItIs},
      {"f = aten.full.default([4], 1e30); r = aten.mul.Tensor(f, 1e30);", kAsItIs},
      {"f = aten.full.default([4], 0.5); r = aten.add.Tensor(f, 0.25, alpha = 2);", kAsItIs},
      {kTwos + "r = aten.div.Tensor(f, 4);", "fill f32:0.5f  write S9:f32[4]"},
      {kTwos + "r = aten.div.Tensor(f, 3);", kAsItIs},
      {"f = aten.full.default([4], 0.5); r = aten.ge.Scalar(f, 0.25);", "fill bool:1  write S9:bool[4]"},
      {"f = aten.full.default([4], 1, dtype = torch.bool); r = aten.logical_not.default(f);",
       "fill bool:0  write S9:bool[4]"},
      // What lies between its elements is not what it holds.
      {"f: \"f32[2][2]cpu\" = aten.full.default([2], 2.0); v = aten.as_strided.default(f, [3], [1]); r = "
       "aten.add.Tensor(v, 1);",
       kAsItIs},
  });
}

TEST_CASE("an argument that changes nothing leaves a copy", "[identities]") {
  // table: statements, what is said of them
  check({
      {"r = aten.add.Tensor(n, 0);", "move  write S8:i32[4]  read S3:i32[4]"},
      {"r = aten.add.Tensor(x, 0);", "opaque \"aten.add;T;0\"  write S8:f32[4]  read S2:f32[4]",
       "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.mul.Tensor(x, 1);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.mul.Tensor(x, 1.0);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.mul.Tensor(x, True);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.mul.Tensor(x, 2);", kAsItIs},
      {"r = aten.mul.Tensor(n, 1.0);", kAsItIs},
      {"r = aten.mul.Tensor(c, 1);", kAsItIs},
      {"r = aten.mul.Tensor(b, True);", "move  write S8:bool[4]  read S6:bool[4]"},
      {"r = aten.sub.Tensor(x, 0);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.sub.Tensor(x, 0, alpha = 3);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.sub.Tensor(x, 0, alpha = -1);", kAsItIs},  // -0 + 0 is 0
      {"r = aten.sub.Tensor(x, 0, alpha = 0);", kAsItIs},
      {"r = aten.sub.Tensor(n, 0, alpha = -1);", "move  write S8:i32[4]  read S3:i32[4]"},
      {"r = aten.div.Tensor(x, 1);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.div.Tensor(n, 1);", kAsItIs},
      {"r = aten.div.Tensor_mode(x, 1, rounding_mode = 'floor');", kAsItIs},
      {"r = aten.pow.Tensor_Scalar(x, 1);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r = aten.add.Tensor(n, 0, alpha = 5);", "move  write S8:i32[4]  read S3:i32[4]"},
      {"r = aten.add.Tensor(n, 0, alpha = 2.5);", kAsItIs},
      {"r = aten.add.Tensor(n, 1, alpha = 0);", kAsItIs},
      {"f = aten.full.default([4], 0, dtype = torch.int32); r = aten.add.Tensor(f, n);",
       "move  write S9:i32[4]  read S3:i32[4]"},
      {"f = aten.full.default([4], 0, dtype = torch.int32); r = aten.add.Tensor(f, n, alpha = 3);",
       "opaque \"aten.add;0;T;alpha=3\"  write S9:i32[4]  read S3:i32[4]"},
      {"f = aten.full.default([4], 0, dtype = torch.int32); r = aten.sub.Tensor(f, n);",
       "opaque \"aten.sub;0;T\"  write S9:i32[4]  read S3:i32[4]"},
      {"f = aten.full.default([4], 0, dtype = torch.int32); r = aten.sub.Tensor(n, f);",
       "move  write S9:i32[4]  read S3:i32[4]"},
      {"f = aten.full.default([2, 4], 1.0); r = aten.mul.Tensor(f, x);", kAsItIs},
      {"f = aten.full.default([2, 1], 1.0); r = aten.mul.Tensor(w, f);",
       "move  write S9:f32[2, 4]  read S5:f32[2, 4]"},
      {"f = aten.full.default([4], 1.0, dtype = torch.float16); r = aten.mul.Tensor(x, f);",
       "move  write S9:f32[4]  read S2:f32[4]"},
      {"r = aten.mul_.Tensor(x, 1);", "move  write S2:f32[4]  read S2:f32[4]"},
      {"f = aten.full.default([4], 1.0); r = aten.mul_.Tensor(x, f);",
       "move  write S2:f32[4]  read S2:f32[4]"},
      {"f = aten.full.default([4], 1.0); r = aten.mul_.Tensor(f, x);",
       "move  write S8:f32[4]  read S2:f32[4]"},
      {"o = aten.empty.memory_format([4]); f = aten.full.default([4], 1.0); r = aten.mul.out(x, f, out = o);",
       "move  write S8:f32[4]  read S2:f32[4]"},
      {"f = aten.full.default([2, 4], 1.0); v = aten.select.int(f, 0, 0); r = aten.mul.out(w, v, out = f);",
       kAsItIs},
      {"f = aten.full.default([4], 1.0); o = aten.empty.memory_format([4], dtype = torch.float64); r = "
       "aten.mul.out(x, f, out = o);",
       "opaque \"aten.mul;T;1\"  write S9:f64[4]  read S2:f32[4]"},
      {"r = aten.multiply.Tensor(x, 1);", "move  write S8:f32[4]  read S2:f32[4]"},
      {"r: \"f32[4]\" = aten.mul.Tensor(x, 1);", "move  write S8:f32[4]  read S2:f32[4]"},
  });
}

TEST_CASE("a tensor of one whole number is that number", "[identities]") {
  // table: statements, what is said of them
  check({
      {kTwos + "r = aten.mul.Tensor(x, f);", "opaque \"aten.mul;T;2\"  write S9:f32[4]  read S2:f32[4]"},
      {kTwos + "r = aten.mul.Tensor(f, x);", "opaque \"aten.mul;2;T\"  write S9:f32[4]  read S2:f32[4]"},
      {"f = aten.full.default([], 2.0); r = aten.mul.Tensor(x, f);",
       "opaque \"aten.mul;T;2\"  write S9:f32[4]  read S2:f32[4]"},
      {"f = aten.full.default([], 2.0); r = aten.lt.Tensor(f, x);",
       "opaque \"aten.lt;2;T\"  write S9:bool[4]  read S2:f32[4]"},
      {"f = aten.full.default([2, 1], 2.0); r = aten.mul.Tensor(x, f);", kAsItIs},
      {"f = aten.full.default([4], 2.0, dtype = torch.float16); r = aten.mul.Tensor(x, f);", kAsItIs},
      {kTwos + "r = aten.mul_.Tensor(f, x);", kAsItIs},
      {kTwos + "g = aten.full.default([4], 3.0); r = aten.div.Tensor(f, g);", kAsItIs},
      {"f = aten.full.default([2, 4], 2.0); v = aten.select.int(f, 0, 0); r = aten.mul.out(w, v, out = f);",
       kAsItIs},
      {kTwos + "r = aten.atan2.default(x, f);", kAsItIs},
  });
}

TEST_CASE("what makes no tensor is not reckoned with", "[identities]") {
  const Case value = alone(kInputs, "r = aten.eq.Tensor_list([x], [h]);", "x");
  CHECK(lines(value, "step unknown", Identities::exact) ==
        "opaque \"aten.eq;[T,];[T,]\"  read S2:f32[4], S4:f16[4]");
}

TEST_CASE("whole numbers that a type holds", "[identities]") {
  const std::int64_t k = 1;
  const struct {
    Dtype type;
    std::int64_t least, most;
  } rows[] = {{Dtype::boolean, 0, 1},
              {Dtype::i8, -128, 127},
              {Dtype::u8, 0, 255},
              {Dtype::i16, -32768, 32767},
              {Dtype::i32, -(k << 31), (k << 31) - 1},
              {Dtype::f16, -2048, 2048},
              {Dtype::bf16, -256, 256},
              {Dtype::f32, -(k << 24), k << 24},
              {Dtype::f64, -(k << 53), k << 53}};
  for (const auto& row : rows) {
    INFO(name(row.type));
    for (const std::int64_t held : {row.least, row.most, std::int64_t{0}, k})
      CHECK(holds_whole(row.type, held));
    for (const std::int64_t beyond : {row.least - 1, row.most + 1})
      CHECK_FALSE(holds_whole(row.type, beyond));
  }
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t value : {least, std::int64_t{0}, most}) CHECK(holds_whole(Dtype::i64, value));
  CHECK(holds_whole(Dtype::u64, most));
  CHECK_FALSE(holds_whole(Dtype::u64, -1));
  for (const Dtype type : {Dtype::c64, Dtype::other, Dtype::f8e4m3fn}) CHECK_FALSE(holds_whole(type, 0));
}

TEST_CASE("strides are dense where they place every element once and without gaps", "[identities]") {
  Space space;
  const auto ids = [&](const std::vector<std::int64_t>& values) {
    std::vector<PolyId> out;
    for (const std::int64_t value : values) out.push_back(space.constant(value));
    return out;
  };
  const struct {
    std::vector<std::int64_t> shape, strides;
    bool dense;
  } rows[] = {{{}, {}, true},
              {{2, 3}, {3, 1}, true},
              {{2, 3}, {1, 2}, true},
              {{2, 3}, {4, 1}, false},
              {{2, 3}, {1, 1}, false},
              {{2, 3}, {3, 2}, false},
              {{3}, {2}, false},
              {{3}, {0}, false},
              {{1, 3}, {99, 1}, true},
              {{3, 1}, {1, 99}, true},
              {{0, 3}, {7, 7}, true},
              {{2, 3, 4}, {12, 1, 3}, true},
              {{2, 3, 4}, {3, 6, 1}, false},
              {{2, 3, 4}, {1, 8, 2}, true},
              {{4, 3, 2}, {1, 8, 4}, true},
              {{2, 2, 2}, {4, 2, 2}, false}};
  for (const auto& row : rows) CHECK(effects::is_dense(space, ids(row.shape), ids(row.strides)) == row.dense);
}

TEST_CASE("a number that stands everywhere is what its type holds of it", "[identities]") {
  const auto filled = [](const std::string& value, const std::string& dtype) {
    const std::string step = "r = aten.full.default([4], " + value + ", dtype = torch." + dtype + ");";
    return last_line(lines(alone(kInputs, step, "r"), "step unknown claim", Identities::all));
  };
  CHECK(filled("1.2", "float32").starts_with("fill f32:1.2000000476837158"));
  CHECK(filled("1.2", "float32") == filled("1.2000000476837158", "float32"));
  CHECK(filled("1.2", "float32") != filled("1.2000002", "float32"));
  CHECK(filled("1.2", "float64") != filled("1.2000000476837158", "float64"));
  CHECK(filled("1.2", "float16") == filled("1.2001953125", "float16"));
  CHECK(filled("1.2", "bfloat16") == filled("1.203125", "bfloat16"));
  CHECK(filled("1.2", "bfloat16") != filled("1.2001953125", "float16"));
  // Above the middle of two f16 by less than an f32 tells: to the even one.
  CHECK(filled("1.00048828126", "float16") == filled("1.0", "float16"));
  CHECK(filled("1.000489", "float16") == filled("1.0009765625", "float16"));
  CHECK(filled("16777217", "float32") == filled("16777216.0", "float32"));
  CHECK(filled("16777217", "float64") != filled("16777216.0", "float64"));
  CHECK(filled("-0.0", "float32") != filled("0", "float32"));
  CHECK(filled("70000.0", "float16") != filled("80000.0", "float16"));  // both are refused
}

}  // namespace whole_numbers_test
