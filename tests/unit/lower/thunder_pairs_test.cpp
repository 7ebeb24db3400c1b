// Which traces are held against which, and what both graphs know of each other.
#include "tests/support/graph_text.h"
#include "tests/unit/lower/thunder_program.h"

namespace thunder_pairs_test {

using namespace noclobber;
using namespace noclobber::thunder_program;

namespace {

using testing::with_inputs;

const std::string kTypes = "  # a: \"cpu f32[2, 3]\"\n  # b: \"cpu f32[2, 3]\"\n";

std::string forward(const std::string& made) {
  return trace("a, b", kTypes + "  first = prims.neg(a)  # first: \"cpu f32[2, 3]\"\n  t1 = prims." + made +
                           "(a)  # t1: \"cpu f32[2, 3]\"\n  return {'output': (t1,), 'flat_args': [a, b], "
                           "'flat_output': (t1,)}, ((t1,), ())\n");
}

std::string backward(const std::string& body) {
  std::string out = trace("saved_for_backward, cotangents",
                          "  C0, _ = saved_for_backward\n  t1, = C0\n  t8, = cotangents\n" + body);
  return out.replace(out.find("computation"), 11, "backward_fn");
}

std::string ids(const std::vector<TraceCheck>& checks) {
  std::string out;
  for (const TraceCheck& check : checks)
    out += (out.empty() ? "" : " ") + check.id +
           (check.value ? "" : ": " + check.value.fault().where + " " + check.value.fault().message);
  return out;
}

}  // namespace

TEST_CASE("thunder pairs: each graph has the inputs of the other, at places of its own", "[thunder]") {
  const auto pair = read_thunder_pair(
      {"x", trace("c, a", "  # c: \"cpu f32[2, 3]\"\n  # a: \"cpu f32[2, 3]\"\n  return a\n")},
      {"y", trace("b, a", "  # b: \"cpu f32[2, 3]\"\n  # a: \"cpu f32[2, 3]\"\n  return a\n")}, "");
  REQUIRE(pair);
  CHECK(with_inputs(*pair->before) == "of c a b:\n-> a\n");
  CHECK(with_inputs(pair->after) == "of b a c:\n-> a\n");
  CHECK(pair->after.name == "computation");
  CHECK(pair->every_order);
}

TEST_CASE("thunder pairs: what either trace takes and the facts leave out may overlap", "[thunder]") {
  const auto overlaps = [](const std::string& before, const std::string& after) {
    const std::string facts =
        R"({"format": "noclobber.inputs/1", "inputs": [{"name": "a", "dtype": "f32", "shape": [2, 3], "stride": [3, 1], "storage": "S0"}]})";
    const auto one = [](const std::string& names) { return trace(names, kTypes + "  return a\n"); };
    const auto pair = read_thunder_pair({"x", one(before)}, {"y", one(after)}, facts);
    REQUIRE(pair);
    return pair->inputs_may_overlap;
  };
  CHECK_FALSE(overlaps("a", "a"));
  CHECK(overlaps("a, b", "a"));
  CHECK(overlaps("a", "a, b"));
}

TEST_CASE("thunder pairs: a pass is named by its trace, else by its file", "[thunder]") {
  const auto pass = [](const std::string& file) {
    std::string unnamed = program("  return a\n");
    unnamed.erase(0, unnamed.find('\n') + 1);
    const auto checks = read_thunder_sequence({{"0_x", unnamed}, {file, unnamed}}, {}, "");
    REQUIRE(checks.size() == 1);
    REQUIRE(checks[0].value);
    return checks[0].value->pass;
  };
  CHECK(pass("06_fused-rematerialize") == "fused-rematerialize");
  CHECK(pass("last").empty());
  CHECK(pass("last_").empty());
  CHECK(pass("_x") == "x");
}

TEST_CASE("thunder pairs: each backward is held against the one before, with the first forward",
          "[thunder]") {
  const std::string same = "  t9 = prims.mul(t8, t1)\n  return (t9, None)\n";
  const std::vector<ThunderFile> first = {{"f0", forward("sin")}, {"f1", forward("sin")}},
                                 second = {
                                     {"b0", backward(same)}, {"b1", backward(same)}, {"b2", backward(same)}};
  CHECK(ids(read_thunder_sequence(first, second, "")) == "f1 b0 b1 b2");
  CHECK(ids(read_thunder_sequence({first[0]}, {}, "")) == "f0");
  CHECK(ids(read_thunder_sequence({{"broken", "def f("}}, {}, "")).starts_with("broken: broken: line 1"));
  CHECK(ids(read_thunder_sequence({first[0], {"broken", "def f("}}, {}, ""))
            .starts_with("broken: broken: line 1"));
  CHECK(ids(read_thunder_sequence({}, second, "")).empty());
}

TEST_CASE("thunder pairs: a backward knows its own names alone, and its faults are in its own text",
          "[thunder]") {
  const std::string right = "  t9 = prims.mul(t8, t1)\n  return (t9, None)\n";
  const auto checked = [&](const std::string& body) {
    return ids(read_thunder_sequence({{"f0", forward("sin")}},
                                     {{"b0", backward(right)}, {"b1", backward(body)}}, ""));
  };
  CHECK(checked(right) == "f0 b0 b1");
  CHECK(checked("  t9 = prims.mul(t8, b)\n  return (t9, None)\n") ==
        "f0 b0 b1: line 10, column 22 'b' is not bound");
  CHECK(checked("\n\n  t9 = prims.mul(t8, t7)\n  return (t9, None)\n") == "f0 b0 b1");
  CHECK(checked("  t9 = prims.mul(t8, grad)\n  grad = prims.sin(t8)\n  return (t9, None)\n") ==
        "f0 b0 b1: line 10, column 22 'grad' is not bound");
  // A name of the forward alone is none of the backward.
  CHECK(checked("  t9 = ltorch.foo(t1, first)  # t9: \"cpu f32[2, 3]\"\n    # t9 = prims.sin(t1)  # t9: "
                "\"cpu f32[2, 3]\"\n"
                "  return (t9, None)\n") == "f0 b0 b1");
  const auto checks =
      read_thunder_sequence({{"f0", forward("sin")}}, {{"b0", backward(right)}, {"b1", backward(right)}}, "");
  REQUIRE(checks.size() == 3);
  REQUIRE(checks[2].value);
  CHECK(with_inputs(checks[2].value->after) == R"x(of a b:
first:f32 = aten.neg.default(a)
t1:f32 = aten.sin.default(a)
t9 = thunder.prims.mul(t1)
-> t9 - t1
)x");
}

TEST_CASE("thunder pairs: what stands before a backward is the one before it", "[thunder]") {
  const auto with = [](const std::string& op) {
    return backward("  t9 = prims." + op + "(t1)  # t9: \"cpu f32[2, 3]\"\n  return (t9, None)\n");
  };
  const auto checks =
      read_thunder_sequence({{"f0", forward("sin")}}, {{"b0", with("exp")}, {"b1", with("cos")}}, "");
  REQUIRE(checks.size() == 3);
  REQUIRE(checks[2].value);
  CHECK(ops_of(*checks[2].value->before) == Ops{"aten.neg.default", "aten.sin.default", "aten.exp.default"});
  CHECK(ops_of(checks[2].value->after) == Ops{"aten.neg.default", "aten.sin.default", "aten.cos.default"});
}

}  // namespace thunder_pairs_test
