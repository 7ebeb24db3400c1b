// Rewrites that were not taken: the safe ones are named with their bytes, the others with what they break.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace inplace_advice_test {

using namespace noclobber;

namespace {

constexpr const char* kType = R"({"dtype": "f32", "shape": [4, "n"]})";

std::string graph_of(const std::string& steps, const std::string& outputs) {
  return R"({"inputs": [{"name": "x", "type": )" + std::string(kType) + R"(}], "steps": [)" + steps +
         R"(], "outputs": [)" + outputs + "]}";
}

std::string step_of(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "args": [)" + args + R"(], "types": [)" +
         kType + "]}";
}

CheckRecord advised(const std::string& graph) {
  const auto value = read_case_json(
      R"({"format": "noclobber.case/1", "name": "t", "symbols": {"n": {"min": 1, "max": 9}}, "after": )" +
      graph + "}");
  REQUIRE(value);
  CheckOptions options;
  options.advise = true;
  bool contradiction = false;
  return check_case(*value, options, contradiction);
}

const std::string kExp = step_of("a", "aten.exp.default", R"({"ref": "x"})"),
                  kNeg = step_of("b", "aten.neg.default", R"({"ref": "a"})");

}  // namespace

TEST_CASE("advice: a dead operand of the same size may be written, with its bytes", "[advice]") {
  const CheckRecord record = advised(graph_of(kExp + ", " + kNeg, R"({"ref": "b"})"));
  REQUIRE(record.inplace.rewrites.size() == 1);  // x is the caller's: no storage to write
  const InplaceLint::Rewrite& one = record.inplace.rewrites[0];
  CHECK(one.safe == Status::proved);
  CHECK((one.op == "aten.neg_.default" && one.operand == "a" && one.at.name == "b"));
  CHECK(one.bytes.find("n") != std::string::npos);
  CHECK(to_json(record).find(R"("rule":"NC041")") != std::string::npos);
}

TEST_CASE("advice: a value that is read later is not advised", "[advice]") {
  for (const std::string outputs : {R"({"ref": "b"}, {"ref": "a"})", R"({"ref": "c"})"}) {
    const std::string later = step_of("c", "aten.add.Tensor", R"({"ref": "b"}, {"ref": "a"})");
    const CheckRecord record = advised(graph_of(kExp + ", " + kNeg + ", " + later, outputs));
    REQUIRE(record.inplace.rewrites.size() == 2);
    CHECK(record.inplace.rewrites[0].safe == Status::refuted);
    CHECK_FALSE(record.inplace.rewrites[0].because.empty());
    const bool returned = outputs.find("\"b\"") != std::string::npos;  // else nothing reads b after c
    CHECK(record.inplace.rewrites[1].safe == (returned ? Status::refuted : Status::proved));
  }
}

TEST_CASE("advice: rewrites hold all at once, a second taker of one operand does not", "[advice]") {
  const std::string relu = step_of("c", "aten.relu.default", R"({"ref": "a"})");
  const CheckRecord record =
      advised(graph_of(kExp + ", " + kNeg + ", " + relu, R"({"ref": "b"}, {"ref": "c"})"));
  REQUIRE(record.inplace.rewrites.size() == 2);
  CHECK(record.inplace.rewrites[0].safe == Status::refuted);  // a is read once more
  CHECK(record.inplace.rewrites[1].safe == Status::proved);
  const std::string chain = step_of("c", "aten.relu.default", R"({"ref": "b"})");
  const CheckRecord both = advised(graph_of(kExp + ", " + kNeg + ", " + chain, R"({"ref": "c"})"));
  REQUIRE(both.inplace.rewrites.size() == 2);
  CHECK((both.inplace.rewrites[0].safe == Status::proved && both.inplace.rewrites[1].safe == Status::proved));
}

}  // namespace inplace_advice_test
