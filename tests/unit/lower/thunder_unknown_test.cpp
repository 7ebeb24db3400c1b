// Lines that are given what nobody knows, and lines that give nothing: what is left of them is said.
#include "src/lower/thunder/facts.h"
#include "src/lower/thunder/thunder.h"
#include "tests/support/graph_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_unknown_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

std::string said(const std::string& body) {
  const auto checks = read_thunder({"t", program(body + "\n  return a\n")}, "");
  if (!checks.at(0).value) return checks[0].value.fault().message;
  std::string out = testing::with_inputs(checks[0].value->after);
  for (const OpDecl& op : checks[0].value->ops) out += op.schema + (op.pure ? "\n" : " writes\n");
  for (const Step& step : checks[0].value->after.steps)
    if (step.fused) out += "fused: " + std::string(step.op) + "\n";
  return out;
}

}  // namespace

TEST_CASE("thunder unknown: an argument of which nothing is known is not left out silently", "[thunder]") {
  for (const char* call :
       {"sin(u)", "sin(a, k=u)", "add(a, u)", "var(a, (1,), correction=u)", "unfold(a, u, 2, 1)",
        "full((2, 3), u)", "full((2, 3), 1.0, device=u)", "gather(a, u, 1)", "lerp(a, w=u)", "lerp(a, u)",
        "argsort(a, u)", "clone(a, memory_format=u)"}) {
    const std::string text =
        said("  u = prims.sink(b)\n  t1 = prims." + std::string(call) + "  # t1: \"cpu f32[2, 3]\"");
    INFO(call << "\n" << text);
    CHECK(text.find("\nt1:f32 = thunder.prims.") != std::string::npos);
  }
  CHECK(said("  u = prims.sink(b)\n  t1 = prims.sin(a)") == R"x(of a b:
t1 = aten.sin.default(a)
-> a
)x");
  CHECK(said("  t0 = nobody.knows(a)\n  t1 = prims.device_put(t0, devices.Device(\"cpu\"))  # t1: \"cpu "
             "f32[2, 3]\"") == R"x(of a b:
t0 = thunder.nobody.knows(a)
t1:f32 = thunder.prims.device_put(t0, 'cpu')
-> a
)x");
  CHECK(said("  t1 = torch.argsort(a, {'x': 1})  # t1: \"cpu i64[2, 3]\"") == R"x(of a b:
t1:i64 = thunder.torch.argsort(a)
-> a
)x");
}

TEST_CASE("thunder unknown: names of one letter are names of something else", "[thunder]") {
  CHECK(said("  t1 = prims.add(a, t)  # t1: \"cpu f32[2, 3]\"") == "'t' is not bound");
  CHECK(said("  t1 = prims.add(a, t3)  # t1: \"cpu f32[2, 3]\"") == R"x(of a b:
t3 = thunder.t3_is_not_bound()
t1:f32 = aten.add.Tensor(a, t3)
-> a
)x");
  CHECK(said("  t1 = prims.add(a, later)  # t1: \"cpu f32[2, 3]\"\n  later = prims.sin(a)") ==
        "'later' is not bound");
}

TEST_CASE("thunder unknown: a name is asked for where what is below does not read it, if the trace binds it",
          "[thunder]") {
  const auto below = [](const std::string& operand, const std::string& behind = "") {
    return said("  t1 = ltorch.foo(a, " + operand +
                ")  # t1: \"cpu f32[2, 3]\"\n    # t1 = prims.sin(a)  # t1: \"cpu f32[2, 3]\"" + behind);
  };
  const std::string read = "of a b:\nt1:f32 = aten.sin.default(a)\n-> a\n";
  CHECK(below("b") == read);
  CHECK(below("t") == read);
  CHECK(below("later") == read);
  CHECK(below("t9") == "of a b:\nt9 = thunder.t9_is_not_bound()\nt1:f32 = aten.sin.default(a)\n-> a\n");
  CHECK(below("later", "\n  later = prims.sin(a)") == "'later' is not bound");
}

TEST_CASE("thunder unknown: calls as arguments are told apart by all that they are given", "[thunder]") {
  CHECK(said("  t1 = nobody.knows(a, g(b, 2, k=3))  # t1: \"cpu f32[2, 3]\"") == R"x(of a b:
t1:f32 = thunder.nobody.knows(a, ['g' b 2 'k' 3])
-> a
)x");
  CHECK(said("  t1 = nobody.knows(a, x=g(b))  # t1: \"cpu f32[2, 3]\"") == R"x(of a b:
t1:f32 = thunder.nobody.knows(a, ['g' b])
-> a
)x");
}

TEST_CASE("thunder unknown: a result that nobody knows is one of a step of its own", "[thunder]") {
  const Graph graph = graph_of(program("  u = prims.sink(b)\n  return (a, u)\n"));
  CHECK(testing::with_inputs(graph) == R"x(of a b:
unknown = thunder.unknown_result()
-> a unknown
)x");
  CHECK(said("  t1 = prims.get_grad(a, b)  # t1: \"cpu f32[2, 3]\"") == R"x(of a b:
t1:f32 = thunder.prims.get_grad(a, b)
-> a
)x");
}

