#include <cmath>

#include "tests/unit/formats/case_json_text.h"

namespace case_json_test {

using namespace noclobber;

namespace {

// A case that uses every member of the format.
constexpr const char* kFull = R"json({
  "format": "noclobber.case/1", "name": "full-case", "title": "one line", "source": "a test",
  "symbols": {"s0": {"min": 2, "max": 1024, "multiple_of": 2}, "u0": {"min": -5, "unbacked": true}},
  "assume": ["u0 + 4 <= s0", "Ne(s0, 7)"],
  "ops": [{"schema": "zoo::scale_(Tensor(a!) x, Tensor y) -> Tensor(a!)", "functional": "zoo::scale",
           "access": {"x": "elementwise", "y": "any"}, "when": "before_write", "reads_old": ["x"],
           "writes": {"x": "all"}, "result": "view", "may_alias": [[0, "y"]], "pure": false},
          {"schema": "zoo::pair(Tensor x) -> (Tensor, Tensor)", "access": "any", "result": ["fresh", "view"]}],
  "graphs": {"body": {"inputs": [{"name": "a", "type": {"dtype": "f32", "shape": [4, "s0"]}}],
                      "steps": [{"name": "r", "op": "aten.neg", "args": [{"ref": "a"}]}], "outputs": [{"ref": "r"}]}},
  "before": {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [4, "s0"], "device": "cpu"}, "mutable": true},
                        {"name": "c", "type": {"dtype": "bool", "shape": []}},
                        {"name": "k", "type": {"dtype": "f64", "shape": [3]}, "kind": "constant",
                         "sha256": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "value": [1, 2.5, "nan"]}],
             "steps": [{"name": "a", "op": "aten.alias", "args": [{"ref": "x"}]}],
             "outputs": [{"ref": "a"}], "final": {"x": {"ref": "a"}}},
  "after": {"inputs": [{"name": "k", "type": {"dtype": "f64", "shape": [3]}, "kind": "constant", "value": 0},
                       {"name": "x", "type": {"dtype": "f32", "shape": [4, "s0"], "device": "cpu"}, "exit": "any",
                        "storage_numel": "4*s0 + 8"},
                       {"name": "c", "type": {"dtype": "bool", "shape": []}}],
            "steps": [
              {"names": ["p", "q"], "op": "zoo.pair", "args": [{"ref": "x"}], "stream": "s1", "after": ["w1"],
               "types": [null, {"dtype": "f32", "shape": [2], "stride": [1], "offset": "s0"}]},
              {"names": [], "id": "w1", "op": "aten.copy_.default", "args": [{"ref": "k"}, {"ref": "k"}]},
              {"name": "r", "op": "higher_order.cond.default",
               "args": [{"ref": "c"}, {"graph": "body"}, {"graph": "body"}, [{"ref": "q"}]],
               "types": [{"dtype": "i4", "shape": [], "stride": null}], "loc": "model.py:29 in forward"},
              {"name": "e", "op": "aten.full.default", "args": [[2, "s0", {"sym": "s0 + 1"}], -1.5, "inf", true, null],
               "kwargs": {"dtype": {"dtype": "f32"}, "device": {"device": "cpu"}, "layout": "strided"}},
              {"names": [], "op": "prims.return", "args": [{"ref": "e"}]}],
            "outputs": [{"ref": "r"}, null, 3]},
  "order": "dataflow", "names": "storages", "strides": "compare", "sharing": "any",
  "plan": {"arenas": {"1": {"size": 4096}}, "buffers": []}})json";

}  // namespace

