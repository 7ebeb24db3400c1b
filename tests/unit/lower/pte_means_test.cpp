// The functional program in the words of a method, and what both know of constants.
#include "tests/unit/lower/pte_made.h"

namespace pte_means_test {

using namespace noclobber;

namespace {

using Bodies = std::map<std::string, Graph>;

std::string meant(Graph graph, const MadeMethod& made = {}, Bodies bodies = {}) {
  as_executorch_means(graph, bodies, made.method);
  std::string out = with_inputs(graph);
  for (const auto& [name, body] : bodies)
    out += (body.name == name ? name : "other " + name) + " " + with_inputs(body);
  return out;
}

MadeGraph of_x() {
  MadeGraph made;
  made.input("x", MadeGraph::type({2}));
  return made;
}

/// A body of a and b, that returns a - b or b alone.
MadeGraph body(bool both, const std::string& name) {
  MadeGraph made;
  made.graph.name = name;
  made.input("a", MadeGraph::type({2}));
  made.input("b", MadeGraph::type({2}));
  made.step("r", both ? "aten.sub.Tensor" : "aten.neg.default",
            made.args(both ? std::vector<std::string>{"b", "a"} : std::vector<std::string>{"b"}),
            MadeGraph::type({2}));
  made.graph.outputs = made.args({"r"});
  return made;
}

MadeGraph conditional() {
  MadeGraph made;
  made.input("c", MadeGraph::type({}, Dtype::boolean));
  made.input("x", MadeGraph::type({2}));
  made.input("y", MadeGraph::type({2}));
  made.step("r", "higher_order.cond",
            {made.arg("c"), Arg::of_graph("yes"), Arg::of_graph("no"), Arg::of(made.args({"x", "y"}))},
            MadeGraph::type({2}));
  made.graph.outputs = made.args({"r"});
  return made;
}

}  // namespace

TEST_CASE("pte: operators on orders of dimensions are the plain ones, whatever stands behind their operand",
          "[pte]") {
  MadeGraph made = of_x();
  const Arg off = Arg::of_bool(false), order = Arg::of({Arg::of(SymExpr(0))});
  made.step("a", "dim_order_ops._to_dim_order_copy.default", {made.arg("x"), off, order},
            MadeGraph::type({2}, Dtype::f64));
  made.step("b", "dim_order_ops._clone_dim_order.default", {made.arg("a"), off},
            MadeGraph::type({2}, Dtype::f64))
      .kwargs = {{"dim_order", order}};
  made.graph.outputs = made.args({"b"});
  CHECK(meant(made.graph) == R"x(of x:
a:f64 = aten._to_copy.default(x, dtype=f64)
b:f64 = aten.clone.default(a)
-> b
)x");
}

TEST_CASE("pte: keywords that say what holds anyway are left out, others stay", "[pte]") {
  MadeGraph made = of_x();
  const Arg x = made.arg("x"), one = Arg::of(SymExpr(1)), two = Arg::of(SymExpr(2));
  made.step("a", "aten.add.Tensor", {x, x}, MadeGraph::type({2})).kwargs = {{"alpha", one}};
  made.step("b", "aten.add.Tensor", {x, x}, MadeGraph::type({2})).kwargs = {{"alpha", two}};
  made.step("c", "aten.addmm.default", {x, x, x}, MadeGraph::type({2})).kwargs = {{"beta", one},
                                                                                  {"alpha", two}};
  made.step("d", "aten.sum.dim_IntList", {x, Arg::of({one}), Arg::of_bool(false)}, MadeGraph::type({}));
  made.graph.outputs = made.args({"a", "b", "c", "d"});
  CHECK(meant(made.graph) == R"x(of x:
a:f32 = aten.add.Tensor(x, x)
b:f32 = aten.add.Tensor(x, x, alpha=2)
c:f32 = aten.addmm.default(x, x, x, alpha=2)
d:f32 = aten.sum.dim_IntList(x, [1])
-> a b c d
)x");
}

TEST_CASE("pte: an input that is written is copied where the runtime does that", "[pte]") {
  const auto copied = [](bool placed, std::optional<bool> may_write) {
    MadeGraph made;
    made.input("b", MadeGraph::type({2}), Input::Kind::buffer);
    made.input("x", MadeGraph::type({2})).may_write = may_write;
    made.step("y", "aten.neg.default", made.args({"x"}), MadeGraph::type({2}));
    made.step("w", "aten.add_.Tensor", made.args({"x", "y"}), MadeGraph::type({2}));
    made.graph.finals = {{made.graph.find("b"), made.arg("x")}};
    made.graph.outputs = made.args({"x", "y"});
    MadeMethod method;
    method.given({2}, placed ? 0 : -1);
    return meant(made.graph, method);
  };
  CHECK(copied(true, true) == R"x(of b:buffer! x:
x__copy:f32 = aten.clone.default(x)
y:f32 = aten.neg.default(x__copy)
w:f32 = aten.add_.Tensor(x__copy, y)
-> x__copy y, b at exit x__copy
)x");
  CHECK(copied(false, true) == R"x(of b:buffer! x!:
y:f32 = aten.neg.default(x)
w:f32 = aten.add_.Tensor(x, y)
-> x y, b at exit x
)x");
  CHECK(copied(true, false) == R"x(of b:buffer! x:
y:f32 = aten.neg.default(x)
w:f32 = aten.add_.Tensor(x, y)
-> x y, b at exit x
)x");
  CHECK(copied(true, std::nullopt) == copied(true, false));
  MadeGraph two = of_x();
  two.input("z", MadeGraph::type({2})).may_write = true;
  MadeMethod one;
  one.given({2}, 0);
  CHECK(meant(two.graph, one) == R"x(of x z:
z__copy:f32 = aten.clone.default(z)
->
)x");
}

TEST_CASE("pte: bodies take what they use, in the order in which they use it", "[pte]") {
  const MadeGraph made = conditional();
  const Bodies bodies = {{"yes", body(true, "yes").graph}, {"no", body(false, "no").graph}};
  CHECK(meant(made.graph, {}, bodies) == R"x(of c x y:
r:f32 = higher_order.cond(c, 'branch0_true', 'branch0_false', [y x])
-> r
branch0_false of b a:
r:f32 = aten.neg.default(b)
-> r
branch0_true of b a:
r:f32 = aten.sub.Tensor(b, a)
-> r
no of a b:
r:f32 = aten.neg.default(b)
-> r
yes of a b:
r:f32 = aten.sub.Tensor(b, a)
-> r
)x");
  const auto as_before = [](const std::string& text) { return text.find("[x y]") != std::string::npos; };
  CHECK_FALSE(as_before(meant(made.graph, {}, bodies)));
  Bodies with_final = bodies;
  with_final["no"].finals = {{with_final["no"].inputs[0].value, Arg::of(with_final["no"].inputs[1].value)}};
  CHECK(as_before(meant(made.graph, {}, with_final)));
  std::swap(with_final["yes"], with_final["no"]);
  CHECK(as_before(meant(made.graph, {}, with_final)));
  Bodies of_more = bodies;
  of_more["yes"].inputs.push_back(of_more["yes"].inputs[0]);
  MadeGraph known = conditional();
  as_executorch_means(known.graph, of_more, {});
  CHECK(as_before(known.text()));
  for (const char* name : {"yes", "no"}) {
    Bodies missing = bodies;
    missing.erase(name);
    CHECK(as_before(meant(made.graph, {}, missing)));
  }
  MadeGraph other = conditional();
  other.graph.steps[0].args.push_back(Arg::of(SymExpr(1)));
  CHECK(as_before(meant(other.graph, {}, bodies)));
  other = conditional();
  other.graph.steps[0].args[3] = other.arg("x");
  CHECK(meant(other.graph, {}, bodies).find("'no', x)") != std::string::npos);
}

TEST_CASE("pte: constants that hold the same are one, but where bodies are given them", "[pte]") {
  const auto merged = [](const std::string& op, const std::vector<SymExpr>& shape,
                         const std::string& digest) {
    MadeGraph made;
    for (const char* name : {"a", "b", "c"})
      made.input(name, MadeGraph::type({2}), Input::Kind::constant).digest = "held";
    made.graph.values[1].type = MadeGraph::type(shape);
    made.graph.inputs[1].digest = digest;
    made.input("s", MadeGraph::type({2}), Input::Kind::buffer).digest = "held";
    made.step("r", op, {made.arg("a"), made.arg("b"), Arg::of(made.args({"c", "s"}))}, MadeGraph::type({2}))
        .kwargs = {{"other", made.arg("b")}};
    made.graph.outputs = made.args({"b", "c"});
    made.graph.finals = {{made.graph.find("s"), made.arg("b")}};
    merge_equal_constants(made.graph);
    return made.text();
  };
  CHECK(merged("aten.any.thing", {2}, "held") == R"x(r:f32 = aten.any.thing(a, a, [a s], other=a)
-> a a, s at exit a
)x");
  CHECK(merged("aten.any.thing", {3}, "held") == R"x(r:f32 = aten.any.thing(a, b, [a s], other=b)
-> b a, s at exit b
)x");
  CHECK(merged("aten.any.thing", {2}, "other") == merged("aten.any.thing", {3}, "held"));
  CHECK(merged("aten.any.thing", {2}, "") == merged("aten.any.thing", {3}, "held"));
  CHECK(merged("higher_order.cond", {2}, "held") == R"x(r:f32 = higher_order.cond(a, b, [c s], other=b)
-> b c, s at exit b
)x");
}

TEST_CASE("pte: both graphs know what either knows of a constant, and have those of the other", "[pte]") {
  const std::string bytes("\0\0\200?\0\0\0@", 8);  // 1.0, 2.0
  const auto known = [&](bool alone, bool told) {
    MadeGraph functional, program;
    functional.input("c", MadeGraph::type({2}), Input::Kind::constant).bytes = bytes;
    if (alone) program.input("e", MadeGraph::type({2}), Input::Kind::constant);
    program.input("c", MadeGraph::type({2}), Input::Kind::constant);
    functional.input("d", MadeGraph::type({2}), Input::Kind::constant);
    Input& d = program.input("d", MadeGraph::type({2}), Input::Kind::constant);
    if (told) d.contents = {Arg::of_real(1)};
    know_constants(functional.graph, program.graph);
    return with_inputs(functional.graph) + with_inputs(program.graph);
  };
  CHECK(known(true, true) == R"x(of c:constant=2 d:constant=1 e:constant:
->
of e:constant c:constant=2 d:constant=1:
->
)x");
  CHECK(known(true, false) == R"x(of c:constant=2 d:constant e:constant:
->
of e:constant c:constant=2 d:constant:
->
)x");
  CHECK(known(false, true) == R"x(of c:constant d:constant=1:
->
of c:constant d:constant=1:
->
)x");
}

}  // namespace pte_means_test
