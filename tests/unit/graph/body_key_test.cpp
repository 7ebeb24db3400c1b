// The text of a body with those inside: the same for bodies that are one question.
#include "src/graph/body_key.h"

#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace body_key_test {

using namespace noclobber;

namespace {

std::string body(const std::string& op, const std::string& result, const std::string& type = "[2]",
                 const std::string& args = R"({"ref": "x"})") {
  return R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": )" + type +
         R"(}}], "steps": [{"name": ")" + result + R"(", "op": ")" + op + R"(", "args": [)" + args +
         R"(]}], "outputs": [{"ref": ")" + result + R"("}]})";
}
std::string calling(const std::string& name) {
  return body("higher_order.invoke_subgraph", "r", "[2]",
              R"({"graph": ")" + name + R"("}, "f", {"ref": "x"})");
}
Case of(const std::string& bodies) {
  auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "graphs": {)" + bodies +
                              R"(}, "after": )" + body("aten.neg.default", "r") + "}");
  REQUIRE(value);
  return *std::move(value);
}
std::string key(const Case& value, const std::string& name) { return body_key(value, value.bodies.at(name)); }

}  // namespace

TEST_CASE("bodies that say the same have one key", "[loops]") {
  const Case all =
      of(R"("a": )" + body("aten.neg.default", "r") + R"(, "b": )" + body("aten.neg.default", "s") +
         R"(, "c": )" + body("aten.abs.default", "r") + R"(, "d": )" + body("aten.neg.default", "r", "[3]") +
         R"(, "e": )" + body("aten.mul.Scalar", "r", "[2]", R"({"ref": "x"}, 2)") + R"(, "f": )" +
         body("aten.mul.Scalar", "r", "[2]", R"({"ref": "x"}, 2.0)") + R"(, "p": )" + calling("a") +
         R"(, "q": )" + calling("b") + R"(, "s": )" + calling("c") + R"(, "t": )" + calling("p"));
  CHECK(key(all, "a") == key(all, "b"));  // whatever results are called
  for (const char* other : {"c", "d", "e", "f", "p"}) CHECK(key(all, "a") != key(all, other));
  CHECK(key(all, "e") != key(all, "f"));
  CHECK(key(all, "p") == key(all, "q"));  // whatever bodies are called
  CHECK(key(all, "p") != key(all, "s"));
  CHECK(key(all, "p") != key(all, "t"));
}

TEST_CASE("a body's text grows with bodies, not with the places that run them", "[loops]") {
  Case all = of(R"("b0": )" + body("aten.neg.default", "r"));
  for (int k = 1; k < 40; ++k) {
    const std::string inner = "b" + std::to_string(k - 1);
    Graph& graph = all.bodies["b" + std::to_string(k)] = all.bodies.at("b0");
    Step call = graph.steps[0];
    call.op = "higher_order.invoke_subgraph";
    call.args = {Arg::of_graph(inner), Arg::of_text("f"), Arg::of(graph.inputs[0].value)};
    graph.steps = {call, call, call};
  }
  CHECK(key(all, "b39").size() < 40 * key(all, "b1").size());
}

TEST_CASE("of a name that several graphs around have, all are part of the text", "[loops]") {
  Case all = of(R"("a": )" + body("aten.neg.default", "r") + R"(, "p": )" + calling("a"));
  const std::string plain = key(all, "p");
  Graph inner = all.bodies.at("p");
  inner.bodies["a"] = all.bodies.at("a");
  inner.bodies["a"].steps[0].op = "aten.abs.default";
  CHECK(body_key(all, inner) != plain);
  all.bodies["a"].steps[0].op = "aten.relu.default";
  CHECK(key(all, "p") != plain);
  all.bodies.erase("a");
  CHECK(key(all, "p") != plain);
}

}  // namespace body_key_test
