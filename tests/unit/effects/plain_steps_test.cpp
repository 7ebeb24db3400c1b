// What plain steps become in the Trace: fills, factories, pieces at other places, operators over lists.
#include "tests/unit/effects/trace_lines.h"

namespace plain_steps_test {

using namespace noclobber;
using namespace noclobber::trace_lines;

namespace {

const std::string kInputs =
    R"~(x: "f32[4]", n: "i32[4]", z: "f32[]", w: "f32[2, 4]", b: "b8[4]", e: "f32[0, 4]", s0: "Sym(s0)", y: "f32[4]", i: "i64[]")~";

struct Row {
  std::string statements;
  std::string lines;  // steps, claims and what is unknown
  std::uint64_t in_place = 0, unmodelled = 0;
};

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    INFO(row.statements);
    const bool named =
        row.statements.find("r = ") != std::string::npos || row.statements.find("r: ") != std::string::npos;
    const Case value = alone(kInputs, row.statements + ";", named ? "r" : "x");
    Space space = searching_space();
    const Traced out = traced(space, value);
    CHECK(lines_of(space, out.after, "step claim unknown") == row.lines);
    CHECK(out.in_place == row.in_place);
    CHECK(out.unmodelled == row.unmodelled);
  }
}

}  // namespace

TEST_CASE("a scalar is written as the bits that it becomes", "[steps]") {
  // table: statements, what is said of them
  check({
      {"r = aten.full.default([2], 2)", "fill i64:2  write S10:i64[2]"},
      {"r = aten.full.default([2], 2.0)", "fill f32:2  write S10:f32[2]"},
      {"r = aten.full.default([2], True)", "fill bool:1  write S10:bool[2]"},
      {"r = aten.full.default([2], 2.5)", "fill f32:2.5f  write S10:f32[2]"},
      {"r = aten.full.default([2], -0.0)", "fill f32:-0f  write S10:f32[2]"},
      {"r = aten.full.default([2], 0.0)", "fill f32:0  write S10:f32[2]"},
      {"r = aten.full.default([2], 1e14)", "fill f32:100000000376832  write S10:f32[2]"},
      {"r = aten.full.default([2], 1e15)", "fill f32:999999986991104  write S10:f32[2]"},
      {"r = aten.full.default([2], -1e15)", "fill f32:-999999986991104  write S10:f32[2]"},
      {"r = aten.full.default([2], 1e16)", "fill f32:10000000272564224f  write S10:f32[2]"},
      {"r = aten.full.default([2], -2.0)", "fill f32:-2  write S10:f32[2]"},
      {"r = aten.full.default([2], True, dtype = torch.float32)", "fill f32:1  write S10:f32[2]"},
      {"r = aten.full.default([2], False, dtype = torch.int32)", "fill i32:0  write S10:i32[2]"},
      {"r = aten.full.default([2], False)", "fill bool:0  write S10:bool[2]"},
      {"r = aten.full.default([2], 5, dtype = torch.bool)", "fill bool:1  write S10:bool[2]"},
      {"r = aten.full.default([2], 0, dtype = torch.bool)", "fill bool:0  write S10:bool[2]"},
      {"r = aten.full.default([2], 5.5, dtype = torch.bool)", "fill bool:5.5f  write S10:bool[2]"},
      {"r = aten.full.default([2], s0, dtype = torch.bool)", "fill bool:{s0}  write S10:bool[2]"},
      {"r = aten.full.default([2], s0)", "fill i64:{s0}  write S10:i64[2]"},
      {"r = aten.full.default([2], z)", "unknown no-metadata aten.full.default\nunknown no-metadata r", 0, 1},
      {"r: \"f32[2]\" = aten.full.default([2], z)",
       "move  write S10:f32[2]  read S4:f32.reshape[1].expand[2]"},
      {"r = aten.full.default([2], z, dtype = torch.float32)",
       "move  write S10:f32[2]  read S4:f32.reshape[1].expand[2]"},
      {"r = aten.full.default([s0], 1.0)", "fill f32:1  write S10:f32[s0]"},
      {"r = aten.full.default([], 1.0)", "fill f32:1  write S10:f32[]"},
  });
}

