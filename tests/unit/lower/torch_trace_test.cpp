#include <set>
#include <string>

#include "tests/unit/lower/torch_trace_text.h"

namespace torch_trace_test {

using namespace noclobber;

namespace {

std::string with_crlf(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return out;
}

}  // namespace

TEST_CASE("log: a pair becomes a Case") {
  const auto log = read_whole(kTracePair);
  REQUIRE(log.checks.size() == 1);
  const TraceCheck& check = log.checks[0];
  CHECK(check.id == "-_0_0_0/post_grad");
  CHECK(check.what == TraceCheck::What::pair);
  CHECK(check.line == 7);
  REQUIRE(check.value);
  CHECK(check.value->name == check.id);
  CHECK(check.value->title == "inference");
  CHECK(check.value->compare_strides);
  REQUIRE(check.value->before);
  CHECK(check.value->before->steps.at(0).op == "aten.add.Tensor");
  CHECK(check.value->after.steps.at(0).op == "aten.add_.Tensor");
  CHECK(log.any_graph);
  CHECK_FALSE(log.truncated);
  CHECK(log.notes.empty());
}

TEST_CASE("log: a pair with CRLF, a rank and other noise") {
  const std::string id =
      ", \"rank\": 3, \"compiled_autograd_id\": 2, \"frame_id\": 4, \"frame_compile_id\": 1, \"attempt\": 1";
  const auto log =
      read_whole(with_crlf("hello\n" + trace_artifact("before_joint_graph", trace_graph("add"), id) +
                           trace_record("\"chromium_event\": {}", "{}", id) +
                           trace_artifact("after_joint_graph", trace_graph("add"), id)));
  REQUIRE(log.checks.size() == 1);
  CHECK(log.checks[0].id == "rank_3/2_4_1_1/joint");
  CHECK(log.checks[0].value);
  REQUIRE(log.notes.size() == 1);
  CHECK(log.notes[0].where == "line 1");
}

TEST_CASE("log: forward and backward under one id, and ids that repeat") {
  const std::string backward = trace_graph("mul", "a", "tangents_1");
  const auto log = read_whole(trace_record("\"aot_joint_graph\": {}", "class f") +
                              trace_record("\"aot_backward_graph\": {}", "class f") + kTracePair +
                              trace_artifact("before_post_grad_graph", backward) +
                              trace_artifact("after_post_grad_graph", backward) +
                              trace_record("\"inductor_output_code\": {}", "code"));
  REQUIRE(log.checks.size() == 2);
  CHECK(log.checks[0].id == "-_0_0_0/post_grad");
  CHECK(log.checks[0].value->title == "forward");
  CHECK(log.checks[1].id == "-_0_0_0/post_grad_1");
  CHECK(log.checks[1].value->title == "backward");
  CHECK(log.checks[1].value->inputs_may_overlap);
  CHECK(log.checks[0].unchecked == std::vector<std::string>{"backward", "output_code"});
  CHECK(log.unchecked == log.checks[0].unchecked);
}

TEST_CASE("log: a graph alone is checked only where there is no pair") {
  const std::string single = trace_record("\"aot_inference_graph\": {}", trace_graph("add"));
  const auto alone = read_whole(single);
  REQUIRE(alone.checks.size() == 1);
  CHECK(alone.checks[0].what == TraceCheck::What::single);
  CHECK(alone.checks[0].id == "-_0_0_0/aot_inference_graph");
  REQUIRE(alone.checks[0].value);
  CHECK_FALSE(alone.checks[0].value->before);
  CHECK(read_whole(single + kTracePair).checks.size() == 1);
  const std::string next = ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 1";
  const auto restarted =
      read_whole(single + trace_record("\"aot_inference_graph\": {}", trace_graph("add"), next));
  REQUIRE(restarted.checks.size() == 1);
  CHECK(restarted.checks[0].id == "-_0_0_1/aot_inference_graph");
  const auto unnumbered = read_whole(trace_record("\"aot_inference_graph\": {}", trace_graph("add"), ""));
  CHECK(unnumbered.checks.at(0).id == "unknown_1/aot_inference_graph");
}

TEST_CASE("log: inputs match by position, constants by name") {
  const std::string constant =
      "class <lambda>(torch.nn.Module):\n    def forward(self, b: \"f32[5][1]cpu\", a: \"f32[5][1]cpu\"):\n"
      "        c: \"f32[5][1]cpu\" = self._tensor_constant0\n"
      "        r: \"f32[5][1]cpu\" = torch.ops.aten.add.Tensor(a, c)\n        return (r,)\n";
  const auto log = read_whole(trace_artifact("before_post_grad_graph", trace_graph("add")) +
                              trace_artifact("after_post_grad_graph", constant));
  REQUIRE(log.checks.at(0).value);
  const Case& value = *log.checks[0].value;
  REQUIRE(value.after.inputs.size() == 3);
  REQUIRE(value.before->inputs.size() == 3);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(value.after.value(value.after.inputs[i].value).name ==
          value.before->value(value.before->inputs[i].value).name);
  CHECK(value.after.value(value.after.steps[0].args[0].ref).name == "b");
  const auto fewer =
      read_whole(trace_artifact("before_post_grad_graph", trace_graph("add")) +
                 trace_artifact("after_post_grad_graph", "def forward(self, a):\n    return a\n"));
  REQUIRE_FALSE(fewer.checks.at(0).value);
  CHECK(fewer.checks[0].value.fault().message == "before has 2 inputs, after has 1");
}

TEST_CASE("log: which inputs share storage") {
  const auto shared = read_whole(trace_tensor(0, 0, 5, 0) + trace_tensor(3, 0, 5, 5) + kTracePair);
  const Case& value = *shared.checks.at(0).value;
  CHECK_FALSE(value.inputs_may_overlap);
  REQUIRE(value.after.inputs.size() == 2);
  CHECK(value.after.inputs[1].storage == "S0");
  CHECK(value.after.inputs[1].storage_numel == SymExpr(10));
  CHECK(value.before->value(value.before->inputs[1].value).type->offset == SymExpr(5));
  const auto apart = read_whole(trace_tensor(0, 0, 5, 0) + trace_tensor(3, 1, 5, 0) + kTracePair);
  CHECK(apart.checks.at(0).value->after.inputs[1].storage.empty());
  CHECK_FALSE(apart.checks[0].value->inputs_may_overlap);
  const auto ambiguous =
      read_whole(trace_tensor(0, 0, 5, 0) + trace_tensor(3, 0, 5, 5) + trace_tensor(4, 1, 5, 0) + kTracePair);
  CHECK(ambiguous.checks.at(0).value->inputs_may_overlap);
  CHECK(read_whole(kTracePair).checks.at(0).value->inputs_may_overlap);
}

namespace {
/// InputAliasInfo as PyTorch prints it, with those fields true.
std::string input_info(const std::set<std::string>& fields) {
  std::string out = "InputAliasInfo(is_leaf=True";
  for (const char* field : {"mutates_data", "mutates_metadata", "mutations_hidden_from_autograd",
                            "mutations_under_no_grad_or_inference_mode", "mutation_inductor_storage_resize",
                            "mutates_storage_metadata", "requires_grad", "keep_input_mutations"})
    out += ",\n  " + std::string(field) + "=" + (fields.contains(field) ? "True" : "False");
  return out + ")";
}

std::string output_info(const std::string& type, const std::string& base) {
  return "OutputAliasInfo(output_type=<OutputType." + type + ": 2>,\n  base_idx=" + base +
         ", dynamic_dims=set())";
}

using Shares = std::vector<std::pair<std::uint32_t, std::string>>;

/// Of a graph of two inputs and two outputs.
Shares shares_of(const std::set<std::string>& first, const std::set<std::string>& second,
                 const std::string& outputs) {
  std::string graph = trace_graph("add", "primals_1", "primals_2");
  graph.replace(graph.find("return (r,)"), 11, "return (r, primals_2)");
  const std::string metadata = "ViewAndMutationMeta(input_info=[" + input_info(first) + ", " +
                               input_info(second) + "], output_info=[" + outputs +
                               "], num_intermediate_bases=0)";
  const auto log = read_whole(trace_artifact("aot_forward_graph_fw_metadata", metadata) +
                              trace_artifact("before_post_grad_graph", graph) +
                              trace_artifact("inductor_post_grad_graph", graph));
  REQUIRE(log.checks.size() == 1);
  REQUIRE(log.checks[0].value);
  return log.checks[0].value->may_share;
}
}  // namespace

TEST_CASE("log: which outputs the wrapper makes into views, or copies into inputs") {
  const std::string own = output_info("non_alias", "None"), alias = output_info("alias_of_input", "1"),
                    whole = output_info("is_input", "0");
  const std::string kept = "keep_input_mutations", data = "mutates_data", grad = "requires_grad";
  const auto both = [](std::uint32_t output) { return Shares{{output, "primals_1"}, {output, "primals_2"}}; };
  CHECK(shares_of({kept}, {kept}, own + ", " + alias) == both(1));  // whichever of the two it is a view of
  CHECK(shares_of({kept}, {kept}, own + ", " + whole) == both(1));
  CHECK(shares_of({kept}, {kept}, own + ", " + own).empty());
  CHECK(shares_of({kept}, {kept}, own + ", " + own + ", " + alias).empty());  // three outputs of two
  // The new contents of an input that autograd watches are the first output, and nobody else's.
  CHECK(shares_of({kept, data, grad}, {kept}, alias) ==
        Shares{{0, "primals_2"}, {1, "primals_1"}, {1, "primals_2"}});
  CHECK(shares_of({kept, data, grad}, {kept}, own) == Shares{{0, "primals_2"}});
  CHECK(shares_of({kept}, {kept, data, grad}, whole) ==
        Shares{{0, "primals_1"}, {1, "primals_1"}, {1, "primals_2"}});
  CHECK(shares_of({kept, data, grad}, {kept, data, grad}, "").empty());
  // table: an input's fields, is what it becomes an output
  const std::pair<std::set<std::string>, bool> fields[] = {
      {{kept, grad}, false},
      {{kept, data}, false},
      {{data}, true},
      {{kept, "mutates_metadata"}, true},
      {{kept, data, "mutates_metadata"}, true},
      {{kept, data, grad, "mutations_hidden_from_autograd"}, false},
      {{kept, data, grad, "mutations_under_no_grad_or_inference_mode"}, false},
      {{kept, "mutates_storage_metadata"}, false},
      {{kept, "mutation_inductor_storage_resize", grad}, true},
      {{kept, "mutation_inductor_storage_resize"}, false},
  };
  for (const auto& [input, returned] : fields) {
    INFO(input_info(input));
    CHECK(shares_of(input, {kept}, own) == (returned ? Shares{{0, "primals_2"}} : Shares{}));
  }
}

TEST_CASE("log: numbers that a reset gives again are another compilation") {
  const std::string start = trace_record("\"dynamo_start\": {}");
  const std::string apart = trace_tensor(0, 0, 5, 0) + trace_tensor(3, 1, 5, 0) + kTracePair;
  const auto twice = read_whole(start + apart + start + kTracePair);
  REQUIRE(twice.checks.size() == 2);
  CHECK(twice.checks[1].id == "-_0_0_0/post_grad_1");
  CHECK_FALSE(twice.checks[0].value->inputs_may_overlap);
  CHECK(twice.checks[1].value->inputs_may_overlap);  // nobody told of its inputs
  const auto earlier = read_whole(start + kTracePair + start + apart);
  CHECK(earlier.checks.at(0).value->inputs_may_overlap);
  CHECK_FALSE(earlier.checks.at(1).value->inputs_may_overlap);
  // Without a new start it is one compilation: its forward and its backward.
  CHECK_FALSE(read_whole(start + apart + kTracePair).checks.at(1).value->inputs_may_overlap);
  // An attempt that another compilation gave up is not this one's.
  const std::string next = ", \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 1";
  const std::string single = trace_record("\"aot_inference_graph\": {}", trace_graph("add"));
  CHECK(read_whole(start + single + start +
                   trace_record("\"aot_inference_graph\": {}", trace_graph("add"), next))
            .checks.size() == 2);
}

TEST_CASE("log: symbols and guards") {
  const std::string graph =
      "class <lambda>(torch.nn.Module):\n    def forward(self, n: \"Sym(s1)\", a: \"f32[s0][1]cpu\"):\n      "
      "  return (a,)\n";
  const auto log = read_whole(
      trace_record("\"create_symbol\": {\"symbol\": \"s0\", \"val\": \"5\", \"vr\": \"[2, int_oo]\"}") +
      trace_record("\"create_symbol\": {\"symbol\": \"s1\", \"val\": \"3\", \"vr\": \"[-int_oo, int_oo]\"}") +
      trace_record("\"guard_added_fast\": {\"expr\": \"(s1 >= 0) & (s1 <= s0)\"}") +
      trace_record("\"guard_added\": {\"expr\": \"Ne(s0, 7)\"}") +
      trace_record("\"guard_added\": {\"expr\": \"s9 < 7\"}") +
      trace_record("\"guard_added\": {\"expr\": \"not a relation\"}") +
      trace_artifact("before_post_grad_graph", graph) + trace_artifact("after_post_grad_graph", graph));
  const Case& value = *log.checks.at(0).value;
  CHECK(value.symbols.at("s0").min == 2);
  CHECK(value.symbols.at("s0").hint == 5);
  CHECK_FALSE(value.symbols.at("s0").max);
  CHECK(value.symbols.at("s1").min == 0);
  CHECK(value.assume.size() == 2);
}

TEST_CASE("log: broken records and cut tails are noted, never fatal") {
  const auto broken = read_whole("V0521 11:50:42.931000 17 a.py:1] {\"artifact\": \n" + kTracePair);
  CHECK(broken.checks.size() == 1);
  REQUIRE(broken.notes.size() == 1);
  CHECK(broken.notes[0].where == "line 1");
  CHECK_FALSE(broken.truncated);
  const auto in_json = read_whole(kTracePair + "V0521 11:50:42.931000 17 a.py:1] {\"artif");
  CHECK(in_json.truncated);
  CHECK(in_json.checks.size() == 1);
  const auto no_payload =
      read_whole(kTracePair + "V0521 11:50:42.931000 17 a.py:1] {\"x\": 1, \"has_payload\": \"0\"}\n");
  CHECK(no_payload.truncated);
  const auto in_graph = read_whole(kTracePair.substr(0, kTracePair.size() - 20));
  CHECK(in_graph.truncated);
  REQUIRE(in_graph.checks.size() == 1);
  CHECK_FALSE(in_graph.checks[0].value);
  const std::size_t name =
      kTracePair.rfind("aten");  // cut in the middle of a name, or of a line's end: fuzz seeds 282, 402
  REQUIRE(name != std::string::npos);
  CHECK(read_whole(kTracePair.substr(0, name + 2)).truncated);
  CHECK_FALSE(
      read_whole(kTracePair.substr(0, kTracePair.size() - 2)).truncated);  // only the last line ends are gone
}

TEST_CASE("log: a fault in a graph names the place in the log") {
  const auto log =
      read_whole(trace_record("\"aot_inference_graph\": {}", "def forward(self, a):\n    return b\n"));
  REQUIRE(log.checks.size() == 1);
  REQUIRE_FALSE(log.checks[0].value);
  CHECK(log.checks[0].value.fault().where == "line 3, column 13");
  CHECK(log.checks[0].value.fault().message == "aot_inference_graph: 'b' is not defined");
}

TEST_CASE("log: hostile ones") {
  CHECK(read_whole("").records == 0);
  CHECK(read_whole(std::string(1000000, '\t')).records == 0);
  CHECK(read_whole("V0521 1] {" + std::string(200000, '[') + "\n").records == 0);
  std::string nested = "V0521 11:50:42.931000 1 a.py:1] {\"a\": ";
  nested += std::string(200000, '[') + std::string(200000, ']') + "}\n";
  CHECK(read_whole(nested).records == 1);
  const std::string odd =
      "\"describe_tensor\": {\"id\": 1e300, \"size\": 3}, \"artifact\": {\"name\": 4}, \"frame_id\": -1.5";
  CHECK(read_whole(trace_record(odd, "", "")).checks.empty());
  const std::string huge =
      "\"describe_tensor\": {\"id\": 18446744073709551615}, \"frame_id\": 18446744073709551615";
  CHECK(read_whole(trace_record(huge, "", "")).checks.empty());
  std::string many;
  for (int i = 0; i < 300; ++i) many += "V0521 11:50:42.931000 1 a.py:1] {\"a\n";
  CHECK(read_whole(many).notes.size() == 101);
}

}  // namespace torch_trace_test
