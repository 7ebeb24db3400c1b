// What stands in FX text beside calls of operators: Python's own functions, methods, operators, modules.
#include <string>

#include "src/formats/fx_text/fx_text.h"
#include "src/graph/bodies.h"
#include "tests/catch.h"

namespace fx_text_python_test {

using namespace noclobber;

namespace {

std::string fx_python_text(const std::string& body) {
  return "class GraphModule(torch.nn.Module):\n"
         "    def forward(self, x: \"f32[4, 4][4, 1]cpu\", y: \"f32[4, 4][4, 1]cpu\", n: \"Sym(s0)\"):\n" +
         body;
}

Graph fx_python(const std::string& statements) {
  const auto result = read_fx_text(fx_python_text(statements));
  INFO(statements << (result ? "" : result.fault().where + ": " + result.fault().message));
  REQUIRE(result);
  const std::string text = write_fx_text(result->graph);
  INFO(text);
  const auto again = read_fx_text(text);
  REQUIRE(again);
  CHECK(write_fx_text(again->graph) == text);
  return result->graph;
}

std::string fx_python_fault(const std::string& text) {
  const auto result = read_fx_text(text);
  return result ? "accepted" : result.fault().where + ": " + result.fault().message;
}

/// "op(names of the tensors it is given)" of the first step of `        STATEMENT`.
std::string fx_first_step(const std::string& statement) {
  const Graph graph = fx_python("        " + statement + "\n        return (x,)\n");
  REQUIRE(graph.steps.size() == 1);
  std::string text = graph.steps[0].op + "(";
  for (const Arg& arg : graph.steps[0].args)
    text += (arg.kind == Arg::Kind::ref ? graph.value(arg.ref).name : std::string("-")) + ",";
  return text + ")";
}

}  // namespace

TEST_CASE(
    "FX text: PyTorch's while_loop clones what it carries if no trip runs, and no other operator does") {
  const auto clones = [](const std::string& op) {
    return clones_without_trips(fx_python("        r = " + op + "(x, y)\n        return (r,)\n").steps.at(0));
  };
  CHECK(clones("torch.ops.higher_order.while_loop"));
  CHECK(clones("torch._higher_order_ops.while_loop"));
  CHECK(!clones("torch.ops.higher_order.cond"));
}

TEST_CASE("FX text: what is no operator is a step that nobody knows") {
  CHECK(fx_first_step("r = x + y") == "operator.add.default(x,y,)");
  CHECK(fx_first_step("r = 1e-08 / x;  y = None") == "operator.truediv.default(-,x,)");
  CHECK(fx_first_step("r = x @ y") == "operator.matmul.default(x,y,)");
  CHECK(fx_first_step("r: \"f32[4, 4][4, 1]cpu\" = -x") == "operator.neg.default(x,)");
  CHECK(fx_first_step("r = ~x") == "operator.invert.default(x,)");
  CHECK(fx_first_step("r = x.view(-1, k = y)") == "method.view.default(x,-,)");
  CHECK(fx_first_step("r = x.shape") == "python.getattr.default(x,-,)");
  CHECK(fx_first_step("r = x[0]") == "operator.getitem.default(x,-,)");
  CHECK(fx_first_step("r = x[(slice(None, 2, None), None, ...)]") == "operator.getitem.default(x,-,)");
  CHECK(fx_first_step("r = x[y]") == "operator.getitem.default(x,y,)");
  CHECK(fx_first_step("r = torch.nn.functional.linear(x, y)") ==
        "python.torch_nn_functional_linear.default(x,y,)");
  CHECK(fx_first_step("r = torch._higher_order_ops.wrap.wrap(x)") == "higher_order.wrap(x,)");
  CHECK(fx_first_step("r = _operator.add(x, y)") == "operator.add.default(x,y,)");
  CHECK(fx_first_step("r = self.layers_0_fc(x)") == "module.layers_0_fc.default(x,)");
  CHECK(fx_first_step("r = len(x)") == "python.len.default(x,)");
  CHECK(fx_first_step("_enter = torch.amp.autocast_mode._enter_autocast('cuda', None, True, True)") ==
        "python.torch_amp_autocast_mode__enter_autocast.default(-,-,-,-,)");
}

TEST_CASE("FX text: an operator without overload is the one that takes its arguments") {
  CHECK(fx_first_step("r = torch.ops.aten.add(x, y)") == "aten.add.Tensor(x,y,)");
  CHECK(fx_first_step("r = torch.ops.aten.add(x, 2)") == "aten.add.Scalar(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.add(1, 2)") == "python.torch_ops_aten_add.default(-,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.sum(x)") == "aten.sum.default(x,)");
  CHECK(fx_first_step("r = torch.ops.aten.sum(x, [1])") == "aten.sum.dim_IntList(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.sum(x, 1)") == "aten.sum.dim_IntList(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.random_(x, 4)") == "aten.random_.to(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.random_(x, 0, 4)") == "aten.random_.from(x,-,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.div(x, y)") == "aten.div.Tensor(x,y,)");
  CHECK(fx_first_step("r = torch.ops.aten.div(x, y, rounding_mode = 'floor')") ==
        "aten.div.Tensor_mode(x,y,)");
  CHECK(fx_first_step("r = torch.ops.aten.max(x, y)") == "aten.max.other(x,y,)");
  CHECK(fx_first_step("r = torch.ops.aten.mean(x, None)") == "aten.mean.dim(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.index(x, [None, y])") == "aten.index.Tensor(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.to(x, torch.float16)") == "aten.to.dtype(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.clone(x, memory_format = torch.preserve_format)") ==
        "aten.clone.default(x,)");
  CHECK(fx_first_step("r = torch.ops.zoo.scale(x, y)") == "zoo.scale.default(x,y,)");
  // PyTorch takes 1 as a bool here, and [1] as either overload's dimensions, by the order of registration.
  CHECK(fx_first_step("r = torch.ops.aten.std(x, 1)") == "python.torch_ops_aten_std.default(x,-,)");
  CHECK(fx_first_step("r = torch.ops.aten.std(x, [1])") == "python.torch_ops_aten_std.default(x,-,)");
}