TEST_CASE("a factory makes what its arguments say", "[steps]") {
  // table: statements, what is said of them
  check({
      {"r = aten.zeros.default([2, 3])", "fill f32:0  write S10:f32[2, 3]"},
      {"r = aten.zeros.default([2, 3], dtype = torch.int64)", "fill i64:0  write S10:i64[2, 3]"},
      {"r = aten.ones.default([2, 3])", "fill f32:1  write S10:f32[2, 3]"},
      {"r = aten.ones_like.default(n)", "fill i32:1  write S10:i32[4]"},
      {"r = aten.zeros_like.default(n)", "fill i32:0  write S10:i32[4]"},
      {"r = aten.zeros_like.default(n, dtype = torch.float64)", "fill f64:0  write S10:f64[4]"},
      {"r = aten.full_like.default(n, 3)", "fill i32:3  write S10:i32[4]"},
      {"r = aten.full_like.default(n, 3.0)", "fill i32:3  write S10:i32[4]"},
      {"r = aten.full_like.default(x, True)", "fill f32:1  write S10:f32[4]"},
      {"r = aten.new_zeros.default(n, [3])", "fill i32:0  write S10:i32[3]"},
      {"r = aten.new_ones.default(n, [3])", "fill i32:1  write S10:i32[3]"},
      {"r = aten.new_full.default(n, [3], 7)", "fill i32:7  write S10:i32[3]"},
      {"r = aten.new_full.default(n, [3], 7, dtype = torch.float32)", "fill f32:7  write S10:f32[3]"},
      {"r = aten.scalar_tensor.default(3)", "fill f32:3  write S10:f32[]"},
      {"r = aten.scalar_tensor.default(3.0)", "fill f32:3  write S10:f32[]"},
      {"r = aten.scalar_tensor.default(True)", "fill f32:1  write S10:f32[]"},
      {"r = aten.scalar_tensor.default(s0)", "fill f32:{s0}  write S10:f32[]"},
      {"r = prims.scalar_tensor.default(3, dtype = torch.float32)", "fill f32:3  write S10:f32[]"},
      {"r = aten.empty.memory_format([2])", ""},
      {"r = aten.empty.memory_format([2], dtype = torch.int32)", ""},
      {"r = aten.empty_like.default(n)", ""},
      {"r = aten.new_empty.default(n, [7])", ""},
      {"r = aten.new_empty_strided.default(n, [2, 3], [1, 2])", ""},
      {"r = aten.empty_strided.default([2, 3], [1, 2])", ""},
      {"r = aten.empty_permuted.default([2, 3], [1, 0])", ""},
      {"r: \"f32[2]\" = aten.full.default([3], 2.0)",
       "fill f32:2  write S10:f32[2]\nclaim size said 2 computed 3"},
      {"r: \"i32[2]\" = aten.full.default([2], 2.0)",
       "fill i32:2  write S10:i32[2]\nclaim dtype said 7 computed ?"},
      {"r: \"f32[2]\" = aten.empty.memory_format([3])", "claim size said 2 computed 3"},
      {"r = aten.zeros.names([2], names = None)",
       "unknown unsupported-op aten.zeros.names\nunknown no-metadata r", 0, 1},
      {"r = aten.efficientzerotensor.default([2])",
       "unknown unsupported-op aten.efficientzerotensor.default\nunknown no-metadata r", 0, 1},
  });
}

TEST_CASE("a fill writes its target, or a result of its own", "[steps]") {
  // table: statements, what is said of them
  check({
      {"r = aten.fill_.Scalar(x, 3)", "fill f32:3  write S2:f32[4]", 1},
      {"r = aten.fill_.Tensor(x, z)", "move  write S2:f32[4]  read S4:f32.reshape[1].expand[4]", 1},
      {"r = aten.fill_.Tensor(x, n)", "move  write S2:f32[4]  read S3:i32[4]\nclaim rank said 0 computed ?",
       1},
      {"r = aten.fill_.Tensor(w, x)",
       "move  write S5:f32[2, 4]  read S2:f32.reshape[1, 4].expand[2, 4]\nclaim rank said 0 computed ?", 1},
      {"r = aten.fill_.Tensor(x, w)",
       "claim rank said 0 computed ?\nunknown no-metadata aten.fill_.Tensor\nunknown no-metadata r", 1, 1},
      {"r = aten.zero_.default(x)", "fill f32:0  write S2:f32[4]", 1},
      {"r = aten.fill.Scalar(x, 3)", "fill f32:3  write S10:f32[4]"},
      {"r = aten.fill.Tensor(x, z)", "move  write S10:f32[4]  read S4:f32.reshape[1].expand[4]"},
      {"r = aten.fill.Tensor(x, n)", "move  write S10:f32[4]  read S3:i32[4]\nclaim rank said 0 computed ?"},
      {"r = aten.fill.Tensor(x, w)",
       "claim rank said 0 computed ?\nunknown no-metadata aten.fill.Tensor\nunknown no-metadata r", 0, 1},
      {"r = aten.fill.Scalar(n, 3)", "fill i32:3  write S10:i32[4]"},
      {"r = aten.fill.Scalar(n, 3.5)", "fill i32:3.5f  write S10:i32[4]"},
      {"r = aten.zero.default(n)", "fill i32:0  write S10:i32[4]"},
      {"r = aten.zeros.out([4], out = x)",
       "fill f32:0  write S10:f32[4]\nmove  write S2:f32[4]  read S10:f32[4]", 1},
      {"r = aten.full.out([4], 3, out = x)",
       "fill f32:3  write S10:f32[4]\nmove  write S2:f32[4]  read S10:f32[4]", 1},
      {"r = aten.full.out([3], 3, out = x)",
       "fill f32:3  write S10:f32[3]\nunknown no-metadata aten.full.out\nunknown no-metadata r", 0, 1},
  });
}