TEST_CASE("a case with every member is read") {
  const Case full = read(kFull);
  CHECK(full.name == "full-case");
  CHECK((full.dataflow && full.compare_strides && full.sharing_may_grow && full.plan));
  CHECK_FALSE(full.names_are_values);
  CHECK(full.symbols.at("s0") == SymbolRange{2, 1024, 2, false, {}});
  CHECK(full.symbols.at("u0") == SymbolRange{-5, {}, 1, true, {}});
  CHECK(full.assume.at(1).kind == SymRelation::Kind::ne);
  CHECK(full.ops.at(0).access == std::map<std::string, std::string>{{"x", "elementwise"}, {"y", "any"}});
  CHECK(full.ops.at(0).may_alias == std::vector<std::pair<int, std::string>>{{0, "y"}});
  CHECK((full.ops.at(0).before_write && !full.ops.at(0).pure));
  CHECK(full.ops.at(1).access == std::map<std::string, std::string>{{"*", "any"}});
  CHECK(full.bodies.at("body").steps.at(0).op == "aten.neg.default");
  CHECK(full.before->finals.at(0).second == Arg::of(full.before->find("a")));
  const auto& contents = *full.before->inputs.at(2).contents;
  CHECK(contents.at(0) == Arg::of(SymExpr(1)));
  CHECK(std::isnan(contents.at(2).real));
  CHECK(full.after.inputs.at(0).contents->size() == 1);
  CHECK(full.after.inputs.at(1).exit == Input::Exit::any);
  CHECK_FALSE(full.after.inputs.at(1).may_write);
}

TEST_CASE("steps, arguments and types are read") {
  const Case full = read(kFull);
  const Step& pair = full.after.steps.at(0);
  CHECK(pair.op == "zoo.pair.default");
  CHECK(pair.results == std::vector{full.after.find("p"), full.after.find("q")});
  CHECK_FALSE(full.after.value(pair.results[0]).type);
  CHECK(full.after.value(pair.results[1]).type->offset == SymExpr::symbol("s0"));
  CHECK(full.after.value(pair.results[1]).result == 1);
  CHECK(full.after.steps.at(1).results.empty());
  CHECK(full.after.steps.at(2).op == "higher_order.cond");
  CHECK(full.after.value(full.after.steps.at(2).results[0]).type->strides == Type::Strides::unknown);
  const Step& fill = full.after.steps.at(3);
  CHECK(fill.args.at(0).list.at(1) == Arg::of_text("s0"));
  CHECK(fill.args.at(0).list.at(2) == Arg::of(SymExpr::symbol("s0") + 1));
  CHECK(fill.args.at(2) == Arg::of_real(HUGE_VAL));
  CHECK(fill.args.at(4) == Arg());
  CHECK(fill.kwargs.at(0) == std::pair(std::string("dtype"), Arg::of_dtype(Dtype::f32)));
  CHECK(fill.kwargs.at(2).second == Arg::of_text("strided"));
  CHECK(full.after.steps.at(4).op == "prims.return.default");
  CHECK(full.after.outputs.at(2) == Arg::of(SymExpr(3)));
}

TEST_CASE("what is written reads back as it was") {
  for (const char* text : {kFull, kSmall}) {
    const std::string once = write_case_json(read(text));
    CHECK(write_case_json(read(once)) == once);
  }
  // Nothing of the original is lost on the way: the same document up to defaults.
  auto original = nlohmann::json::parse(kFull), written = nlohmann::json::parse(write_case_json(read(kFull)));
  original["assume"] = {"u0 + 4 <= s0", "s0 != 7"};
  original["graphs"]["body"]["steps"][0]["op"] = "aten.neg.default";
  original["before"]["steps"][0]["op"] = "aten.alias.default";
  original["after"]["steps"][0]["op"] = "zoo.pair.default";
  original["after"]["steps"][2]["op"] = "higher_order.cond";
  original["after"]["steps"][4]["op"] = "prims.return.default";
  CHECK(written == original);
}