TEST_CASE("FX text: updates in place name their result behind the statement") {
  CHECK(fx_first_step("x += y;  iadd: \"f32[4, 4][4, 1]cpu\" = x;  y = None") ==
        "operator.iadd.default(x,y,)");
  CHECK(fx_first_step("x //= 2;  r = x") == "operator.ifloordiv.default(x,-,)");
  CHECK(fx_first_step("x[slice(1, None, None)] = y;  setitem = x;  y = setitem = None") ==
        "operator.setitem.default(x,-,y,)");
  CHECK(fx_first_step("x[0] = y") == "operator.setitem.default(x,-,y,)");
  const Graph counted = fx_python("        n += 2;  iadd = n\n        return (iadd,)\n");
  CHECK(counted.steps.empty());
  CHECK(counted.outputs.at(0) == Arg::of(SymExpr::symbol("s0") + 2));
  CHECK(fx_python_fault(fx_python_text("        x += ;  r = x\n        return (r,)\n")) ==
        "line 3, column 14: a value cannot begin here");
  CHECK(fx_python_fault(fx_python_text("        z += y;  r = z\n        return (r,)\n")) ==
        "line 3, column 11: 'z' is not defined");
}

TEST_CASE("FX text: items of what Python gives are steps, of operators they are results") {
  const Graph python =
      fx_python("        s = x.split(2)\n        a = s[0]\n        b = a[0]\n        return (b, s)\n");
  CHECK(python.steps.size() == 3);
  CHECK(fx_python_fault(fx_python_text("        s = torch.ops.aten.split.Tensor(x, 2)\n"
                                       "        b = s[1][0]\n        return (b,)\n")) ==
        "line 4, column 17: unexpected text behind a statement");
}

TEST_CASE("FX text: a dictionary of results is numbered by its list of clones") {
  const Graph graph = fx_python(
      "        t = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0, constant_args_idx "
      "= "
      "1, grid = [(n, 1, 1)], tma_descriptor_metadata = {'d': ('stable', ([256],))}, kwargs = {'a': x, 'b': "
      "y}, tensors_to_clone = ['a', 'b'])\n"
      "        r = t['b'];  t = None\n        return {'first': r, 'second': [x, None]}\n");
  REQUIRE(graph.steps.size() == 1);
  REQUIRE(graph.steps[0].results.size() == 2);
  CHECK(graph.value(graph.steps[0].results[1]).name == "r");
  REQUIRE(graph.outputs.size() == 2);
  CHECK(graph.outputs[0].kind == Arg::Kind::ref);
  CHECK(graph.outputs[1].list.size() == 2);
}

