// Calls, numbers and rows of methods made by hand, one at a time.
#include "tests/unit/lower/pte_made.h"

namespace pte_calls_test {

using namespace noclobber;

namespace {

/// `op` of these numbers, and the row of x that the result selects.
std::string computed(const std::string& op, std::int64_t a, std::int64_t b) {
  MadeMethod made;
  const auto x = made.given({8, 2}, 0), out = made.tensor({2}, 64), number = made.number(-7);
  made.call("executorch_prim." + op, {made.number(a), made.number(b), number});
  made.call("aten.select_copy.int_out", {x, made.number(0), number, out, out});
  made.method.outputs = {out};
  const std::string text = made.text();
  const std::size_t at = text.find("select_copy.int(");
  if (at == std::string::npos) return text.substr(text.find("executorch."));
  return text.substr(at + 16, text.find(')', at) - at - 16);
}

/// A tensor of this shape and order of dimensions as the result of `neg`.
std::string ordered(std::vector<std::int64_t> sizes, std::vector<std::uint8_t> order) {
  MadeMethod made;
  const auto x = made.given(sizes, 0), out = made.tensor(sizes, 512);
  made.of(x).dim_order = made.of(out).dim_order = std::move(order);
  made.negate(x, out);
  made.method.outputs = {out};
  return made.text();
}

}  // namespace

TEST_CASE("pte: numbers are computed where both are known and the result is a number", "[pte]") {
  CHECK(computed("add.Scalar", 3, 4) == "input0__in, 0, 7");
  CHECK(computed("sub.Scalar", 3, 4) == "input0__in, 0, -1");
  CHECK(computed("mul.Scalar", 3, 2) == "input0__in, 0, 6");
  CHECK(computed("floordiv.Scalar", 7, 2) == "input0__in, 0, 3");
  CHECK(computed("floordiv.Scalar", 0, 2) == "input0__in, 0, 0");
  CHECK(computed("mod.Scalar", 7, 4) == "input0__in, 0, 3");
  CHECK(computed("mod.int", 0, 4) == "input0__in, 0, 0");
  CHECK(computed("ge.Scalar", 4, 4) == "input0__in, 0, 1");
  CHECK(computed("gt.Scalar", 4, 4) == "input0__in, 0, 0");
  const std::string unknown = "executorch.number that is not known()\n-> out\n";
  for (const char* op : {"floordiv.Scalar", "mod.Scalar"})
    for (const std::int64_t b : {0, -2}) CHECK(computed(op, 7, b) == unknown);
  CHECK(computed("floordiv.Scalar", -1, 2) == unknown);
  CHECK(computed("mod.Scalar", -1, 2) == unknown);
  CHECK(computed("add.Scalar", INT64_MAX, 1) == unknown);
}

TEST_CASE("pte: a size is asked of a dimension that there is", "[pte]") {
  const auto size_at = [](std::int64_t dim) {
    MadeMethod made;
    const auto x = made.given({3, 2}, 0), out = made.tensor({2}, 64), number = made.number(9);
    made.call("aten.sym_size.int", {x, made.number(dim), number});
    made.call("aten.select_copy.int_out", {x, made.number(0), number, out, out});
    made.method.outputs = {out};
    return made.text();
  };
  CHECK(size_at(-1) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.select_copy.int(input0__in, 0, 2)
-> t1
)x");
  CHECK(size_at(1) == size_at(-1));
  const std::string misfit = "byte 0: the arguments of this call do not fit the operator aten.sym_size.int\n";
  for (const std::int64_t dim : {2, -3}) CHECK(size_at(dim) == misfit);
}

TEST_CASE("pte: a number that a list names, and that changes later, is what another call begins with",
          "[pte]") {
  const auto text = [](bool frees, bool returns) {
    MadeMethod made;
    const auto x = made.given({2, 2}, 0), out = made.tensor({4}, 16), size = made.number(4),
               list = made.list(PteValue::Kind::integers, {size});
    if (frees) made.instruction(PteInstruction::Kind::release, 0, {size});
    made.call("aten.view_copy.out", {x, list, out, out});
    made.call("executorch_prim.add.Scalar", {size, made.number(returns ? 0 : 1), size});
    made.method.outputs = {out};
    return made.text();
  };
  const std::string stays = text(false, true);
  CHECK(stays == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.view_copy.default(input0__in, [4])
-> t1
)x");
  CHECK(text(false, false) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.view_copy.default(input0__in, [4])
out:f32 = executorch.number that another call begins with()
-> out
)x");
  CHECK(text(true, false) == text(false, false));
  CHECK(text(true, true) == stays);
}

TEST_CASE("pte: loops may begin with the method, and jumps lead to its end", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2}, 0), out = made.tensor({2}, 8), i = made.number(0), done = made.flag(false);
  made.negate(x, out);
  made.call("executorch_prim.add.Scalar", {i, made.number(1), i});
  made.call("executorch_prim.eq.Scalar", {i, made.number(3), done});
  made.jump(done, 0);
  made.call("executorch_prim.sub.Scalar", {i, made.number(3), i});
  made.jump(made.flag(false), 7);
  made.negate(out, x);
  made.method.outputs = {out};
  CHECK(made.text() == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.neg.default(input0__in)
t1_1:f32 = aten.neg.default(input0__in)
t1_2:f32 = aten.neg.default(input0__in)
-> t1_2
)x");
}