TEST_CASE("facts beyond the format survive writing") {
  Case value = read(kSmall);
  value.inputs_may_overlap = true;
  value.symbols.at("s0").hint = 7;
  value.after.steps[0].source.edit().code = "y = -x";
  value.after.steps[1].results.emplace_back();
  value.after.inputs[0].contents = std::vector{Arg::of_real(-0.0), Arg::of_real(1e300)};
  value.after.bodies["body"] = value.bodies.at("body");
  value.after.steps[1].args.push_back(Arg::of_graph("body"));
  const Case again = read(write_case_json(value));
  CHECK(again.inputs_may_overlap);
  CHECK(again.symbols == value.symbols);
  CHECK(again.after.steps[0].source->code == "y = -x");
  CHECK(again.after.steps[1].results == value.after.steps[1].results);
  CHECK(again.after.inputs[0].contents == value.after.inputs[0].contents);
  CHECK(again.bodies.contains("after.body"));
  CHECK(again.after.steps[1].args.back() == Arg::of_graph("after.body"));
}

TEST_CASE("what readers of other formats know survives writing") {
  Case value = read(kSmall);
  value.may_share = {{0, "x"}};
  value.assumed = {"inputs do not overlap"};
  value.assumed_pure = {"zoo.f.default"};
  value.one_sided = {"c"};
  value.pass = "reinplace";
  value.portable_kernels = value.return_is_last = value.every_order = true;
  Step& step = value.after.steps[0];
  step.barrier = step.fused = true;
  step.unit = 3, step.line = 12, step.extras.edit().tells = "zuf0";
  value.after.numbers = {{"s77", SymExpr::symbol("s0")}};
  value.after.name = "computation", value.after.device = "cuda:0", value.before->device = "";
  value.after.inputs[0].bytes = std::string("\x00\xff", 2);
  RegisterProgram program;
  program.name = "mlx", program.counts = {1, 2, 3, 4, 5}, program.numbers = 6, program.main = 1,
  program.init = 0;
  program.inputs = {{1, true}, {2, false}}, program.outputs = {{3, true}}, program.names = {{4, "x"}};
  RegisterStep node{"ExpNode", RegisterStep::Runs::one_of, {1}, {2}, {3}, {4}, {0}, {5},
                    77,        "it is given nothing"};
  program.chains = {{}, {node, node}};
  value.registers = {program};
  const std::string once = write_case_json(value);
  const Case again = read(once);
  CHECK(write_case_json(again) == once);
  CHECK(again.may_share == value.may_share);
  CHECK(std::tie(again.assumed, again.assumed_pure, again.one_sided, again.pass) ==
        std::tie(value.assumed, value.assumed_pure, value.one_sided, value.pass));
  CHECK((again.portable_kernels && again.return_is_last && again.every_order));
  const Step& same = again.after.steps[0];
  CHECK((same.barrier && same.fused && same.unit == 3 && same.line == 12 && same.extras->tells == "zuf0"));
  CHECK(again.after.numbers == value.after.numbers);
  CHECK(
      (again.after.name == "computation" && again.after.device == "cuda:0" && again.before->device.empty()));
  CHECK(*again.after.inputs[0].bytes == *value.after.inputs[0].bytes);
  const RegisterProgram& read_again = again.registers.at(0);
  CHECK((read_again.counts == program.counts && read_again.main == 1 && read_again.init == 0));
  CHECK((read_again.names == program.names && read_again.inputs.at(1).is_tensor == false));
  const RegisterStep& copy = read_again.chains.at(1).at(1);
  CHECK((copy.runs == node.runs && copy.reads == node.reads && copy.rows == node.rows && copy.at == 77));
  CHECK(copy.refused == node.refused);
}

TEST_CASE("facts that make no sense are refused with their place") {
  const auto with = [](const std::string& facts) {
    return refused(
        R"({"format": "noclobber.case/1", "name": "x", "after": {"inputs": [], "steps": [], "outputs": []}, "facts": )" +
        facts + "}");
  };
  CHECK(with("3").where == "/facts");
  CHECK(with(R"({"every_order": 1})").where == "/facts/every_order");
  CHECK(with(R"({"may_share": [[0]]})").where == "/facts/may_share/0");
  CHECK(with(R"({"may_share": [[-1, "x"]]})").where == "/facts/may_share/0/0");
  CHECK(with(R"({"registers": [{"counts": [1]}]})").where == "/facts/registers/0/counts");
  CHECK(with(R"({"registers": [{"counts": [1, 1, 1, 1, 1], "chains": []}]})").where ==
        "/facts/registers/0/main");
}