TEST_CASE("FX text: functions of sizes are sizes") {
  const Graph graph = fx_python(
      "        a = torch.sym_max(n, 4)\n        b = torch.sym_sum([n, n, 1])\n        c = torch.sym_not(n)\n"
      "        d = math.ceil(n)\n        e = n / 2\n        f = operator.add(n, 1)\n        g = int(n)\n"
      "        h = n & 3\n        i: \"Sym(s0 - 1)\" = operator.sub(n, 1)\n"
      "        return (a, b, c, d, e, f, g, h, i)\n");
  const SymExpr s0 = SymExpr::symbol("s0");
  CHECK(graph.steps.empty());
  CHECK(graph.outputs[0] == Arg::of(SymExpr::binary(SymExpr::Op::max, s0, 4)));
  CHECK(graph.outputs[1] == Arg::of(s0 + s0 + 1));
  CHECK(graph.outputs[2] == Arg::of(SymExpr::opaque("sym_not", {s0})));
  CHECK(graph.outputs[3] == Arg::of(SymExpr::opaque("ceil", {s0})));
  CHECK(graph.outputs[4] == Arg::of(SymExpr::opaque("truediv", {s0, 2})));
  CHECK(graph.outputs[6] == Arg::of(s0));
  CHECK(graph.outputs[7] == Arg::of(SymExpr::opaque("and_", {s0, 3})));
  CHECK(graph.outputs[8] == Arg::of(s0 - 1));
}

// What a call of sizes is named as beside it counts where both are the same number, else what is called.
TEST_CASE("FX text: an annotation that means what is called is believed") {
  // call, what it is said to be, is that taken for the same: one polynomial, or one call; else the code
  // counts
  const std::tuple<const char*, const char*, bool> calls[] = {
      {"operator.eq(n, 4)", "Eq(4, s0)", true},
      {"operator.eq(n, 4)", "Eq(5, s0)", false},
      {"operator.ne(n, 4)", "Ne(4, s0)", true},
      {"operator.ne(n, 4)", "Ne(5, s0)", false},
      {"operator.lt(n, 4)", "s0 <= 3", true},
      {"operator.lt(n, 4)", "s0 <= 4", false},
      {"operator.le(n, 4)", "s0 < 5", true},
      {"operator.le(n, 4)", "s0 < 4", false},
      {"operator.gt(n, 4)", "4 < s0", false},
      {"operator.gt(n, 4)", "4 <= s0", false},
      {"operator.ge(n, 4)", "4 <= s0", false},
      {"operator.ge(n, 4)", "4 < s0", false},
      {"torch.sym_max(n / 2, 3)", "Max(3, IntTrueDiv(s0, 2))", true},
      {"torch.sym_max(n / 2, 3)", "Max(4, IntTrueDiv(s0, 2))", false},
      {"torch.sym_min(n / 2, 3)", "Min(3, IntTrueDiv(s0, 2))", true},
      {"torch.sym_min(n / 2, 3)", "Min(4, IntTrueDiv(s0, 2))", false},
      {"operator.mul(n / 2, 2)", "ToFloat(s0)", false},  // but for rounding
      {"operator.mul(n / 2, 2)", "2*IntTrueDiv(s0, 2)", true},
      {"torch.sym_min(n, 2000000)", "s0", false},
      {"torch.sym_not(n < 4)", "4 <= s0", true},
      {"torch.sym_not(n < 4)", "4 < s0", false},
      {"operator.floordiv(n, 2000000)", "0", false},
      {"operator.mul(n / 2, 2)", "ToFloat(s0 + 1)", false},
      {"operator.pow(n / 2, 2)", "FloatPow(IntTrueDiv(s0, 2), 2)", false},
      {"operator.pow(n / 2, 2)", "FloatPow(IntTrueDiv(s0, 2), 3)", false},
      {"torch.sym_not(n)", "Eq(0, s0)", true},
      {"torch.sym_not(n)", "Eq(1, s0)", false},
      {"operator.eq(n, n)", "True", false},
      {"operator.eq(n, n)", "False", false},
      {"n % 2", "s0 - 2*(s0//2)", true},
      {"n % 2", "s0//2", false},
      {"n % 2", "0", false},
      {"torch.sym_not(n == 4)", "Ne(4, s0)", true},
      {"torch.sym_not(n == 4)", "Eq(4, s0)", false},
  };
  for (const auto& [call, said, same] : calls) {
    INFO(call << " as " << said);
    const std::string annotated =
        std::string("        a: \"Sym(") + said + ")\" = " + call + "\n        return (a,)\n";
    const std::string bare = std::string("        a = ") + call + "\n        return (a,)\n";
    const Arg computed = fx_python(bare).outputs[0], kept = fx_python(annotated).outputs[0];
    CHECK((kept == computed) == !same);
  }
}

