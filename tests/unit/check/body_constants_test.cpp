// What a body of control flow holds by name: `self._tensor_constant0` of one name in two files is one
// constant under an assumption that is named, wherever the body stands. Each accepted pair has a refused
// twin.
#include <algorithm>
#include <string>
#include <vector>

#include "src/check/check.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/inputs/format.h"
#include "src/lower/pairs/pairing.h"
#include "tests/catch.h"

namespace body_constants_test {

using namespace noclobber;

namespace {

constexpr const char* kType = "\"f32[4][1]cpu\"";

/// One module: `lines` with `@` for the type of all tensors.
std::string module_text(const std::string& name, const std::string& parameters,
                        const std::vector<std::string>& lines, const std::string& nested = "") {
  std::string text = "class " + name + "(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
  for (const std::string& line : lines) text += "        " + line + "\n";
  text += "\n";
  std::size_t start = 0;
  while (start < nested.size()) {
    const std::size_t end = nested.find('\n', start);
    if (end > start) text += "    " + nested.substr(start, end - start);
    text += "\n";
    start = end + 1;
  }
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, kType);
  return text;
}

/// A body that adds its attribute to what it is given.
std::string adds(const std::string& name, const std::string& attribute) {
  return module_text(name, "x: @",
                     {"c: @ = self." + attribute, "y: @ = torch.ops.aten.add.Tensor(x, c)", "return (y,)"});
}

const std::string kTop = "<lambda>";

/// cond whose branches add an attribute each; `then` is of the one that runs where p holds.
std::string branches_text(const std::string& then, const std::string& other) {
  return module_text(kTop, "x: @, p: \"b8[][]cpu\"",
                     {"true_graph_0 = self.true_graph_0", "false_graph_0 = self.false_graph_0",
                      "cond = torch.ops.higher_order.cond(p, true_graph_0, false_graph_0, (x,))",
                      "r: @ = cond[0]", "return (r,)"},
                     adds("true_graph_0", then) + adds("false_graph_0", other));
}

/// The same three deep: a body that runs a body that runs a body.
std::string deep_text(const std::string& attribute) {
  const auto runs = [](const std::string& name, const std::string& inner, const std::string& nested) {
    return module_text(
        name, "x: @",
        {inner + " = self." + inner, "run = torch.ops.higher_order.invoke_subgraph(" + inner + ", 'id', x)",
         "r: @ = run[0]", "return (r,)"},
        nested);
  };
  return runs(kTop, "outer", runs("outer", "middle", runs("middle", "inner", adds("inner", attribute))));
}

/// One body that a graph runs twice.
std::string twice_text(const std::string& attribute) {
  return module_text(
      kTop, "x: @",
      {"body = self.body", "one = torch.ops.higher_order.invoke_subgraph(body, 'id', x)", "y: @ = one[0]",
       "two = torch.ops.higher_order.invoke_subgraph(body, 'id', y)", "z: @ = two[0]", "return (z,)"},
      adds("body", attribute));
}

/// A loop, a map or a scan over rows of 4.
std::string repeated_text(const std::string& call, const std::string& attribute, const std::string& out) {
  const bool is_map = call.find("map") != std::string::npos;
  const std::string loop_test =
      module_text("test", "x: @",
                  {"s: \"f32[][]cpu\" = torch.ops.aten.sum.default(x)",
                   "t: \"b8[][]cpu\" = torch.ops.aten.lt.Scalar(s, 9)", "return t"});
  std::string body = adds("body", attribute);
  if (call.find("scan") != std::string::npos)
    body = module_text("body", "a: @, x: @",
                       {"c: @ = self." + attribute, "y: @ = torch.ops.aten.add.Tensor(x, c)",
                        "b: @ = torch.ops.aten.mul.Tensor(a, y)", "return (b, y)"});
  return module_text(kTop, is_map ? "w: \"f32[3, 4][4, 1]cpu\"" : "x: @, w: \"f32[3, 4][4, 1]cpu\"",
                     {"test = self.test", "body = self.body", "run = torch.ops.higher_order." + call,
                      "r: " + out + " = run[0]", "return (r,)"},
                     loop_test + body);
}

CheckRecord compared(const std::string& before, const std::string& after, bool no_assumptions = false) {
  auto left = read_side(before, true), right = read_side(after, false);
  REQUIRE(left);
  REQUIRE(right);
  auto pair = pair_of(*std::move(left), *std::move(right));
  REQUIRE(pair);
  CheckOptions options;
  options.no_assumptions = no_assumptions;
  bool contradiction = false;
  CheckRecord record = check_case(*std::move(pair), options, contradiction);
  CHECK_FALSE(contradiction);
  return record;
}

std::string on_constants(const CheckRecord& record) {
  const auto at = std::ranges::find_if(record.assumptions, [](const std::string& what) {
    return what.starts_with("constants of one name hold the same: ");
  });
  return at == record.assumptions.end() ? "" : at->substr(at->find(": ") + 2);
}

/// bodies-of-one-name-*.accept: proved, on what is named, and on nothing else; and its twin, which reads
/// another attribute.
void accepted_and_refused(const std::string& text, const std::string& twin, const std::string& named) {
  const CheckRecord same = compared(text, text);
  CHECK(same.status == Status::proved);
  CHECK(on_constants(same) == named);
  CHECK(compared(text, text, true).status == Status::unknown);
  CHECK(compared(text, twin).status != Status::proved);
  CHECK(compared(twin, text).status != Status::proved);
}

}  // namespace