TEST_CASE("thunder steps: results in their order, and the line of each", "[thunder]") {
  const Graph graph =
      graph_of(program("  (t1, t2) = prims.topk(a, 1, 1, True, True)\n  t3 = prims.add(t1, 2.0)  # t3: \"cpu "
                       "f32[2, 1]\"\n  return t3\n"));
  CHECK(testing::with_inputs(graph) == R"x(of a b:
t1, t2 = aten.topk.default(a, 1, 1, true, true)
t3:f32 = aten.add.Scalar(t1, 2.000000)
-> t3
)x");
  REQUIRE(graph.steps.size() == 2);
  CHECK(graph.steps[0].line == 9);
  CHECK(graph.steps[1].line == 10);
}

TEST_CASE("thunder lines: keywords beside inplace, and dimensions that stay where there is room",
          "[thunder]") {
  CHECK(said("  t1 = torch.nn.functional.leaky_relu(a, negative_slope=0.25, inplace=False)  # t1: \"cpu "
             "f32[2, 3]\"") == R"x(of a b:
t1:f32 = aten.leaky_relu.default(a, negative_slope=0.250000)
-> a
)x");
  CHECK(said("  t1 = torch.nn.functional.leaky_relu(a, negative_slope=0.25, inplace=True)  # t1: \"cpu "
             "f32[2, 3]\"") == R"x(of a b:
t1:f32 = aten.leaky_relu_.default(a, negative_slope=0.250000)
-> a
)x");
  CHECK(said("  t1 = prims.neg(a)  # t1: \"cpu f32[2, 3, 4, 5]\"\n  t2 = torch.movedim(t1, 0, 2)  # t2: "
             "\"cpu f32[3, 4, 2, 5]\"") == R"x(of a b:
t1:f32 = aten.neg.default(a)
t2:f32 = aten.permute.default(t1, [1 2 0 3])
-> a
)x");
}

TEST_CASE("thunder types: extents may be zero, not less", "[thunder]") {
  const auto shape = [](const std::string& text) -> std::string {
    const auto type = thunder_tensor_type(text);
    if (!type) return "none";
    std::string out;
    for (const SymExpr& size : type->shape) out += size.text() + " ";
    return out;
  };
  CHECK(shape("cpu f32[0, 3]") == "0 3 ");
  CHECK(shape("cpu f32[-1, 3]") == "none");
  CHECK(shape("cpu f32[[IntegerProxy name=i0, value=0], 3]") == "0 3 ");
  CHECK(shape("cpu f32[[IntegerProxy name=i0, value=2], 3]") == "2 3 ");
  CHECK(shape("cpu f32[[IntegerProxy name=i0, value=-2], 3]") == "none");
  CHECK(shape("cpu f32[]").empty());
}

TEST_CASE("thunder barriers: each tensor gets another name behind all of them", "[thunder]") {
  const std::string two = "  (t5, t6) = update_aliases((a, b))\n";
  CHECK(said(two + "  t7 = prims.sin(t5)  # t7: \"cpu f32[2, 3]\"") == R"x(of a b:
t5:f32 = aten.alias.default(a) barrier
t6:f32 = aten.alias.default(b) barrier
t7:f32 = aten.sin.default(t5)
-> a
)x");
  CHECK(
      said(two +
           "    # (t5, t6) = prims.update_aliases((a, b))\n  t7 = prims.sin(t5)  # t7: \"cpu f32[2, 3]\"") ==
      said(two + "  t7 = prims.sin(t5)  # t7: \"cpu f32[2, 3]\""));
  CHECK(said("  (t5,) = update_aliases((a, b))") == R"x(of a b:
t5 = thunder.update_aliases([a b])
-> a
)x");
  CHECK(said("  (i0, i1) = prims.shape(a)\n  t7 = prims.full((i0, i1), 1.0)  # t7: \"cpu f32[2, 3]\"") ==
        R"x(of a b:
t7:f32 = aten.full.default([2 3], 1.000000)
-> a
)x");
}

TEST_CASE("thunder regions: a fusion is one unit, whose steps say so", "[thunder]") {
  CHECK(said("  [t1] = nvFusion0(a)\n    # t0 = prims.sin(a)  # t0: \"cpu f32[2, 3]\"\n    # t1 = "
             "prims.cos(t0)  # t1: \"cpu f32[2, 3]\"") == R"x(of a b:
t0:f32 = aten.sin.default(a)
t1:f32 = aten.cos.default(t0)
-> a
fused: aten.sin.default
fused: aten.cos.default
)x");
  CHECK(
      said("  t1 = ltorch.foo0(a)  # t1: \"cpu f32[2, 3]\"\n    # t1 = prims.sin(a)  # t1: \"cpu f32[2, 3]\"")
          .find("fused") == std::string::npos);
}

}  // namespace thunder_unknown_test