TEST_CASE("pte: kernels write dimensions in their order, or channels last", "[pte]") {
  CHECK(ordered({2, 3}, {0, 1}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.neg.default(input0__in)
-> t1
)x");
  CHECK(ordered({2, 3, 1, 2}, {0, 2, 3, 1}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.neg.default(input0__in)
-> t1
)x");
  CHECK(ordered({2, 3, 2}, {0, 2, 1}) == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
out:f32 = executorch.result in an order of dimensions that kernels do not write()
-> out
)x");
  CHECK(ordered({2, 3, 1, 2}, {0, 3, 2, 1}) == ordered({2, 3, 1, 2}, {1, 0, 2, 3}));
}

TEST_CASE("pte: dtypes by PyTorch's numbers", "[pte]") {
  const auto summed = [](std::int64_t number, Dtype dtype) {
    MadeMethod made;
    const auto x = made.given({4}, 0), out = made.tensor({}, 16, dtype);
    made.call("aten.sum.IntList_out", {x, made.none(), made.flag(false), made.number(number), out, out});
    made.method.outputs = {out};
    const std::string text = made.text();
    const std::size_t at = text.find("dtype=");
    return at == std::string::npos ? text : text.substr(at + 6, text.find(')', at) - at - 6);
  };
  const std::pair<int, Dtype> known[] = {{0, Dtype::u8},  {1, Dtype::i8},       {3, Dtype::i32},
                                         {5, Dtype::f16}, {6, Dtype::f32},      {7, Dtype::f64},
                                         {9, Dtype::c64}, {11, Dtype::boolean}, {15, Dtype::bf16}};
  for (const auto& [number, dtype] : known) CHECK(summed(number, dtype) == name(dtype));
  const std::string misfit =
      "byte 0: the arguments of this call do not fit the operator aten.sum.IntList_out\n";
  for (const int number : {-1, 8, 12, 14, 16}) CHECK(summed(number, Dtype::f32) == misfit);
}

TEST_CASE("pte: lists may name the first value, or nothing", "[pte]") {
  MadeMethod made;
  const auto first = made.tensor({2}, 0), x = made.given({4}, 16), second = made.tensor({2}, 8),
             both = made.list(PteValue::Kind::tensors, {first, second}), out = made.tensor({4}, 32);
  made.call("aten.split_copy.Tensor_out", {x, made.number(2), made.number(0), both, both});
  made.call("aten.cat.out", {both, made.number(0), out, out});
  made.method.outputs = {out};
  CHECK(made.text() == R"x(of input1:
input1__in:f32 = aten.clone.default(input1)
t0:f32, t2:f32 = aten.split_copy.Tensor(input1__in, 2)
t4:f32 = aten.cat.default([t0 t2])
-> t4
)x");

  MadeMethod indexed;
  const auto at = indexed.tensor({2}, 0, Dtype::i64), of = indexed.given({3, 4}, 16),
             taken = indexed.tensor({3, 2}, 64);
  indexed.method.inputs.push_back(at);
  indexed.call("aten.index.Tensor_out", {of, indexed.list(PteValue::Kind::tensors, {-1, at}), taken, taken});
  indexed.method.outputs = {taken};
  CHECK(indexed.text() == R"x(of input1 input0:
input1__in:f32 = aten.clone.default(input1)
input0__in:i64 = aten.clone.default(input0)
t2:f32 = aten.index.Tensor(input1__in, [- input0__in])
-> t2
)x");

  MadeMethod empty;
  const auto nothing = empty.none(), result = empty.tensor({2}, 0);
  empty.call("aten.cat.out",
             {empty.list(PteValue::Kind::tensors, {nothing}), empty.number(0), result, result});
  empty.method.outputs = {result};
  CHECK(empty.text() == R"x(byte 0: the arguments of this call do not fit the operator aten.cat.out
)x");
}

TEST_CASE("pte: a list of flags has each as it is", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2, 2}, 0), mean = made.given({2, 1}, 16), a = made.tensor({2, 2}, 32),
             b = made.tensor({2}, 48), c = made.tensor({2}, 56),
             mask = made.list(PteValue::Kind::booleans, {1, 0, 1}),
             shape = made.list(PteValue::Kind::integers, {made.number(2)});
  made.call("aten.native_layer_norm_backward.out",
            {x, x, shape, mean, mean, made.none(), made.none(), mask, a, b, c});
  made.method.outputs = {a, b, c};
  CHECK(made.text() == R"x(of input0 input1:
input0__in:f32 = aten.clone.default(input0)
input1__in:f32 = aten.clone.default(input1)
t2:f32, t3:f32, t4:f32 = aten.native_layer_norm_backward.default(input0__in, input0__in, [2], input1__in, input1__in, -, -, [true false true])
-> t2 t3 t4
)x");
}