TEST_CASE("a bare graph is a case of its own") {
  const Case value = read(R"({"inputs": [], "steps": [], "outputs": []})");
  CHECK_FALSE(value.before);
  CHECK_FALSE(value.names_are_values);
  CHECK(refused(R"({"inputs": [], "steps": 3, "outputs": []})").where == "/steps");
  CHECK(refused(R"({"inputs": [], "outputs": []})").message == "missing field 'format'");
  CHECK(read(R"({"format": "noclobber.case/1", "name": "n", "plan": {"arenas": {}, "buffers": []}})").plan);
}

TEST_CASE("unknown members are ignored, a case without before means values") {
  CHECK(read(changed("/later", "1")).name == "small");
  CHECK(read(changed("/assume", R"j(["Eq(2, 2)", "Ne(2, 3)", "2 <= 2", "1 < 2"])j")).assume.size() == 4);
  CHECK(read(changed("/after/steps/0/colour", "\"red\"")).after.steps.size() == 2);
  CHECK(read(changed("/before", "null!")).names_are_values);
}

TEST_CASE("a fault is reported with its JSON pointer") {
  struct Row {
    const char* at;     // member that is replaced
    const char* value;  // by this
    const char* where;
    const char* message;  // contained in the message
  };
  // table
  const Row rows[] = {
      {"/format", "\"noclobber.case/2\"", "/format", "expected"},
      {"/name", "\"\"", "/name", "slug"},
      {"/name", "null!", "", "missing field 'name'"},
      {"/after", "null!", "", "neither"},
      {"/order", "\"any\"", "/order", "not one of"},
      {"/names", "[]", "/names", "not one of"},
      {"/strides", "true", "/strides", "not one of"},
      {"/sharing", "\"growth\"", "/sharing", "not one of"},
      {"/title", "3", "/title", "expected a string"},
      {"/symbols/s0", R"({"min": 3, "max": 2})", "/symbols/s0", "min is above max"},
      {"/symbols/s0", R"({"min": 3, "max": 7, "multiple_of": 8})", "/symbols/s0", "multiple"},
      {"/symbols/s0", R"({"min": 1.5})", "/symbols/s0/min", "integer"},
      {"/symbols/s0", R"({"multiple_of": 0})", "/symbols/s0/multiple_of", "positive"},
      {"/symbols/s0", R"({"unbacked": 1})", "/symbols/s0/unbacked", "true or false"},
      {"/symbols/0s", "{}", "/symbols/0s", "not a name"},
      {"/assume", R"(["s0 < s1"])", "/assume/0", "undeclared symbol 's1'"},
      {"/assume", R"(["s0"])", "/assume/0", "relation"},
      {"/assume", R"(["s0 > 1", "2 < 1"])", "/assume/1", "never holds"},
      {"/assume", R"(["2 < 2"])", "/assume/0", "never holds"},
      {"/assume", R"(["2 <= 1"])", "/assume/0", "never holds"},
      {"/assume", R"j(["Eq(2, 3)"])j", "/assume/0", "never holds"},
      {"/assume", R"j(["Ne(2, 2)"])j", "/assume/0", "never holds"},
      {"/assume", R"(["s1 < s0"])", "/assume/0", "undeclared symbol 's1'"},
      {"/symbols/s0", R"({"min": 9223372036854775806, "multiple_of": 4})", "/symbols/s0", "multiple"},
      {"/ops/0/schema", "\"zoo::scale_\"", "/ops/0/schema", "schema"},
      {"/ops/1", R"({"schema": "zoo::scale_(Tensor x) -> Tensor"})", "/ops/1/schema", "twice"},
      {"/ops/0/access", R"({"z": "any"})", "/ops/0/access/z", "not an argument"},
      {"/ops/0/access", "\"some\"", "/ops/0/access", "not one of"},
      {"/ops/0/when", "\"never\"", "/ops/0/when", "not one of"},
      {"/ops/0/writes", R"({"x": "any"})", "/ops/0/writes/x", "not one of"},
      {"/ops/0/reads_old", R"(["q"])", "/ops/0/reads_old/0", "not an argument"},
      {"/ops/0/result", R"(["fresh", "old"])", "/ops/0/result", "results"},
      {"/ops/0/may_alias", R"([[1, "x"]])", "/ops/0/may_alias/0", "no result 1"},
      {"/ops/0/pure", "\"no\"", "/ops/0/pure", "true or false"},
      {"/before/inputs/0/name", "\"y\"", "/after/inputs", "no input of /before"},
      {"/after/inputs/0/name", "\"x y\"", "/after/inputs/0/name", "not a name"},
      {"/after/inputs/0/type/dtype", "\"f33\"", "/after/inputs/0/type/dtype", "not a dtype"},
      {"/after/inputs/0/type/dtype", "\"b8\"", "/after/inputs/0/type/dtype", "not a dtype"},
      {"/after/inputs/0/type/dtype", "3", "/after/inputs/0/type/dtype", "not a dtype"},
      {"/after/inputs/0/type/shape", "[3]", "/after/inputs/0", "differs"},
      {"/after/inputs/0/type/shape", "[-1]", "/after/inputs/0/type/shape/0", "negative size -1"},
      {"/after/inputs/0/type/shape", "[\"0-2\"]", "/after/inputs/0/type/shape/0", "negative size -2"},
      {"/after/inputs/0/type/shape", "[\"s1\"]", "/after/inputs/0/type/shape/0", "undeclared symbol 's1'"},
      {"/after/inputs/0/type/shape", "[\"mim(s0, 1)\"]", "/after/inputs/0/type/shape/0",
       "unknown function 'mim'"},
      {"/after/inputs/0/type/shape", "[1.0]", "/after/inputs/0/type/shape/0", "integer"},
      {"/after/inputs/0/type/stride", "[1, 1]", "/after/inputs/0/type/stride", "2 strides for 1 dimensions"},
      {"/after/inputs/0/type/offset", "null", "/after/inputs/0/type/offset", "integer"},
      {"/after/inputs/0/kind", "\"weight\"", "/after/inputs/0/kind", "not one of"},
      {"/after/inputs/0/exit", "\"same\"", "/after/inputs/0/exit", "not one of"},
      {"/after/inputs/0/mutable", "0", "/after/inputs/0/mutable", "true or false"},
      {"/after/inputs/0/storage", "\"S\"", "/after/inputs/0", "storage of 'x' differs"},
      {"/after/inputs/0/sha256", "\"0123\"", "/after/inputs/0/sha256", "SHA-256"},
      {"/after/inputs/0/sha256", "\"0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF\"",
       "/after/inputs/0/sha256", "SHA-256"},
      {"/after/inputs/0/storage_numel", "1", "/after/inputs/0/storage_numel", "the input shows element 1"},
      {"/after/inputs/0/storage_numel", "-1", "/after/inputs/0/storage_numel", "negative"},
      {"/after/inputs/0/value", "[1, 2, 3]", "/after/inputs/0/value", "3 numbers for 2 elements"},
      {"/after/inputs/0/value", "[1, \"one\"]", "/after/inputs/0/value/1", "expected a number"},
      {"/after/inputs/0/value", "[[1, 2]]", "/after/inputs/0/value", "1 numbers"},
      {"/after/inputs/1", R"({"name": "x", "type": null})", "/after/inputs/1/name", "used twice"},
      {"/after/inputs/1", R"({"name": "y"})", "/after/inputs/1", "missing field 'type'"},
      {"/after/inputs", "[]", "/after/steps/0/args/0", "unknown value 'x'"},
      {"/before/inputs/1", R"({"name": "y", "type": null})", "/after/inputs",
       "input 'y' of /before is missing"},
      {"/after/steps/0/args", R"([{"ref": "q"}])", "/after/steps/0/args/0", "unknown value 'q'"},
      {"/after/steps/0/args", R"([[1, {"ref": "b"}]])", "/after/steps/0/args/0/1",
       "not yet defined value 'b'"},
      {"/after/steps/0/args", R"([{"ref": "a"}])", "/after/steps/0/args/0", "not yet defined value 'a'"},
      {"/after/steps/0/args", R"([{"ref": 3}])", "/after/steps/0/args/0", "expected a string"},
      {"/after/steps/0/args", R"([{"reff": "x"}])", "/after/steps/0/args/0", "not an argument"},
      {"/after/steps/0/args", R"([{"ref": "x", "sym": 1}])", "/after/steps/0/args/0", "not an argument"},
      {"/after/steps/0/args", R"([{}])", "/after/steps/0/args/0", "not an argument"},
      {"/after/steps/0/args", R"([{"sym": "s0 +"}])", "/after/steps/0/args/0/sym", "unexpected end"},
      {"/after/steps/0/args", R"([{"dtype": "f33"}])", "/after/steps/0/args/0/dtype", "not a dtype"},
      {"/after/steps/0/args", R"([{"device": 1}])", "/after/steps/0/args/0/device", "string"},
      {"/after/steps/0/args", R"([{"graph": "nobody"}])", "/after/steps/0/args/0", "unknown graph 'nobody'"},
      {"/after/steps/0/args", "{}", "/after/steps/0/args", "array"},
      {"/after/steps/0/kwargs", R"({"a/b": {"ref": "q"}})", "/after/steps/0/kwargs/a~1b",
       "unknown value 'q'"},
      {"/after/steps/0/kwargs", "[]", "/after/steps/0/kwargs", "object"},
      {"/after/steps/0/op", "\"neg\"", "/after/steps/0/op", "namespace"},
      {"/after/steps/0/op", "\"aten..neg\"", "/after/steps/0/op", "namespace"},
      {"/after/steps/0/op", "\"aten.neg.\"", "/after/steps/0/op", "namespace"},
      {"/after/steps/0/op", "null!", "/after/steps/0", "missing field 'op'"},
      {"/after/steps/0/names", "[]", "/after/steps/0", "exactly one"},
      {"/after/steps/0/name", "null!", "/after/steps/0", "exactly one"},
      {"/after/steps/0/name", "null", "/after/steps/0/name", "string"},
      {"/after/steps/1/name", "\"a\"", "/after/steps/1/name", "used twice"},
      {"/after/steps/1/name", "\"x\"", "/after/steps/1/name", "used twice"},
      {"/after/steps/1/id", "\"a\"", "/after/steps/1/id", "used twice"},
      {"/after/steps/0/id", "\"b\"", "/after/steps/1", "used twice"},
      {"/after/steps/0/types", "[]", "/after/steps/0/types", "0 types for 1 results"},
      {"/after/steps/0/types", R"([{"dtype": "f32"}])", "/after/steps/0/types/0", "missing field 'shape'"},
      {"/after/steps/0/after", R"(["c"])", "/after/steps/0/after/0", "unknown step"},
      {"/after/steps/0/after", R"(["a"])", "/after/steps/0/after/0", "itself"},
      {"/after/steps/0/after", R"(["b"])", "/after/steps/0/after/0", "later"},
      {"/after/steps/0/stream", "1", "/after/steps/0/stream", "string"},
      {"/after/steps/0", "[]", "/after/steps/0", "object"},
      {"/after/outputs", "null", "/after/outputs", "array"},
      {"/after/outputs/0", R"({"ref": "c"})", "/after/outputs/0", "unknown value 'c'"},
      {"/after/final", R"({"a": {"ref": "b"}})", "/after/final/a", "not an input"},
      {"/after/final", R"({"x": {"ref": "q"}})", "/after/final/x", "unknown value 'q'"},
      {"/after/steps/0/op", "\"zoo.scale_\"", "", ""},  // no message: one result, as declared, is fine
      {"/graphs/body/outputs", R"([{"ref": "x"}])", "/graphs/body/outputs/0", "unknown value 'x'"},
      {"/graphs/body/outputs", R"([{"graph": "body"}])", "/graphs/body", "contains itself"},
      {"/plan", "[]", "/plan", "object"},
      {"/plan", R"({"arenas": {}})", "/plan", "missing field 'buffers'"},
      {"/plan", R"({"arenas": {"1": {"size": -1}}, "buffers": []})", "/plan/arenas/1/size", "negative"},
      {"/plan", R"({"arenas": {"1": {"size": 1, "alignment": 0}}, "buffers": []})",
       "/plan/arenas/1/alignment", "positive"},
      {"/plan", R"({"arenas": {}, "buffers": [{"value": "a", "arena": "1", "offset": 0, "size": 8}]})",
       "/plan/buffers/0/arena", "unknown arena"},
      {"/plan", R"({"arenas": {}, "buffers": [{"value": "q", "arena": "1", "offset": 0, "size": 8}]})",
       "/plan/buffers/0/value", "unknown value"},
      {"/plan",
       R"({"arenas": {"1": {"size": 8}}, "buffers": [{"id": "q", "arena": "1", "offset": 0, "size": 8}]})",
       "/plan/buffers/0", "needs 'lower'"},
      {"/plan",
       R"({"arenas": {"1": {"size": 8}}, "buffers": [{"value": "a", "arena": "1", "offset": -8, "size": -8}]})",
       "", ""},
      {"/plan", R"({"arenas": {}, "buffers": [], "required": [1]})", "/plan/required/0", "string"},
  };
  for (const Row& row : rows) {
    const std::string text = changed(row.at, row.value);
    INFO(row.at << " := " << row.value);
    if (*row.message == '\0') {
      CHECK(read_case_json(text));
      continue;
    }
    const Diagnostic fault = refused(text);
    CHECK(fault.where == row.where);
    CHECK_THAT(fault.message, Catch::Contains(row.message));
  }
}

