// A joint graph against the forward and the backward that it was cut into.
#include <algorithm>
#include <string>
#include <vector>

#include "src/check/check.h"
#include "src/lower/checks.h"
#include "tests/unit/lower/torch_trace_text.h"

namespace torch_trace_split_test {

using namespace noclobber;

namespace {

/// The class line, the parameters, statements and outputs of a graph, a line each.
std::string split_graph(const std::vector<std::string>& parameters, const std::vector<std::string>& lines,
                        const std::string& outputs) {
  std::string text = "class GraphModule(torch.nn.Module):\n    def forward(self";
  for (const std::string& parameter : parameters) text += ", " + parameter;
  text += "):\n";
  for (const std::string& line : lines) text += "        " + line + "\n";
  return text + "        return (" + outputs + (outputs.empty() ? ")\n" : ",)\n");
}

const std::string kX = "primals_1: \"f32[4][1]cpu\"", kB = "primals_2: \"f32[4][1]cpu\"",
                  kT = "tangents_1: \"f32[4][1]cpu\"";

std::string of_one(const std::string& name, const std::string& op, const std::string& args) {
  return name + ": \"f32[4][1]cpu\" = torch.ops.aten." + op + "(" + args + ")";
}

std::string split_log(const std::string& joint, const std::string& forward, const std::string& backward) {
  return trace_record("\"aot_joint_graph\": {}", joint) + trace_record("\"aot_forward_graph\": {}", forward) +
         trace_record("\"aot_backward_graph\": {}", backward);
}

CheckRecord judged(const TraceLog& log) {
  const auto at = std::ranges::find(log.checks, "-_0_0_0/split", &TraceCheck::id);
  REQUIRE(at != log.checks.end());
  const TraceCheck& check = *at;
  INFO((check.value ? "" : check.value.fault().message));
  REQUIRE(check.value);
  bool contradiction = false;
  CheckRecord out = check_case(*check.value, {}, contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

const std::string kExp = of_one("exp", "exp.default", "primals_1");
const std::string kMul = of_one("mul", "mul.Tensor", "tangents_1, exp");

/// y = exp(x), whose gradient is t * y.
const std::string kJoint = split_graph({kX, kT}, {kExp, kMul}, "exp, mul");

struct SplitRow {
  const char* why;
  std::string joint, forward, backward;
  Status status;
  const char* rule;  // of a refuted one
};

const std::string kSeeds =
    "s: \"i64[1][1]cpu\" = torch.ops.prims.inductor_seeds.default(1, device(type='cpu'))";
const std::string kSeed = "k: \"i64[][]cpu\" = torch.ops.prims.inductor_lookup_seed.default(s, 0)";
const std::string kDrawn = "r: \"f32[4][1]cpu\" = torch.ops.prims.inductor_random.default([4], k, 'rand')";
const std::string kRand =
    of_one("r", "rand.default", "[4], dtype = torch.float32, device = device(type='cpu')");
const std::string kRandom = split_graph(
    {kX, kT}, {kRand, of_one("y", "mul.Tensor", "primals_1, r"), of_one("g", "mul.Tensor", "tangents_1, r")},
    "y, g");
const std::string kY = of_one("y", "mul.Tensor", "primals_1, r"),
                  kG = of_one("g", "mul.Tensor", "tangents_1, r");

/// A buffer b that forward changes, y = x * b, whose gradient is t * b as b was.
const std::string kNext = of_one("next", "add.Tensor", "primals_2, primals_1");
const std::string kStore = of_one("copy_", "copy_.default", "primals_2, next");
const std::string kScaled = of_one("y", "mul.Tensor", "primals_1, primals_2");
const std::string kBuffer = split_graph(
    {kX, kB, kT}, {kNext, kScaled, of_one("g", "mul.Tensor", "tangents_1, primals_2"), kStore}, "y, g");

const std::vector<SplitRow> kSplits = {
    {"what forward returns is saved", kJoint, split_graph({kX}, {kExp}, "exp, exp"),
     split_graph({"exp: \"f32[4][1]cpu\"", kT}, {kMul}, "mul"), Status::proved, ""},
    {"what forward does not save is computed again", kJoint, split_graph({kX}, {kExp}, "exp, primals_1"),
     split_graph({kX, kT}, {kExp, kMul}, "mul"), Status::proved, ""},
    {"a name says nothing, the position does", kJoint, split_graph({kX}, {kExp}, "exp, exp"),
     split_graph({"other: \"f32[4][1]cpu\"", kT}, {of_one("mul", "mul.Tensor", "tangents_1, other")}, "mul"),
     Status::proved, ""},
    {"saved in another order than it is taken", kJoint, split_graph({kX}, {kExp}, "exp, primals_1, exp"),
     split_graph({"exp: \"f32[4][1]cpu\"", kX, kT}, {kMul}, "mul"), Status::refuted, "NC004"},
    {"a buffer is saved as it was before it is changed", kBuffer,
     split_graph({kX, kB}, {of_one("was", "clone.default", "primals_2"), kNext, kScaled, kStore}, "y, was"),
     split_graph({"was: \"f32[4][1]cpu\"", kT}, {of_one("g", "mul.Tensor", "tangents_1, was")}, "g"),
     Status::proved, ""},
    {"a buffer is saved itself, and changed", kBuffer,
     split_graph({kX, kB}, {kNext, kScaled, kStore}, "y, primals_2"),
     split_graph({kB, kT}, {of_one("g", "mul.Tensor", "tangents_1, primals_2")}, "g"), Status::refuted,
     "NC001"},
    {"a draw is saved", kRandom, split_graph({kX}, {kRand, kY}, "y, r"),
     split_graph({"r: \"f32[4][1]cpu\"", kT}, {kG}, "g"), Status::proved, ""},
    {"a draw is made again", kRandom, split_graph({kX}, {kRand, kY}, "y"),
     split_graph({kT}, {kRand, kG}, "g"), Status::refuted, "NC009"},
    {"a seed is saved, and what is drawn made again", kRandom,
     split_graph({kX}, {kSeeds, kSeed, kDrawn, kY}, "y, k"),
     split_graph({"k: \"i64[][]cpu\"", kT}, {kDrawn, kG}, "g"), Status::proved, ""},
    {"a seed is drawn again", kRandom, split_graph({kX}, {kSeeds, kSeed, kDrawn, kY}, "y"),
     split_graph({kT}, {kSeeds, kSeed, kDrawn, kG}, "g"), Status::refuted, "NC009"},
    {"two results are two tensors",
     split_graph({kX, kT}, {kExp, of_one("one", "mul.Tensor", "exp, 1.0"), kMul}, "exp, one, mul"),
     split_graph({kX}, {kExp, of_one("one", "clone.default", "exp")}, "exp, one, exp"),
     split_graph({"exp: \"f32[4][1]cpu\"", kT}, {kMul}, "mul"), Status::proved, ""},
    {"two results become one tensor",
     split_graph({kX, kT}, {kExp, of_one("one", "mul.Tensor", "exp, 1.0"), kMul}, "exp, one, mul"),
     split_graph({kX}, {kExp}, "exp, exp, exp"), split_graph({"exp: \"f32[4][1]cpu\"", kT}, {kMul}, "mul"),
     Status::refuted, "NC005"},
    {"what is saved is written before it is read",
     split_graph({kX, kT},
                 {kExp, of_one("neg", "neg.default", "exp"), of_one("mul", "mul.Tensor", "tangents_1, exp")},
                 "neg, mul"),
     split_graph({kX}, {kExp, of_one("neg", "neg.default", "exp")}, "neg, exp"),
     split_graph({"exp: \"f32[4][1]cpu\"", kT}, {of_one("half", "mul_.Tensor", "exp, 0.5"), kMul}, "mul"),
     Status::refuted, "NC009"},
};

/// One number scattered along a dimension, and the comparison that it is.
std::vector<std::string> scattered(const std::string& number, const std::string& start, bool whole = false) {
  const std::string type = whole ? "int64" : "float32", scalar = whole ? "i64" : "f32";
  return {
      "iota: \"i64[3][1]cpu\" = torch.ops.prims.iota.default(3, start = " + start +
          ", step = 1, dtype = torch.int64, device = device(type='cpu'), requires_grad = False)",
      "row: \"i64[1, 3][3, 1]cpu\" = torch.ops.aten.view.default(iota, [1, 3])",
      "wide: \"i64[2, 3][1, 0]cpu\" = torch.ops.aten.expand.default(primals_1, [2, 3])",
      "hit: \"b8[2, 3][3, 1]cpu\" = torch.ops.aten.eq.Tensor(wide, row)",
      "a: \"" + scalar + "[][]cpu\" = torch.ops.aten.scalar_tensor.default(0, dtype = torch." + type +
          ", layout = torch.strided, device = device(type='cpu'))",
      "b: \"" + scalar + "[][]cpu\" = torch.ops.aten.scalar_tensor.default(" + number + ", dtype = torch." +
          type + ", layout = torch.strided, device = device(type='cpu'))",
      (whole ? "w" : "c") + (": \"" + scalar) + "[2, 3][3, 1]cpu\" = torch.ops.aten.where.self(hit, b, a)",
      whole ? "c: \"f32[2, 3][3, 1]cpu\" = torch.ops.prims.convert_element_type.default(w, torch.float32)"
            : "again: \"f32[2, 3][3, 1]cpu\" = torch.ops.aten.neg.default(c)",
      "g: \"f32[2, 3][3, 1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, c)",
  };
}

Status of_scattered(const std::string& number, const std::string& start, const std::string& before = "-1.0") {
  const bool whole = before.find('.') == std::string::npos;
  const std::string index = "primals_1: \"i64[2, 1][1, 1]cpu\"", t = "tangents_1: \"f32[2, 3][3, 1]cpu\"",
                    y = "y: \"i64[2, 1][1, 1]cpu\" = torch.ops.aten.neg.default(primals_1)";
  const std::string joint = split_graph(
      {index, t},
      {y,
       "full: \"f32[2, 3][3, 1]cpu\" = torch.ops.aten.full.default([2, 3], 0, dtype = "
       "torch.float32, layout = "
       "torch.strided, device = device(type='cpu'), pin_memory = False)",
       "c: \"f32[2, 3][3, 1]cpu\" = torch.ops.aten.scatter.value(full, 1, primals_1, " + before + ")",
       "g: \"f32[2, 3][3, 1]cpu\" = torch.ops.aten.mul.Tensor(tangents_1, c)"},
      "y, g");
  return judged(read_whole(split_log(joint, split_graph({index}, {y}, "y, primals_1"),
                                     split_graph({index, t}, scattered(number, start, whole), "g"))))
      .status;
}

}  // namespace

TEST_CASE("split: one number scattered along a dimension is a comparison", "[trace-log]") {
  CHECK(of_scattered("-1.0", "0") == Status::proved);
  CHECK(of_scattered("-2.0", "0") != Status::proved);
  CHECK(of_scattered("-1.0", "1") != Status::proved);
}

TEST_CASE("split: whole numbers are compared as such and converted", "[trace-log]") {
  CHECK(of_scattered("1", "0", "1") == Status::proved);
  CHECK(of_scattered("-256", "0", "-256") == Status::proved);
  CHECK(of_scattered("2", "0", "1") != Status::proved);
  CHECK(of_scattered("1", "1", "1") != Status::proved);
  CHECK(of_scattered("16777217", "0", "16777217") != Status::proved);  // no float32
}

TEST_CASE("split: forward and backward on one storage against the joint graph", "[trace-log]") {
  for (const SplitRow& row : kSplits) {
    INFO(row.why);
    const TraceLog log = read_whole(split_log(row.joint, row.forward, row.backward));
    const CheckRecord record = judged(log);
    INFO((record.unknown.empty() ? "" : record.unknown[0].reason));
    CHECK(record.status == row.status);
    if (row.status == Status::refuted) {
      REQUIRE_FALSE(record.findings.empty());
      CHECK(record.findings[0].rule == row.rule);
    } else {
      CHECK(std::ranges::find(record.assumptions, "nothing else is written between forward and backward") !=
            record.assumptions.end());
    }
  }
}

TEST_CASE("split: backward is judged where its joint graph is there", "[trace-log]") {
  const std::string forward = split_graph({kX}, {kExp}, "exp, exp"),
                    backward = split_graph({"exp: \"f32[4][1]cpu\"", kT}, {kMul}, "mul");
  const TraceLog whole = read_whole(split_log(kJoint, forward, backward));
  CHECK(whole.unchecked.empty());
  CHECK(whole.notes.empty());
  const TraceLog torn = read_whole(trace_record("\"aot_forward_graph\": {}", forward) +
                                   trace_record("\"aot_backward_graph\": {}", backward));
  for (const TraceCheck& check : torn.checks) CHECK(check.what == TraceCheck::What::single);
  CHECK(torn.unchecked == std::vector<std::string>{"backward"});
  const TraceLog alone = read_whole(trace_record("\"aot_joint_graph\": {}", kJoint));
  REQUIRE(alone.notes.size() == 1);
  CHECK(alone.notes[0].message == "aot_joint_graph has no forward and backward behind it");
}

TEST_CASE("split: what cannot be put together is unknown, with the reason", "[trace-log]") {
  const std::string taken = "exp: \"f32[4][1]cpu\"";
  const struct {
    const char* why;
    std::string forward, backward;
  } rows[] = {
      {"more tensors are saved", split_graph({kX}, {kExp}, "exp, exp, exp, exp"),
       split_graph({taken, kT}, {kMul}, "mul")},
      {"is of another type", split_graph({kX}, {kExp}, "exp, exp"),
       split_graph({"exp: \"f32[5][1]cpu\"", kT}, {}, "tangents_1")},
      {"returns more values", split_graph({kX}, {kExp}, "exp"),
       split_graph({kT}, {}, "tangents_1, None, None")},
      {"returns fewer values", split_graph({kX}, {kExp}, "None"), split_graph({kT}, {}, "")},
      {"saved is the number", split_graph({kX, "n: \"Sym(s0)\""}, {kExp}, "exp, n, exp"),
       split_graph({"n: \"Sym(s1)\"", taken, kT}, {kMul}, "mul")},
      {"more numbers are saved", split_graph({kX, "n: \"Sym(s0)\""}, {kExp}, "exp, n, exp"),
       split_graph({taken, kT}, {kMul}, "mul")},
      {"no tensor and no number", split_graph({kX}, {kExp}, "exp, None, exp"),
       split_graph({taken, kT}, {kMul}, "mul")},
  };
  for (const auto& row : rows) {
    INFO(row.why);
    const TraceLog log = read_whole(split_log(kJoint, row.forward, row.backward));
    const CheckRecord record = judged(log);
    CHECK(record.status == Status::unknown);
    REQUIRE(record.unknown.size() >= 1);
    CHECK(record.unknown[0].reason == "unsupported-op");
    REQUIRE(record.unknown[0].names.size() >= 1);
    CHECK(record.unknown[0].names[0].find(row.why) != std::string::npos);
  }
}

}  // namespace torch_trace_split_test
