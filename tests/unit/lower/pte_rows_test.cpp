// Tensors stored row by row, and what is left where a method cannot be followed.
#include "tests/unit/lower/pte_made.h"

namespace pte_rows_test {

using namespace noclobber;

namespace {

/// Rows of x stored at these places and negated; `between`: what lies where the second one is to be stored is
/// written before, and read behind it; `whole`: all rows are written at once in the end.
std::string stored(const std::vector<std::int64_t>& rows, bool between = false, bool whole = false) {
  MadeMethod made;
  const auto x = made.given({2}, 64), all = made.tensor({2, 2}, 0), y = made.tensor({2}, 8),
             second = made.tensor({2}, 8), out = made.tensor({2}, 32), copy = made.tensor({2, 2}, 40);
  for (const std::int64_t row : rows) {
    if (between && row == 1) made.negate(x, y);
    made.call("executorch_prim.et_copy_index.tensor", {all, x, made.number(row)});
  }
  if (whole)
    made.call("aten.expand_copy.out",
              {x, made.list(PteValue::Kind::integers, {made.number(2), made.number(2)}), made.flag(false),
               all, all});
  made.negate(between ? second : all, between ? out : copy);
  made.method.outputs = {between ? out : copy};
  return made.text();
}

}  // namespace

TEST_CASE("pte: rows are stored in their order, and all of them before one is read", "[pte]") {
  CHECK(stored({0, 1}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.empty.memory_format([2 2], dtype=f32)
row = aten.select.int(t1, 0, 0)
stored = aten.copy_.default(row, input0__in)
row_1 = aten.select.int(t1, 0, 1)
stored_1 = aten.copy_.default(row_1, input0__in)
t5:f32 = aten.neg.default(t1)
-> t5
)x");
  CHECK(stored({0}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.empty.memory_format([2 2], dtype=f32)
row = aten.select.int(t1, 0, 0)
stored = aten.copy_.default(row, input0__in)
out:f32 = executorch.rows that were not stored()
-> out
)x");
  CHECK(stored({0}, false, true) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.empty.memory_format([2 2], dtype=f32)
row = aten.select.int(t1, 0, 0)
stored = aten.copy_.default(row, input0__in)
t1_1:f32 = aten.expand_copy.default(input0__in, [2 2])
t5:f32 = aten.neg.default(t1_1)
-> t5
)x");
}

TEST_CASE("pte: a row is stored where it lies, of the value that is being stored", "[pte]") {
  CHECK(stored({0, 1}, true) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.empty.memory_format([2 2], dtype=f32)
row = aten.select.int(t1, 0, 0)
stored = aten.copy_.default(row, input0__in)
t2:f32 = aten.neg.default(input0__in)
row_1 = aten.select.int(t1, 0, 1)
stored_1 = aten.copy_.default(row_1, input0__in)
flat = aten.view.default(t1, [4])
part = aten.slice.Tensor(flat, 0, 2, 4)
t3:f32 = aten.view.default(part, [2])
t4:f32 = aten.neg.default(t3)
-> t4
)x");
  CHECK(stored({0, 1, 2}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.empty.memory_format([2 2], dtype=f32)
row = aten.select.int(t1, 0, 0)
stored = aten.copy_.default(row, input0__in)
row_1 = aten.select.int(t1, 0, 1)
stored_1 = aten.copy_.default(row_1, input0__in)
out:f32 = executorch.row outside of its tensor()
-> out
)x");
  CHECK(stored({1}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
out:f32 = executorch.row of another value()
-> out
)x");
  CHECK(stored({-1}).find("executorch.row outside of its tensor()") != std::string::npos);
}

TEST_CASE("pte: a method that cannot be followed gives what the functional program has, as far as that goes",
          "[pte]") {
  MadeGraph functional;
  functional.input("x", MadeGraph::type({2}));
  functional.step("y", "aten.neg.default", functional.args({"x"}), MadeGraph::type({2}));
  functional.graph.outputs = {functional.arg("y"), Arg::of(SymExpr(5))};
  MadeMethod made;
  const auto x = made.given({2}, 0), out = made.tensor({2}, 8);
  made.call("unheard.of.out", {x, out, out});
  made.method.outputs = {out, made.number(5), made.number(6)};
  CHECK(made.text(&functional.graph) == R"x(of x:
x__in:f32 = aten.clone.default(x)
out:f32 = unheard.of.out()
-> out 5 -
)x");
}

TEST_CASE("pte: a tensor that nothing uses must lie in an arena as well", "[pte]") {
  for (const std::uint32_t arena : {0U, 1U, 2U}) {
    MadeMethod made;
    const auto x = made.given({2}, 0), unused = made.tensor({2}, 8);
    made.of(unused).place->arena = arena;
    made.method.outputs = {x};
    const auto read = made.read();
    CHECK(static_cast<bool>(read) == (arena == 1));
    if (!read) CHECK(read.fault().message == "a tensor in an arena that does not exist");
  }
}

TEST_CASE("pte: a name that was moved is not written, also to the first tensor of all", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2}), name = made.tensor({2});
  made.move(x, name);
  made.negate(x, name);
  made.method.outputs = {name};
  CHECK(made.text().find("executorch.write to a name that was moved()") != std::string::npos);
}

TEST_CASE("pte: a call of the functional program may have fewer or more results", "[pte]") {
  MadeMethod made;
  const auto x = made.given({4}, 0), values = made.tensor({2}, 16),
             indices = made.tensor({2}, 24, Dtype::i64);
  made.of(values).dynamic = made.of(indices).dynamic = true;
  made.call("aten.topk.values",
            {x, made.number(2), made.number(0), made.flag(true), made.flag(true), values, indices});
  made.method.outputs = {values};
  const auto beside = [&](std::size_t results) {
    MadeGraph functional;
    functional.input("x", MadeGraph::type({4}));
    functional.step("v", "aten.topk.default", {functional.arg("x"), Arg::of(SymExpr(2)), Arg::of(SymExpr(0))},
                    MadeGraph::type({SymExpr::symbol("s0")}));
    functional.graph.steps[0].results.resize(results);
    functional.graph.outputs = functional.args({"v"});
    return made.text(&functional.graph);
  };
  CHECK(beside(1) == R"x(of x:
x__in:f32 = aten.clone.default(x)
t1:f32, t2 = aten.topk.default(x__in, 2, 0)
-> t1
)x");
  CHECK(beside(3) == beside(1));
}

TEST_CASE("pte: rows are not stored into another name of a tensor, also of the first of all", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2, 2}), all = made.tensor({2, 2}), row = made.given({2}, 0);
  made.move(x, all);
  made.call("executorch_prim.et_copy_index.tensor", {all, row, made.number(0)});
  made.method.outputs = {all};
  CHECK(made.text().find("executorch.row outside of its tensor()") != std::string::npos);
}

}  // namespace pte_rows_test
