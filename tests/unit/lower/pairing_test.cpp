#include "src/lower/pairs/pairing.h"

#include "src/inputs/format.h"
#include "tests/catch.h"

namespace pairing_test {

using namespace noclobber;

namespace {

/// Inputs of these names, and one step value.
Side side_of(const std::vector<std::string>& inputs, const std::string& step_value = "y") {
  Side side;
  Graph& graph = side.graph;
  for (const std::string& name : inputs) {
    Value value;
    value.name = name;
    value.at = static_cast<std::uint32_t>(graph.inputs.size());
    graph.values.push_back(value);
    graph.inputs.emplace_back().value = ValueId(graph.values.size() - 1);
  }
  Value value;
  value.name = step_value;
  value.from = Value::From::step;
  graph.values.push_back(value);
  Step& step = graph.steps.emplace_back();
  step.op = "aten.relu.default";
  step.results = {ValueId(graph.values.size() - 1)};
  graph.steps.emplace_back().extras.edit().after = {step_value};
  return side;
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> out;
  for (const Value& value : graph.values) out.push_back(value.name);
  return out;
}

OpDecl op_of(const std::string& schema) {
  OpDecl op;
  op.schema = schema;
  return op;
}

}  // namespace

TEST_CASE("pair: inputs of the same names stay as they are, in any order", "[cli]") {
  const auto pair = pair_of(side_of({"a", "b"}), side_of({"b", "a"}));
  REQUIRE(pair);
  CHECK(names_of(pair->after) == std::vector<std::string>{"b", "a", "y"});
}

TEST_CASE("pair: other names match by position", "[cli]") {
  const auto pair = pair_of(side_of({"a", "b"}), side_of({"p", "q"}));
  REQUIRE(pair);
  CHECK(names_of(pair->after) == std::vector<std::string>{"a", "b", "y"});
  CHECK(names_of(*pair->before) == std::vector<std::string>{"a", "b", "y"});
}

TEST_CASE("pair: a value that holds an input's new name moves away, its edges with it", "[cli]") {
  const auto pair = pair_of(side_of({"a"}), side_of({"p"}, "a"));
  REQUIRE(pair);
  CHECK(names_of(pair->after) == std::vector<std::string>{"a", "a_1"});
  CHECK(pair->after.steps[1].extras->after == std::vector<std::string>{"a_1"});
}

TEST_CASE("pair: refused inputs", "[cli]") {
  CHECK(!pair_of(side_of({"a", "b"}), side_of({"a"})));
  CHECK(!pair_of(side_of({"a", "b"}), side_of({"b", "c"})));  // b has moved: a guess would be wrong
  CHECK(pair_of(side_of({"a", "b"}), side_of({"a", "c"})));   // the twin: b became c
}

TEST_CASE("pair: ranges are those of BEFORE, AFTER adds its own symbols", "[cli]") {
  Side before = side_of({"a"}), after = side_of({"a"});
  before.facts.symbols["s0"] = {2, 64, 1, false, {}};
  after.facts.symbols["s0"] = {8, 8, 1, false, {}};
  after.facts.symbols["u0"] = {0, 4, 1, true, {}};
  const auto relation = [](const char* text) { return *parse_relation(text); };
  after.facts.assume = {relation("s0 <= 8"), relation("u0 <= s0")};
  const auto pair = pair_of(std::move(before), std::move(after));
  REQUIRE(pair);
  CHECK(pair->symbols.at("s0").max == 64);
  CHECK(pair->symbols.at("u0").max == 4);
  CHECK(pair->assume == std::vector<SymRelation>{relation("u0 <= s0")});
}

TEST_CASE("pair: operators are joined unless they contradict each other", "[cli]") {
  Side before = side_of({"a"}), after = side_of({"a"});
  before.facts.ops = {op_of("zoo::f(Tensor x) -> Tensor")};
  after.facts.ops = {op_of("zoo::f(Tensor x) -> Tensor"), op_of("zoo::g(Tensor x) -> Tensor")};
  const auto pair = pair_of(before, after);
  REQUIRE(pair);
  CHECK(pair->ops.size() == 2);
  after.facts.ops[0] = op_of("zoo::f(Tensor(a!) x) -> Tensor(a!)");
  const auto refused = pair_of(before, after);
  REQUIRE(!refused);
  CHECK(refused.fault().where == "zoo::f");
}

TEST_CASE("pair: inputs may overlap only if no side knows storages", "[cli]") {
  CHECK(pair_of(side_of({"a"}), side_of({"a"}))->inputs_may_overlap);
  Side known = side_of({"a", "b"});
  known.knows_storages = true;
  known.graph.inputs[0].storage = known.graph.inputs[1].storage = "S";
  known.graph.inputs[0].may_write = true;
  const auto pair = pair_of(known, side_of({"a", "b"}));
  REQUIRE(pair);
  CHECK(!pair->inputs_may_overlap);
  CHECK(pair->after.inputs[1].storage == "S");
  CHECK(pair->after.inputs[0].may_write == true);
}

TEST_CASE("pair: strides are compared if both sides have them", "[cli]") {
  Side with = side_of({"a"}), without = side_of({"a"});
  with.compares_strides = true;
  CHECK(pair_of(with, with)->compare_strides);
  CHECK(!pair_of(with, without)->compare_strides);
  CHECK(!pair_of(without, with)->compare_strides);
}

TEST_CASE("pair: sides are read by content", "[cli]") {
  CHECK(!read_side("", true));
  CHECK(!read_side("hello", true));
  const std::string both =
      R"({"format":"noclobber.case/1","name":"n","before":{"inputs":[],"steps":[],"outputs":[1]},)"
      R"("after":{"inputs":[],"steps":[],"outputs":[2]}})";
  const auto before = read_side(both, true), after = read_side(both, false);
  REQUIRE(before);
  REQUIRE(after);
  CHECK(before->graph.outputs == std::vector<Arg>{Arg::of(SymExpr(1))});
  CHECK(after->graph.outputs == std::vector<Arg>{Arg::of(SymExpr(2))});
}

TEST_CASE("pairing: symbols mean what the sizes of the inputs say", "[cli]") {
  const auto side = [](const std::string& first, const std::string& second, const std::string& size) {
    auto out = read_side("def forward(self, x: \"f32[" + first + ", 2]\", y: \"f32[" + second +
                             "]\"):\n    r: \"f32[" + size +
                             "]\" = torch.ops.aten.relu.default(y)\n    return (r, x)\n",
                         false);
    REQUIRE(out);
    return *std::move(out);
  };
  const auto pair = pair_of(side("s0", "s1", "s1"), side("s1", "s77", "s0 + s77"));
  REQUIRE(pair);
  CHECK(pair->after.values[0].type->shape[0] == SymExpr::symbol("s0"));
  CHECK(pair->after.values[1].type->shape[0] == SymExpr::symbol("s1"));
  // s0 of AFTER is another symbol than s0 of BEFORE.
  CHECK(pair->after.values[2].type->shape[0] == SymExpr::symbol("s0_1") + SymExpr::symbol("s1"));
  CHECK(pair->symbols.size() == 3);
  const auto same = pair_of(side("s0", "s1", "s1"), side("s0", "s1", "s1"));
  REQUIRE(same);
  CHECK(same->symbols.size() == 2);
  const auto special = pair_of(side("3", "s1", "s1"), side("s0", "s1", "s0*s1"));
  REQUIRE(special);
  CHECK(special->after.values[2].type->shape[0] == SymExpr(3) * SymExpr::symbol("s1"));
}

TEST_CASE("pairing: a number of one name is the same, whatever symbol stands for it", "[cli]") {
  const auto side = [](const std::string& symbol) {
    auto out = read_side("def forward(self, n: \"Sym(" + symbol + ")\", x: \"f32[2]\"):\n    r: \"f32[" +
                             symbol + ", 2]\" = torch.ops.aten.expand.default(x, [n, 2])\n    return (r,)\n",
                         false);
    REQUIRE(out);
    return *std::move(out);
  };
  const auto pair = pair_of(side("s0"), side("s7"));
  REQUIRE(pair);
  CHECK(pair->after.numbers[0].second == SymExpr::symbol("s0"));
  CHECK(pair->after.steps[0].args[1].list[0].sym == SymExpr::symbol("s0"));
  CHECK(pair->symbols.size() == 1);
}

}  // namespace pairing_test