TEST_CASE("control flow must pass what its bodies take") {
  const auto cond = [](const char* args) {
    return changed(
        "/after/steps/0",
        (R"({"name": "a", "op": "higher_order.cond", "args": )" + std::string(args) + "}").c_str());
  };
  CHECK(read_case_json(cond(R"([{"ref": "x"}, {"graph": "body"}, {"graph": "body"}, [{"ref": "x"}]])")));
  CHECK(refused(cond(R"([{"ref": "x"}, {"graph": "body"}, {"graph": "body"}, []])")).where ==
        "/after/steps/0/args/1");
  CHECK(refused(cond(R"([{"ref": "x"}, [{"ref": "x"}]])")).message == "control flow without a body graph");
  CHECK(refused(cond(R"([{"ref": "x"}, {"graph": "body"}, {"graph": "body"}, [{"ref": "x"}], 1])")).where ==
        "/after/steps/0/args");
}

TEST_CASE("ordering edges may point forward under dataflow, but not in a circle") {
  const auto with = [](const char* order, const char* after, const char* stream) {
    auto json = nlohmann::ordered_json::parse(kSmall);
    json["order"] = order;
    json["after"]["steps"][1]["args"] = {1};
    json["after"]["steps"][0]["after"] = {after};
    if (*stream != '\0') json["after"]["steps"][0]["stream"] = json["after"]["steps"][1]["stream"] = stream;
    return json.dump();
  };
  CHECK(read_case_json(with("dataflow", "b", "")));
  CHECK(read_case_json(with("program", "x", "")));
  CHECK(refused(with("program", "b", "")).where == "/after/steps/0/after/0");
  CHECK(refused(with("dataflow", "b", "s")).message == "ordering edges form a cycle");
  CHECK(refused(changed("/after/steps/0/after", R"(["b"])")).where == "/after/steps/0/after/0");
  auto body = nlohmann::ordered_json::parse(kSmall);
  body["graphs"]["f"] = body["after"];
  body["graphs"]["f"]["steps"][0]["after"] = {"b"};
  CHECK(refused(body.dump()).where == "/graphs/f/steps/0");
  CHECK(refused(body.dump()).message == "ordering edges form a cycle");
}