TEST_CASE("pieces are put where the operator says", "[steps]") {
  // table: statements, what is said of them
  check({
      {"r = aten.flip.default(x, [0])", "move  write S10:f32[4]  read S2:f32.slice(0, 3, step -1)[4]"},
      {"r = aten.repeat.default(x, [2])",
       "move  write S10:f32[8]  read S2:f32.reshape[1, 4].expand[2, 4].reshape[8]"},
      {"r = aten.repeat_interleave.self_int(x, 2)",
       "move  write S10:f32[8]  read S2:f32.reshape[4].reshape[4, 1].expand[4, 2].reshape[8]"},
      {"r = aten.repeat_interleave.self_Tensor(x, n)",
       "unknown no-metadata aten.repeat_interleave.self_Tensor\nunknown no-metadata r", 0, 1},
      {"r = aten.repeat_interleave.Tensor(n)",
       "unknown no-metadata aten.repeat_interleave.Tensor\nunknown no-metadata r", 0, 1},
      {"r = aten.roll.default(x, [1], [0])",
       "move  write S10:f32.slice(0, 1, step 1)[3]  read S2:f32.slice(0, 0, step 1)[3]\nmove  write "
       "S10:f32.slice(0, 0, step 1)[1]  read S2:f32.slice(0, 3, step 1)[1]"},
      {"r = aten.roll.default(x, [s0], [0])", "unknown no-metadata aten.roll.default\nunknown no-metadata r",
       0, 1},
      {"r = aten.constant_pad_nd.default(x, [1, 1], 2.0)",
       "fill f32:2  write S10:f32[6]\nmove  write S10:f32.slice(0, 1, step 1)[4]  read S2:f32[4]"},
      {"r = aten.constant_pad_nd.default(n, [1, 1], 2)",
       "fill i32:2  write S10:i32[6]\nmove  write S10:i32.slice(0, 1, step 1)[4]  read S3:i32[4]"},
      {"r = aten.constant_pad_nd.default(x, [1, 1])",
       "fill f32:0  write S10:f32[6]\nmove  write S10:f32.slice(0, 1, step 1)[4]  read S2:f32[4]"},
      {"r: \"f32[5]\" = aten.constant_pad_nd.default(x, [1, 1])",
       "claim size said 5 computed 6\nunknown no-metadata aten.constant_pad_nd.default\nunknown no-metadata "
       "r",
       0, 1},
      {"r: \"i32[6]\" = aten.constant_pad_nd.default(x, [1, 1])",
       "claim dtype said 7 computed ?\nunknown no-metadata aten.constant_pad_nd.default\nunknown no-metadata "
       "r",
       0, 1},
      {"r = aten.tril.default(w)",
       "fill f32:0  write S10:f32[2, 4]\nmove  write S10:f32.slice(0, 0, step 1)[1, 4].slice(1, 0, step "
       "1)[1, 1]  read S5:f32.slice(0, 0, step 1)[1, 4].slice(1, 0, step 1)[1, 1]\nmove  write "
       "S10:f32.slice(0, 1, step 1)[1, 4].slice(1, 0, step 1)[1, 2]  read S5:f32.slice(0, 1, step 1)[1, "
       "4].slice(1, 0, step 1)[1, 2]"},
      {"r = aten.tril_.default(w)",
       "fill f32:0  write S10:f32[2, 4]\nmove  write S10:f32.slice(0, 0, step 1)[1, 4].slice(1, 0, step "
       "1)[1, 1]  read S5:f32.slice(0, 0, step 1)[1, 4].slice(1, 0, step 1)[1, 1]\nmove  write "
       "S10:f32.slice(0, 1, step 1)[1, 4].slice(1, 0, step 1)[1, 2]  read S5:f32.slice(0, 1, step 1)[1, "
       "4].slice(1, 0, step 1)[1, 2]\nmove  write S5:f32[2, 4]  read S10:f32[2, 4]",
       1},
      {"r = aten.triu_.default(w, 1)",
       "fill f32:0  write S10:f32[2, 4]\nmove  write S10:f32.slice(0, 0, step 1)[1, 4].slice(1, 1, step "
       "1)[1, 3]  read S5:f32.slice(0, 0, step 1)[1, 4].slice(1, 1, step 1)[1, 3]\nmove  write "
       "S10:f32.slice(0, 1, step 1)[1, 4].slice(1, 2, step 1)[1, 2]  read S5:f32.slice(0, 1, step 1)[1, "
       "4].slice(1, 2, step 1)[1, 2]\nmove  write S5:f32[2, 4]  read S10:f32[2, 4]",
       1},
      {"t = aten.t.default(w); r = aten.tril_.default(t)",
       "fill f32:0  write S10:f32[4, 2]\nmove  write S10:f32.slice(0, 0, step 1)[1, 2].slice(1, 0, step "
       "1)[1, 1]  read S5:f32.permute(1, 0).slice(0, 0, step 1)[1, 2].slice(1, 0, step 1)[1, 1]\nmove  write "
       "S10:f32.slice(0, 1, step 1)[3, 2].slice(1, 0, step 1)[3, 2]  read S5:f32.permute(1, 0).slice(0, 1, "
       "step 1)[3, 2].slice(1, 0, step 1)[3, 2]\nmove  write S5:f32.permute(1, 0)  read S10:f32[4, 2]",
       1},
  });
  CHECK(lines(alone("g: \"f32[s0, 4]\"", "r = aten.tril_.default(g);", "r"), "step unknown") ==
        "opaque \"aten.tril.default;T;0\"  write S2:f32[s0, 4]  read S2:f32[s0, 4]");
  const Case later = alone(kInputs, "k = aten.zeros.names([2], names = None); r = aten.neg.default(x);", "r");
  Space space = searching_space();
  CHECK(traced(space, later).unmodelled == 1);
}

