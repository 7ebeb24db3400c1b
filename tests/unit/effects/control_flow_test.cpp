// Branches as worlds and loops by induction: what must not be proved, beside what is.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/graph/bodies.h"
#include "src/ops/branches.h"
#include "tests/catch.h"

namespace control_flow_test {

using namespace noclobber;

namespace {

const std::string kF2 = R"("type": {"dtype": "f32", "shape": [2]})";
const std::string kI = R"("type": {"dtype": "i64", "shape": []})";

std::string ref(const std::string& name) { return R"({"ref": ")" + name + R"("})"; }
std::string refs_of(const std::string& a, const std::string& b) { return ref(a) + ", " + ref(b); }
std::string step(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "args": [)" + args + "]}";
}
std::string graph(const std::string& inputs, const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [)" + inputs + R"(], "steps": [)" + steps + R"(], "outputs": [)" + outputs + "]}";
}
std::string input(const std::string& name, const std::string& type) {
  return R"({"name": ")" + name + R"(", )" + type + "}";
}

Case case_of(const std::string& bodies, const std::string& before, const std::string& after) {
  const auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "graphs": {)" + bodies +
                                    R"(}, "before": )" + before + R"(, "after": )" + after + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  return *value;
}

Status status(const Case& value, bool solver_only) {
  bool contradiction = false;
  CheckOptions options;
  options.solver_only = solver_only;
  return check_case(value, options, contradiction).status;
}

void never_proved(const Case& value) {
  CHECK(status(value, false) != Status::proved);
  CHECK(status(value, true) != Status::proved);
}

// A loop over (i, a, b) with one operand y that it is only given.
const std::string kCarried =
    input("i", kI) + ", " + input("a", kF2) + ", " + input("b", kF2) + ", " + input("y", kF2);
const std::string kCount = step("i1", "aten.add.Scalar", ref("i") + ", 1");

std::string body(const std::string& name, const std::string& steps, const std::string& outputs) {
  return R"(")" + name + R"(": )" + graph(kCarried, steps + ", " + kCount, ref("i1") + ", " + outputs);
}
const std::string kCond =
    R"("cond": )" + graph(kCarried, step("c", "aten.lt.Scalar", ref("i") + ", 3"), ref("c"));

/// x and y are given; the loop starts from `a` and `b`, its results are n, p, q.
std::string looping(const std::string& name, const std::string& a, const std::string& b,
                    const std::string& then, const std::string& outputs) {
  const std::string steps =
      step("u", "aten.neg.default", ref("x")) + ", " + step("v", "aten.abs.default", ref("y")) + ", " +
      R"({"name": "z", "op": "aten.zeros.default", "args": [[]], "kwargs": {"dtype": {"dtype": "i64"}}}, )" +
      R"({"names": ["n", "p", "q"], "op": "higher_order.while_loop", "args": [{"graph": "cond"}, {"graph": ")" +
      name + R"("}, [{"ref": "z"}, )" + ref(a) + ", " + ref(b) + "], [" + ref("y") +
      R"(]], "types": [{"dtype": "i64", "shape": []}, {"dtype": "f32", "shape": [2]}, {"dtype": "f32", "shape": [2]}]})" +
      (then.empty() ? "" : ", " + then);
  return graph(input("x", kF2) + ", " + input("y", kF2), steps, outputs);
}

const std::string kPure =
    body("pure", step("m", "aten.mul.Tensor", ref("a") + ", " + ref("y")), ref("m") + ", " + ref("b"));
const std::string kInPlace =
    body("in_place", step("m", "aten.mul_.Tensor", ref("a") + ", " + ref("y")), ref("m") + ", " + ref("b"));

Case loops(const std::string& more, const std::string& before, const std::string& after) {
  return case_of(kCond + ", " + kPure + ", " + kInPlace + (more.empty() ? "" : ", " + more), before, after);
}

}  // namespace

TEST_CASE("a loop in the buffer of its carry", "[control]") {
  const std::string both = ref("p") + ", " + ref("q");
  const std::string before = looping("pure", "u", "v", "", both);
  for (const bool solver_only : {false, true})
    CHECK(status(loops("", before, looping("in_place", "u", "v", "", both)), solver_only) == Status::proved);
  // The initial carry is read again afterwards: it was overwritten.
  const std::string read = step("r", "aten.add.Tensor", ref("p") + ", " + ref("u"));
  never_proved(
      loops("", looping("pure", "u", "v", read, ref("r")), looping("in_place", "u", "v", read, ref("r"))));
  // The carry is an input of the caller.
  never_proved(loops("", looping("pure", "x", "v", "", both), looping("in_place", "x", "v", "", both)));
  // Two carried operands on one storage: the body writes both.
  never_proved(loops("", looping("pure", "u", "u", "", both), looping("in_place", "u", "u", "", both)));
  // What the loop is only given shares the storage of what it carries.
  never_proved(loops("", looping("pure", "y", "v", "", both), looping("in_place", "y", "v", "", both)));
}

