// Plans with symbolic sizes: what holds at every value of the symbols that is tried need not hold at all of
// them. n // 100000 is 0 wherever n is tried.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace symbolic_test {

using namespace noclobber;

namespace {

const std::string kMore = "n//100000";

struct Sized {
  std::string steps, outputs, buffers;
  std::string arena = "100*n + 100";
  std::string order = "program";
};

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : ", ") + one;
  return out;
}

std::string ref(const std::string& name) { return R"({"ref": )" + quoted(name) + "}"; }

/// name = aten.op(args), for a name of a value or an argument as JSON.
std::string step(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": )" + quoted(name) + R"(, "op": "aten.)" + op + R"(", "args": [)" +
         (args[0] == '{' ? args : ref(args)) + "]}";
}
/// Reads each element of its operand before more than one result is there.
std::string sums(const std::string& name, const std::string& of) {
  return step(name, "cumsum.default", ref(of) + ", 0");
}

std::string at(const std::string& value, const std::string& offset, const std::string& size,
               const std::string& more = "", const std::string& arena = "1") {
  return "{" + std::string(value[0] == '#' ? R"("id": )" : R"("value": )") +
         quoted(value.substr(value[0] == '#' ? 1 : 0)) + R"(, "arena": )" + quoted(arena) +
         R"(, "offset": )" + quoted(offset) + R"(, "size": )" + quoted(size) + more + "}";
}
std::string alive(int first, int last) {
  return R"(, "lower": )" + std::to_string(first) + R"(, "upper": )" + std::to_string(last);
}

/// The inputs are i and q, of n elements; there is a second arena of the same size, and a third of 4 bytes.
std::string text(const Sized& c) {
  const std::string type = R"({"dtype": "f32", "shape": ["n"]})", arena = R"({"size": )" + quoted(c.arena);
  return R"({"format": "noclobber.case/1", "name": "p", "symbols": {"n": {"min": 1}}, "order": )" +
         quoted(c.order) + R"(, "after": {"inputs": [{"name": "i", "type": )" + type +
         R"(}, {"name": "q", "type": )" + type + R"(}], "steps": [)" + c.steps + R"(], "outputs": [)" +
         c.outputs + R"(]}, "plan": {"arenas": {"1": )" + arena + R"(}, "2": )" + arena +
         R"(}, "3": {"size": 4}, "16": )" + arena + R"(, "alignment": 16}}, "buffers": [)" + c.buffers +
         "]}}";
}

/// "proved"; the rule of the first finding; or what is open.
std::string said(const Sized& c) {
  const auto value = read_case_json(text(c));
  INFO(text(c));
  REQUIRE(value);
  bool contradiction = false;
  const CheckRecord record = check_case(*value, {}, contradiction);
  CHECK_FALSE(contradiction);
  if (record.status == Status::proved) return "proved";
  if (!record.findings.empty()) return record.findings[0].rule;
  std::vector<std::string> names;
  for (const auto& unknown : record.unknown)
    if (unknown.reason == "not-replayed")
      names.insert(names.end(), unknown.names.begin(), unknown.names.end());
  return joined(names);
}

/// a = cumsum(i), b = cumsum(q), both returned.
Sized two(const std::string& a, const std::string& b) {
  return {sums("a", "i") + ", " + sums("b", "q"), ref("a") + ", " + ref("b"), a + ", " + b};
}

}  // namespace

TEST_CASE("symbolic plan: each buffer in its arena, aligned and large enough, for all sizes", "[plan]") {
  const std::string rest = at("b", "0", "4*n", "", "2");
  const auto with = [&](const std::string& a) { return said(two(a, rest)); };
  CHECK(with(at("a", "96*n", "4*n + 100")) == "proved");
  CHECK(with(at("a", "96*n + " + kMore, "4*n + 100")) == "place of a");  // ends behind the arena
  CHECK(with(at("a", "0", "4*n - 4*(" + kMore + ")")) == "size of a");
  CHECK(with(at("a", "32*n", "4*n", "", "16")) == "proved");
  CHECK(with(at("a", "32*n + " + kMore, "4*n", "", "16")) == "place of a");
  CHECK(with(at("a", "16 - 16*(" + kMore + ")", "4*n", "", "16")) == "place of a");  // begins before it
  Sized narrow = two(at("a", "0", "4*n"), rest);
  narrow.arena = "4*n";
  CHECK(said(narrow) == "proved");
  narrow.arena = "4*n - " + kMore;
  CHECK(said(narrow).find("place of a") != std::string::npos);
}

