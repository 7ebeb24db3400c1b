// What a log says beside its graphs: ranges, guards, tensors of the caller, and names that have to match.
#include <cstdint>
#include <limits>
#include <tuple>

#include "src/formats/fx_text/fx_text_annotation.h"
#include "src/formats/torch_trace/records.h"
#include "src/lower/checks.h"
#include "tests/unit/lower/torch_trace_text.h"

namespace torch_trace_facts_test {

using namespace noclobber;

namespace {

std::string sized_graph(const std::string& a, const std::string& more = "") {
  return "class <lambda>(torch.nn.Module):\n    def forward(self, " + more + "a: \"f32[" + a +
         "]\", b: \"f32[4]\"):\n        return (a,)\n";
}

std::string pair_of(const std::string& before, const std::string& after) {
  return trace_artifact("before_post_grad_graph", before) + trace_artifact("after_post_grad_graph", after);
}

Case case_of(const std::string& text) {
  const TraceLog log = read_whole(text);
  REQUIRE(log.checks.size() == 1);
  INFO((log.checks[0].value ? "" : log.checks[0].value.fault().message));
  REQUIRE(log.checks[0].value);
  return *log.checks[0].value;
}

std::string member(const std::string& kind, const std::string& symbol, const std::string& more) {
  return trace_record("\"" + kind + "\": {\"symbol\": \"" + symbol + "\", " + more + "}");
}

SymbolRange range_of(const std::string& records, const std::string& size = "s0 + 1") {
  return case_of(records + pair_of(sized_graph(size), sized_graph(size))).symbols.at("s0");
}

std::string guard(const std::string& text) {
  return trace_record("\"guard_added\": {\"expr\": \"" + text + "\"}");
}

}  // namespace

TEST_CASE("log: ranges of symbols, as every version writes them") {
  const auto told = [](const std::string& text) {
    return range_of(member("create_symbol", "s0", "\"val\": \"5\", \"vr\": \"" + text + "\""));
  };
  CHECK(told("[2, 9]").min == 2);
  CHECK(told("[2, 9]").max == 9);
  CHECK(told("VR[3, 1024]").max == 1024);
  CHECK(told("nonsense").min == kFxUnbounded);
  CHECK(told("[-int_oo, 7]").min == kFxUnbounded);
  CHECK_FALSE(told("[2, int_oo]").max);
  CHECK_FALSE(told("[0, 9223372036854775806]").max);
  CHECK_FALSE(told("[0, 9223372036854775807]").max);
  CHECK(told("[0, 9223372036854775805]").max == std::numeric_limits<std::int64_t>::max() - 2);
  CHECK_FALSE(told("[2, 9]").unbacked);
  const std::string range = "\"vr\": \"[-3, 9]\"";
  CHECK(range_of(member("create_unbacked_symbol", "s0", range)).unbacked);
  // What stands in a shape is no less than 0, whatever else is known of it.
  CHECK(range_of(member("create_symbol", "s0", range), "s0").min == 0);
  CHECK(range_of(member("create_symbol", "s0", range)).min == -3);
  const auto unbacked =
      case_of(member("create_symbol", "u0", range) + pair_of(sized_graph("u0"), sized_graph("u0")));
  CHECK(unbacked.symbols.at("u0").unbacked);
}

TEST_CASE("log: a specialized symbol has one value, guards narrow ranges") {
  const std::string wide = member("create_symbol", "s0", "\"vr\": \"[-9, 99]\"");
  const SymbolRange one = range_of(wide + member("symbolic_shape_specialization", "s0", "\"value\": \"5\""));
  CHECK((one.min == 5 && one.max == 5 && one.hint == 5));
  CHECK(range_of(wide + member("symbolic_shape_specialization", "s0", "\"value\": \"x\"")).max == 99);
  CHECK(range_of(wide + guard("s0 < 9")).max == 8);
  CHECK(range_of(wide + guard("s0 <= 9")).max == 9);
  CHECK(range_of(wide + guard("s0 < 900")).max == 99);
  CHECK(range_of(wide + guard("(s0 < 9)")).max == 99);  // brackets are those of one of several
  CHECK(range_of(wide + guard("(s0 < 9) & (s0 < 8)")).max == 7);
  CHECK(range_of(wide + guard("2 < s0")).min == 3);
  CHECK(range_of(wide + guard("2 <= s0")).min == 2);
  const auto assumed = [&](const std::string& text) {
    return case_of(guard(text) + pair_of(sized_graph("s0"), sized_graph("s0"))).assume.size();
  };
  CHECK(assumed("s0 < 9") == 0);
  CHECK(assumed("Eq(Mod(s0, 2), 0)") == 1);
  CHECK(assumed("(s0 < 9)") == 0);
  CHECK(assumed("(Ne(s0, 7)) & (Ne(s0, 8))") == 2);
  // A bound beyond 64 bits is no bound: it stays what it is, a relation.
  CHECK(assumed("9223372036854775807 < s0") == 1);
  CHECK(assumed("s0 < -9223372036854775808") == 1);
}

TEST_CASE("log: symbols of either graph belong to the case, the stricter range counts") {
  const Case first = case_of(pair_of(sized_graph("s3"), sized_graph("4")));
  CHECK(first.symbols.contains("s3"));
  const Case both = case_of(pair_of(sized_graph("2*s3"), sized_graph("s3")));
  CHECK(both.symbols.at("s3").min == 0);
  CHECK(case_of(pair_of(sized_graph("s3"), sized_graph("2*s3"))).symbols.at("s3").min == 0);
}

TEST_CASE("log: names of inputs are those of before, and what had one of them gets another") {
  const std::string before =
      "def forward(self, x: \"f32[4]\", b: \"f32[4]\"):\n    c: \"f32[4]\" = self._tensor_constant0\n"
      "    r: \"f32[4]\" = torch.ops.aten.add.Tensor(x, c)\n    return (r,)\n";
  const std::string after =
      "def forward(self, y: \"f32[4]\", b: \"f32[4]\"):\n    x: \"f32[4]\" = torch.ops.aten.add.Tensor(y, "
      "b)\n"
      "    x_after: \"f32[4]\" = torch.ops.aten.mul.Tensor(x, b)\n    return (x_after,)\n";
  const Case value = case_of(pair_of(before, after));
  const Graph& graph = value.after;
  const auto name = [&](ValueId id) { return graph.value(id).name; };
  REQUIRE(graph.inputs.size() == 3);
  CHECK(name(graph.inputs[0].value) == "x");
  CHECK(name(graph.steps.at(0).results.at(0)) == "x_after_");
  CHECK(name(graph.steps.at(1).results.at(0)) == "x_after");
  CHECK(graph.inputs[2].kind == Input::Kind::constant);
  CHECK(name(graph.inputs[2].value) == "_tensor_constant0");
  CHECK(graph.value(graph.inputs[2].value).at == 2);
}

TEST_CASE("log: an input of a specialized size is the tensor of that size") {
  const std::string graph =
      "class <lambda>(torch.nn.Module):\n    def forward(self, a: \"f32[5][1]cpu\", b: \"f32[5][1]cpu\", c: "
      "\"f32[s0][1]cpu\"):\n        return (a,)\n";
  const auto overlap = [&](const std::string& value) {
    return case_of(trace_tensor(0, 0, 5, 0) + trace_tensor(3, 0, 5, 5) + trace_tensor(4, 1, 6, 0) +
                   member("create_symbol", "s0", "\"val\": \"7\", \"vr\": \"[2, 99]\"") +
                   member("symbolic_shape_specialization", "s0", "\"value\": \"" + value + "\"") +
                   pair_of(graph, graph))
        .inputs_may_overlap;
  };
  CHECK_FALSE(overlap("6"));
  CHECK(overlap("7"));
}

TEST_CASE("log: constants that only one graph has stand behind those of both") {
  const auto graph = [](const std::string& constants, const std::string& used) {
    return "def forward(self, a: \"f32[4]\"):\n" + constants +
           "    r: \"f32[4]\" = torch.ops.aten.add.Tensor(a, " + used + ")\n    return (r,)\n";
  };
  const std::string first = "    c: \"f32[4]\" = self._tensor_constant0\n",
                    second = "    d: \"f32[4]\" = self._tensor_constant1\n";
  const Case value = case_of(pair_of(graph(first + second, "d"), graph(second, "d")));
  REQUIRE(value.after.inputs.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(value.after.value(value.after.inputs[k].value).at == k);
    CHECK(value.before->value(value.before->inputs[k].value).at == k);
  }
}

TEST_CASE("log: what a pair of graphs is, by its inputs and by what else is in the log") {
  const auto title = [](const std::string& inputs, const std::string& more) {
    const std::string graph = "def forward(self, " + inputs + "):\n    return (tangents_1,)\n";
    return case_of(more + pair_of(graph, graph)).title;
  };
  const std::string both = "primals_1: \"f32[4]\", tangents_1: \"f32[4]\"", one = "tangents_1: \"f32[4]\"";
  const std::string joint = trace_record("\"aot_joint_graph\": {}", "class f");
  CHECK(title(both, "") == "joint");
  CHECK(title(one, "") == "backward");
  CHECK(title(both, joint) == "backward");
}

TEST_CASE("log: records that are known and not checked, of graphs or of code") {
  // table: a record, what it is called, is it a graph
  const std::tuple<const char*, const char*, bool> rows[] = {
      {"before_pre_grad_graph", "pre_grad", true},      {"after_pre_grad_graph", "pre_grad", true},
      {"inductor_pre_grad_graph", "pre_grad", true},    {"before_recompile_pre_grad", "recompile", true},
      {"after_recompile_pre_grad", "recompile", true},  {"before_recompile_post_grad", "recompile", true},
      {"after_recompile_post_grad", "recompile", true}, {"dynamo_output_graph", "dynamo_graph", true},
      {"inductor_output_code", "output_code", false},   {"inductor_aot_wrapper_code", "output_code", false}};
  for (const auto& [name, unchecked, is_graph] : rows) {
    INFO(name);
    for (const std::string& text :
         {trace_artifact(name, "x"), trace_record("\"" + std::string(name) + "\": {}", "x")}) {
      const TraceLog log = read_whole(text);
      CHECK(log.unchecked == std::vector<std::string>{unchecked});
      CHECK(log.any_graph == is_graph);
    }
  }
}

TEST_CASE("log: which tensor an input is, where sizes tell, and where they do not") {
  const auto graphs = [](const std::string& a, const std::string& b) {
    const std::string graph = "def forward(self, a: \"" + a + "\", b: \"" + b + "\"):\n    return (a,)\n";
    return pair_of(graph, graph);
  };
  const auto placed = [&](const std::string& tensors, const std::string& a, const std::string& b) {
    const Case value = case_of(tensors + graphs(a, b));
    std::string text = value.inputs_may_overlap ? "anywhere" : "";
    for (const Input& input : value.after.inputs)
      if (!input.storage.empty()) {
        const auto& type = value.after.value(input.value).type;
        text += input.storage + "+" + type->offset.text() + " ";
      }
    return text;
  };
  const std::string shared = trace_tensor(0, 0, 5, 1) + trace_tensor(3, 0, 4, 2);
  CHECK(placed(shared, "f32[5]", "f32[4]") == "S0+1 S0+2 ");
  CHECK(placed(shared, "f32[4]", "f32[5]") == "S0+2 S0+1 ");
  CHECK(placed(shared, "f32[5]", "f32[5]") == "anywhere");
  CHECK(placed(shared, "f32[4]", "f32[4]") == "anywhere");
  CHECK(placed(shared, "i32[5]", "f32[4]") == "anywhere");
  CHECK(placed(shared, "f32[5][1]", "f32[4][1]") == "S0+1 S0+2 ");
  CHECK(placed(shared, "f32[5][2]", "f32[4][1]") == "anywhere");
  // A third tensor of another storage that either could be.
  const std::string third = shared + trace_tensor(6, 1, 5, 0);
  CHECK(placed(third, "f32[5]", "f32[4]") == "anywhere");
  CHECK(placed(shared + trace_tensor(6, 1, 7, 0), "f32[4]", "f32[5]") == "S0+2 S0+1 ");
  // Nothing says how many bytes there are.
  std::string unknown = shared;
  for (std::size_t at = 0; (at = unknown.find("\"size\": 40")) != unknown.npos;)
    unknown.replace(at, 10, "\"soze\": 40");
  CHECK(placed(unknown, "f32[5]", "f32[4]") == "anywhere");
  CHECK(placed(shared, "f32[s0]", "f32[4]") == "anywhere");
  const std::string hint = member("create_symbol", "s0", "\"val\": \"5\", \"vr\": \"[2, 9]\"");
  CHECK(placed(hint + shared, "f32[s0]", "f32[4]") == "anywhere");  // which is 5 here, and need not be
  std::string bytes = shared;
  for (std::size_t at = 0; (at = bytes.find("float32", at)) != bytes.npos;) bytes.replace(at, 7, "int8");
  CHECK(placed(bytes, "i8[5]", "i8[4]") == "S0+1 S0+2 ");
  // So many are not compared.
  std::string many;
  for (int k = 0; k < 150; ++k) many += trace_tensor(3 * k, 0, k, 0);
  CHECK(placed(many, "f32[5]", "f32[4]") == "anywhere");
}

TEST_CASE("log: what is told before a frame starts, and what is told twice") {
  const std::string start = trace_record("\"dynamo_start\": {}");
  const std::string apart = trace_tensor(0, 0, 5, 0) + trace_tensor(3, 1, 5, 0);
  CHECK_FALSE(case_of(apart + start + kTracePair).inputs_may_overlap);
  const std::string info =
      "input_info=[InputAliasInfo(is_leaf=True, mutates_data=True, mutates_metadata=True)], "
      "output_info=[OutputAliasInfo(output_type=<OutputType.non_alias: 1>)], num_intermediate_bases=0, "
      "other=[InputAliasInfo(mutates_metadata=True), OutputAliasInfo(output_type=<OutputType.is_input: 5>)]";
  const auto graph = [](const std::string& op) {
    return "class <lambda>(torch.nn.Module):\n    def forward(self, primals_1: \"f32[5]\", primals_2: "
           "\"f32[5]\"):\n"
           "        r: \"f32[5]\" = torch.ops.aten." +
           op +
           ".Tensor(primals_1, primals_2)\n"
           "        return (r, r)\n";
  };
  const std::string record =
      trace_record("\"artifact\": {\"name\": \"aot_forward_graph_fw_metadata\"}", info);
  const Case once = case_of(record + pair_of(graph("add"), graph("add")));
  CHECK(once.may_share == std::vector<std::pair<std::uint32_t, std::string>>{{0, "primals_2"}});
  CHECK(case_of(record + record + pair_of(graph("add"), graph("add"))).may_share == once.may_share);
  std::string kept = record;
  kept.replace(kept.find("mutates_data=True"), 17, "mutates_data=False");
  kept.replace(kept.find("mutates_metadata=True"), 21, "mutates_metadata=False");
  CHECK(case_of(record + kept + pair_of(graph("add"), graph("add"))).may_share.empty());
}

TEST_CASE("log: lines that begin as a record's, and what is none") {
  CHECK(is_glog_line("V0521 "));
  CHECK_FALSE(is_glog_line("V0521"));
  CHECK_FALSE(is_glog_line("V052a 1"));
  CHECK_FALSE(is_glog_line("X0521 1"));
  const std::string greatest = ", \"frame_id\": 9223372036854775807";
  CHECK(
      read_whole(trace_record("\"aot_inference_graph\": {}", trace_graph("add"), greatest)).checks.at(0).id ==
      "-_9223372036854775807_-_-/aot_inference_graph");
  std::string spaced = kTracePair;
  for (std::size_t at = 0; (at = spaced.find("] {\"", at)) != spaced.npos;) spaced.insert(at + 3, " ");
  CHECK(read_whole(spaced).checks.size() == 1);
  std::string broken;
  for (int k = 0; k < 100; ++k) broken += "V0521 11:50:42.931000 1 a.py:1] {\"a\n";
  CHECK(read_whole(broken).notes.size() == 100);
  // An empty line behind a record is none of its payload.
  std::string apart = kTracePair;
  apart.insert(apart.find("\n\t") + 1, "\n");
  CHECK_FALSE(read_whole(apart).checks.at(0).value);
}

}  // namespace torch_trace_facts_test
