// What a proof names that nobody has tested.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/ops/evidence.h"
#include "tests/catch.h"

namespace assumptions_test {

using namespace noclobber;

namespace {

/// The same graph before and after: r = op(x).
CheckRecord unchanged(const std::string& op, bool no_assumptions, const std::string& declared = "[]") {
  const std::string graph =
      R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [3, 3]}}], "steps": [{"name": "r", "op": ")" +
      op +
      R"(", "args": [{"ref": "x"}], "types": [{"dtype": "f32", "shape": [3, 3]}]}], "outputs": [{"ref": "r"}]})";
  const auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "ops": )" + declared +
                                    R"(, "before": )" + graph + R"(, "after": )" + graph + "}");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  bool contradiction = false;
  CheckOptions options;
  options.no_assumptions = no_assumptions;
  return check_case(*value, options, contradiction);
}

}  // namespace

TEST_CASE("a proof that used an untested row says so, and needs leave", "[assumptions]") {
  REQUIRE(row_tested("aten.relu.default"));
  REQUIRE_FALSE(row_tested("aten.cholesky_inverse.default"));
  const CheckRecord tested = unchanged("aten.relu.default", true);
  CHECK(tested.status == Status::proved);
  CHECK(tested.assumptions.empty());
  const CheckRecord untested = unchanged("aten.cholesky_inverse.default", false);
  CHECK(untested.status == Status::proved);
  CHECK(untested.assumptions ==
        std::vector<std::string>{"the row of aten.cholesky_inverse.default is untested"});
  const CheckRecord dropped = unchanged("aten.cholesky_inverse.default", true);
  CHECK(dropped.status == Status::unknown);
  REQUIRE(dropped.unknown.size() == 1);
  CHECK(dropped.unknown[0].reason == "unsupported-op");
  CHECK(dropped.unknown[0].names == std::vector<std::string>{"aten.cholesky_inverse.default"});
}

TEST_CASE("a declared operator is no row of the table", "[assumptions]") {
  const CheckRecord mine =
      unchanged("zoo.twice.default", true, R"([{"schema": "zoo::twice(Tensor x) -> Tensor"}])");
  CHECK(mine.status == Status::proved);
  CHECK(mine.assumptions.empty());
}

TEST_CASE("a record names the operator table it was made with", "[assumptions]") {
  CHECK(table_digest().size() == 64);
  CHECK(table_digest().find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(unchanged("aten.relu.default", false).semantics == table_digest());
}

TEST_CASE("steps that were not understood are counted, on both sides", "[assumptions]") {
  const CheckRecord known = unchanged("aten.relu.default", false);
  CHECK(known.counts.steps == 2);
  CHECK(known.counts.modelled == 2);
  const CheckRecord stranger = unchanged("zoo.stranger.default", false);
  CHECK(stranger.counts.steps == 2);
  CHECK(stranger.counts.modelled == 0);
}

TEST_CASE("strides that are to be compared and that nobody tells are an assumption", "[assumptions]") {
  const auto said = [](const std::string& op, const std::string& stride, bool dropped) {
    const std::string graph =
        R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [3, 3], "stride": )" + stride +
        R"(}}], "steps": [{"name": "r", "op": ")" + op +
        R"(", "args": [{"ref": "x"}]}], "outputs": [{"ref": "r"}]})";
    const auto value = read_case_json(R"({"format": "noclobber.case/1", "name": "t", "strides": "compare", )"
                                      R"("before": )" +
                                      graph + R"(, "after": )" + graph + "}");
    REQUIRE(value);
    bool contradiction = false;
    CheckOptions options;
    options.no_assumptions = dropped;
    return check_case(*value, options, contradiction);
  };
  const CheckRecord untold = said("aten.relu.default", "null", false),
                    told = said("aten.relu.default", "[3, 1]", false);
  CHECK(untold.status == Status::proved);
  CHECK(untold.assumptions == std::vector<std::string>{"output 0 has the strides that it has in before"});
  CHECK(told.status == Status::proved);
  CHECK(told.assumptions.empty());
  CHECK(said("aten.relu.default", "null", true).status == Status::unknown);
  CHECK(said("aten.relu.default", "[3, 1]", true).status == Status::proved);
}

}  // namespace assumptions_test