TEST_CASE("bodies-of-one-name-cond: branches hold a constant each", "[cli][control]") {
  const std::string both = "false_graph_0._tensor_constant0, true_graph_0._tensor_constant0";
  accepted_and_refused(branches_text("_tensor_constant0", "_tensor_constant0"),
                       branches_text("_tensor_constant1", "_tensor_constant0"), both);
  accepted_and_refused(branches_text("_tensor_constant0", "_tensor_constant0"),
                       branches_text("_tensor_constant0", "_tensor_constant1"), both);
}

TEST_CASE("bodies-of-one-name-three-deep: bodies inside of bodies", "[cli][control]") {
  accepted_and_refused(deep_text("_tensor_constant0"), deep_text("_tensor_constant1"),
                       "outer.middle.inner._tensor_constant0");
}

TEST_CASE("bodies-of-one-name-twice: a body that two steps run", "[cli][control]") {
  accepted_and_refused(twice_text("w"), twice_text("v"), "body.w");
}

TEST_CASE("bodies-of-one-name-loop, -map, -scan", "[cli][control]") {
  const std::string rows = "\"f32[3, 4][4, 1]cpu\"";
  const auto kinds =
      std::vector<std::pair<std::string, std::string>>{{"while_loop(test, body, (x,), ())", "@"},
                                                       {"while_loop(test, body, (x,))", "@"},
                                                       {"map_impl(body, [w], [])", rows},
                                                       {"scan(body, [x], [w], ())", "@"}};
  for (const auto& [call, out] : kinds) {
    INFO(call);
    accepted_and_refused(repeated_text(call, "w", out), repeated_text(call, "v", out), "body.w");
  }
}

TEST_CASE("bodies-of-one-name-log: a log says no more of them than a file", "[cli][control]") {
  const std::string same = branches_text("c", "c");
  auto read = read_fx_text(same);
  REQUIRE(read);
  CHECK(read->graph.inputs.size() == 4);  // both constants, beside x and p
  CHECK(read->graph.bodies.at("true_graph_0").inputs.size() == 3);
  CHECK(std::ranges::none_of(read->graph.bodies.at("true_graph_0").inputs,
                             [](const Input& input) { return input.kind == Input::Kind::constant; }));
}

}  // namespace body_constants_test
