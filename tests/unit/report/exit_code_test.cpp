#include "src/report/record.h"
#include "tests/catch.h"

namespace exit_code_test {

using namespace noclobber;

namespace {

/// The table of the design, written the other way round: which numbers allow this code?
int expected_code(bool alarm, bool proved, bool refuted, bool unknown, bool error, FailOn fail_on) {
  if (alarm) return 4;
  const bool none = fail_on == FailOn::none;
  if (refuted && !none) return 1;
  if (error) return 2;
  if (!proved && !refuted && !unknown) return 2;
  return unknown && !none && fail_on != FailOn::refuted ? 3 : 0;
}

}  // namespace

TEST_CASE("exit code: every combination", "[report]") {
  for (unsigned bits = 0; bits < 32; ++bits) {
    for (const FailOn fail_on : {FailOn::unknown, FailOn::refuted, FailOn::none}) {
      const bool alarm = (bits & 1) != 0, proved = (bits & 2) != 0, refuted = (bits & 4) != 0;
      const bool unknown = (bits & 8) != 0, error = (bits & 16) != 0;
      SummaryRecord summary;
      summary.proved = proved ? 7 : 0;
      summary.refuted = refuted ? 1 : 0;
      summary.unknown = unknown ? 3 : 0;
      summary.error = error ? 1 : 0;
      INFO("bits " << bits << " fail-on " << static_cast<int>(fail_on));
      CHECK(exit_code(summary, alarm, fail_on) ==
            expected_code(alarm, proved, refuted, unknown, error, fail_on));
    }
  }
}

TEST_CASE("exit code: the rows of the contract", "[report]") {
  const auto code = [](std::uint64_t proved, std::uint64_t refuted, std::uint64_t unknown,
                       std::uint64_t error, FailOn fail_on = FailOn::unknown) {
    SummaryRecord summary;
    summary.proved = proved;
    summary.refuted = refuted;
    summary.unknown = unknown;
    summary.error = error;
    return exit_code(summary, false, fail_on);
  };
  CHECK(code(2, 0, 0, 0) == 0);
  CHECK(code(2, 1, 1, 1) == 1);  // an unreadable input never hides a refutation
  CHECK(code(2, 0, 1, 1) == 2);
  CHECK(code(0, 0, 0, 0) == 2);  // nothing checked is no success
  CHECK(code(0, 0, 0, 0, FailOn::none) == 2);
  CHECK(code(2, 0, 1, 0) == 3);
  CHECK(code(2, 0, 1, 0, FailOn::refuted) == 0);
  CHECK(code(2, 1, 1, 0, FailOn::refuted) == 1);
  CHECK(code(2, 1, 1, 0, FailOn::none) == 0);
  CHECK(code(2, 1, 1, 1, FailOn::none) == 2);
}

}  // namespace exit_code_test