TEST_CASE("FX text: characters by number, devices and signs") {
  const Graph graph = fx_python(
      "        op = torch.ops.ns.op.default('\\x7f\\u0080\\u07ff\\u0800\\uffff\\U00010000\\U0010ffff', "
      "'a \\t\\r\\b\\f\\v\\0z', device(type='cuda', index=7), device(type='cuda'), device(type='cuda:'), "
      "device(type='cuda:x'), -3 ** 2, -n ** 2, - 4)\n        return ()\n");
  const auto& args = graph.steps.at(0).args;
  REQUIRE(args.size() == 9);
  CHECK(args[0] ==
        Arg::of_text("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"));
  CHECK(args[1] == Arg::of_text(std::string("a \t\r\b\f\v\0z", 9)));
  CHECK(args[2] == Arg::of_device("cuda:7"));
  CHECK(args[3] == Arg::of_device("cuda"));
  CHECK(args[4] == Arg::of_device("cuda:"));
  CHECK(args[5] == Arg::of_device("cuda:x"));
  CHECK(args[6] == Arg::of(SymExpr(-9)));
  CHECK(args[7] == Arg::of(SymExpr(-1) * SymExpr::binary(SymExpr::Op::pow, SymExpr::symbol("s0"), 2)));
  CHECK(args[8] == Arg::of(SymExpr(-4)));
  const std::string text = write_fx_text(graph);
  for (const char* part : {"device(type='cuda', index=7)", "device(type='cuda')", "device(type='cuda:')",
                           "device(type='cuda:x')", "'a \\x09\\x0d\\x08\\x0c\\x0b\\x00z'"})
    CHECK(text.find(part) != text.npos);
  CHECK(fx_python_fault(fx_python_text("        op = torch.ops.ns.op.default('\\U00110000')\n"))
            .find("no such character") != std::string::npos);
}

TEST_CASE("FX text: literals as other versions print them") {
  const Graph graph = fx_python(
      "        op = torch.ops.ns.op.default(float('-inf'), float(\"nan\"), math.inf, torch.Size([2, 3]), "
      "Ellipsis, 'a\\d\\x41\\a', torch.float8_e4m3fn, <ReduceOp.SUM: 0>, complex(0.5, -2))\n        return "
      "()\n");
  const auto& args = graph.steps.at(0).args;
  REQUIRE(args.size() == 9);
  CHECK(args[0] == Arg::of_real(-INFINITY));
  CHECK(args[1] == Arg::of_real(NAN));
  CHECK(args[2] == Arg::of_real(INFINITY));
  CHECK(args[3].list.size() == 2);
  CHECK(args[5] == Arg::of_text("a\\dA\a"));
  CHECK(args[6] == Arg::of_dtype(Dtype::f8e4m3fn));
  CHECK(args[8] == Arg::of_text("complex(0.5, -2)"));
}

TEST_CASE("FX text: annotations of all ages") {
  const auto fx = read_fx_text(
      "class <lambda>(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n\n"
      "    def forward(self, a: f32[4, s0], b : typing.Optional[torch.Tensor], c: \"None\", d: \"(f32[2], "
      "f32[2])\", e: \"ScriptObject\", f: \"f32[((s0//2)), Max(1, s0)]\", *, g = None):\n"
      "        h: i64[] = torch.ops.aten.sum.default(a)\n        a = None\n"
      "        _guards_fn = self._guards_fn(b);  _guards_fn = None\n        return [h]\n");
  INFO((fx ? "" : fx.fault().where + fx.fault().message));
  REQUIRE(fx);
  const Graph& graph = fx->graph;
  REQUIRE(graph.inputs.size() == 7);
  const auto type = [&](std::size_t k) { return graph.value(graph.inputs[k].value).type; };
  CHECK(type(0)->shape.at(1) == SymExpr::symbol("s0"));
  CHECK_FALSE(type(1));
  CHECK_FALSE(type(2));
  CHECK_FALSE(type(3));
  CHECK_FALSE(type(4));
  CHECK(type(5)->shape.size() == 2);
  CHECK(graph.steps.size() == 1);
  CHECK(graph.value(graph.steps[0].results[0]).type->dtype == Dtype::i64);
  CHECK(fx_python_fault("def forward(self, a: f32[4, s0):\n    return a\n") ==
        "line 1, column 33: an annotation lacks ']'");
  CHECK(fx_python_fault("def forward(self, a: \"(f32[4]\"):\n    return a\n") ==
        "line 1, column 22: an annotation has no end");
}