TEST_CASE("hostile JSON is refused where it goes wrong") {
  CHECK(refused("").where == "line 1, column 1");
  CHECK(refused("[]").message == "expected an object, got []");
  CHECK(refused("{\"a\": 1,\n  }").where == "line 2, column 3");
  CHECK(refused("{\"a\": [1, {\"b\": 1, \"b\": 2}]}").where == "/a/1/b");
  CHECK(refused("{\"a\": [1, 9223372036854775808]}").where == "/a/1");
  CHECK(refused("{\"a\": -99999999999999999999}").message == "integer does not fit 64 bits");
  CHECK_THAT(refused("{\"a\": 1e999}").message, Catch::Contains("not JSON"));
  CHECK_THAT(refused("{\"a\": NaN}").message, Catch::Contains("not JSON"));
  CHECK_THAT(refused("{\"a\": \"\xff\"}").message, Catch::Contains("not JSON"));
  CHECK_THAT(refused("{\"a\": 1} x").message, Catch::Contains("not JSON"));
  for (const char* opening : {"[", "{\"a\":", "[[{\"b\":"}) {
    std::string deep;
    while (deep.size() < 3000000) deep += opening;
    CHECK(refused(deep).message == "nested too deep");
  }
  const std::string full = kFull;
  for (std::size_t cut = 0; cut < full.size(); cut += 7) CHECK_FALSE(read_case_json(full.substr(0, cut)));
}

