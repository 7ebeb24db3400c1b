// Names that nothing stands for: findings of the trace that lacks them, and no other's.
#include "tests/support/graph_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_defined_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

using testing::graph_text;

const std::string kType = "  # t4: \"cpu f32[2, 3]\"\n";

std::string mul(const std::string& result, const std::string& of) {
  return "  " + result + " = torch.mul(" + of + ", b)  # " + result + ": \"cpu f32[2, 3]\"\n";
}

const std::string kGood = program(mul("t1", "a") + "  return (t1,)\n");
const std::string kEarly = program(mul("t5", "t4") + mul("t4", "a") + "  return (t5,)\n");

std::string graphs(const std::vector<TraceCheck>& checks) {
  std::string out;
  for (const TraceCheck& check : checks) {
    out += check.id + "\n";
    if (!check.value) {
      out += check.value.fault().where + " " + check.value.fault().message + "\n";
      continue;
    }
    if (check.value->before) out += graph_text(*check.value->before) + "against\n";
    out += graph_text(check.value->after);
  }
  return out;
}

}  // namespace

TEST_CASE("thunder names: before their definition and behind their del, tensors hold what nobody wrote",
          "[thunder]") {
  CHECK(ops_of(graph_of(kEarly)) ==
        Ops{"aten.empty.memory_format", "aten.clone.default", "aten.mul.Tensor", "aten.mul.Tensor"});
  const std::string deleted = program(mul("t4", "a") + "  del t4\n" + mul("t5", "t4") + "  return (t5,)\n");
  CHECK(ops_of(graph_of(deleted)) ==
        Ops{"aten.mul.Tensor", "aten.empty.memory_format", "aten.clone.default", "aten.mul.Tensor"});
  const std::string bound = program(mul("t4", "a") + mul("t5", "t4") + "  del t4\n  return (t5,)\n");
  CHECK(ops_of(graph_of(bound)) == Ops{"aten.mul.Tensor", "aten.mul.Tensor"});
  CHECK(ops_of(graph_of(program("  return (t4,)\n"))) == Ops{"thunder.t4_is_not_bound"});
}

TEST_CASE("thunder names: the trace behind one that lacks a name is held against the one before it",
          "[thunder]") {
  const auto checks = read_thunder_sequence({{"0", kGood}, {"1", kEarly}, {"2", kGood}}, {}, "");
  REQUIRE(checks.size() == 2);
  REQUIRE((checks[0].value && checks[1].value));
  CHECK(ops_of(checks[0].value->after)[0] == "aten.empty.memory_format");
  CHECK(ops_of(*checks[1].value->before) == Ops{"aten.mul.Tensor"});
  CHECK(checks[1].id == "2");
}

TEST_CASE("thunder names: what two traces both lack is one input of both", "[thunder]") {
  const auto checks = read_thunder_sequence({{"0", kEarly}, {"1", kEarly}}, {}, "");
  REQUIRE(checks.size() == 1);
  CHECK(graphs(checks) == R"x(1
t5:f32 = aten.mul.Tensor(t4, b)
t4__1:f32 = aten.mul.Tensor(a, b)
-> t5
against
t5:f32 = aten.mul.Tensor(t4, b)
t4__1:f32 = aten.mul.Tensor(a, b)
-> t5
)x");
}

TEST_CASE("thunder names: a region whose line was removed lacks a name, of the type that it had before",
          "[thunder]") {
  const auto region = [](const std::string& first) {
    return program("  [t5] = TorchCompile0(a)\n" + first +
                   "    # t5 = prims.mul(a, t4)  # t5: \"cpu f32[2, 3]\"\n  return (t5,)\n");
  };
  const std::string zeros =
      "    # t4 = ltorch.zeros(2, 3, device=None, dtype=None)  # t4: \"cpu f32[2, 3]\"\n"
      "      # t4 = prims.full((2, 3), 0, device=devices.Device(\"cpu\"), dtype=dtypes.float32)" +
      kType;
  const auto checks = read_thunder_sequence({{"0", region(zeros)}, {"1", region("")}}, {}, "");
  REQUIRE(checks.size() == 1);
  REQUIRE(checks[0].value);
  CHECK(ops_of(*checks[0].value->before) == Ops{"aten.full.default", "aten.mul.Tensor"});
  CHECK(ops_of(checks[0].value->after) ==
        Ops{"aten.empty.memory_format", "aten.clone.default", "aten.mul.Tensor"});
}

