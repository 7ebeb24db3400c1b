// Branches of methods made by hand: what their arms see, move and leave behind.
#include <functional>

#include "tests/unit/lower/pte_made.h"

namespace pte_branches_test {

using namespace noclobber;

namespace {

/// Two arms behind a condition, each with the calls that it adds.
template <class First, class Second>
void branches(MadeMethod& made, MadeMethod::Id condition, First first, Second second) {
  const auto off = made.flag(false);
  const std::size_t jump = made.method.instructions.size();
  made.jump(condition, 0);
  first();
  const std::size_t leave = made.method.instructions.size();
  made.jump(off, 0);
  made.method.instructions[jump].target = static_cast<MadeMethod::Id>(leave + 1);
  second();
  made.method.instructions[leave].target = static_cast<MadeMethod::Id>(made.method.instructions.size());
}

/// x given, a condition, and tensors beside them.
struct Branching : MadeMethod {
  Id x = given({2}, 0), condition = condition_of(), y = tensor({2}, 8), z = tensor({2}, 16), q = tensor({2}),
     r = tensor({2}), out = tensor({2}, 24);

  Id condition_of() {
    method.inputs.push_back(tensor({}, 64, Dtype::boolean));
    return method.inputs.back();
  }
  Branching() { method.outputs = {out}; }
  /// The result of both arms is `name`: -x or x.
  void choose(Id name) {
    branches(
        *this, condition, [&] { negate(x, y), move(y, name); }, [&] { move(x, name); });
  }
};

}  // namespace

TEST_CASE("pte: a condition may end a method", "[pte]") {
  Branching made;
  made.choose(made.q);
  made.method.outputs = {made.q};
  CHECK(made.text() == R"x(of input0 input1:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
t4:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input0__in])
-> t4
cond0_false of input0__in_in_1:
-> input0__in_in_1
cond0_true of input0__in_in:
t2:f32 = aten.neg.default(input0__in_in)
-> t2
)x");
}

TEST_CASE("pte: arms without instructions move nothing", "[pte]") {
  const auto without = [](bool first, bool behind) {
    Branching made;
    branches(
        made, made.condition,
        [&] {
          if (!first) made.move(made.x, made.q);
        },
        [&] {
          if (first) made.move(made.x, made.q);
        });
    if (behind) made.negate(made.x, made.out);
    return made.text();
  };
  for (const bool first : {true, false})
    for (const bool behind : {true, false})
      CHECK(without(first, behind).find("executorch.branches that move other values()") != std::string::npos);
}

TEST_CASE("pte: what one arm does, the other does not see", "[pte]") {
  Branching made;
  const auto seen = made.tensor({2}, 8), s = made.tensor({2});
  made.call("aten.abs.out", {made.x, made.y, made.y});
  branches(
      made, made.condition,
      [&] {
        made.negate(made.x, made.y), made.move(made.y, made.q);
        made.move(made.x, s), made.move(made.x, made.r);
      },
      [&] {
        made.negate(seen, made.z), made.move(made.z, made.q), made.negate(s, made.out),
            made.move(made.out, made.r);
      });
  made.method.outputs = {made.q, made.r};
  CHECK(made.text() == R"x(of input0 input1:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
t2:f32 = aten.abs.default(input0__in)
t4:f32, t5:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input0__in t2])
-> t4 t5
cond0_false of input0__in_in_1 t2_in:
t3:f32 = aten.neg.default(t2_in)
unwritten8:f32 = aten.empty.memory_format([2], dtype=f32)
t6:f32 = aten.neg.default(unwritten8)
-> t3 t6
cond0_true of input0__in_in t2_in_1:
t2_1:f32 = aten.neg.default(input0__in_in)
-> t2_1 input0__in_in
)x");
}

TEST_CASE("pte: operands of both arms stand in the order of their first use", "[pte]") {
  Branching made;
  const auto a = made.given({2}, 32), b = made.given({2}, 40);
  branches(
      made, made.condition,
      [&] {
        made.call("aten.sub.out", {a, b, made.number(1), made.y, made.y}), made.move(made.y, made.q);
      },
      [&] {
        made.call("aten.sub.out", {b, made.x, made.number(1), made.z, made.z}), made.move(made.z, made.q);
      });
  made.negate(made.q, made.out);
  CHECK(made.text() == R"x(of input0 input1 input7 input8:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
input7__in:f32 = aten.clone.default(input7)
input8__in:f32 = aten.clone.default(input8)
t4:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input7__in input8__in input0__in])
t6:f32 = aten.neg.default(t4)
-> t6
cond0_false of input7__in_in_1 input8__in_in_1 input0__in_in:
t3:f32 = aten.sub.Tensor(input8__in_in_1, input0__in_in)
-> t3
cond0_true of input7__in_in input8__in_in input0__in_in_1:
t2:f32 = aten.sub.Tensor(input7__in_in, input8__in_in)
-> t2
)x");
}