// Found by random changes of loop-ping-pong-buffers (seed 1008): the second trip writes the other buffer.
TEST_CASE("a loop that uses two buffers in turn writes both", "[control]") {
  const std::string bodies =
      body("turns", step("m", "aten.add.Tensor", ref("a") + ", " + ref("b")), ref("b") + ", " + ref("m")) +
      ", " +
      body("turns_in_place", step("m", "aten.add_.Tensor", ref("a") + ", " + ref("b")),
           ref("b") + ", " + ref("m"));
  const std::string both = ref("p") + ", " + ref("q");
  const auto turns = [&](const std::string& b, const std::string& then, const std::string& outputs) {
    return loops(bodies, looping("turns", "u", b, then, outputs),
                 looping("turns_in_place", "u", b, then, outputs));
  };
  for (const bool solver_only : {false, true})
    CHECK(status(turns("v", "", both), solver_only) == Status::proved);
  const Case input = turns("x", "", both);
  never_proved(input);
  CHECK(status(input, false) == Status::refuted);
  never_proved(turns("v", step("r", "aten.add.Tensor", ref("p") + ", " + ref("v")), ref("r")));
}

TEST_CASE("what a loop's results may share is not written afterwards", "[control]") {
  // With no trip at all, q is v itself.
  const std::string write = step("w", "aten.zero_.default", ref("q"));
  const std::string fresh = step("w", "aten.zeros_like.default", ref("q"));
  const std::string read = step("r", "aten.add.Tensor", ref("v") + ", " + ref("w"));
  const std::string before = looping("pure", "u", "v", fresh + ", " + read, ref("r"));
  CHECK(status(loops("", before, before), false) == Status::proved);
  never_proved(loops("", before, looping("pure", "u", "v", write + ", " + read, ref("r"))));
  const std::string operand = step("w", "aten.zero_.default", ref("v")) + ", " +
                              step("r", "aten.add.Tensor", ref("q") + ", " + ref("w"));
  const std::string kept = fresh + ", " + step("r", "aten.add.Tensor", ref("q") + ", " + ref("w"));
  never_proved(
      loops("", looping("pure", "u", "v", kept, ref("r")), looping("pure", "u", "v", operand, ref("r"))));
}

// Dropping the clones in front of a loop is what PyTorch's joint graph passes do.
TEST_CASE("a loop that clones what it carries if no trip runs keeps its operands apart", "[control]") {
  const std::string k = step("k", "aten.abs.default", ref("b"));
  const std::string fresh =
      body("fresh", step("m", "aten.mul.Tensor", ref("a") + ", " + ref("y")) + ", " + k, refs_of("m", "k"));
  const std::string both = refs_of("p", "q");
  const auto dropped = [&](const std::string& name, const std::string& a, const std::string& b, bool clones) {
    const auto cloned = [](const std::string& x) { return x == "x" || x == "y" ? "u" : x; };
    Case out = loops(fresh, looping(name, cloned(a), cloned(b), "", both), looping(name, a, b, "", both));
    for (Step& first : out.before->steps)
      if (first.op == "aten.neg.default") {
        first.op = "aten.clone.default";
        for (const Input& given : out.before->inputs)
          if (a == "y" && out.before->value(given.value).name == "y") first.args = {Arg::of(given.value)};
      }
    for (Graph* graph : {&*out.before, &out.after})
      for (Step& step : graph->steps)
        if (clones) clone_without_trips(step);
    return out;
  };
  for (const bool solver_only : {false, true})
    CHECK(status(dropped("fresh", "x", "v", true), solver_only) == Status::proved);
  // What is carried may be what the loop is given besides, if no trip writes it.
  for (const bool solver_only : {false, true})
    CHECK(status(dropped("fresh", "y", "v", true), solver_only) == Status::proved);
  never_proved(dropped("in_place", "y", "v", true));
  Case counted = dropped("fresh", "x", "v", false);  // the format's own loop, and three trips that are known
  CHECK(status(counted, false) == Status::proved);
  for (Graph* graph : {&*counted.before, &counted.after})
    for (Step& step : graph->steps)
      if (step.op == "aten.zeros.default") {
        step.op = "aten.count_nonzero.default";
        step.args = {Arg::of(graph->find("y"))};
        step.kwargs.clear();
      }
  never_proved(counted);
  CHECK(status(dropped("pure", "v", "x", true), false) == Status::refuted);  // its body hands b on
  never_proved(dropped("pure", "v", "x", true));
}

