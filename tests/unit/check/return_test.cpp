// Steps behind the one that returns: what a caller misses by them, if anything.
#include <algorithm>

#include "src/check/check.h"
#include "src/lower/thunder/thunder.h"
#include "tests/catch.h"

namespace return_test {

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

TEST_CASE("Thunder lets no write stand behind the return, seen or not; elsewhere nobody misses an unseen one",
          "[cli][return]") {
  for (const bool dataflow : {false, true}) {
    Case value = late_write("t1", "t6");
    const CheckRecord told = checked(value, dataflow);
    REQUIRE(told.findings.size() == 1);
    CHECK(told.findings[0].property == "return-not-last");
    value.return_is_last = false;
    const CheckRecord record = checked(value, dataflow);
    CHECK(record.status == Status::proved);
    if (!dataflow) CHECK(record.every_order == "proved");
    REQUIRE(record.behind_return.size() == 1);  // a lint
    CHECK(record.behind_return[0].statement.starts_with("t4 = copy_("));
    CHECK(told.behind_return.empty());  // an error already
  }
}

TEST_CASE("reads and barriers behind the return are no effects", "[cli][return]") {
  Case value = late_write("t1", "t6");
  value.after.steps.pop_back();
  REQUIRE(is_return(value.after.steps.back()));
  std::rotate(value.after.steps.begin() + 3, value.after.steps.end() - 1, value.after.steps.end());
  for (Value& each : value.after.values)
    if (each.from == Value::From::step && each.at >= 3) ++each.at;
  std::erase_if(value.after.values, [](const Value& v) { return v.name == "t4"; });
  CHECK(checked(value, false).status == Status::proved);
}

TEST_CASE("orders that are wrong because the return moves are told from those that are wrong anyway",
          "[cli][return]") {
  const auto ordered = [](const std::string& reader, const std::string& output) {
    const std::string text =
        "# Constructed by Barriers\ndef computation(a):\n"
        "  # a: \"cpu f32[2, 2]\"\n"
        "  t1 = prims.neg(a)  # t1: \"cpu f32[2, 2]\"\n"
        "  t2 = prims.sin(t1)  # t2: \"cpu f32[2, 2]\"\n" +
        reader +
        "  t4 = prims.copy_(t2, a, grad_enabled=True)  # t4: \"cpu f32[2, 2]\"\n"
        "  return {'output': (" +
        output + ",), 'flat_args': [a]}\n";
    const auto checks = read_thunder({"t", text}, "");
    REQUIRE(checks.size() == 1);
    REQUIRE(static_cast<bool>(checks[0].value));
    Case value = *checks[0].value;
    value.every_order = true;
    return checked(std::move(value), false);
  };
  // Nothing but its place in the list makes the write run before the return.
  const CheckRecord moved = ordered("", "t2");
  CHECK(moved.status == Status::proved);
  CHECK(moved.every_order == "refuted");
  CHECK(moved.return_last == "proved");
  // What reads `a` before the write could do so behind it.
  const CheckRecord wrong = ordered("  t3 = prims.cos(a)  # t3: \"cpu f32[2, 2]\"\n", "t3");
  CHECK(wrong.status == Status::proved);
  CHECK(wrong.every_order == "refuted");
  CHECK(wrong.return_last == "refuted");
}

}  // namespace return_test
