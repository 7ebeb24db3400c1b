// Steps behind the one that returns: what a caller misses by them, if anything.
#include "src/cli/pipeline.h"
#include "src/formats/formats.h"
#include "tests/catch.h"

using namespace noclobber;

namespace {

/// t3 stands for `target`, the copy into it behind the return of `output`.
Case late_write(const std::string& target, const std::string& output) {
  const std::string text =
      "# Constructed by Fusion\ndef computation(a, b):\n"
      "  # a: \"cpu f32[2, 2]\"\n  # b: \"cpu f32[2, 2]\"\n"
      "  t1 = prims.neg(b)  # t1: \"cpu f32[2, 2]\"\n"
      "  t2 = prims.sin(t1)  # t2: \"cpu f32[2, 2]\"\n"
      "  t6 = prims.cos(b)  # t6: \"cpu f32[2, 2]\"\n"
      "  (t3,) = prims.update_aliases((" +
      target +
      ",))\n"
      "  return {'output': (" +
      output +
      ",), 'flat_args': [a, b]}\n"
      "  t4 = prims.copy_(t2, t3, grad_enabled=True)  # t4: \"cpu f32[2, 2]\"\n";
  const auto checks = read_thunder({"t", text}, "");
  REQUIRE(checks.size() == 1);
  REQUIRE(static_cast<bool>(checks[0].value));
  return *checks[0].value;
}

CheckRecord checked(Case value, bool dataflow) {
  value.dataflow = dataflow;
  bool contradiction = false;
  CheckRecord out = check_case(std::move(value), CheckOptions(), contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

}  // namespace

TEST_CASE("a write behind the return that a caller misses is return-not-last", "[cli][return]") {
  for (const auto& [target, output] : {std::pair("a", "t6"), std::pair("t1", "t1")})
    for (const bool dataflow : {false, true}) {
      const CheckRecord record = checked(late_write(target, output), dataflow);
      CHECK(record.status == Status::refuted);
      REQUIRE(record.findings.size() == 1);
      CHECK(record.findings[0].property == "return-not-last");
      if (!dataflow) CHECK(record.every_order == "refuted");
    }
}

TEST_CASE("a write behind the return that nobody sees is none", "[cli][return]") {
  for (const bool dataflow : {false, true}) {
    const CheckRecord record = checked(late_write("t1", "t6"), dataflow);
    CHECK(record.status == Status::proved);
    if (!dataflow) CHECK(record.every_order == "proved");
  }
}
