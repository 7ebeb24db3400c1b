// FX text written otherwise: blanks, lines and comments where Python allows them, and what stands at the
// edges.
#include <string>

#include "src/formats/fx_text/fx_text.h"
#include "src/formats/fx_text/fx_text_annotation.h"
#include "src/formats/fx_text/fx_text_value.h"
#include "tests/catch.h"

namespace fx_text_layout_test {

using namespace noclobber;

namespace {

const std::string kHead =
    "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]\", y: \"f32[4][1]\", n: \"Sym(s0)\"):\n";

std::string said(const std::string& text) {
  const auto result = read_fx_text(text);
  return result ? write_fx_text(result->graph) : result.fault().where + ": " + result.fault().message;
}

std::string said_of(const std::string& body) { return said(kHead + body + "        return (x,)\n"); }

Graph graph_of(const std::string& text) {
  const auto result = read_fx_text(text);
  INFO(text << (result ? "" : result.fault().where + ": " + result.fault().message));
  REQUIRE(result);
  return result->graph;
}

Graph body_of(const std::string& body) { return graph_of(kHead + body); }

/// The fault of `        STATEMENT`, without its place if that is the statement's line.
std::string fault_of(const std::string& statement) {
  const auto result = read_fx_text(kHead + "        " + statement + "\n        return (x,)\n");
  if (result) return "accepted";
  const Diagnostic& fault = result.fault();
  return (fault.where.starts_with("line 3, ") ? "" : fault.where + ": ") + fault.message;
}

}  // namespace

TEST_CASE("FX text: blanks, line ends and comments stand where Python allows them") {
  const std::string tight =
      "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]\", n: \"Sym(s0)\") -> \"f32[4]\":\n"
      "        a: \"f32[4][1]\" = torch.ops.aten.f.default([x, n + 1], k = {\"u\": -2**2}, m = -2 ** n)\n"
      "        x[0] = a;  setitem: \"f32[4][1]\" = x;  setitem = None\n"
      "        b = torch.nn.functional.g(a, 1)\n"
      "        n += 1;  iadd: \"Sym(s0 + 1)\" = n\n"
      "        return (a, b, iadd)\n";
  const std::string loose =
      "# a comment\n\nclass  M(torch.nn.Module):  # why\n\n    # another\n"
      "    def forward(\n        self , x : \"f32[4][1]\" ,\n        n : \" Sym( s0 ) \"\n    )  ->  "
      "\"f32[4]\"  :  \n\n"
      "        a : \"f32[4][1]\"  =  torch.ops.aten.f.default( [ x  # first\n , n  +  1 # second\n ] ,\n"
      "            k  =  { \"u\"  # key\n :  -2  **  2  } ,  m = - 2  **  n )  # done\n"
      "        x[0 ]  =  a  ;  setitem  :  \"f32[4][1]\"  =  x  ;   setitem  =  None  \n   \n"
      "        b  =  torch.nn.functional.g( a , 1 )\n"
      "        n  +=  1  ;  iadd  :  \"Sym(s0 + 1)\"  =  n  # and\n"
      "        return  ( a , b\n , iadd )  # end\n\n# behind\n";
  CHECK(said(tight).find("aten.f") != std::string::npos);
  CHECK(said(loose) == said(tight));
  const Graph graph = graph_of(tight);
  CHECK(graph.steps.at(0).kwargs.at(0).second.list.at(0).list.at(1) == Arg::of(SymExpr(-4)));
}

TEST_CASE("FX text: a joint graph's arguments, apart from each other and taken apart once") {
  const std::string head =
      "class joint_helper(torch.nn.Module):\n    def forward(self, primals, tangents):\n"
      "        primals_1: \"f32[4][1]\" ;  tangents_1 : \"f32[4][1]\"  # both\n\n";
  const std::string taken =
      "        primals_1  ,  tangents_1  ,  = fx_pytree.tree_flatten_spec([primals, tangents], "
      "self._in_spec)\n";
  const std::string end = "        return pytree.tree_unflatten([primals_1, tangents_1], self._out_spec)\n";
  CHECK(graph_of(head + taken + end).inputs.size() == 2);
  CHECK(said(head + taken + taken + end) == "line 6, column 38: the arguments are taken apart too late");
  CHECK(said_of("        return (x,) y\n") == "line 3, column 21: unexpected text behind a statement");
  CHECK(fault_of("k, = x") == "several names on the left");
}

TEST_CASE("FX text: what cannot be read is said of its own line") {
  const std::string sum = "'+' between values that are not integers";
  for (const char* statement :
       {"a = torch.ops.aten.f.default([x + \"a\"])", "a = torch.nn.f([x + \"a\"])", "a = x.f([x + \"a\"])",
        "a = self.f([x + \"a\"])", "x[0] = [x + \"a\"]", "x += [x + \"a\"]", "a = x[[x + \"a\"]]"}) {
    INFO(statement);
    CHECK(fault_of(statement) == "cannot be read: " + sum);
  }
  // Two operations at once are no step; one that its annotation names is no step either.
  CHECK(fault_of("a = (x + y) * (x + y)").starts_with("cannot be read: "));
  const Graph graph =
      body_of("        a: \"Sym(s0)\" = x + y\n        b: \"Sym(u1)\" = 1 + f(x)\n        return (a, b)\n");
  CHECK(graph.steps.empty());
  CHECK(graph.outputs.at(1) == Arg::of(SymExpr::symbol("u1")));
  CHECK(fault_of("k: \"Sym(s0)\" = n(3) + 1") == "accepted");
}

TEST_CASE("FX text: an update of a number says what its annotation does") {
  const Graph graph = body_of(
      "        n *= 2;  imul: \"Sym(s0*2)\" = n\n        n **= 2;  ipow: \"Sym(s0*s0)\" = n\n        "
      "return (imul, ipow)\n");
  CHECK(graph.steps.empty());
  CHECK(graph.outputs.at(0) == Arg::of(SymExpr::symbol("s0") * 2));
  CHECK(graph.outputs.at(1).sym.text() == "s0*s0");
}

TEST_CASE("FX text: sizes by the tensor's annotation, where there is such a dimension") {
  const auto size = [](const std::string& call) {
    const Graph graph = graph_of(
        "class M(torch.nn.Module):\n    def forward(self, x: \"f32[3, 5][5, 1]\"):\n        a: \"Sym(u9)\" = "
        "torch.ops.aten." +
        call + "\n        return (a,)\n");
    return graph.outputs.at(0).sym.text();
  };
  CHECK(size("sym_size.int(x, 0)") == "3");
  CHECK(size("sym_size.int(x, 1)") == "5");
  CHECK(size("sym_size.int(x, -1)") == "5");
  CHECK(size("sym_size.int(x, -2)") == "3");
  CHECK(size("sym_size.int(x, 2)") == "u9");
  CHECK(size("sym_size.int(x, -3)") == "u9");
  CHECK(size("sym_stride.int(x, 0)") == "5");
  CHECK(size("sym_numel.default(x)") == "15");
}

TEST_CASE("FX text: results behind tuples in tuples, and keys in the order in which they are asked for") {
  const std::string effects = "        e = torch.ops.higher_order.with_effects(x, y)\n";
  const auto with = [&](const std::string& rest) { return said(kHead + effects + rest); };
  CHECK(with("        r = e[1]\n        a = r[0]\n        b = r[1]\n        z = e[2]\n        return (a, b, "
             "z)\n") == "line 7, column 9: results behind a nested tuple have no number");
  CHECK(
      with("        r = e[1]\n        a = r[0]\n        q = e[1]\n        b = q[1]\n        return (a, b)\n")
          .starts_with("class"));
  const Graph keys = body_of(
      "        e = torch.ops.higher_order.triton_kernel_wrapper_functional(kernel_idx = 0)\n"
      "        a = e[\"p\"]\n        b = e[\"q\"]\n        c = e[\"p\"]\n        return (a, b, c)\n");
  CHECK_FALSE(keys.outputs.at(0) == keys.outputs.at(1));
  CHECK(keys.outputs.at(0) == keys.outputs.at(2));
  // An effect without a name is a step like others.
  const Graph graph = body_of(
      "        x[0] = y\n        y += x\n        m = torch.ops.aten.max.dim(x, 0)\n        v = m[0]\n        "
      "return (v,)\n");
  CHECK(graph.steps.size() == 3);
  CHECK(graph.steps.at(2).results.size() == 1);
  const std::string each = "        f = torch.ops.aten._foreach_add_.List([x, y], [y, x])\n";
  CHECK(body_of(each + "        a = f[-2]\n        return (a,)\n").outputs.at(0) == Arg::of(ValueId(0)));
  CHECK(said_of(each + "        a = f[-3]\n") == "line 4, column 9: the list has no element -3");
}

TEST_CASE("FX text: attributes by getattr, modules whose text is missing") {
  const Graph graph = body_of(
      "        p: \"f32[4][1]\" = getattr(self.blocks, \"0\").weight\n"
      "        b = self.body\n        k: \"Any\" = self.thing\n"
      "        c: \"f32[4][1]\" = torch.ops.higher_order.f(x, b, p, k)\n        return (c,)\n");
  REQUIRE(graph.inputs.size() == 4);
  CHECK(graph.value(graph.inputs[2].value).name == "getattr(self.blocks, \"0\").weight");
  CHECK(graph.value(graph.inputs[3].value).name == "thing");
  CHECK(graph.steps.at(0).args.at(1) == Arg::of_graph("body"));
  CHECK(fault_of("p = getattr(self.blocks, \"0\"]") == "expected ')'");
  CHECK(fault_of("p = getattr(self.blocks, 0)") == "an attribute's name is missing");
}

TEST_CASE("FX text: what stands in comments is kept, a long text up to a whole character") {
  const auto kept = [](const std::string& code) {
    return body_of("        # File: m.py:1 in f, code: " + code +
                   "\n        a = torch.ops.aten.f.default(x)\n        return (a,)\n")
        .steps.at(0)
        .source->code;
  };
  CHECK(kept("y = x") == "y = x");
  CHECK(kept(std::string(1000, 'c')) == std::string(1000, 'c'));
  CHECK(kept(std::string(999, 'c') + "é") == std::string(999, 'c'));
  CHECK(kept(std::string(998, 'c') + "é") == std::string(998, 'c') + "é");
  CHECK(kept(std::string(998, 'c') + "éé") == std::string(998, 'c') + "é");
  CHECK(kept(std::string(1002, '\x80')).size() <= 1000);
}

TEST_CASE("FX text: ranges of a printed exported program, and bounds that are none") {
  const auto range = [](const std::string& bounds) {
    const auto fx = read_fx_text(
        "ExportedProgram:\n    class GraphModule(torch.nn.Module):\n        def forward(self, x: "
        "\"f32[s0]\"):\n"
        "            return (x,)\n            \nGraph signature: \n    # inputs\nRange constraints: {s0: "
        "VR[" +
        bounds);
    REQUIRE(fx);
    return fx->symbols.at("s0");
  };
  CHECK(range("2, 9]}\n").min == 2);
  CHECK(range("2, 9]}\n").max == 9);
  CHECK_FALSE(range("2, int_oo]}\n").max);
  CHECK_FALSE(range("2], 9]}\n").max);
  CHECK_FALSE(range("2").max);
  // A stride may be negative, a size may not.
  const auto fx = read_fx_text("def forward(self, x: \"f32[s0][s1]\"):\n    return (x,)\n");
  REQUIRE(fx);
  CHECK(fx->symbols.at("s0").min == 0);
  CHECK(fx->symbols.at("s1").min < 0);
}

TEST_CASE("FX text: parameters behind stars, and what a name means once it is None") {
  const Graph graph = graph_of(
      "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]\", *y: \"f32[4][1]\", **z):\n        "
      "return (x,)\n");
  REQUIRE(graph.inputs.size() == 3);
  CHECK(graph.value(graph.inputs[1].value).name == "y");
  CHECK(graph.value(graph.inputs[2].value).name == "z");
  const auto negated = [](const std::string& name) {
    return said_of(
        "        b: \"f32[4][1]\" = torch.ops.aten.neg.default(y)\n        y = None\n        a: "
        "\"f32[4][1]\" = torch.ops.aten.neg.default(" +
        name + ")\n");
  };
  CHECK(negated("x").find("a: \"f32[4][1]\" = torch.ops.aten.neg.default(x)") != std::string::npos);
  CHECK(negated("y") == "line 5, column 53: 'y' is None here");
}

TEST_CASE("FX text: a place is written once for the steps that it has, Python's functions by their names") {
  const std::string place = "        # File: m.py:1 in f, code: y = -x\n";
  const std::string neg = " = torch.ops.aten.neg.default(x)\n";
  const std::string twice =
      said_of(place + "        a: \"f32[4][1]\"" + neg + "        b: \"f32[4][1]\"" + neg);
  CHECK(twice.find("# File: m.py:1") != std::string::npos);
  CHECK(twice.find("# File: m.py:1") == twice.rfind("# File: m.py:1"));
  CHECK(said_of("        k = len(x)\n").find(" = len(x)") != std::string::npos);
}

TEST_CASE("FX text: powers bind closer than signs, whatever is raised") {
  const auto text = [](const std::string& number) {
    return said_of("        k = " + number +
                   "\n        a: \"f32[4][1]\" = torch.ops.aten.add.Scalar(x, k)\n");
  };
  const auto adds = [&](const std::string& number, const std::string& sum) {
    return text(number).find("add.Scalar(x, " + sum + ")") != std::string::npos;
  };
  CHECK(adds("-3 ** 3", "-27"));
  CHECK(adds("-3 ** 2", "-9"));
  CHECK(adds("(-3) ** 3", "-27"));
  CHECK(text("-2.5 ** 3") == text("-(2.5 ** 3)"));
  CHECK(text("-2.5 ** 3") != text("-(-2.5) ** 3"));  // of the other sign
  CHECK(text("-2.5 ** 3") != text("(-2.5) ** 3"));
}

TEST_CASE("FX text: what an annotation says is taken where it is the same for all symbols of the code") {
  const auto settled = [](const std::string& code) {
    const std::string text = said(
        "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]\", n: \"Sym(s0)\", m: "
        "\"Sym(s1)\"):\n        k: \"Sym(s0)\" = " +
        code + "\n        a: \"f32[4][1]\" = torch.ops.aten.add.Scalar(x, k)\n        return (a,)\n");
    const std::size_t at = text.find("add.Scalar(x, ");
    return at == text.npos ? text : text.substr(at + 14, text.find('\n', at) - at - 15);
  };
  CHECK(settled("n") == "s0");
  CHECK(settled("n + m - m") == "s0");
  CHECK(settled("n * (m // m)") != "s0");  // not where m is 0
  CHECK(settled("n + m") != "s0");
}

TEST_CASE("FX text: empty lines, comments and blanks before, behind and inside") {
  const std::string text =
      "class M(torch.nn.Module):\n    def forward(self, x: \"f32[4][1]\", n: \"Sym(s0)\"):\n        k: "
      "\"Sym(2*s0)\" = n * 2\n        a: \"f32[4][1]\" = torch.ops.aten.add.Scalar(x, k)\n        return "
      "(a,)\n";
  const std::string plain = said(text);
  CHECK(plain.find("torch.ops.aten.add.Scalar") != std::string::npos);
  CHECK(said("\n\n# before\n\n" + text) == plain);
  CHECK(said(text + "\n\n    # behind\n\n") == plain);
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string out = text;
    return said(out.replace(out.find(from), from.size(), to));
  };
  CHECK(with("Sym(s0)", "Sym( s0 )") == plain);
  CHECK(with("Sym(2*s0)", "Sym( 2*s0 )") == plain);
  const std::string joint =
      "class inner_f(torch.nn.Module):\n    def forward(self, primals, tangents):\n"
      "        primals_1: \"f32[2][1]cpu\"; tangents_1: \"f32[2][1]cpu\"; \n"
      "        primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)\n"
      "        return pytree.tree_unflatten([primals_1, None], self._out_spec)\n";
  for (const char* end : {";   # two", "  # two", ";"}) {
    std::string out = joint;
    CHECK(said(out.replace(out.find("; \n"), 2, end)) == said(joint));
  }
}