TEST_CASE("pte: what one arm alone moves is not read until something else gives it a meaning", "[pte]") {
  const auto read_after = [](const std::function<void(Branching&)>& between) {
    Branching made;
    branches(
        made, made.condition, [&] { made.move(made.x, made.q), made.move(made.x, made.r); },
        [&] { made.move(made.x, made.r); });
    between(made);
    made.negate(made.q, made.out);
    return made.text();
  };
  const std::string unsettled = "executorch.read of what one of two branches moved()";
  const auto stops = [&](const std::string& text) { return text.find(unsettled) != std::string::npos; };
  CHECK(stops(read_after([](Branching&) {})));
  CHECK_FALSE(stops(read_after([](Branching& made) { made.move(made.x, made.q); })));
  CHECK_FALSE(stops(read_after([](Branching& made) { made.negate(made.x, made.q); })));
  CHECK_FALSE(stops(read_after([](Branching& made) { made.choose(made.q); })));
  CHECK(read_after([](Branching& made) { made.choose(made.q); }) == R"x(of input0 input1:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
t5:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input0__in])
t4:f32 = higher_order.cond(input1__in, 'cond1_true', 'cond1_false', [input0__in])
t6:f32 = aten.neg.default(t4)
-> t6
cond0_false of input0__in_in_1:
-> input0__in_in_1
cond0_true of input0__in_in:
-> input0__in_in
cond1_false of input0__in_in_3:
-> input0__in_in_3
cond1_true of input0__in_in_2:
t2:f32 = aten.neg.default(input0__in_in_2)
-> t2
)x");
  // The first arm gives it a meaning there alone.
  CHECK(stops(read_after([](Branching& made) {
    branches(
        made, made.condition, [&] { made.negate(made.x, made.q), made.move(made.q, made.r); },
        [&] { made.negate(made.q, made.y), made.move(made.y, made.r); });
  })));
}

TEST_CASE("pte: a number that both arms compute is known where they agree", "[pte]") {
  const auto after = [](std::int64_t first, std::int64_t second) {
    Branching made;
    const auto number = made.number(0), wide = made.given({4, 2}, 32);
    const auto arm = [&](std::int64_t more) {
      made.call("executorch_prim.add.Scalar", {made.number(1), made.number(more), number});
      made.move(made.x, made.q);
    };
    branches(
        made, made.condition, [&] { arm(first); }, [&] { arm(second); });
    made.call("aten.select_copy.int_out", {wide, made.number(0), number, made.out, made.out});
    return made.text();
  };
  CHECK(after(1, 1) == R"x(of input0 input1 input8:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
input8__in:f32 = aten.clone.default(input8)
t4:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input0__in])
t6:f32 = aten.select_copy.int(input8__in, 0, 2)
-> t6
cond0_false of input0__in_in_1:
-> input0__in_in_1
cond0_true of input0__in_in:
-> input0__in_in
)x");
  CHECK(after(1, 2) == R"x(of input0 input1 input8:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
input8__in:f32 = aten.clone.default(input8)
t4:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input0__in])
out:f32 = executorch.number that is not known()
-> out
cond0_false of input0__in_in_1:
-> input0__in_in_1
cond0_true of input0__in_in:
-> input0__in_in
)x");
}

TEST_CASE("pte: a branch in an arm moves what the arm moves", "[pte]") {
  Branching made;
  branches(
      made, made.condition, [&] { made.choose(made.q); },
      [&] { made.negate(made.x, made.z), made.move(made.z, made.q); });
  made.negate(made.q, made.out);
  CHECK(made.text() == R"x(of input0 input1:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
t4_1:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [input1__in input0__in])
t6:f32 = aten.neg.default(t4_1)
-> t6
cond0_false of input1__in_in_1 input0__in_in_1:
t3:f32 = aten.neg.default(input0__in_in_1)
-> t3
cond0_true of input1__in_in input0__in_in:
t4:f32 = higher_order.cond(input1__in_in, 'cond1_true', 'cond1_false', [input0__in_in])
-> t4
cond1_false of input0__in_in_in_1:
-> input0__in_in_in_1
cond1_true of input0__in_in_in:
t2:f32 = aten.neg.default(input0__in_in_in)
-> t2
)x");
}

TEST_CASE("pte: what a call without out returns is moved as well", "[pte]") {
  Branching made;
  const auto state = made.tensor({2}, 32);
  const auto stored = [&] { made.call("aten.copy_.default", {state, made.x, made.flag(false), made.q}); };
  branches(made, made.condition, stored, stored);
  made.negate(made.q, made.out);
  CHECK(made.text() == R"x(of state7:buffer! input0 input1:
input0__in:f32 = aten.clone.default(input0)
input1__in:bool = aten.clone.default(input1)
t4:f32 = higher_order.cond(input1__in, 'cond0_true', 'cond0_false', [state7 input0__in])
t6:f32 = aten.neg.default(t4)
-> t6
cond0_false of state7_in_1 input0__in_in_1:
w0_1 = aten.copy_.default(state7_in_1, input0__in_in_1, false)
-> state7_in_1
cond0_true of state7_in input0__in_in:
w0 = aten.copy_.default(state7_in, input0__in_in, false)
-> state7_in
)x");
}

TEST_CASE("pte: bodies are followed 16 deep, and 256 of them", "[pte]") {
  const auto stops = [](const MadeMethod& made) {
    return made.text().find("executorch.jump()") != std::string::npos;
  };
  for (const std::size_t count : {256U, 257U}) {
    Branching made;
    for (std::size_t k = 0; k < count; ++k) made.choose(made.tensor({2}));
    made.negate(made.x, made.out);
    CHECK(stops(made) == (count > 256));
  }
  for (const int depth : {16, 17}) {
    Branching made;
    const std::function<void(int)> nest = [&](int left) {
      const auto inner = [&] { left > 1 ? nest(left - 1) : made.move(made.x, made.q); };
      branches(made, made.condition, inner, [&] { made.move(made.x, made.q); });
    };
    nest(depth);
    made.negate(made.q, made.out);
    CHECK(stops(made) == (depth > 16));
  }
}

}  // namespace pte_branches_test
