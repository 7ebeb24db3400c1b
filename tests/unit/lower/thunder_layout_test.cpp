// How inputs lie in memory, as inputs.json says, and what follows for what is made of them.
#include <fmt/format.h>

#include "tests/unit/formats/arg_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_layout_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

std::string inputs_of(const std::string& members) {
  return R"({"format": "noclobber.inputs/1", "inputs": [{"name": "a", )" + members + "}]}";
}

/// Whether results of an alias and of a pointwise operator are known to be contiguous.
std::string layout_of(const std::string& shape, const std::string& stride) {
  const std::string type = "cpu f32" + shape;
  const auto checks = read_thunder(
      {"t", trace("a", "  t1 = prims.shallow_copy(a)  # t1: \"" + type + "\"\n  t2 = prims.neg(a)  # t2: \"" +
                           type + "\"\n  return (t1, t2)\n")},
      inputs_of(fmt::format(R"("dtype": "f32", "shape": {}, "stride": {}, "offset": 0, "storage": "S")",
                            shape, stride)));
  REQUIRE(checks.at(0).value);
  const Graph& graph = checks[0].value->after;
  const auto known = [&](std::size_t step) {
    return graph.value(graph.steps.at(step).results.at(0)).type->strides != Type::Strides::unknown;
  };
  return known(0) ? known(1) ? "plain" : "?" : known(1) ? "ordered" : "open";
}

}  // namespace

TEST_CASE("thunder layouts: contiguous, in order with gaps, and in another order", "[thunder]") {
  CHECK(layout_of("[2, 3]", "[3, 1]") == "plain");
  CHECK(layout_of("[1, 3]", "[77, 1]") == "plain");
  CHECK(layout_of("[3, 1]", "[1, 77]") == "plain");
  CHECK(layout_of("[2, 1, 3]", "[3, 0, 1]") == "plain");
  CHECK(layout_of("[2, 3]", "[6, 1]") == "ordered");
  CHECK(layout_of("[2, 3]", "[6, 2]") == "ordered");
  CHECK(layout_of("[2, 3]", "[1, 1]") == "ordered");
  CHECK(layout_of("[2, 3]", "[0, 1]") == "ordered");
  CHECK(layout_of("[2, 3]", "[1, 0]") == "ordered");
  CHECK(layout_of("[2, 3]", "[1, 2]") == "open");
  CHECK(layout_of("[2, 2, 2]", "[4, 0, 1]") == "ordered");
  CHECK(layout_of("[2, 2, 2]", "[1, 0, 4]") == "open");
}

TEST_CASE("thunder inputs: what inputs.json may say of one, and what it may not", "[thunder]") {
  const std::string text = trace("a", "  return a\n");
  const auto value_of = [&](const std::string& members) {
    const auto checks = read_thunder({"t", text}, inputs_of(members));
    return checks.at(0).value;
  };
  const std::string size =
      R"("dtype": "f32", "shape": [2, 0], "stride": [0, 1], "offset": 4, "storage": "S")";
  const auto on_device = value_of(size + R"(, "device": "cuda:0")");
  REQUIRE(on_device);
  const auto& type = on_device->after.value(on_device->after.inputs.at(0).value).type;
  CHECK(*type->device == "cuda:0");
  CHECK(type->strides == Type::Strides::given);
  CHECK(type->offset == SymExpr(4));
  const auto negative = value_of(R"("dtype": "f32", "shape": [-1], "stride": [1], "offset": 0)");
  REQUIRE_FALSE(negative);
  CHECK(negative.fault().where == "inputs.json: /inputs/0/shape/0");
  CHECK(negative.fault().message == "is negative");
}

TEST_CASE("thunder inputs: tensors of one storage and of two types share bytes, not elements", "[thunder]") {
  const std::string both = R"({"format": "noclobber.inputs/1", "inputs": [
      {"name": "a", "dtype": "f32", "shape": [3], "stride": [1], "offset": 0, "storage": "S"},
      {"name": "b", "dtype": ")";
  const auto numel = [&](const std::string& dtype) {
    const auto checks =
        read_thunder({"t", trace("a, b", "  return (a, b)\n")},
                     both + dtype + R"(", "shape": [3], "stride": [2], "offset": 3, "storage": "S"}]})");
    REQUIRE(checks.at(0).value);
    const Case& value = *checks[0].value;
    const auto& said = value.after.inputs.at(0).storage_numel;
    return std::string(value.inputs_may_overlap ? "open" : said ? said->text() : "none");
  };
  CHECK(numel("f32") == "8");
  CHECK(numel("i32") != "8");
}

TEST_CASE("thunder inputs: numbers among parameters, and names that none has", "[thunder]") {
  const Graph graph =
      graph_of(trace("a, n, m, k, f",
                     "  # a: \"cpu f32[2, 3]\"\n  # n: \"bool True\"\n  # m: \"bool False\"\n  # k: \"int "
                     "3\"\n  # f: \"float 0.5\"\n"
                     "  t1 = prims.lerp(a, n, m, k, f)  # t1: \"cpu f32[2, 3]\"\n  return t1\n"));
  std::string text;
  for (const Arg& arg : graph.steps.at(0).args) text += text_of(graph, arg) + " ";
  CHECK(text == "a True False 3 0.50 ");
  CHECK(graph.inputs.size() == 1);
  CHECK(ops_of(graph_of(program("  t1 = prims.neg(t9)  # t1: \"cpu f32[2, 3]\"\n  return t1\n"))) ==
        Ops{"thunder.t9_is_not_bound", "aten.neg.default"});
}

TEST_CASE("thunder text: what spans lines, and lines that are no place in a file", "[thunder]") {
  const Graph lines =
      graph_of(program("  # no place: \t  x\n  # f.py: \t  x\n  # f.py:3a: \t  x\n  # x: \"and more\n"
                       "  # f.py:3: \t  y = x\n  t1 = prims.neg(a)  # t1: \"cpu f32[2, 3]\"\n  return t1\n"));
  CHECK(lines.steps.at(0).source->loc == "f.py:3");
  CHECK(lines.steps.at(0).source->code == "y = x");
  const Graph several =
      graph_of(trace("a, b=None , c",
                     "  # a: \"cpu f32[2, 3]\"\n  # b: \"cpu f32[2, 3]\"\n  # c: \"cpu f32[2, 3]\"\n"
                     "  t1 = prims.neg(a)  # t1: \"cpu f32[2, 3]\"\n  return t1\n"));
  CHECK(several.inputs.size() == 3);
  CHECK_FALSE(read_thunder({"t", std::string(kHead) + "def computation(a)\n  return a\n"}, "").at(0).value);
}

TEST_CASE("thunder layouts: what is computed of a view begins at its own storage, in rows", "[thunder]") {
  const auto checks = read_thunder(
      {"t", trace("a", "  t1 = prims.neg(a)  # t1: \"cpu f32[2, 3]\"\n  t2 = prims.neg(t1)\n  return t2\n")},
      inputs_of(R"("dtype": "f32", "shape": [2, 3], "stride": [3, 1], "offset": 6, "storage": "S")"));
  REQUIRE(checks.at(0).value);
  const Graph& graph = checks[0].value->after;
  for (const char* name : {"t1", "t2"}) {
    const auto& type = graph.value(graph.find(name)).type;
    if (!type) continue;
    CHECK(type->offset == SymExpr(0));
    CHECK(type->stride.empty());
  }
}

}  // namespace thunder_layout_test
