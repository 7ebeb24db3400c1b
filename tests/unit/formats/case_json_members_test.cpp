// Members of noclobber.case/1 one by one: what is kept of each, and what each refuses.
#include "tests/unit/formats/case_json_text.h"

namespace case_json_members_test {

using namespace noclobber;

namespace {

/// kSmall whose only declared operator is this one.
std::string declaring(const char* op) { return changed("/ops/0", op); }

std::string bare(const char* first, const char* second) {
  return R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2]}}], "outputs": [], "steps": [)" +
         std::string(first) + "," + second + "]}";
}

}  // namespace

TEST_CASE("graphs of a case are named by their place, and are in the order that holds for them") {
  const std::string a = R"({"name": "a", "op": "aten.neg", "args": [{"ref": "x"}], "after": ["b"]})",
                    b = R"({"name": "b", "op": "aten.neg", "args": [{"ref": "x"}]})";
  const Case graph = read(bare(b.c_str(), R"({"name": "c", "op": "aten.neg", "args": [{"ref": "b"}]})"));
  CHECK(graph.name == "graph");
  CHECK(graph.after.name == "after");
  CHECK_THAT(refused(bare(a.c_str(), b.c_str())).message, Catch::Contains("listed later"));
  CHECK(read(kSmall).before->name == "before");
  const std::string two = "[" + a + "," + b + "]", back = R"([{"ref": "a"}])";
  CHECK_THAT(refused(changed("/before/steps", two.c_str())).message, Catch::Contains("listed later"));
  // Bodies are in no order but that of their values and edges, which must be one.
  CHECK(read(changed("/graphs/body",
                     (R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2]}}], "outputs": [],
                          "steps": )" +
                      two + "}")
                         .c_str()))
            .bodies.size() == 1);
  auto circle = nlohmann::ordered_json::parse(changed("/order", R"("dataflow")"));
  circle["after"]["steps"][0]["after"] = {"b"};
  CHECK(refused(circle.dump()).message == "ordering edges form a cycle");
  circle["after"]["steps"][1]["args"] = {1};
  CHECK(read_case_json(circle.dump()));
}

TEST_CASE("an edge may name a step by its id, a plan may stand beside a graph of before alone") {
  CHECK_THAT(refused(changed("/after/steps/0", R"({"names": ["a"], "op": "aten.neg", "args": [{"ref": "x"}],
                                                   "id": "w", "after": ["w"]})"))
                 .message,
             Catch::Contains("itself"));
  auto json = nlohmann::ordered_json::parse(kSmall);
  json.erase("after");
  json["plan"] = {{"arenas", {{"1", {{"size", 8}, {"alignment", 1}}}}},
                  {"buffers", nlohmann::ordered_json::array()},
                  {"required", {"p", "q"}}};
  const Case value = read(json.dump());
  CHECK(value.plan->required == std::vector<std::string>{"p", "q"});
  CHECK(value.plan->arenas.at(0).alignment == 1);
  const char* relatives = R"({"arenas": {"1": {"size": 8}}, "buffers": [
      {"id": "p", "arena": "1", "offset": 0, "size": 8, "lower": 0, "upper": 1},
      {"id": "q", "arena": "1", "offset": 0, "size": 8, "lower": 1, "upper": 2, "inplace_of": "p"},
      {"value": "b", "arena": "1", "offset": 0, "size": 8, "inplace_of": "q"},
      {"value": "a", "arena": "1", "offset": 0, "size": 8, "view_of": "b"}]})";
  const Case whole = read(changed("/plan", relatives));
  CHECK(whole.plan->buffers.at(1).inplace_of == "p");
  CHECK(whole.plan->buffers.at(3).view_of == "b");
  std::string wrong = relatives;
  wrong.replace(wrong.find("\"p\"}"), 3, "\"r\"");
  CHECK(refused(changed("/plan", wrong.c_str())).where == "/plan/buffers/1/inplace_of");
}

TEST_CASE("names of cases are printable, numbers may be negative where a size may not") {
  CHECK(refused(changed("/name", "\"a\\u007f\"")).where == "/name");
  CHECK(refused(changed("/name", "\"a b\"")).where == "/name");
  CHECK(read(changed("/after/steps/0/args", R"([{"sym": "0-1"}])")).after.steps[0].args[0] ==
        Arg::of(SymExpr(-1)));
  CHECK(refused(changed("/after/inputs/0/type/offset", "-1")).where == "/after/inputs/0/type/offset");
  CHECK_THAT(refused(changed("/after/inputs/0/type/shape", "[9223372036854775807, 2]")).message,
             Catch::Contains("64 bits"));
  CHECK_THAT(refused(changed("/after/inputs/0", R"({"name": "x", "type": {"dtype": "f32", "shape": ["s0"]},
                                                    "value": [1, 2]})"))
                 .message,
             Catch::Contains("static shape"));
}

TEST_CASE("a declaration speaks of the results and arguments that its schema has") {
  const char* writes = R"j({"schema": "zoo::w(Tensor(a!) x) -> ()")j";
  const auto with = [&](const std::string& more) { return declaring((writes + more + "}").c_str()); };
  CHECK(read_case_json(with("")));
  CHECK_THAT(refused(with(R"(, "result": ["fresh"])")).message, Catch::Contains("has 0 results"));
  CHECK(refused(with(R"(, "may_alias": [[0, "x"]])")).message == "no result 0");
  const char* gives = R"({"schema": "zoo::g(Tensor x) -> Tensor", "may_alias": )";
  const auto aliases = [&](const std::string& pairs) { return declaring((gives + pairs + "}").c_str()); };
  CHECK(read_case_json(aliases(R"([[0, "x"]])")));
  CHECK(refused(aliases(R"([[0]])")).where == "/ops/0/may_alias/0");
  CHECK(refused(aliases(R"([[0, "q"]])")).where == "/ops/0/may_alias/0");
  auto json = nlohmann::ordered_json::parse(with(""));
  json["after"]["steps"][0]["op"] = "zoo.w";
  CHECK_THAT(refused(json.dump()).message, Catch::Contains("1 results, the schema of zoo.w.default has 0"));
}

TEST_CASE("what is shown of a value ends at 60 characters, keys are written as they are") {
  const auto shown = [](std::size_t letters) {
    const std::string text(letters, 'a');
    return refused(changed("/order", ("\"" + text + "\"").c_str())).message;
  };
  CHECK_THAT(shown(58), Catch::Contains(std::string(58, 'a') + "\""));
  CHECK_THAT(shown(59), Catch::Contains(std::string(56, 'a') + "..."));
  CHECK_THAT(refused(changed("/title", "[1, 2, 3, 4, 5, 6, 7, 8, 9]")).message,
             Catch::Contains("an array of 9"));
  CHECK_THAT(write_case_json(read(changed("/plan", R"({"arenas": {"é": {"size": 8}}, "buffers": []})"))),
             Catch::Contains("\"é\": {"));
}

}  // namespace case_json_members_test