TEST_CASE("pte: no tensor is spelled as bytes of no length that nothing wrote", "[pte]") {
  const auto clamped = [](Dtype dtype, std::int64_t size, bool given) {
    MadeMethod made;
    const auto lower = made.tensor({size}, -1, dtype);
    if (given) made.method.inputs = {lower};
    const auto x = made.given({2}, 16), out = made.tensor({2}, 24);
    made.call("aten.clamp.Tensor_out", {x, lower, made.none(), out, out});
    made.method.outputs = {out};
    return made.text();
  };
  CHECK(clamped(Dtype::u8, 0, false) == R"x(of input1:
input1__in:f32 = aten.clone.default(input1)
t2:f32 = aten.clamp.Tensor(input1__in)
-> t2
)x");
  CHECK(clamped(Dtype::u8, 0, true) == R"x(of input0 input1:
input1__in:f32 = aten.clone.default(input1)
t2:f32 = aten.clamp.Tensor(input1__in, input0)
-> t2
)x");
  CHECK(clamped(Dtype::f32, 0, false) == R"x(of input1:
input1__in:f32 = aten.clone.default(input1)
unwritten0:f32 = aten.empty.memory_format([0], dtype=f32)
t2:f32 = aten.clamp.Tensor(input1__in, unwritten0)
-> t2
)x");
  CHECK(clamped(Dtype::u8, 1, false) == R"x(of input1:
input1__in:f32 = aten.clone.default(input1)
unwritten0:u8 = aten.empty.memory_format([1], dtype=u8)
t2:f32 = aten.clamp.Tensor(input1__in, unwritten0)
-> t2
)x");
}

TEST_CASE("pte: what has been released holds nothing", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2}, 0), t = made.tensor({2}), out = made.tensor({2}, 8), s = made.tensor({2});
  made.negate(x, t);
  made.instruction(PteInstruction::Kind::release, 0, {t});
  made.negate(t, out);
  made.method.outputs = {out};
  CHECK(made.text() == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.neg.default(input0__in)
unwritten1:f32 = aten.empty.memory_format([2], dtype=f32)
t2:f32 = aten.neg.default(unwritten1)
-> t2
)x");
  made.method.instructions.pop_back();
  made.move(x, s);
  made.instruction(PteInstruction::Kind::release, 0, {s});
  made.negate(s, out);
  CHECK(made.text() == R"x(of input0:
input0__in:f32 = aten.clone.default(input0)
t1:f32 = aten.neg.default(input0__in)
unwritten3:f32 = aten.empty.memory_format([2], dtype=f32)
t2:f32 = aten.neg.default(unwritten3)
-> t2
)x");
}

TEST_CASE("pte: a delegate that is given nothing gives nothing", "[pte]") {
  MadeMethod made;
  made.method.delegates.emplace_back().id = "Unheard";
  made.instruction(PteInstruction::Kind::delegate, 0, {}).results = 0;
  CHECK(made.text() == R"x(of:
executorch_delegate.Unheard_0.default()
->
)x");
}

TEST_CASE("pte: the first tensor of all may have another name", "[pte]") {
  MadeMethod made;
  const auto x = made.given({2}), name = made.tensor({2}), out = made.tensor({2}, 8);
  made.move(x, name);
  made.negate(name, out);
  made.method.outputs = {out};
  CHECK(made.text() == R"x(of input0:
t2:f32 = aten.neg.default(input0)
-> t2
)x");
}

}  // namespace pte_calls_test
