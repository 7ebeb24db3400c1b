// What a method begins with: which of its values are inputs and state, and of the functional program.
#include "src/graph/constant_bytes.h"
#include "tests/unit/lower/pte_reading.h"

namespace pte_given_test {

using namespace noclobber;

TEST_CASE("pte: user inputs are as many as the functional program's, of the same type and number of elements",
          "[pte]") {
  const auto given = [](std::vector<SymExpr> shape, std::vector<std::int64_t> sizes,
                        Dtype dtype = Dtype::f32) {
    Reading made(std::move(sizes), dtype);
    made.method.outputs = {made.x};
    return made.beside(Functional(std::move(shape)));
  };
  const std::string differs = ": user input 'x' does not match the program's\n";
  CHECK(given({2}, {2}) == R"x(of x:
x__in:f32 = aten.clone.default(x)
-> x__in
)x");
  CHECK(given({2}, {3}) == differs);
  CHECK(given({2}, {2}, Dtype::i32) == differs);
  CHECK(given({1}, {std::int64_t{1} << 32, std::int64_t{1} << 32}) == differs);
  CHECK(given({SymExpr::symbol("s0")}, {3}) == R"x(of x:
x__in:f32 = aten.clone.default(x)
-> x__in
)x");
  CHECK(given({2, 3}, {3, 2}) == R"x(of x:
x__in:f32 = aten.clone.default(x)
out:f32 = executorch.input of another shape()
-> out
)x");
  Reading more;
  more.method.inputs.push_back(more.tensor({2}, 8));
  more.method.outputs = {more.x};
  CHECK(more.beside(Functional()) == ": the program has more inputs than the functional program\n");
  Functional two;
  two.input("z", MadeGraph::type({2}));
  Reading fewer;
  fewer.method.outputs = {fewer.x};
  CHECK(fewer.beside(two) == ": user input 'z' does not match the program's\n");
}

TEST_CASE("pte: what is given lies in the order of dimensions that the program has", "[pte]") {
  const auto given = [](std::vector<SymExpr> stride, std::vector<std::uint8_t> order) {
    Functional functional({2, 3});
    Type type = *functional.graph.values[0].type;
    type.strides = stride.empty() ? Type::Strides::contiguous : Type::Strides::given;
    type.stride = std::move(stride);
    functional.graph.values[0].type = type;
    Reading made({2, 3});
    made.of(made.x).dim_order = std::move(order);
    made.method.outputs = {made.x};
    return made.beside(functional).find("executorch.input of another order of dimensions()") ==
           std::string::npos;
  };
  CHECK(given({}, {0, 1}));
  CHECK_FALSE(given({}, {1, 0}));
  CHECK(given({3, 1}, {0, 1}));
  CHECK_FALSE(given({3, 1}, {1, 0}));
  CHECK(given({1, 2}, {1, 0}));
  CHECK_FALSE(given({1, 2}, {0, 1}));
  CHECK(given({1, 1}, {0, 1}));
}

TEST_CASE("pte: state is told from what was not written, by its name or by what is stored into it", "[pte]") {
  Reading made;
  const auto named = made.tensor({2}, 8), read = made.tensor({2}, 16), stored = made.tensor({2}, 24),
             kept = made.tensor({2});
  made.of(named).fqn = "counter";
  made.of(kept).fqn = "cache";
  for (const auto id : {named, read, stored, kept}) made.use(id);
  made.call("aten.copy_.default", {stored, made.x, made.flag(false)});
  CHECK(made.text() == R"x(of state1:buffer! state2:buffer! state3:buffer! state4:buffer! input0:
input0__in:f32 = aten.clone.default(input0)
t5:f32 = aten.neg.default(state1)
t6:f32 = aten.neg.default(state2)
t7:f32 = aten.neg.default(state3)
t8:f32 = aten.neg.default(state4)
w5 = aten.copy_.default(state3, input0__in, false)
-> t5 t6 t7 t8
if value 2 is state of earlier calls
)x");
}

TEST_CASE("pte: of several names of one place the first is the state, unless they are names of their own",
          "[pte]") {
  const auto state = [](const std::string& first, const std::string& second, std::int64_t offset = 8) {
    Reading made;
    made.of(made.tensor({2}, 8)).fqn = first;
    const auto read = made.tensor({2}, offset);
    made.of(read).fqn = second;
    made.use(read);
    const std::string text = made.text();
    return text.substr(0, text.find(' ', 3));
  };
  CHECK(state("", "") == "of state1:buffer!");
  CHECK(state("a", "") == "of state1:buffer!");
  CHECK(state("", "b") == "of state1:buffer!");
  CHECK(state("a", "a") == "of state1:buffer!");
  CHECK(state("a", "b") == "of state2:buffer!");
  CHECK(state("a", "a", 16) == "of state2:buffer!");
}

TEST_CASE("pte: state is read through lists too, and not by kernels that nobody knows what they write",
          "[pte]") {
  MadeMethod made;
  const auto first = made.tensor({2}, 0), second = made.tensor({2}, 8), out = made.tensor({4});
  made.call("aten.cat.out",
            {made.list(PteValue::Kind::tensors, {first, -1, second}), made.number(0), out, out});
  made.method.outputs = {out};
  CHECK(made.text() == R"x(of state0:buffer! state1:buffer!:
t2:f32 = aten.cat.default([state0 - state1])
-> t2
if value 0 is state of earlier calls
if value 1 is state of earlier calls
)x");
  MadeMethod unheard;
  const auto t = unheard.tensor({2}, 0);
  unheard.call("unheard.of.out", {t, t});
  CHECK(unheard.text() == R"x(of:
unheard.of.out()
->
)x");
}

TEST_CASE("pte: state of the functional program by its name, else in its order", "[pte]") {
  const auto matched = [](const std::string& first, const std::string& second) {
    Functional functional;
    functional.state("b_two_b"), functional.state("b_one");
    Reading made;
    const auto one = made.tensor({2}, 8), two = made.tensor({2}, 16);
    made.of(one).fqn = first;
    made.of(two).fqn = second;
    made.use(one), made.use(two);
    return made.beside(functional);
  };
  CHECK(matched("one", "two.b") == R"x(of x b_two_b:buffer! b_one:buffer!:
x__in:f32 = aten.clone.default(x)
t3:f32 = aten.neg.default(b_one)
t4:f32 = aten.neg.default(b_two_b)
-> t3 t4
if state begins with what the functional program's begins with
)x");
  CHECK(matched("", "") == R"x(of x b_two_b:buffer! b_one:buffer!:
x__in:f32 = aten.clone.default(x)
t3:f32 = aten.neg.default(b_two_b)
t4:f32 = aten.neg.default(b_one)
-> t3 t4
if state and constants match in their order
if state begins with what the functional program's begins with
)x");
  CHECK(matched("", "two.b") == matched("one", "two.b") + "if state and constants match in their order\n");
  CHECK(matched("other", "names") == matched("", ""));
}

TEST_CASE("pte: state that stays as it is may be missing, and no other is taken for it", "[pte]") {
  // A letter is a state of the functional program: `k` and `l` hold at exit what they held, `t` and `u` what
  // is computed. What the file has is a name for each of its states, or "-".
  enum class Also : std::uint8_t { nothing, returned, read, copied };
  const auto matched = [](const std::string& meant, const std::vector<std::string>& names,
                          Also also = Also::nothing) {
    Functional functional;
    for (const char letter : meant) functional.state(std::string("b_") + letter);
    functional.done();
    for (const char letter : meant) {
      const Arg own = functional.arg(std::string("b_") + letter);
      const std::string computed = also == Also::copied ? "b_k" : "y";
      functional.graph.finals.emplace_back(own.ref, letter < 'm' ? own : functional.arg(computed));
    }
    if (also == Also::returned) functional.graph.outputs.push_back(functional.arg("b_k"));
    if (also == Also::read) functional.step("z", "aten.neg.default", functional.args({"b_k"}));
    Reading made;
    for (const std::string& name : names) {
      const auto state = made.tensor({2}, static_cast<std::int64_t>(made.method.values.size()) * 8);
      if (name != "-") made.of(state).fqn = name;
      made.use(state);
    }
    std::string out;
    const std::string text = made.text(&functional.graph), call = "aten.neg.default(b_";
    for (std::size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1))
      out += text[at + call.size()];
    return out;
  };
  const std::vector<std::string> one = {"-"}, two = {"-", "-"}, three = {"-", "-", "-"};
  CHECK(matched("kt", one) == "t");  // seed 266
  CHECK(matched("tk", one) == "t");
  CHECK(matched("klt", one) == "t");
  CHECK(matched("ktl", one) == "t");
  CHECK(matched("ktu", two) == "tu");
  CHECK(matched("tku", two) == "tu");
  CHECK(matched("kt", two) == "kt");  // the file copies it onto itself
  CHECK(matched("k", one) == "k");
  CHECK(matched("ktu", three) == "ktu");
  CHECK(matched("kt", {"k"}) == "k");
  CHECK(matched("kt", {"t"}) == "t");
  CHECK(matched("klt", {"-", "l"}) == "tl");
  CHECK(matched("kt", one, Also::returned) == "k");
  CHECK(matched("kt", one, Also::read) == "k");
  CHECK(matched("kt", one, Also::copied) == "k");
}

