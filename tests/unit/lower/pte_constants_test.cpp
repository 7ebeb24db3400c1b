// Which constants of a method are those of the functional program, and which are of the file alone.
#include "tests/unit/lower/pte_reading.h"

namespace pte_constants_test {

using namespace noclobber;

TEST_CASE("pte: constants of which nobody says what they hold match in their order, if they can", "[pte]") {
  const auto matched = [](const std::vector<std::int64_t>& meant, const std::vector<std::int64_t>& there) {
    Functional functional;
    for (std::size_t k = 0; k < meant.size(); ++k) functional.constant("c" + std::to_string(k), {meant[k]});
    Reading made;
    for (std::size_t k = 0; k < there.size(); ++k)
      made.use(made.constant({there[k]}, static_cast<std::uint32_t>(k + 1)));
    return made.beside(functional);
  };
  CHECK(matched({2, 3}, {2, 3}) == R"x(of x c0:constant c1:constant:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(c0)
t4:f32 = aten.neg.default(c1)
-> t2 t4
if constants hold what the functional program's do
if state and constants match in their order
)x");
  CHECK(matched({2, 3}, {3, 2}) == R"x(of x c0:constant c1:constant:
x__in:f32 = aten.clone.default(x)
constant3_1:f32 = executorch.constant_of_the_file_alone()
t2:f32 = aten.neg.default(c1)
t4:f32 = aten.neg.default(constant3_1)
-> t2 t4
if constants hold what the functional program's do
if state and constants match in their order
)x");
  CHECK(matched({2, 2}, {3, 2, 2}) == R"x(of x c0:constant c1:constant:
x__in:f32 = aten.clone.default(x)
constant1_1:f32 = executorch.constant_of_the_file_alone()
t2:f32 = aten.neg.default(constant1_1)
t4:f32 = aten.neg.default(c0)
t6:f32 = aten.neg.default(c1)
-> t2 t4 t6
if constants hold what the functional program's do
if state and constants match in their order
)x");
  CHECK(matched({2}, {3}) == R"x(of x c0:constant:
x__in:f32 = aten.clone.default(x)
constant1_1:f32 = executorch.constant_of_the_file_alone()
t2:f32 = aten.neg.default(constant1_1)
-> t2
)x");
  CHECK(matched({2}, {}) == R"x(of x c0:constant:
x__in:f32 = aten.clone.default(x)
->
)x");
}

TEST_CASE("pte: constants of which both say what they hold match by that", "[pte]") {
  const auto matched = [](const std::vector<double>& meant, const std::vector<float>& there) {
    Functional functional;
    const auto count = static_cast<std::int64_t>(there.size());
    auto& contents = functional.constant("c", {count}).contents.emplace();
    for (const double number : meant) contents.push_back(Arg::of_real(number));
    Reading made;
    made.use(made.constant({count}, 1, "", floats(there)));
    return made.beside(functional);
  };
  CHECK(matched({1, 2}, {1, 2}) == R"x(of x c:constant=2:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(c)
-> t2
if state and constants match in their order
)x");
  CHECK(matched({1, 2}, {3, 4}) == R"x(of x c:constant=2 constant1:constant=2:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(constant1)
-> t2
)x");
  CHECK(matched({1}, {3}) == R"x(of x c:constant=1 constant1:constant=1:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(constant1)
-> t2
)x");
  CHECK(matched({0.1}, {0.1F}) == R"x(of x c:constant=1:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(c)
-> t2
if state and constants match in their order
)x");
  CHECK(matched({1}, {1}) == matched({0.1}, {0.1F}));

  const auto by_digest = [](std::vector<std::int64_t> sizes, Dtype dtype) {
    Functional functional;
    functional.constant("c", {2, 2}).digest = "held";
    Reading made;
    const auto constant = made.constant(std::move(sizes), 1, "held");
    made.of(constant).dtype = dtype;
    made.use(constant);
    return made.beside(functional).find("constant_of_the_file_alone") == std::string::npos;
  };
  CHECK(by_digest({2, 2}, Dtype::f32));
  CHECK_FALSE(by_digest({4}, Dtype::f32));
  CHECK_FALSE(by_digest({2, 2}, Dtype::i32));
}

TEST_CASE("pte: constants of the file alone are one where they hold the same", "[pte]") {
  const auto alone = [](std::uint32_t first, const std::string& held, std::uint32_t second,
                        const std::string& other, Dtype dtype = Dtype::f32) {
    Reading made;
    const auto a = made.constant({2}, first, held), b = made.constant({2}, second, other);
    made.of(b).dtype = dtype;
    made.use(a), made.use(b);
    return made.beside(Functional());
  };
  CHECK(alone(1, "", 1, "") == R"x(of x:
x__in:f32 = aten.clone.default(x)
constant1_1:f32 = executorch.constant_of_the_file_alone()
t3:f32 = aten.neg.default(constant1_1)
t4:f32 = aten.neg.default(constant1_1)
-> t3 t4
)x");
  CHECK(alone(1, "", 2, "") == R"x(of x:
x__in:f32 = aten.clone.default(x)
constant1_1:f32 = executorch.constant_of_the_file_alone()
constant2_1:f32 = executorch.constant_of_the_file_alone()
t3:f32 = aten.neg.default(constant1_1)
t4:f32 = aten.neg.default(constant2_1)
-> t3 t4
)x");
  CHECK(alone(1, "same", 2, "same") == alone(1, "", 1, ""));
  CHECK(alone(1, "one", 2, "other") == alone(1, "", 2, ""));
  CHECK(alone(1, "same", 2, "same", Dtype::i32).find("constant2") != std::string::npos);
  Reading small;
  small.use(small.constant({2}, 1, "", floats({1, 2})));
  CHECK(small.beside(Functional()) == R"x(of x constant1:constant=2:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(constant1)
-> t2
)x");
}

TEST_CASE("pte: numbers of the functional program that are constants of the file are steps of both",
          "[pte]") {
  const auto lifted = [](const Arg& number, Dtype dtype, const std::string& bytes, bool wanted = false,
                         bool twice = false, Dtype again = Dtype::f32) {
    Functional functional;
    if (wanted) functional.constant("c", {});
    functional
        .step("n", "aten.full.default", {Arg::of(std::vector<Arg>{}), number}, MadeGraph::type({}, dtype))
        .kwargs = {{"dtype", Arg::of_dtype(dtype)}};
    functional
        .step("m", "aten.full.default", {Arg::of(std::vector<Arg>{}), number}, MadeGraph::type({}, again))
        .kwargs = {{"dtype", Arg::of_dtype(again)}};
    Reading made;
    for (int k = 0; k < (twice ? 2 : 1); ++k) {
      const auto constant = made.constant({}, 1, "", bytes);
      made.of(constant).dtype = k == 0 ? dtype : again;
      made.use(constant);
    }
    return made.beside(functional);
  };
  std::string three(8, '\0');
  three[0] = 3;
  CHECK(lifted(Arg::of_real(0.1), Dtype::f32, floats({0.1F})) == R"x(of x:
number1:f32 = aten.full.default([], 0.100000, dtype=f32)
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(number1)
-> t2
)x");
  CHECK(lifted(Arg::of_real(0.2), Dtype::f32, floats({0.1F})) == R"x(of x constant1:constant=1:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(constant1)
-> t2
)x");
  CHECK(lifted(Arg::of(SymExpr(3)), Dtype::i64, three) == R"x(of x:
number1:i64 = aten.full.default([], 3, dtype=i64)
x__in:f32 = aten.clone.default(x)
t2:i64 = aten.neg.default(number1)
-> t2
)x");
  CHECK(lifted(Arg::of(SymExpr(4)), Dtype::i64, three) == R"x(of x constant1:constant=1:
x__in:f32 = aten.clone.default(x)
t2:i64 = aten.neg.default(constant1)
-> t2
)x");
  CHECK(lifted(Arg::of_real(0.1), Dtype::f32, floats({0.1F}), true) == R"x(of x c:constant=1:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(c)
-> t2
if constants hold what the functional program's do
if state and constants match in their order
)x");
  CHECK(lifted(Arg::of_real(0.1), Dtype::f32, floats({0.1F}), false, true) == R"x(of x:
number1:f32 = aten.full.default([], 0.100000, dtype=f32)
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(number1)
t4:f32 = aten.neg.default(number1)
-> t2 t4
)x");
}

TEST_CASE("pte: bytes that are numbers of two types are steps of both", "[pte]") {
  Functional functional;
  const std::pair<Dtype, Arg> zeros[] = {{Dtype::f32, Arg::of_real(0)}, {Dtype::i32, Arg::of(SymExpr(0))}};
  Reading made;
  for (const auto& [dtype, zero] : zeros) {
    functional
        .step("n" + std::string(name(dtype)), "aten.full.default", {Arg::of(std::vector<Arg>{}), zero},
              MadeGraph::type({}, dtype))
        .kwargs = {{"dtype", Arg::of_dtype(dtype)}};
    const auto constant = made.constant({}, 1, "zeros", std::string(4, '\0'));
    made.of(constant).dtype = dtype;
    made.use(constant);
  }
  CHECK(made.beside(functional) == R"x(of x:
number1:f32 = aten.full.default([], 0.000000, dtype=f32)
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(number1)
t3_flat:f32 = aten.view.default(number1, [1])
t3_as = aten.view.dtype(t3_flat, i32)
t3:i32 = aten.view.default(t3_as, [])
t4:i32 = aten.neg.default(t3)
-> t2 t4
)x");
}

TEST_CASE("pte: a constant that comes first and is written is stored into", "[pte]") {
  MadeGraph functional;
  functional.input("c", MadeGraph::type({2}), Input::Kind::constant);
  functional.input("x", MadeGraph::type({2}));
  functional.step("y", "aten.neg.default", functional.args({"x"}), MadeGraph::type({2}));
  functional.graph.outputs = functional.args({"y"});
  Reading made;
  const auto constant = made.constant({2}, 1);
  made.negate(made.x, constant);
  made.method.outputs = {constant};
  CHECK(made.text(&functional.graph) == R"x(of c:constant x:
x__in:f32 = aten.clone.default(x)
t1:f32 = aten.neg.default(x__in)
stored:f32 = aten.copy_.default(c, t1)
-> stored
if constants hold what the functional program's do
if state and constants match in their order
)x");
}

}  // namespace pte_constants_test
