// Findings of register programs: NC022 has no case of its own, a payload of a delegate shows it.
#include <set>

#include "src/check/check.h"
#include "tests/catch.h"

namespace register_findings_test {

using namespace noclobber;

namespace {

/// A program whose inputs are these registers, of which 0 and 1 are inputs and the others are not.
Case listing(std::vector<std::uint32_t> inputs) {
  RegisterProgram program;
  program.name = "delegate";
  program.counts = {0, 2, 0, 0, 4};
  for (const std::uint32_t at : inputs) program.inputs.push_back({at, true});
  program.chains = {{}};
  Case out;
  out.registers.push_back(std::move(program));
  return out;
}

std::vector<std::string> fingerprints(const Case& value) {
  bool contradiction = false;
  CheckRecord record = check_case(value, {}, contradiction);
  std::map<std::string, std::uint64_t> seen;
  number_findings(record, seen);
  std::vector<std::string> out;
  for (const Finding& finding : record.findings) {
    CHECK(finding.rule == "NC022");
    out.push_back(finding.fingerprint + "#" + std::to_string(finding.nth));
  }
  return out;
}

}  // namespace

TEST_CASE("register programs: one more wrong entry is one more fingerprint", "[words]") {
  CHECK(fingerprints(listing({0, 1})).empty());
  const auto one = fingerprints(listing({0, 1, 3})), two = fingerprints(listing({0, 1, 3, 4}));
  REQUIRE(one.size() == 1);
  REQUIRE(two.size() == 2);
  CHECK(two[0] == one[0]);
  CHECK(two[1] != one[0]);
  const auto twice = fingerprints(listing({0, 1, 1}));  // another kind of fault
  REQUIRE(twice.size() == 1);
  CHECK(twice[0] != one[0]);
}

}  // namespace register_findings_test