TEST_CASE("pte: state begins with what the functional program's begins with", "[pte]") {
  const auto begins = [](const std::string& meant, const std::string& digest, std::uint32_t data, bool placed,
                         bool external = false) {
    Functional functional;
    functional.state("b_s").digest = meant;
    Reading made;
    const auto s = made.tensor({2}, placed ? 8 : -1);
    made.of(s).fqn = "s";
    made.of(s).data = data;
    made.of(s).digest = digest;
    made.of(s).external = external;
    made.use(s);
    const std::string text = made.beside(functional);
    return text.find("other contents()") != std::string::npos ? std::string("differs")
           : text.find("if ") != std::string::npos            ? text.substr(text.find("if "))
                                                              : std::string("known");
  };
  const std::string zeros = digest_of(std::string(8, '\0')), ones = digest_of(std::string(8, '\1')),
                    assumed = "if state begins with what the functional program's begins with\n";
  CHECK(begins(zeros, zeros, 1, true) == "known");
  CHECK(begins(zeros, ones, 1, true) == "differs");
  CHECK(begins("", ones, 1, true) == "known");
  CHECK(begins(zeros, "", 0, true) == assumed);
  CHECK(begins(ones, "", 0, true) == "differs");
  CHECK(begins("", "", 0, true) == assumed);
  CHECK(begins(ones, "", 1, true) == assumed);
  CHECK(begins(ones, "", 0, false) == assumed);
  CHECK(begins(ones, "", 0, true, true) == assumed);
}

TEST_CASE("pte: a buffer that is only read may be state of the program, a parameter is not", "[pte]") {
  Functional functional;
  functional.state("b_s").may_write = false;
  functional.constant("p");
  Reading made;
  const auto s = made.tensor({2}, 8), constant = made.constant({2}, 1);
  made.use(s), made.use(constant);
  CHECK(made.beside(functional) == R"x(of x b_s:buffer p:constant:
x__in:f32 = aten.clone.default(x)
t3:f32 = aten.neg.default(b_s)
t4:f32 = aten.neg.default(p)
-> t3 t4
if state and constants match in their order
if state begins with what the functional program's begins with
if constants hold what the functional program's do
)x");
  Functional unsaid;
  unsaid.constant("p").may_write.reset();
  Reading only;
  only.use(only.constant({2}, 1));
  CHECK(only.beside(unsaid) == R"x(of x p:constant?:
x__in:f32 = aten.clone.default(x)
t2:f32 = aten.neg.default(p)
-> t2
if constants hold what the functional program's do
if state and constants match in their order
)x");
}

}  // namespace pte_given_test
