#include <string>

#include "src/formats/fx_text/fx_text.h"
#include "tests/catch.h"

namespace fx_text_test {

using namespace noclobber;

namespace {

/// A graph with these statements and x, y as inputs.
std::string fx_graph_text(const std::string& body) {
  return "class <lambda>(torch.nn.Module):\n"
         "    def forward(self, x: \"f32[4, 4][4, 1]cpu\", y: \"f32[4, 4][4, 1]cpu\", n: \"Sym(s0)\"):\n" +
         body;
}

std::string fx_fault(const std::string& text) {
  const auto result = read_fx_text(text);
  return result ? "accepted" : result.fault().where + ": " + result.fault().message;
}

std::string fx_body_fault(const std::string& body) { return fx_fault(fx_graph_text(body)); }

FxGraph fx_good(const std::string& text) {
  auto result = read_fx_text(text);
  INFO((result ? "" : result.fault().where + ": " + result.fault().message));
  REQUIRE(result);
  return *std::move(result);
}

std::string name_of(const Graph& graph, const Arg& arg) {
  return arg.kind == Arg::Kind::ref ? graph.value(arg.ref).name : "?";
}

void require_round_trip(const Graph& graph) {
  const std::string text = write_fx_text(graph);
  INFO(text);
  const auto again = read_fx_text(text);
  REQUIRE(again);
  CHECK(write_fx_text(again->graph) == text);
  REQUIRE(again->graph.steps.size() == graph.steps.size());
  for (std::size_t i = 0; i < graph.steps.size(); ++i) {
    CHECK(again->graph.steps[i].op == graph.steps[i].op);
    CHECK(again->graph.steps[i].results.size() == graph.steps[i].results.size());
    CHECK(again->graph.steps[i].extras->id == graph.steps[i].extras->id);
    CHECK(again->graph.steps[i].source->loc == graph.steps[i].source->loc);
    CHECK(again->graph.steps[i].source->code == graph.steps[i].source->code);
  }
  CHECK(again->graph.inputs.size() == graph.inputs.size());
  CHECK(again->graph.bodies.size() == graph.bodies.size());
}

}  // namespace

TEST_CASE("FX text: a statement becomes a step with type, place and line") {
  const auto fx = fx_good(fx_graph_text(
      "        # File: m.py:3 in f, code: z = x + y  # really\n"
      "        add: \"f32[4, 4][4, 1]cpu\" = torch.ops.aten.add.Tensor(x, y, alpha = 2);  x = y = None\n"
      "        return (add,)\n"));
  REQUIRE(fx.graph.steps.size() == 1);
  const Step& step = fx.graph.steps[0];
  CHECK(step.op == "aten.add.Tensor");
  CHECK(step.source->loc == "m.py:3 in f");
  CHECK(step.source->code == "z = x + y  # really");
  CHECK(step.line == 4);
  CHECK(step.kwargs.at(0).first == "alpha");
  CHECK(fx.has_strides);
  const Value& add = fx.graph.value(step.results.at(0));
  CHECK(add.name == "add");
  REQUIRE(add.type);
  CHECK(add.type->dtype == Dtype::f32);
  CHECK(add.type->strides == Type::Strides::given);
  CHECK(add.type->device == "cpu");
  CHECK(fx.graph.inputs.size() == 2);
  CHECK(fx.symbols.contains("s0"));
  require_round_trip(fx.graph);
}

TEST_CASE("FX text: without strides they are unknown") {
  const auto fx = fx_good("def forward(self, x: \"f32[4, s0]\"):\n    return x\n");
  CHECK_FALSE(fx.has_strides);
  CHECK(fx.graph.value(fx.graph.inputs[0].value).type->strides == Type::Strides::unknown);
  CHECK(fx.symbols.at("s0").min == 0);
  CHECK(name_of(fx.graph, fx.graph.outputs.at(0)) == "x");
  CHECK(fx_fault("def forward(self, x: \"f32[4, s0\"):\n    return x\n") ==
        "line 1, column 22: an annotation lacks ']'");
  CHECK(fx_fault("def forward(self, x: \"f32[4, 2][1]cpu\"):\n    return x\n") ==
        "line 1, column 22: an annotation has not one stride per dimension");
}

TEST_CASE("FX text: parameters, one per line with comments, without annotation, unquoted") {
  const auto fx = fx_good(
      "class f(torch.nn.Module):\n    def forward(\n        self,\n"
      "        a: \"i64[2][1]cuda:0\",  # PlainAOTInput(idx=0)\n        b : torch.Tensor,  # x)\n        c = "
      "None,\n    ):\n"
      "        return (\n            a,  # PlainAOTOutput(idx=0)\n            None,  # None\n            "
      "c,\n        )\n"
      "        \n # graph id: 140340207746256\n");
  CHECK(fx.graph.name == "f");
  CHECK(fx.graph.inputs.size() == 3);
  CHECK(fx.graph.value(fx.graph.inputs[0].value).type->device == "cuda:0");
  CHECK_FALSE(fx.graph.value(fx.graph.inputs[1].value).type);
  CHECK(fx.graph.outputs.size() == 3);
  CHECK(fx.graph.outputs[1].kind == Arg::Kind::none);
  CHECK(fx_fault("def forward(self, a, a):\n    return a\n") == "line 1, column 22: 'a' is defined twice");
}

TEST_CASE("FX text: a joint graph takes its arguments apart") {
  const std::string declared =
      "class inner_f(torch.nn.Module):\n    def forward(self, primals, tangents):\n"
      "        primals_1: \"f32[2][1]cpu\"; tangents_1: \"f32[2][1]cpu\"; \n    \n";
  const std::string rest =
      "        mul: \"f32[2][1]cpu\" = torch.ops.aten.mul.Tensor(primals_1, tangents_1)\n"
      "        return pytree.tree_unflatten([mul, None], self._out_spec)\n";
  const auto fx = fx_good(
      declared +
      "        primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n" +
      rest);
  REQUIRE(fx.graph.inputs.size() == 2);
  CHECK(fx.graph.value(fx.graph.inputs[1].value).name == "tangents_1");
  CHECK(fx.graph.outputs.size() == 2);
  CHECK(fx_fault(declared + rest) ==
        "line 5, column 31: annotated parameters are never taken from the arguments");
}

TEST_CASE("FX text: several results, the same one twice, and one without a name") {
  const auto fx =
      fx_good(fx_graph_text("        split = torch.ops.aten.split.Tensor(x, 2)\n"
                            "        b: \"f32[2, 4][4, 1]cpu\" = split[1]\n        c: \"f32[2, 4][4, 1]cpu\" "
                            "= split[1];  split = None\n"
                            "        return (b, c)\n"));
  const Step& step = fx.graph.steps.at(0);
  REQUIRE(step.results.size() == 2);
  CHECK_FALSE(step.results[0].valid());
  CHECK(fx.graph.outputs[0] == fx.graph.outputs[1]);
  CHECK(step.extras->id.empty());
  require_round_trip(fx.graph);
  CHECK(fx_body_fault("        split = torch.ops.aten.split.Tensor(x, 2)\n        b = split[1]\n        "
                      "return (split, b)\n") ==
        "line 5, column 17: 'split' is used both as a tensor and as a tuple");
  CHECK(fx_body_fault("        s = torch.ops.aten.split.Tensor(x, 2)\n        b = s[4000000000]\n        "
                      "return (b,)\n") == "line 4, column 9: no step has a result 4000000000");
}

TEST_CASE("FX text: nested tuples are numbered flat while that is possible") {
  const auto fx =
      fx_good(fx_graph_text("        e = torch.ops.higher_order.with_effects(x, y)\n        t = e[0]\n       "
                            " r = e[1]\n        a = r[0]\n        b = r[1]\n"
                            "        return (t, a, b)\n"));
  CHECK(fx.graph.steps.at(0).results.size() == 3);
  CHECK(name_of(fx.graph, fx.graph.outputs[2]) == "b");
  CHECK(fx_body_fault("        e = torch.ops.higher_order.with_effects(x, y)\n        r = e[0]\n        z = "
                      "e[1]\n        a = r[0]\n"
                      "        return (a, z)\n") ==
        "line 6, column 9: results behind a nested tuple have no number");
}

TEST_CASE("FX text: a result of an in-place foreach is the element that was written") {
  const std::string call = "        f = torch.ops.aten._foreach_add_.List([x, y], [y, x])\n";
  const auto fx =
      fx_good(fx_graph_text(call + "        a: \"f32[4, 4][4, 1]cpu\" = f[1]\n        return (a,)\n"));
  CHECK(name_of(fx.graph, fx.graph.outputs[0]) == "y");
  CHECK(fx.graph.steps[0].results.empty());
  CHECK(fx_body_fault(call + "        return (f,)\n") ==
        "line 4, column 17: 'f' is used, but its operator returns nothing");
  CHECK(fx_body_fault(call + "        a = f[2]\n        return (a,)\n") ==
        "line 4, column 9: the list has no element 2");
}

TEST_CASE("FX text: scalars are folded to what their annotation says") {
  const auto fx = fx_good(fx_graph_text(
      "        m: \"Sym(2*s0)\" = n * 2\n        le: \"Sym(s0 <= 256)\" = n <= 256\n        g: \"Sym(s0 > "
      "3)\" = n > 3\n"
      "        h: \"Sym(~Eq(s0, 1))\" = ~n\n        size: \"Sym(4)\" = torch.ops.aten.sym_size.int(x, "
      "0)\n"
      "        item: \"Sym(u0)\" = torch.ops.aten._local_scalar_dense.default(x)\n        bare = n + 3\n"
      "        return (m, le, g, h, size, item, bare)\n"));
  const auto& outputs = fx.graph.outputs;
  CHECK(outputs[0] == Arg::of(SymExpr(2) * SymExpr::symbol("s0")));
  CHECK(outputs[1] == Arg::of(SymExpr::opaque("le", {SymExpr::symbol("s0"), 256})));
  CHECK(outputs[2] == Arg::of(SymExpr::opaque("lt", {3, SymExpr::symbol("s0")})));
  CHECK(outputs[3] == Arg::of(SymExpr::opaque("invert", {SymExpr::symbol("s0")})));
  CHECK(outputs[4] == Arg::of(SymExpr(4)));
  CHECK(outputs[5] == Arg::of(SymExpr::symbol("u0")));
  CHECK(outputs[6] == Arg::of(SymExpr::symbol("s0") + 3));
  REQUIRE(fx.graph.steps.size() == 1);
  CHECK(fx.graph.steps[0].extras->id == "item");
  CHECK(fx.symbols.at("u0").unbacked);
  CHECK(fx.symbols.at("u0").min < 0);
  require_round_trip(fx.graph);
  CHECK(fx_body_fault("        h = n * 0.5\n        return (h,)\n") == "accepted");
}

TEST_CASE("FX text: every kind of value") {
  const auto fx =
      fx_good(fx_graph_text("        op = torch.ops.ns.op.default(x, 1, -9223372036854775808, 1e-05, -inf, "
                            "nan, 1j, (1+2j), True, None, 'a\\'b\\n', "
                            "torch.float32, torch.channels_last, device(type='cuda', index=0), [x, (y,), "
                            "()], {'k': x}, slice(1, None, None), "
                            "torch.ops.mylib.foo.default, 2 ** 3, -(n), "
                            "View(target=<OpOverload(op='aten.slice', overload='Tensor')>))\n"
                            "        return ()\n"));
  const auto& args = fx.graph.steps.at(0).args;
  REQUIRE(args.size() == 21);
  CHECK(args[2] == Arg::of(SymExpr(INT64_MIN)));
  CHECK(args[3] == Arg::of_real(1e-05));
  CHECK(args[6] == Arg::of_text("1j"));
  CHECK(args[7] == Arg::of_text("1+2j"));
  CHECK(args[10] == Arg::of_text("a'b\n"));
  CHECK(args[11] == Arg::of_dtype(Dtype::f32));
  CHECK(args[12] == Arg::of_text("channels_last"));
  CHECK(args[13] == Arg::of_device("cuda:0"));
  CHECK(args[14].list.at(1).list.size() == 1);
  CHECK(args[15].list.at(0).list.at(0) == Arg::of_text("k"));
  CHECK(args[16].list.at(0) == Arg::of_text("slice"));
  CHECK(args[17] == Arg::of_text("mylib.foo.default"));
  CHECK(args[18] == Arg::of(SymExpr(8)));
  CHECK(args[20].list.at(1).list.at(1) == Arg::of_text("aten.slice.Tensor"));
  require_round_trip(fx.graph);
}

TEST_CASE("FX text: names of operators") {
  const auto op_of = [](const std::string& call) {
    return fx_good(fx_graph_text("        r = " + call + "(x)\n        return ()\n")).graph.steps.at(0).op;
  };
  CHECK(op_of("torch.ops.aten.clone") == "aten.clone.default");
  CHECK(op_of("aten.clone") == "aten.clone.default");
  CHECK(op_of("torch.ops.aten.sum.dim_IntList") == "aten.sum.dim_IntList");
  CHECK(op_of("torch.ops.higher_order.cond") == "higher_order.cond");
  CHECK(op_of("torch__inductor_f") == "python.torch__inductor_f.default");
  CHECK(fx_body_fault("        r = torch.ops.aten(x)\n        return ()\n") ==
        "line 3, column 27: an operator's name is missing");
}

TEST_CASE("FX text: attributes are constants or nested modules") {
  const std::string text =
      "class <lambda>(torch.nn.Module):\n    def forward(self, p: \"b8[][]cpu\", x: \"f32[4][1]cpu\"):\n"
      "        t = self.true_graph_0\n        c: \"i64[2][1]cpu\" = self._tensor_constant0\n"
      "        d: \"i64[2][1]cpu\" = self._tensor_constant0\n"
      "        cond = torch.ops.higher_order.cond(p, t, t, (x, c, d))\n        g: \"f32[4][1]cpu\" = "
      "cond[0]\n"
      "        return (g,)\n\n    class true_graph_0(torch.nn.Module):\n"
      "        def forward(self, a: \"f32[4][1]cpu\"):\n            return a\n";
  const auto fx = fx_good(text);
  REQUIRE(fx.graph.inputs.size() == 3);
  CHECK(fx.graph.inputs[2].kind == Input::Kind::constant);
  CHECK(fx.graph.value(fx.graph.inputs[2].value).name == "_tensor_constant0");
  CHECK(fx.graph.steps[0].args[1] == Arg::of_graph("true_graph_0"));
  CHECK(fx.graph.steps[0].args[3].list.at(1) == fx.graph.steps[0].args[3].list.at(2));
  REQUIRE(fx.graph.bodies.contains("true_graph_0"));
  CHECK(fx.graph.bodies.at("true_graph_0").outputs.size() == 1);
  require_round_trip(fx.graph);
  CHECK(fx_fault(text + "\n    class true_graph_0(torch.nn.Module):\n        def forward(self):\n            "
                        "return ()\n") == "line 17, column 1: two modules have one name");
}

TEST_CASE("FX text: faults name line and column") {
  CHECK(fx_fault("") == "line 1, column 1: expected 'def forward('");
  CHECK(fx_fault("hello") == "line 1, column 1: expected 'def forward('");
  CHECK(fx_body_fault("        a = torch.ops.aten.sin.default(z)\n        return (a,)\n") ==
        "line 3, column 40: 'z' is not defined");
  CHECK(fx_body_fault("        x = torch.ops.aten.sin.default(y)\n        return (x,)\n") ==
        "line 3, column 9: 'x' is defined twice");
  CHECK(fx_body_fault(
            "        a = torch.ops.aten.add.Tensor(x, 99999999999999999999)\n        return (a,)\n") ==
        "line 3, column 42: an integer needs more than 64 bits");
  CHECK(fx_body_fault("        a = torch.ops.aten.sin.default(x\n") ==
        "line 4, column 1: the text ends where ',' is expected");
  CHECK(fx_body_fault("        a = torch.ops.aten.sin.default(x)\n") ==
        "line 4, column 1: the text ends before 'return'");
  CHECK(fx_body_fault("        return (x,)\n        return (y,)\n") ==
        "line 4, column 1: unexpected text behind the graph");
  CHECK(fx_body_fault("        a = torch.ops.aten.f.default('x\n        return (a,)\n") ==
        "line 3, column 40: a string has no end");
  CHECK(fx_body_fault("        a = torch.ops.aten.f.default(k = x, y)\n        return (a,)\n") ==
        "line 3, column 45: a positional argument behind a keyword");
}

TEST_CASE("FX text: hostile texts end in a Diagnostic, soon") {
  const auto refused = [](const std::string& body) { return fx_body_fault(body) != "accepted"; };
  const std::string call = "        a = torch.ops.aten.f.default(";
  CHECK(refused(call + std::string(100000, '[') + "\n"));
  CHECK(refused(call + std::string(100000, '(') + "\n"));
  CHECK(refused(call + std::string(100000, '-') + "x)\n"));
  CHECK(refused(call + std::string(100000, '{') + "\n"));
  CHECK(refused(call + std::string(100000, '<') + "\n"));
  CHECK(refused(call + std::string(1, '\0') + ")\n"));
  CHECK(refused(std::string(1, '\0') + "\n        return (x,)\n"));
  std::string classes = fx_graph_text("        return (x,)\n");
  for (int depth = 1; depth < 200; ++depth)
    classes += std::string(4 * depth, ' ') + "class c(torch.nn.Module):\n" + std::string(4 * depth + 4, ' ') +
               "def forward(self):\n" + std::string(4 * depth + 8, ' ') + "return ()\n";
  CHECK(fx_fault(classes).find("modules are nested too deep") != std::string::npos);
  std::string wide = call;
  for (int i = 0; i < 300000; ++i) wide += "x, ";
  CHECK_FALSE(refused(wide + ")\n        return (a,)\n"));
  CHECK(refused("        " + std::string(5000000, 'a') + "\n"));
  CHECK(refused("        a = [x, y]\n        b = [a, a]\n        return (b,)\n"));
  std::string doubled = "        n0 = n + 1\n";
  for (int i = 1; i < 60; ++i) {
    const std::string last = "n" + std::to_string(i - 1);
    doubled += "        n" + std::to_string(i) + " = " + last + " * " + last + "\n";
  }
  CHECK(refused(doubled + "        return (n59,)\n"));
}

namespace {

/// The scalar of one annotated statement over x: f32[4, 4], y, n = s0.
Arg fx_scalar_of(const std::string& annotation, const std::string& code) {
  const auto fx =
      fx_good(fx_graph_text("        r: \"Sym(" + annotation + ")\" = " + code + "\n        return (r,)\n"));
  REQUIRE(fx.graph.outputs.size() == 1);
  return fx.graph.outputs[0];
}

}  // namespace

TEST_CASE("FX text: a size's annotation is believed where the code gives the same") {
  const SymExpr s0 = SymExpr::symbol("s0");
  CHECK(fx_scalar_of("s0*s0", "n ** 2") == Arg::of(s0 * s0));
  CHECK(fx_scalar_of("s0 - 1", "n - 1") == Arg::of(s0 - 1));
  CHECK(fx_scalar_of("s0 < 3", "3 > n") == Arg::of(SymExpr::opaque("lt", {s0, 3})));
  CHECK(fx_scalar_of("IntTrueDiv(s0, 2)", "n / 2") == Arg::of(SymExpr::opaque("IntTrueDiv", {s0, 2})));
  CHECK(fx_scalar_of("ToFloat(s0)", "torch.sym_float(n)") == Arg::of(SymExpr::opaque("ToFloat", {s0})));
  CHECK(fx_scalar_of("16", "torch.ops.aten.sym_numel.default(x)") == Arg::of(SymExpr(16)));
  CHECK(fx_scalar_of("u0", "torch.ops.aten._local_scalar_dense.default(x)") ==
        Arg::of(SymExpr::symbol("u0")));
}

TEST_CASE("FX text: a size is what the code gives, not what its annotation says") {
  const SymExpr s0 = SymExpr::symbol("s0");
  CHECK(fx_scalar_of("s0 + 1", "n + 2") == Arg::of(s0 + 2));
  CHECK(fx_scalar_of("Max(2, s0)", "torch.sym_max(n, 3)") ==
        Arg::of(SymExpr::binary(SymExpr::Op::max, s0, 3)));
  CHECK(fx_scalar_of("Min(s0, 1000)", "torch.sym_min(n, 100000)") ==
        Arg::of(SymExpr::binary(SymExpr::Op::min, s0, 100000)));
  CHECK(fx_scalar_of("IntTrueDiv(s0, 2)", "n / 3") == Arg::of(SymExpr::opaque("truediv", {s0, 3})));
  CHECK(fx_scalar_of("s0 >= 0", "n >= 2") == Arg::of(SymExpr::opaque("le", {2, s0})));
  CHECK(fx_scalar_of("s0 <= 4", "n <= 5") == Arg::of(SymExpr::opaque("le", {s0, 5})));
  CHECK(fx_scalar_of("4", "torch.ops.aten.sym_stride.int(x, 1)") == Arg::of(SymExpr(1)));
  CHECK(fx_scalar_of("s0", "torch.ops.aten.sym_size.int(x, -1)") == Arg::of(SymExpr(4)));
}

TEST_CASE("FX text: only a tensor has sizes") {
  const std::string begin = "        r: \"Sym(4)\" = torch.ops.aten.sym_size.int(";
  CHECK(fx_body_fault(begin + "x, 0)\n        return (r,)\n") == "accepted");
  CHECK(fx_body_fault(begin + "0, x)\n        return (r,)\n") ==
        "line 3, column 9: a size of what is no tensor");
}

TEST_CASE("FX text: a name behind its None has no value") {
  const std::string first = "        a = torch.ops.aten.neg.default(x);  x = None\n";
  CHECK(fx_body_fault(first + "        return (a, y)\n") == "accepted");
  CHECK(fx_body_fault(first + "        return (a, x)\n") == "line 4, column 20: 'x' is None here");
  const std::string pair =
      "        t = torch.ops.aten.max.dim(x, 0)\n        a: \"f32[4][1]cpu\" = t[0];  t = None\n";
  CHECK(fx_body_fault(pair + "        return (a,)\n") == "accepted");
  CHECK(fx_body_fault(pair + "        b: \"i64[4][1]cpu\" = t[1]\n        return (a, b)\n") ==
        "line 5, column 9: 't' is None here");
}

TEST_CASE("FX text: behind an update stands the name of what was updated") {
  CHECK(fx_body_fault("        x += y;  iadd = x\n        return (iadd,)\n") == "accepted");
  CHECK(fx_body_fault("        x += y;  iadd = y\n        return (iadd,)\n") ==
        "line 3, column 25: not the name of what was updated");
}

}  // namespace fx_text_test