TEST_CASE("symbolic plan: neighbours are apart for all sizes, in the listed order and in any", "[plan]") {
  for (const char* order : {"program", "dataflow"}) {
    const auto with = [&](const std::string& a, const std::string& b) {
      Sized c = two(a, b);
      c.order = order;
      return said(c);
    };
    INFO(order);
    const std::string more = "4*n + " + kMore;
    CHECK(with(at("a", "0", "4*n"), at("b", "4*n", "4*n")) == "proved");
    CHECK(with(at("a", "0", more), at("b", "4*n", "4*n")) == "places of a and b");
    CHECK(with(at("a", "0", more), at("b", more, "4*n")) == "proved");
    CHECK(with(at("a", "4*n", "4*n"), at("b", "0", "4*n")) == "proved");
    CHECK(with(at("a", "4*n", "4*n"), at("b", "0", more)) ==
          (order == std::string("program") ? "places of b and a" : "places of a and b"));
    CHECK(with(at("a", "4*n", "4*n"), at("b", "0", more, "", "2")) == "proved");
    CHECK(with(at("a", "0", "4*n"), at("b", "4*n - 4", "4*n")) == "NC030");
  }
}

TEST_CASE("symbolic plan: in any order names must order who shares bytes", "[plan]") {
  // c = cumsum(b) runs when all uses of a are over; c = cumsum(q) may run before.
  const auto with = [](const std::string& of, const std::string& order) {
    return said({sums("a", "i") + ", " + sums("b", "a") + ", " + sums("c", of), ref("b") + ", " + ref("c"),
                 at("a", "0", "4*n") + ", " + at("b", "4*n", "4*n") + ", " + at("c", "0", "4*n"),
                 "100*n + 100", order});
  };
  CHECK(with("b", "program") == "proved");
  CHECK(with("b", "dataflow") == "proved");
  CHECK(with("q", "program") == "proved");
  CHECK(with("q", "dataflow") == "NC030");
}

TEST_CASE("symbolic plan: a result takes the place of its operand, for all sizes", "[plan]") {
  const auto with = [](const std::string& made, const std::string& offset, const std::string& size) {
    return said({step("a", "neg.default", "i") + ", " + made + ", " + step("w", "neg.default", "q"),
                 ref("b") + ", " + ref("w"),
                 at("a", "0", "4*n") + ", " + at("b", offset, size) + ", " + at("w", "50*n", "4*n")});
  };
  const std::string one = step("b", "neg.default", "a");
  CHECK(with(one, "0", "4*n") == "proved");
  CHECK(with(one, "0", "50*n") == "proved");
  CHECK(with(one, "0", "50*n + " + kMore) == "places of b and w");
  CHECK(with(one, kMore, "4*n") != "proved");  // other bytes, where n is large
  CHECK(with(sums("b", "a"), "0", "4*n") == "NC030");
}

TEST_CASE("symbolic plan: a place that is empty wherever it is tried need not be empty", "[plan]") {
  const auto with = [](const std::string& length, const std::string& order = "program") {
    const std::string slice = ref("i") + R"(, 0, 0, {"sym": ")" + length + R"("})";
    return said(
        {step("v", "slice.Tensor", slice) + ", " + step("a", "neg.default", "v") + ", " + sums("b", "q"),
         ref("a") + ", " + ref("b"), at("a", "0", "4*(" + length + ")") + ", " + at("b", "0", "4*n"),
         "100*n + 100", order});
  };
  CHECK(with("0") == "proved");
  CHECK(with(kMore) == "sizes of the plan");
  CHECK(with("0", "dataflow") == "proved");
  CHECK(with(kMore, "dataflow") == "places of a and b");
}

TEST_CASE("symbolic plan: every entry of a storage is where the storage is, for all sizes", "[plan]") {
  // y is a view of the start of x; w lies in the second arena and is read last, s in the third.
  const auto with = [](const std::string& offset, const std::string& arena) {
    const std::string slice = ref("x") + R"(, 0, 0, {"sym": ")" + kMore + R"("})";
    return said({step("x", "neg.default", "i") + ", " + step("y", "slice.Tensor", slice) + ", " +
                     step("w", "neg.default", "q") + ", " + step("s", "sum.default", "y"),
                 ref("w") + ", " + ref("s"),
                 at("x", "0", "4*n") + ", " + at("y", offset, "4*(" + kMore + ")", "", arena) + ", " +
                     at("w", "0", "4*n", "", "2") + ", " + at("s", "0", "4", "", "3")});
  };
  CHECK(with("0", "1") == "proved");
  CHECK(with("4", "1") == "place of y");
  CHECK(with("0", "2") == "place of y");
}