TEST_CASE("an operator over lists is what it does to each item", "[steps]") {
  // table: statements, what is said of them
  check({
      {"f = aten._foreach_add.Scalar([x, n], 3); r = f[0]",
       "opaque \"aten.add;T;3\"  write S10:f32[4]  read S2:f32[4]"},
      {"f = aten._foreach_add.Scalar([x, n], 3); r = f[1]",
       "opaque \"aten.add;T;3\"  write S10:i32[4]  read S3:i32[4]"},
      {"f = aten._foreach_add.List([x, n], [y, n]); r = f[1]",
       "opaque \"aten.add;T;T\"  write S10:i32[4]  read S3:i32[4], S3:i32[4]"},
      {"f = aten._foreach_add.List([x, n], [y]); r = f[1]",
       "unknown no-metadata aten._foreach_add.List\nunknown no-metadata r", 0, 1},
      {"f = aten._foreach_add_.List([x, y], [y, z])",
       "opaque \"aten._foreach_add.List;[T,T,];[T,T,]\"  write S2:f32[4], S8:f32[4]  read S2:f32[4], "
       "S8:f32[4], S8:f32[4], S4:f32[]",
       1},
      {"f = aten._foreach_add_.List([x, y], [z, y])",
       "opaque \"aten.add;T;T\"  write S2:f32[4]  read S2:f32[4], S4:f32.reshape[1].expand[4]\nopaque "
       "\"aten.add;T;T\"  write S8:f32[4]  read S8:f32[4], S8:f32[4]",
       2},
      {"f = aten._foreach_add_.List([x, n], [y, n], alpha = 2)",
       "opaque \"aten.add;T;T;alpha=2\"  write S2:f32[4]  read S2:f32[4], S8:f32[4]\nopaque "
       "\"aten.add;T;T;alpha=2\"  write S3:i32[4]  read S3:i32[4], S3:i32[4]",
       2},
      {"f = aten._foreach_add_.Scalar([x, y], 2)",
       "opaque \"aten.add;T;2\"  write S2:f32[4]  read S2:f32[4]\nopaque \"aten.add;T;2\"  write S8:f32[4]  "
       "read S8:f32[4]",
       2},
      {"f = aten._foreach_add_.Scalar([x, x], 2)",
       "opaque \"aten._foreach_add.Scalar;[T,T,];2\"  write S2:f32[4], S2:f32[4]  read S2:f32[4], S2:f32[4]",
       1},
      {"f = aten._foreach_mul_.Tensor([x, y], z)",
       "opaque \"aten.mul;T;T\"  write S2:f32[4]  read S2:f32[4], S4:f32.reshape[1].expand[4]\nopaque "
       "\"aten.mul;T;T\"  write S8:f32[4]  read S8:f32[4], S4:f32.reshape[1].expand[4]",
       2},
      {"f = aten._foreach_mul_.Tensor([x, z], z)",
       "opaque \"aten._foreach_mul.Tensor;[T,T,];T\"  write S2:f32[4], S4:f32[]  read S2:f32[4], S4:f32[], "
       "S4:f32[]",
       1},
      {"v = aten.slice.Tensor(x, 0, 0, 2); k = aten.slice.Tensor(x, 0, 2, 4); f = "
       "aten._foreach_mul_.Scalar([v, k], 2)",
       "opaque \"aten.mul;T;2\"  write S2:f32.slice(0, 0, step 1)[2]  read S2:f32.slice(0, 0, step "
       "1)[2]\nopaque \"aten.mul;T;2\"  write S2:f32.slice(0, 2, step 1)[2]  read S2:f32.slice(0, 2, step "
       "1)[2]",
       2},
      {"v = aten.slice.Tensor(x, 0, 0, 2); k = aten.slice.Tensor(x, 0, 1, 3); f = "
       "aten._foreach_mul_.Scalar([v, k], 2)",
       "opaque \"aten._foreach_mul.Scalar;[T,T,];2\"  write S2:f32.slice(0, 0, step 1)[2], S2:f32.slice(0, "
       "1, step 1)[2]  read S2:f32.slice(0, 0, step 1)[2], S2:f32.slice(0, 1, step 1)[2]",
       1},
      {"f = aten._foreach_addcmul_.Scalar([x, y], [w, w], [x, y], 2)",
       "claim rank said 1 computed ?\nclaim size said 4 computed 2\nclaim rank said 1 computed ?\nclaim size "
       "said 4 computed 2\nunknown no-metadata aten.addcmul_.default (shapes)",
       0, 1},
      {"f = aten._foreach_norm.Scalar([x, y], 2); r = f[0]",
       "opaque \"aten.linalg_vector_norm.default;T;2;-;false\"  write S10:f32[]  read S2:f32[4]"},
      {"f = aten._foreach_norm.Scalar([x, z], 1, torch.float64); r = f[1]",
       "opaque \"aten.linalg_vector_norm.default;T;1;-;false;dtype=f64\"  write S10:f64[]  read S4:f32[]"},
      {"f = aten._foreach_powsum.Scalar([x, y], 2); r = f[0]",
       "unknown no-metadata aten._foreach_powsum.Scalar\nunknown no-metadata r", 0, 1},
      {"f = aten._foreach_zero_.default([x, y])", "fill f32:0  write S2:f32[4]\nfill f32:0  write S8:f32[4]",
       2},
      {"f = aten._foreach_copy_.default([x, y], [z, z])",
       "move  write S2:f32[4]  read S4:f32.reshape[1].expand[4]\nmove  write S8:f32[4]  read "
       "S4:f32.reshape[1].expand[4]",
       2},
      {"f = aten._foreach_add_.ScalarList([x, y], [1, 2])",
       "opaque \"aten.add;T;1\"  write S2:f32[4]  read S2:f32[4]\nopaque \"aten.add;T;2\"  write S8:f32[4]  "
       "read S8:f32[4]",
       2},
      {"f = aten._foreach_add.ScalarList([x, y], [1, 2]); r = f[1]",
       "opaque \"aten.add;T;2\"  write S10:f32[4]  read S8:f32[4]"},
      {"f = aten._foreach_max.default([x, y]); r = f[1]",
       "opaque \"aten.max.default;T\"  write S10:f32[]  read S8:f32[4]"},
  });
}

}  // namespace plain_steps_test