TEST_CASE("names in messages are escaped") {
  const Diagnostic fault = refused(changed("/after/steps/0/args", R"([{"ref": "a\nb\u0001é"}])"));
  CHECK(fault.message == "unknown value 'a\\nb\\u0001\\u00e9'");
}

TEST_CASE("case json: an operator that is declared again may only list more or fewer results") {
  const auto text = [](const std::string& other, const std::string& sizes) {
    return R"j({"format": "noclobber.case/1", "name": "n",
      "ops": [{"schema": "d::m(Tensor a) -> (Tensor, Tensor)"}, {"schema": ")j" +
           other + R"j("}],
      "after": {"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [3]}}], "steps": [
        {"names": ["p", "q"], "op": "d.m.default", "args": [{"ref": "x"}],
         "types": [{"dtype": "f32", "shape": [3]}, {"dtype": "f32", "shape": [4]}]},
        {"names": ["r"], "op": "d.m.default", "args": [{"ref": "p"}],
         "types": [{"dtype": "f32", "shape": )j" +
           sizes + R"j(}]}], "outputs": [{"ref": "r"}]}})j";
  };
  const auto value = read_case_json(text("d::m(Tensor a) -> Tensor", "[3]"));
  REQUIRE(value);
  REQUIRE(value->ops.size() == 1);
  const Step& shorter = value->after.steps[1];
  REQUIRE(shorter.results.size() == 2);
  CHECK(value->after.value(shorter.results[1]).type->shape == std::vector<SymExpr>{SymExpr(4)});
  CHECK(value->assumed.size() == 1);
  const auto torn = read_case_json(text("d::m(Tensor a) -> Tensor", "[4]"));  // two types are none
  REQUIRE(torn);
  CHECK_FALSE(torn->after.value(torn->after.steps[1].results[0]).type);
  for (const char* other : {"d::m(Tensor a, Tensor b) -> Tensor", "d::m(Tensor a) -> (Tensor, Tensor[])",
                            "d::m(Tensor(a!) a) -> Tensor"}) {
    const auto refused = read_case_json(text(other, "[3]"));
    REQUIRE_FALSE(refused);
    CHECK(refused.fault().message == "operator 'd.m.default' is declared twice");
  }
}

}  // namespace case_json_test