TEST_CASE("thunder names: what only a remark below a call reads is not missing", "[thunder]") {
  const std::string remark = "    # t5 = ltorch.mul(t4, b)  # t5: \"cpu f32[2, 3]\"\n";
  const std::string stale = program(mul("t5", "a") + remark + "  return (t5,)\n");
  CHECK(ops_of(graph_of(stale)) == Ops{"aten.mul.Tensor"});
  const std::string own =
      program("  t5 = Mine_4(a)  # t5: \"cpu f32[2, 3]\"\n" + remark + "  return (t5,)\n");
  CHECK(ops_of(graph_of(own)) == Ops{"thunder.Mine_4"});
}

TEST_CASE("thunder names: one trace that cannot be read hides no other", "[thunder]") {
  const std::string broken = program("  t1 = torch.mul(a, later)\n  return (t1,)\n");
  const auto checks = read_thunder_sequence({{"0", kGood}, {"1", broken}, {"2", kGood}}, {}, "");
  REQUIRE(checks.size() == 2);
  CHECK_FALSE(checks[0].value);
  CHECK(checks[1].value);
}

TEST_CASE("thunder pairs: a forward and its backward without the joint trace are read one by one",
          "[thunder]") {
  const std::string types = "  # a: \"cpu f32[2, 3]\"\n";
  const std::string forward = trace(
      "a", types +
               "  t1 = prims.sin(a)  # t1: \"cpu f32[2, 3]\"\n  return {'output': (t1,), 'flat_args': [a], "
               "'flat_output': (t1,)}, ((a,), ())\n");
  std::string backward =
      trace("saved_for_backward, cotangents",
            "  C0, _ = saved_for_backward\n  a, = C0\n" + types +
                "  t8, = cotangents\n"
                "  # t8: \"cpu f32[2, 3]\"\n  t9 = prims.mul(t8, a)  # t9: \"cpu f32[2, 3]\"\n"
                "  return (t9,)\n");
  backward.replace(backward.find("computation"), 11, "backward_fn");
  CHECK(graphs(read_thunder_sequence({{"00", forward}}, {{"bw00", backward}}, "")) == R"x(00
t1:f32 = aten.sin.default(a)
-> t1
bw00
t9:f32 = aten.mul.Tensor(grad_0, saved_0)
-> t9
)x");
}

TEST_CASE("thunder text: a pass may be named without a mark, right above the imports", "[thunder]") {
  const auto read = [](const std::string& head) {
    const std::string body =
        "\n@torch.no_grad()\ndef computation(a):\n  # a: \"cpu f32[2]\"\n  return (a,)\n";
    return parse_thunder(head + body);
  };
  const auto named = read("Constant Folding pass (took 3 milliseconds)\nimport thunder\n");
  REQUIRE(named);
  CHECK(named->at(0).pass == "Constant Folding pass");
  for (const std::string head :
       {"import thunder\nConstant Folding pass\n", "Constant Folding pass\nsome words\n",
        "a = b\nimport thunder\n", "1 pass\nimport thunder\n"})
    CHECK_FALSE(read(head));
}

TEST_CASE("thunder orders: they count from the pass on that puts barriers in", "[thunder]") {
  const auto claims = [](const std::string& pass) {
    std::string text = kGood;
    text.replace(text.find("Dead Code Elimination"), 21, pass);
    const auto pair = read_thunder_pair({"0", kGood}, {"1", text}, "");
    REQUIRE(pair);
    return pair->every_order;
  };
  CHECK_FALSE(claims("Return arguments to track copies onto them"));
  CHECK_FALSE(claims("Remove context manager prims"));
  CHECK_FALSE(claims("Duplicate alias args using 0-1"));
  CHECK(claims("Update aliases for in-place ops"));
  CHECK(claims("Fusion"));
}

TEST_CASE("thunder return: nobody asked for it where a later trace has it last again", "[thunder]") {
  const std::string write = "  t2 = prims.copy_(b, a)  # t2: \"cpu f32[2, 3]\"\n";
  const std::string leave = "  return {'output': (t1,), 'flat_args': [a, b]}\n";
  const std::string listed = program(mul("t1", "a") + write + leave),
                    late = program(mul("t1", "a") + leave + write), gone = program(mul("t1", "a") + leave);
  const auto asked = [](const std::vector<ThunderFile>& files) {
    std::string out;
    for (const TraceCheck& check : read_thunder_sequence(files, {}, "")) {
      REQUIRE(check.value);
      out += check.value->return_is_last ? "asked " : "not asked ";
    }
    return out;
  };
  CHECK(asked({{"0", listed}, {"1", late}}) == "asked ");
  CHECK(asked({{"0", listed}, {"1", late}, {"2", late}}) == "asked asked ");
  CHECK(asked({{"0", listed}, {"1", late}, {"2", gone}}) == "not asked asked ");
}

}  // namespace thunder_defined_test