TEST_CASE("bodies that differ, write what they are given or return one storage twice", "[control]") {
  const std::string both = ref("p") + ", " + ref("q"), before = looping("pure", "u", "v", "", both);
  const auto with = [&](const std::string& other) {
    return loops(other, before, looping("other", "u", "v", "", both));
  };
  const std::string m = step("m", "aten.mul.Tensor", ref("a") + ", " + ref("y"));
  CHECK(status(with(body("other", m, ref("m") + ", " + ref("b"))), false) == Status::proved);
  never_proved(with(
      body("other", step("m", "aten.mul.Tensor", ref("b") + ", " + ref("y")), ref("m") + ", " + ref("b"))));
  never_proved(with(body("other", m, ref("b") + ", " + ref("m"))));
  never_proved(
      with(body("other", m + ", " + step("w", "aten.zero_.default", ref("y")), ref("m") + ", " + ref("b"))));
  never_proved(with(body("other", m, ref("m") + ", " + ref("m"))));
}

TEST_CASE("every way of every branch counts", "[control]") {
  const std::string inputs = input("x", kF2) + ", " + input("c", R"("type": {"dtype": "bool", "shape": []})");
  const std::string operand = input("x", kF2);
  const std::string bodies = R"("t": )" + graph(operand, step("r", "aten.neg.default", ref("x")), ref("r")) +
                             R"(, "f": )" +
                             graph(operand, step("r", "aten.abs.default", ref("x")), ref("r")) +
                             R"(, "same": )" + graph(operand, "", ref("x"));
  const auto cond = [&](const std::string& yes, const std::string& no, const std::string& then) {
    const std::string branch =
        R"({"name": "r", "op": "higher_order.cond", "args": [{"ref": "c"}, {"graph": ")" + yes +
        R"("}, {"graph": ")" + no + R"("}, [{"ref": "x"}]], "types": [{"dtype": "f32", "shape": [2]}]})";
    return graph(inputs, branch + ", " + then, ref("o"));
  };
  const std::string pure = step("o", "aten.sigmoid.default", ref("r"));
  const std::string in_place = step("o", "aten.sigmoid_.default", ref("r"));
  CHECK(status(case_of(bodies, cond("t", "f", pure), cond("t", "f", in_place)), false) == Status::proved);
  never_proved(case_of(bodies, cond("t", "f", pure), cond("f", "t", pure)));
  never_proved(case_of(bodies, cond("t", "f", pure), cond("t", "t", pure)));
  // In one branch the result is the input itself.
  CHECK(status(case_of(bodies, cond("t", "same", pure), cond("t", "same", pure)), false) == Status::proved);
  never_proved(case_of(bodies, cond("t", "same", pure), cond("t", "same", in_place)));
  // Another predicate is another branch.
  const std::string turned = graph(
      inputs,
      step("d", "aten.logical_not.default", ref("c")) +
          R"(, {"name": "r", "op": "higher_order.cond", "args": [{"ref": "d"}, {"graph": "t"}, {"graph": "f"}, [{"ref": "x"}]], "types": [{"dtype": "f32", "shape": [2]}]}, )" +
          pure,
      ref("o"));
  never_proved(case_of(bodies, cond("t", "f", pure), turned));
  CHECK(worlds_of(case_of(bodies, cond("t", "f", pure), cond("t", "f", pure))).size() == 2);
}

// The second argument runs; what is waited for is not read. Inductor's overlap scheduling writes this.
TEST_CASE("a step behind others computes what it computes without them", "[control]") {
  const std::string inputs = input("x", kF2) + ", " + input("y", kF2);
  const std::string bodies =
      R"("t": )" + graph(input("a", kF2), step("r", "aten.neg.default", ref("a")), ref("r")) +
      R"(, "writes": )" + graph(input("a", kF2), step("r", "aten.neg_.default", ref("a")), ref("r"));
  const auto behind = [&](const std::string& given, const std::string& body, const std::string& then) {
    const std::string waits =
        R"({"name": "r", "op": "higher_order.control_deps", "args": [[{"ref": "w"}], {"graph": ")" + body +
        R"("}, )" + ref(given) + R"(], "types": [{"dtype": "f32", "shape": [2]}]})";
    return graph(inputs, step("w", "aten.abs.default", ref("y")) + ", " + waits + then, refs_of("w", "r"));
  };
  const auto alone = [&](const std::string& op, const std::string& given) {
    return graph(inputs, step("w", "aten.abs.default", ref("y")) + ", " + step("r", op, ref(given)),
                 refs_of("w", "r"));
  };
  const std::string pure = alone("aten.neg.default", "x");
  CHECK(status(case_of(bodies, pure, behind("x", "t", "")), false) == Status::proved);
  CHECK(status(case_of(bodies, behind("x", "t", ""), pure), true) == Status::proved);
  CHECK(status(case_of(bodies, alone("aten.abs.default", "x"), behind("x", "t", "")), false) ==
        Status::refuted);
  CHECK(status(case_of(bodies, pure, behind("y", "t", "")), false) == Status::refuted);
  CHECK(status(case_of(bodies, pure, behind("x", "writes", "")), false) == Status::refuted);
}

}  // namespace control_flow_test
