// What traces say of numbers, places and pairs beside their operators.
#include "tests/support/graph_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_facts_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

std::string said(const std::string& body) {
  const auto checks = read_thunder({"t", program(body)}, "");
  if (!checks.at(0).value) return checks[0].value.fault().message;
  return testing::with_inputs(checks[0].value->after);
}

}  // namespace

TEST_CASE("thunder facts: a result that nobody knows stands behind the steps before it", "[thunder]") {
  CHECK(said("  t1 = prims.sin(a)  # t1: \"cpu f32[2, 3]\"\n  u = prims.sink(b)\n  return (t1, u)\n") ==
        R"x(of a b:
t1:f32 = aten.sin.default(a)
unknown = thunder.unknown_result()
-> t1 unknown
)x");
}

TEST_CASE("thunder facts: what nobody asks for may be thrown away below, too", "[thunder]") {
  CHECK(
      said("  (t1, _) = ltorch.topk(a, 1)\n    # (t1, _) = prims.topk(a, 1, 1, True, True)\n  return t1\n") ==
      R"x(of a b:
t1, topk__unused = aten.topk.default(a, 1, 1, true, true)
-> t1
)x");
  CHECK(said("  _ = prims.numel(a)\n  return a\n") == R"x(of a b:
-> a
)x");
  CHECK(said("  _ = nobody.knows(a)\n  return a\n") == R"x(of a b:
__unused = thunder.nobody.knows(a)
-> a
)x");
}

TEST_CASE("thunder facts: numbers taken out of what nobody knows are numbers", "[thunder]") {
  CHECK(said("  i0: \"int 2\" = args[0]\n  t1 = prims.full((i0, 3), 1.0)  # t1: \"cpu f32[2, 3]\"\n  return "
             "t1\n") == R"x(of a b:
t1:f32 = aten.full.default([2 3], 1.000000)
-> t1
)x");
}

TEST_CASE("thunder facts: what is read below a call in vain leaves nothing behind", "[thunder]") {
  const auto vain = [](const std::string& below) {
    return "  t9 = ltorch.foo(a)  # t9: \"cpu f32[2, 3]\"\n    # " + below +
           "\n    # t9 = nobody.knows(t8)  # t9: \"cpu f32[2, 3]\"\n";
  };
  CHECK(said(vain("t8 = prims.sin(a)  # t8: \"cpu f32[2, 3]\"") + "  return t9\n") == R"x(of a b:
t9:f32 = thunder.ltorch.foo(a)
-> t9
)x");
  const auto checks =
      read_thunder({"t", program(vain("t8 = myop(a)  # t8: \"cpu f32[2, 3]\"") + "  return t9\n")}, "");
  REQUIRE(checks.at(0).value);
  CHECK(checks[0].value->assumed_pure.empty());
  CHECK(checks[0].value->ops.empty());
}

TEST_CASE("thunder facts: calls that are no slices", "[thunder]") {
  CHECK(said("  t1 = prims.copy_with_setitem(a, slice(1, 2), 7.0)  # t1: \"cpu f32[2, 3]\"\n  return t1\n") ==
        R"x(of a b:
t1:f32 = thunder.prims.copy_with_setitem(a, ['slice' 1 2], 7.000000)
-> t1
)x");
  CHECK(said("  t1 = prims.copy_with_setitem(a, g(0, 1, 2), 7.0)  # t1: \"cpu f32[2, 3]\"\n  return t1\n") ==
        R"x(of a b:
t1:f32 = thunder.prims.copy_with_setitem(a, ['g' 0 1 2], 7.000000)
-> t1
)x");
}

TEST_CASE("thunder facts: of an alias only shape and dtype are said, whatever its base begins with",
          "[thunder]") {
  const std::string facts =
      R"({"format": "noclobber.inputs/1", "inputs": [{"name": "a", "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "offset": 6, "storage": "S"}]})";
  const auto checks = read_thunder({"t", trace("a", "  (t5,) = update_aliases((a,))\n  return t5\n")}, facts);
  REQUIRE(checks.at(0).value);
  const Graph& graph = checks[0].value->after;
  const auto& type = graph.value(graph.find("t5")).type;
  REQUIRE(type);
  CHECK(type->stride.empty());
  CHECK(type->offset == SymExpr(0));
}

}  // namespace thunder_facts_test