TEST_CASE("FX text: bodies behind the module, by path") {
  const std::string body = "        def forward(self, a: \"f32[4]\"):\n            return a\n";
  const auto sibling = [](const std::string& name) {
    return "\nclass " + name +
           "(torch.nn.Module):\n    def forward(self, a: \"f32[4]\"):\n        return a\n";
  };
  const std::string main =
      "class <lambda>(torch.nn.Module):\n    def forward(self, p: \"b8[]\", x: \"f32[4]\"):\n"
      "        t = self.true_graph_0\n        cond = torch.ops.higher_order.cond(p, t, t, (x,))\n"
      "        g: \"f32[4]\" = cond[0]\n        return (g,)\n";
  const auto fx =
      read_fx_text(main + sibling("<lambda>/true_graph_0") + sibling("<lambda>/true_graph_0/body_graph_0"));
  REQUIRE(fx);
  REQUIRE(fx->graph.bodies.contains("true_graph_0"));
  CHECK(fx->graph.bodies.at("true_graph_0").bodies.contains("body_graph_0"));
  const auto inside = read_fx_text(main + "\n    class <lambda>/true_graph_0(torch.nn.Module):\n" + body);
  REQUIRE(inside);
  CHECK(inside->graph.bodies.contains("true_graph_0"));
  CHECK(fx_python_fault(main + sibling("<lambda>/true_graph_0/body_graph_0")) ==
        "line 11, column 1: a module stands before the one it belongs to");
  CHECK(fx_python_fault(main + sibling("true_graph_0") + sibling("true_graph_0")) ==
        "line 15, column 1: two modules have one name");
}

TEST_CASE("FX text: a printed exported program, with its ranges") {
  const std::string text =
      "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n"
      "        def forward(self, x: \"f32[s0]\"):\n            return (x,)\n\nGraph signature: \n";
  const auto fx =
      read_fx_text(text + "    # outputs\n    x: USER_OUTPUT\n\nRange constraints: {s0: VR[2, 9]}\n");
  REQUIRE(fx);
  CHECK(fx->symbols.at("s0").min == 2);
  CHECK(fx->symbols.at("s0").max == 9);
  CHECK(fx_python_fault(text + "    # outputs\n    x: BUFFER_MUTATION target='b'\n") ==
        "line 6, column 1: the mutations in a printed signature are not read; the .pt2 has them");
  CHECK(fx_python_fault("ExportedProgram:\n") == "line 2, column 1: expected 'def forward('");
}

TEST_CASE("FX text: texts with a bit flipped or a piece cut out end, in a graph or a place") {
  const std::string text = fx_python_text(
      "        # File: m.py:3 in f, code: z = x + y\n        s = torch.ops.aten.split.Tensor(x, [2, n], dim "
      "= -1)\n"
      "        a: \"f32[2, s0][4, 1]cpu\" = s[0];  s = None\n        a += 1.5e-3;  b = a\n"
      "        c = torch.sym_max(n, 3)\n        return {'k': a, \"l\": [b, c, float('inf')]}\n");
  REQUIRE(read_fx_text(text));
  int refused = 0;
  const auto judge = [&](const std::string& broken) {
    const auto result = read_fx_text(broken);
    if (result) return;
    ++refused;
    CHECK(result.fault().where.starts_with("line "));
    CHECK(result.fault().message.find('\n') == std::string::npos);
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string broken = text;
      broken[at] = static_cast<char>(broken[at] ^ (1 << bit));
      judge(broken);
    }
    judge(text.substr(0, at));
    judge(text.substr(0, at) + text.substr(std::min(text.size(), at + 7)));
  }
  CHECK(refused > 1000);
}

}  // namespace fx_text_python_test