TEST_CASE("symbolic plan: what is declared to be a view lies within its base, for all sizes", "[plan]") {
  const auto with = [](const std::string& offset, const std::string& size, const std::string& claim,
                       const std::string& arena = "2") {
    return said(two(at("a", "0", "4*n"), at("b", "4*n", "4*n") + ", " +
                                             at("#base", "8", "4*n", alive(0, 1), "2") + ", " +
                                             at("#view", offset, size, alive(1, 2) + claim, arena)));
  };
  const std::string claim = R"(, "view_of": "base")";
  CHECK(with("8", "4*n", claim) == "proved");
  CHECK(with("8", "4*n + " + kMore, claim) == "place of view");
  CHECK(with("8", "4*n + " + kMore, "") == "proved");
  CHECK(with("8 - min(1, " + kMore + ")", "4", "") != "NC020");
  CHECK(with("8 - min(1, " + kMore + ")", "4", claim).find("place of view") != std::string::npos);
  CHECK(with("8", "4*n + 1", claim) == "NC020");
  CHECK(with("8", kMore, claim, "1") != "proved");
}

TEST_CASE("plan: in any order a stated life is over where all its steps are", "[plan]") {
  // scratch is used in step 0, where `a` is made; b takes its bytes. A read of `a` comes after that.
  const auto with = [](const std::string& of, const std::string& order, const std::string& offset = "0",
                       const std::string& size = "4*n") {
    return said({sums("a", "i") + ", " + sums("b", of) + ", " + sums("c", "b"), ref("a") + ", " + ref("c"),
                 at("a", "0", "4*n", "", "2") + ", " + at("b", "0", size) + ", " + at("c", "8*n", "4*n") +
                     ", " + at("#scratch", offset, "4*n", alive(0, 1)) + ", " +
                     at("#late", "8*n", "4*n", alive(1, 2)),
                 "100*n + 100", order});
  };
  CHECK(with("q", "program") == "proved");
  CHECK(with("a", "dataflow") == "proved");
  CHECK(with("q", "dataflow") == "places of scratch and b");
  CHECK(with("q", "dataflow", "4*n") == "proved");
  CHECK(with("q", "dataflow", "4*n", "4*n + " + kMore) == "places of scratch and b");
  CHECK(with("q", "program", "4*n", "4*n + " + kMore) == "proved");
}

TEST_CASE("plan: in any order two stated lives need steps in order, too", "[plan]") {
  const auto with = [](const std::string& of, const std::string& order, const std::string& lives) {
    Sized c = two(at("a", "0", "4*n"), at("b", "4*n", "4*n") + ", " + lives);
    c.steps = sums("a", "i") + ", " + sums("b", of);
    c.order = order;
    return said(c);
  };
  const auto lives = [](int first, int last) {
    return at("#x", "0", "16", alive(0, 1), "2") + ", " + at("#y", "0", "16", alive(first, last), "2");
  };
  CHECK(with("q", "program", lives(1, 2)) == "proved");
  CHECK(with("a", "dataflow", lives(1, 2)) == "proved");
  CHECK(with("q", "dataflow", lives(1, 2)) == "places of x and y");
  CHECK(with("q", "dataflow", lives(2, 3)) == "proved");  // on the return
  CHECK(with("q", "dataflow", lives(1, 1)) == "proved");  // never
  CHECK(with("q", "dataflow", lives(0, 2)) == "NC030");
  CHECK(with("q", "program", lives(0, 2)) == "NC030");
}

TEST_CASE("symbolic plan: two arms of a branch that share bytes are not said to meet", "[plan]") {
  // Nothing is shown of them: the sweep of one order meets both.
  const std::string type = R"({"dtype": "f32", "shape": ["n"]})";
  const auto with = [&](const std::string& other) {
    const auto body = [&](const char* name) {
      return quoted(name) + R"(: {"inputs": [{"name": "x", "type": )" + type + R"(}], "steps": [)" +
             sums("y", "x") + "], \"outputs\": [" + ref("y") + "]}";
    };
    std::string out = text({R"({"name": "r", "op": "higher_order.cond", "args": [{"ref": "p"},
      {"graph": "body0"}, {"graph": "body1"}, [{"ref": "i"}]], "types": [)" +
                                type + "]}",
                            ref("r"), at("body0/y", "0", "4*n") + ", " + at("body1/y", other, "4*n")});
    out.insert(out.find(R"("after")"), R"("graphs": {)" + body("body0") + ", " + body("body1") + "}, ");
    out.insert(out.find(R"({"name": "i")"), R"({"name": "p", "type": {"dtype": "bool", "shape": []}}, )");
    const auto value = read_case_json(out);
    INFO(out);
    REQUIRE(value);
    bool contradiction = false;
    return check_case(*value, {}, contradiction).status;
  };
  CHECK(with("4*n") == Status::proved);
  CHECK(with("0") != Status::refuted);
}

}  // namespace symbolic_test
