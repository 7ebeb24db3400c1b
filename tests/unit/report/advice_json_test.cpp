// What records say of idle barriers, and that nothing of it is lost when records are read again: the note of
// a barrier that an executor needs was printed as text only.
#include <nlohmann/json.hpp>

#include "src/report/report.h"
#include "tests/catch.h"

namespace advice_json_test {

using namespace noclobber;

namespace {

CheckRecord with_idle_barriers() {
  CheckRecord record;
  record.input = "trace.py";
  record.id = "trace";
  record.what = "single";
  record.status = Status::proved;
  record.barriers.barriers = 3, record.barriers.regions = 2, record.barriers.split = 1;
  FindingPlace needed{"after", 4, "t4", "trace.py:9 in f", "", ""},
      idle{"after", 6, "t6", "trace.py:11 in f", "", ""};
  needed.note = "an executor that splits regions needs it";
  record.barriers.idle = {needed, idle};
  return record;
}

}  // namespace

TEST_CASE("json: an idle barrier has its note, and one without has none", "[report]") {
  const auto json = nlohmann::json::parse(to_json(with_idle_barriers()));
  const auto& lint = json.at("lints").at(0);
  CHECK(lint.at("rule") == "NC040");
  CHECK(lint.at("barriers") == 3);
  CHECK(lint.at("regions") == 2);
  CHECK(lint.at("split") == 1);
  CHECK(lint.at("idle").at(0).at("note") == "an executor that splits regions needs it");
  CHECK_FALSE(lint.at("idle").at(1).contains("note"));
}

TEST_CASE("json: advice that is read again is what was written", "[report]") {
  const std::string line = to_json(with_idle_barriers());
  const Report report = read_records(line + "\n", "records.jsonl");
  REQUIRE(report.checks.size() == 1);
  CHECK(to_json(report.checks[0]) == line);
}

}  // namespace advice_json_test