TEST_CASE("FX text: an attribute without an annotation is a module where there is one of its name") {
  const auto inputs = [](const std::string& type, const std::string& more) {  // a constant is one
    return graph_of("class M(torch.nn.Module):\n    def forward(self, x" + type +
                    "):\n        w = self.w\n        y = torch.ops.higher_order.wrap(w, x)\n        return "
                    "(y,)\n" +
                    more)
        .inputs.size();
  };
  const std::string module =
      "\n    class w(torch.nn.Module):\n        def forward(self, x):\n            y = "
      "torch.ops.aten.neg.default(x)\n"
      "            return (y,)\n";
  CHECK(inputs("", "") == 2);
  CHECK(inputs(": f32", "") == 2);
  CHECK(inputs(": torch.Tensor", "") == 2);
  CHECK(inputs(": \"f32[4]\"", "") == 1);  // constants are annotated there
  CHECK(inputs("", module) == 1);
}

TEST_CASE("FX text: annotations with blanks inside, and those of classes") {
  FxSymbols symbols;
  const auto truth = parse_fx_annotation("Sym( True )", symbols);
  REQUIRE(truth);
  CHECK(truth->scalar.kind == Arg::Kind::boolean);
  const auto object = parse_fx_annotation("Handle(3)", symbols);
  REQUIRE(object);
  CHECK(object->kind == FxAnnotation::Kind::wrapped);
}

