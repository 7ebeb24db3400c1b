// Payloads of MLX held against the graphs that were lowered to them.
#include <algorithm>

#include "src/formats/case/case_json.h"
#include "src/formats/mlx/payload.h"
#include "src/lower/mlx/case.h"
#include "src/lower/mlx/fits.h"
#include "src/text/file.h"
#include "tests/support/graph_text.h"
#include "tests/unit/lower/pte_program.h"

namespace mlx_case_test {

using namespace noclobber;

namespace {

CheckRecord of_payload(const std::string& graph, const std::string& payload) {
  return compared_files("mlx-" + graph + ".case.json", "mlx-" + payload + ".mlx");
}

CheckRecord of_graph(const std::string& graph, const std::string& payload) {
  return compared_files("../mlx_graphs/" + graph + ".case.json", "../mlx_graphs/" + payload + ".mlx");
}

RegisterProgram payload_of(const std::string& name) {
  const auto bytes = read_file(kPrograms + name + ".mlx");
  REQUIRE(bytes);
  auto program = read_mlx(*bytes, 0);
  REQUIRE(program);
  return *std::move(program);
}

/// What is said where the payload is this one.
CheckRecord with(const std::string& graph, RegisterProgram program) {
  const Work work =
      work_of_pair(kPrograms + "mlx-" + graph + ".case.json", kPrograms + "mlx-" + graph + ".mlx");
  REQUIRE(work.kind == Work::Kind::check);
  Case value = work.value;
  auto made = case_of_mlx(program, *value.before);
  REQUIRE(made);
  value.after = std::move(made->after);
  value.registers = {std::move(program)};
  bool contradiction = false;
  CheckRecord record = check_case(value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return record;
}

}  // namespace

TEST_CASE("mlx: what was lowered is what the payload computes") {
  for (const char* name : {"seed", "chain"}) {
    INFO(name);
    CHECK(of_payload(name, name).status == Status::proved);
  }
  const CheckRecord dead = of_payload("seed", "edited-dead-instruction");
  CHECK(dead.status == Status::proved);
  REQUIRE(dead.dead.size() == 1);
  CHECK(dead.dead[0].statement == "ExpNode into slot 4");
  CHECK(of_payload("seed", "seed").dead.empty());
}

TEST_CASE("mlx: payloads of layers are what was lowered, by the numbers that instructions hold", "[mlx]") {
  for (const char* name :
       {"perceptron", "attention", "convolutions", "recurrent", "cache", "parts", "reductions", "norms",
        "numbers-apart", "mixer", "pooled", "padded", "placed", "grown", "twice", "rms-said", "indexed"}) {
    INFO(name);
    const CheckRecord record = of_graph(name, name);
    CHECK(record.status == Status::proved);
    for (const std::string& assumed : record.assumptions)
      CHECK(assumed.find("besides registers") == std::string::npos);
  }
}

TEST_CASE("mlx: payloads of layers with one thing changed are refuted", "[mlx]") {
  CHECK(found(of_graph("perceptron", "perceptron.weight-of-the-other"), "precondition"));
  CHECK(found(of_graph("attention", "attention.keys-as-queries"), "value-mismatch"));
  CHECK(found(of_graph("attention", "attention.turned-otherwise"), "value-mismatch"));
  CHECK(found(of_graph("convolutions", "convolutions.mean-for-variance"), "value-mismatch"));
  CHECK(found(of_graph("convolutions", "convolutions.stride"), "value-mismatch"));
  CHECK(found(of_graph("recurrent", "recurrent.split-overwritten"), "value-mismatch"));
  CHECK(found(of_graph("cache", "cache.one-row-later"), "value-mismatch"));
  CHECK(found(of_graph("cache", "cache.left-smaller"), "metadata"));
  CHECK(found(of_graph("parts", "parts.other-axis"), "metadata"));
  CHECK(found(of_graph("reductions", "reductions.not-kept"), "value-mismatch"));
  CHECK(found(of_graph("mixer", "mixer.bounds-exchanged"), "value-mismatch"));
  CHECK(found(of_graph("mixer", "mixer.residual-overwritten"), "precondition"));
  CHECK(found(of_graph("pooled", "pooled.one-column-later"), "value-mismatch"));
  CHECK(found(of_graph("pooled", "pooled.window-moves-less"), "value-mismatch"));
  CHECK(found(of_graph("padded", "padded.flipped-otherwise"), "value-mismatch"));
  CHECK(found(of_graph("padded", "padded.other-value"), "value-mismatch"));
  CHECK(found(of_graph("padded", "padded.filled-with-three"), "value-mismatch"));
  CHECK(found(of_graph("placed", "placed.places-from-one"), "value-mismatch"));
  CHECK(found(of_graph("placed", "placed.broadcast-to-more"), "precondition"));
  CHECK(found(of_graph("tied", "tied"), "value-mismatch"));
  CHECK(found(of_graph("rms", "rms"), "value-mismatch"));
  // No operator of PyTorch for what they compute now; a largest element shows only where all are negative.
  for (const char* name :
       {"norms.epsilon", "grown.stride", "grown.output-padding", "padded.edge", "pooled.padded-with-zeros"}) {
    INFO(name);
    const std::string text = name;
    CHECK(of_graph(text.substr(0, text.find('.')), text).status == Status::unknown);
  }
}

TEST_CASE("mlx: a product that is added to, or counted several times, is one of PyTorch and these as well",
          "[mlx]") {
  // What a product of batches is added to was left out, and the payload proved.
  CHECK(found(of_graph("indexed", "indexed.queries-added"), "value-mismatch"));
  CHECK(found(of_graph("indexed", "indexed.queries-added-thrice"), "value-mismatch"));
  CHECK(found(of_graph("indexed", "indexed.scores-thrice"), "value-mismatch"));
  CHECK(of_graph("indexed", "indexed.thrice-of-nothing").status == Status::proved);
}

TEST_CASE("mlx: rows that are taken and written where an array says", "[mlx]") {
  CHECK(found(of_graph("indexed", "indexed.queries-kept"), "value-mismatch"));
  CHECK(of_graph("indexed", "indexed.columns-for-rows").status == Status::refuted);
  CHECK(of_graph("indexed", "indexed.along-another-axis").status == Status::unknown);
}

TEST_CASE("mlx: products and attention are run as they are, so what softmax forgives is no fault", "[mlx]") {
  // The bias of the values for that of the keys, which every score of a row has alike; and the other way
  // round.
  CHECK(of_graph("attention", "attention.bias-of-keys").status == Status::unknown);
  CHECK(found(of_graph("attention", "attention.bias-of-values"), "value-mismatch"));
}

TEST_CASE("mlx: what runs twice on the same arrays gives the same ones", "[mlx]") {
  CHECK(of_graph("attention", "attention.reshaped-twice").status == Status::proved);
}

TEST_CASE("mlx: a constant is what its register says, not what it is named after", "[mlx]") {
  // A number of which whole ones hold nothing, and a weight of half precision.
  CHECK(found(of_graph("convolutions", "convolutions.epsilon-whole"), "value-mismatch"));
  CHECK(of_graph("convolutions", "convolutions.weight-half").status == Status::unknown);
}

TEST_CASE("mlx: what a reinplacing pass put in place is two values, unless another name may see it",
          "[mlx]") {
  const auto step = [](const std::string& name, const std::string& op, const std::string& args) {
    return R"({"name": ")" + name + R"(", "op": "aten.)" + op + R"(", "args": [)" + args + "]}";
  };
  const auto graph = [](const std::string& steps) {
    const std::string text = testing::json_graph(testing::json_tensor("x"), steps, R"({"ref": "w"})");
    return testing::read_as("", text, text).after;
  };
  const auto left = [&](const std::string& steps) {
    Graph made = graph(steps);
    return without_places(made, {}) ? testing::graph_text(made) : "left alone";
  };
  const std::string x = R"({"ref": "x"})", y = R"({"ref": "y"})", z = R"({"ref": "z"})",
                    v = R"({"ref": "v"})";
  const std::string first = step("y", "exp.default", x) + ", ";
  CHECK(left(first + step("z", "neg_.default", y) + ", " + step("w", "add.Tensor", y + ", " + z)) ==
        testing::graph_text(
            graph(first + step("z", "neg.default", y) + ", " + step("w", "add.Tensor", z + ", " + z))));
  CHECK(left(step("y", "neg_.default", x) + ", " + step("w", "add.Tensor", y + ", " + x)) == "left alone");
  CHECK(left(first + step("v", "view.default", y + ", [4]") + ", " + step("z", "neg_.default", y) + ", " +
             step("w", "add.Tensor", v + ", " + z)) == "left alone");
}

TEST_CASE("mlx: a number that is a constant of another dtype than its operand widens it", "[mlx]") {
  CHECK(found(of_graph("numbers-shared", "numbers-shared"), "metadata"));
}

TEST_CASE("mlx: a register that was given to another value too early is refuted") {
  CHECK(found(of_payload("seed", "edited-seed-first-bug"), "stale-read"));
  CHECK(found(of_payload("seed", "edited-inputs-permuted"), "value-mismatch"));
  CHECK(found(of_payload("chain", "edited-output-written-before-self-is-read"), "value-mismatch"));
  for (const char* name :
       {"edited-read-before-write", "edited-output-never-written", "edited-fewer-inputs"}) {
    INFO(name);
    CHECK(found(of_payload("seed", name), "uninitialized-read"));
  }
  CHECK(found(of_payload("chain", "edited-constant-written"), "immutable-write"));
}

TEST_CASE("mlx: every exchange of one register of an instruction is refuted or changes nothing") {
  const RegisterProgram right = payload_of("mlx-seed");
  int refuted = 0, kept = 0;
  for (std::size_t step = 0; step < right.chains[right.main].size(); ++step)
    for (std::size_t read = 0; read < right.chains[right.main][step].reads.size(); ++read)
      for (std::uint32_t other = 0; other < 7; ++other) {
        RegisterProgram program = right;
        std::uint32_t& at = program.chains[program.main][step].reads[read];
        if (at == other) continue;
        at = other;
        INFO(step << " " << read << " " << other);
        const CheckRecord record = with("seed", std::move(program));
        CHECK(record.status == Status::refuted);
        refuted += record.status == Status::refuted ? 1 : 0;
        kept += record.status == Status::proved ? 1 : 0;
      }
  CHECK((refuted == 48 && kept == 0));
}

TEST_CASE("mlx: operands of a sum may be exchanged, those of a difference may not") {
  for (const auto& [index, right] : {std::pair<std::size_t, bool>{1, true}, {7, false}}) {
    RegisterProgram program = payload_of("mlx-chain");
    RegisterStep& step = program.chains[program.main][index];
    REQUIRE(step.reads.size() == 2);
    std::swap(step.reads[0], step.reads[1]);
    CHECK((with("chain", std::move(program)).status != Status::refuted) == right);
  }
}

TEST_CASE("mlx: a payload that takes more than the graph is given is an error") {
  RegisterProgram program = payload_of("mlx-seed");
  const Work work = work_of_pair(kPrograms + "mlx-chain.case.json", kPrograms + "mlx-seed.mlx");
  CHECK(work.kind != Work::Kind::check);
  CHECK(work.fault.message == "the payload takes 3 tensors, BEFORE is given 2");
}

TEST_CASE("mlx: an instruction of a kind that nobody knows leaves the rest open") {
  RegisterProgram program = payload_of("mlx-seed");
  program.chains[program.main][4].op.clear();
  CHECK(with("seed", std::move(program)).status == Status::unknown);
}

namespace {

/// What is said of one instruction that reads x, y or the number 2 (registers 1, 2, 0), where `call` is
/// meant.
CheckRecord of_instruction(const std::string& op, std::vector<std::uint32_t> reads, const std::string& call) {
  auto before = read_case_json(
      R"j({"format":"noclobber.case/1","name":"n","after":{"inputs":[)j"
      R"j({"name":"x","type":{"dtype":"f32","shape":[4,4]}},{"name":"y","type":{"dtype":"f32","shape":[4,4]}}],)j"
      R"j("steps":[{"name":"r","op":)j" +
      call + R"j(,"types":[{"dtype":"f32","shape":[4,4]}]}],"outputs":[{"ref":"r"}]}})j");
  REQUIRE(before);
  RegisterProgram program;
  program.name = "payload";
  program.counts = {1, 2, 1, 0, 0};
  program.names[0] = "0/_scalar_2.0";
  program.inputs = {{1, true}, {2, true}};
  program.outputs = {{3, true}};
  RegisterStep step;
  step.op = op;
  step.reads = std::move(reads);
  step.writes = {3};
  program.chains = {{step}};
  auto made = case_of_mlx(program, before->after);
  REQUIRE(made);
  Case value = *std::move(made);
  value.before = std::move(before->after);
  value.before->name = "before";
  bool contradiction = false;
  CheckRecord record = check_case(value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return record;
}

}  // namespace

TEST_CASE("mlx: an instruction stands for a call of the same operands in the same order") {
  const std::string x = R"j({"ref":"x"})j", y = R"j({"ref":"y"})j";
  struct Row {
    const char* op;
    std::vector<std::uint32_t> reads;
    std::string call;
    bool right;
  };
  const Row rows[] = {
      {"SubtractNode", {1, 2}, R"j("aten.sub.Tensor","args":[)j" + x + "," + y + "]", true},
      {"SubtractNode", {1, 2}, R"j("aten.rsub.Tensor","args":[)j" + y + "," + x + "]", true},
      {"SubtractNode", {1, 2}, R"j("aten.rsub.Tensor","args":[)j" + x + "," + y + "]", false},
      {"SubtractNode", {1, 0}, R"j("aten.sub.Tensor","args":[)j" + x + ",2]", true},
      {"SubtractNode", {0, 1}, R"j("aten.sub.Tensor","args":[)j" + x + ",2]", false},
      {"AddNode", {1, 2}, R"j("aten.add.Tensor","kwargs":{"alpha":2},"args":[)j" + x + "," + y + "]", false},
      {"DivideNode", {1, 2}, R"j("aten.div.Tensor","args":[)j" + x + "," + y + "]", true},
      {"DivideNode",
       {1, 2},
       R"j("aten.div.Tensor_mode","kwargs":{"rounding_mode":"floor"},"args":[)j" + x + "," + y + "]",
       false},
      {"PowerNode", {1, 0}, R"j("aten.pow.Tensor_Scalar","args":[)j" + x + ",2]", true},
      {"PowerNode", {0, 1}, R"j("aten.pow.Tensor_Scalar","args":[)j" + x + ",2]", false},
      {"MaximumNode", {1, 0}, R"j("aten.clamp.default","args":[)j" + x + ",null,2]", false},
      {"ClipNode", {1, 0}, R"j("aten.clamp.default","args":[)j" + x + ",2]", false},
      {"AddmmNode", {1, 2}, R"j("aten.mm.default","args":[)j" + x + "," + y + "]", true},
      {"AddmmNode", {1, 2}, R"j("aten.linear.default","args":[)j" + x + "," + y + "]", false},
      {"RepeatNode", {1}, R"j("aten.repeat.default","args":[)j" + x + ",[1,1]]", false},
  };
  for (const Row& row : rows) {
    INFO(row.op << " of " << row.call);
    CHECK((of_instruction(row.op, row.reads, row.call).status == Status::proved) == row.right);
  }
}

namespace {

using MlxNumbers = std::vector<std::vector<double>>;  // behind the tensors that are read and written
struct FitRow {
  const char* node;
  std::size_t first;  // field of the first number
  MlxNumbers fields;
  std::vector<MlxExtents> of;
  std::optional<MlxExtents> made;  // nothing: it stops
};
constexpr auto nothing = std::nullopt;
const FitRow kFitRows[] = {
    {"AddNode", 0, {}, {{4, 1}, {3}}, {{4, 3}}},
    {"AddNode", 0, {}, {{4, 2}, {3}}, nothing},
    {"WhereNode", 0, {}, {{3}, {2, 3}, {2, 1}}, {{2, 3}}},
    {"WhereNode", 0, {}, {{4}, {2, 3}, {2, 1}}, nothing},
    {"AddmmNode", 4, {{1}, {1}}, {{5, 2, 3}, {3, 4}, {4}}, {{5, 2, 4}}},
    {"AddmmNode", 4, {{1}, {1}}, {{5, 2, 3}, {4, 3}}, nothing},
    {"AddmmNode", 4, {{1}, {1}}, {{5, 2, 3}, {3, 4}, {3}}, nothing},
    {"AddmmNode", 4, {{1}, {1}}, {{5, 2, 3}, {6, 3, 4}}, nothing},
    {"AddmmNode", 4, {{1}, {1}}, {{2, 3}, {3}}, {{2}}},
    {"ReshapeNode", 2, {{2, -1}}, {{3, 4}}, {{2, 6}}},
    {"ReshapeNode", 2, {{5, -1}}, {{3, 4}}, nothing},
    {"ReshapeNode", 2, {{3, 5}}, {{3, 4}}, nothing},
    {"TransposeNode", 2, {{2, 0, -2}}, {{3, 4, 5}}, {{5, 3, 4}}},
    {"TransposeNode", 2, {{0, 0, 1}}, {{3, 4, 5}}, nothing},
    {"TransposeNode", 2, {{1, 0}}, {{3, 4, 5}}, nothing},
    {"SoftmaxNode", 2, {{2}}, {{3, 4}}, nothing},
    {"SumNode", 2, {{-1}, {1}}, {{3, 4}}, {{3, 1}}},
    {"SumNode", 2, {{}, {0}}, {{3, 4}}, {MlxExtents{}}},
    {"MaxNode", 2, {{2}, {1}}, {{3, 4}}, nothing},
    {"VarNode", 2, {{1, -1}, {1}, {1}}, {{3, 4}}, nothing},
    {"ConcatenateNode", 2, {{1}}, {{3, 4}, {3, 2}}, {{3, 6}}},
    {"ConcatenateNode", 2, {{0}}, {{3, 4}, {3, 2}}, nothing},
    {"ConcatenateNode", 2, {{0}}, {{3, 4}, {4}}, nothing},
    {"SliceNode", 2, {{1}, {-3}, {9}, {2}}, {{3, 4}}, {{3, 2}}},
    {"SliceNode", 2, {{2}, {0}, {1}, {1}}, {{3, 4}}, nothing},
    {"SliceUpdateNode", 3, {{0}, {1}, {3}, {1}}, {{3, 4}, {2, 4}}, {{3, 4}}},
    {"SliceUpdateNode", 3, {{0}, {1}, {3}, {1}}, {{3, 4}, {3, 4}}, nothing},
    {"BroadcastToNode", 2, {{2, 3}}, {{3}}, {{2, 3}}},
    {"BroadcastToNode", 2, {{2, 3}}, {{2}}, nothing},
    {"TakeNode", 3, {{0}}, {{5, 4}, {2, 3}}, {{2, 3, 4}}},
    {"TakeNode", 3, {{2}}, {{5, 4}, {2, 3}}, nothing},
    {"IndexCopyNode", 4, {{1}}, {{3, 4}, {2}, {3, 2}}, {{3, 4}}},
    {"IndexCopyNode", 4, {{2}}, {{3, 4}, {2}, {3, 2}}, nothing},
    {"SdpaNode", 4, {{1}, {0}, {0}}, {{1, 4, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 6}}, {{1, 4, 3, 6}}},
    {"SdpaNode", 4, {{1}, {0}, {0}}, {{1, 4, 3, 8}, {1, 2, 5, 8}, {1, 2, 4, 6}}, nothing},
    {"SdpaNode", 4, {{1}, {0}, {0}}, {{1, 3, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 6}}, nothing},
    {"SdpaNode", 4, {{1}, {1}, {0}}, {{1, 2, 3, 8}, {1, 2, 5, 8}, {1, 2, 5, 6}, {4, 5}}, nothing},
    {"LayerNormNode", 4, {{1e-5}}, {{3, 4}, {4}, {4}}, {{3, 4}}},
    {"LayerNormNode", 4, {{1e-5}}, {{3, 4}, {3}}, nothing},
    {"Conv1DNode", 3, {{2}, {1}, {1}, {1}}, {{1, 9, 4}, {6, 3, 4}}, {{1, 5, 6}}},
    {"Conv2DNode", 3, {{1}, {1}, {0}, {0}, {1}, {1}, {2}}, {{1, 5, 5, 4}, {6, 3, 3, 2}}, {{1, 3, 3, 6}}},
    {"Conv2DNode", 3, {{1}, {1}, {0}, {0}, {1}, {1}, {1}}, {{1, 5, 5, 4}, {6, 3, 3, 2}}, nothing},
    {"Conv2DNode", 3, {{0}, {1}, {0}, {0}, {1}, {1}, {2}}, {{1, 5, 5, 4}, {6, 3, 3, 2}}, nothing},
    {"Conv2DNode", 3, {{1}, {1}, {0}, {-1}, {1}, {1}, {2}}, {{1, 5, 5, 4}, {6, 3, 3, 2}}, nothing},
    {"Conv2DNode", 3, {{1}, {1}, {0}, {0}, {3}, {1}, {2}}, {{1, 5, 5, 4}, {6, 3, 3, 2}}, nothing},
    {"Conv2DNode", 3, {{1}, {1}, {0}, {0}, {1}, {1}, {0}}, {{1, 5, 5, 4}, {6, 3, 3, 2}}, nothing},
};
}  // namespace

TEST_CASE("mlx: an instruction that is given shapes that do not fit stops, others say what they make",
          "[mlx]") {
  for (const FitRow& row : kFitRows) {
    MlxFields fields(row.first);
    fields.insert(fields.end(), row.fields.begin(), row.fields.end());
    const MlxFit fit = mlx_fit(row.node, fields, row.of);
    INFO(row.node << " " << fit.refusal);
    CHECK(fit.made == row.made);
    CHECK(fit.refusal.empty() == row.made.has_value());
  }
  CHECK((!mlx_fit("RopeNode", {}, {{3, 4}}).made && mlx_fit("RopeNode", {}, {{3, 4}}).refusal.empty()));
  const MlxExtents large{std::int64_t{1} << 62};
  CHECK((!mlx_fit("ExpNode", {}, {large}).made && mlx_fit("ExpNode", {}, {large}).refusal.empty()));
}

TEST_CASE("mlx: what an instruction holds besides registers is assumed, by name") {
  const CheckRecord record = of_instruction(
      "GeluNode", {1}, R"j("aten.gelu.default","kwargs":{"approximate":"tanh"},"args":[{"ref":"x"}])j");
  CHECK(record.status == Status::proved);
  CHECK(std::ranges::find(
            record.assumptions,
            "what instructions of MLX hold besides registers is what their operators are given") !=
        record.assumptions.end());
}

}  // namespace mlx_case_test