TEST_CASE("FX text: a module by its path behind a bare forward goes by the end of it") {
  const auto read = read_fx_text(
      "def forward(self, x: \"f32[2]\"):\n    return (x,)\nclass <lambda>/true_graph_0(torch.nn.Module):\n"
      "    def forward(self, y: \"f32[2]\"):\n        return (y,)\n");
  REQUIRE(read);
  REQUIRE(read->graph.bodies.size() == 1);
  CHECK(read->graph.bodies.begin()->first == "true_graph_0");
}

TEST_CASE("FX text: a size is said with fewer symbols than its code has") {
  const SymExpr s0 = SymExpr::symbol("s0"), s1 = SymExpr::symbol("s1");
  const SymExpr one = SymExpr::binary(SymExpr::Op::floor_div, s1 * s1 + s1, s1) - s1;
  REQUIRE_FALSE(one == SymExpr(1));
  const auto settled = [&](const SymExpr& computed) {
    return fx_settled(Arg::of(s0), Arg::of(computed)).sym;
  };
  CHECK(settled(s0 + s1 - s1) == s0);
  CHECK(settled(s0 + one - SymExpr(1)) ==
        s0 + one - SymExpr(1));  // one for all sizes, but no polynomial says so
  CHECK(settled(s0 + one) == s0 + one);
}

TEST_CASE("FX text: an update that gives no number is refused where it stands") {
  const auto read =
      read_fx_text("def forward(self, n: \"Sym(s0)\"):\n    n += 'a';  iadd = n\n    return (n,)\n");
  REQUIRE_FALSE(read);
  CHECK(read.fault().where.starts_with("line 2,"));
  CHECK(read.fault().message.starts_with("cannot be read: "));
}

}  // namespace fx_text_layout_test
