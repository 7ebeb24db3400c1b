#include "src/plan/plan.h"

#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/plan/contract.h"
#include "tests/catch.h"

namespace plan_test {

using namespace noclobber;

/// x = neg(i); y = STEP; w = neg(q); s = sum(READ); returns w, s. Buffers as given.
static std::string program(const std::string& step, const std::string& read, const std::string& buffers) {
  const std::string type = R"({"dtype": "f32", "shape": [4]})";
  return R"({"format": "noclobber.case/1", "name": "p", "after": {"inputs": [{"name": "i", "type": )" + type +
         R"(}, {"name": "q", "type": )" + type +
         R"(}], "steps": [{"name": "x", "op": "aten.neg.default", "args": [{"ref": "i"}]}, )" + step +
         R"(, {"name": "w", "op": "aten.neg.default", "args": [{"ref": "q"}]},
         {"name": "s", "op": "aten.sum.default", "args": [{"ref": ")" +
         read + R"("}]}], "outputs": [{"ref": "w"}, {"ref": "s"}]},
         "plan": {"arenas": {"1": {"size": 64, "alignment": 4}}, "buffers": [)" +
         buffers + "]}}";
}

static std::string at(const std::string& value, int offset, int size, const std::string& more = "") {
  return R"({"value": ")" + value + R"(", "arena": "1", "offset": )" + std::to_string(offset) +
         R"(, "size": )" + std::to_string(size) + more + "}";
}

static std::string step(const std::string& op, const std::string& args) {
  return R"({"name": "y", "op": ")" + op + R"(", "args": [)" + args + "]}";
}

static CheckRecord checked(const std::string& text) {
  const auto value = read_case_json(text);
  INFO(text);
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*value, {}, contradiction);
}

/// "proved", or the property of the first finding, or "unknown".
static std::string said(const std::string& text) {
  const CheckRecord record = checked(text);
  if (record.status == Status::proved) return "proved";
  return record.findings.empty() ? "unknown" : record.findings[0].property;
}

static const std::string kExp = step("aten.exp2.default", R"({"ref": "x"})");
static const std::string kApart =
    at("x", 0, 16) + "," + at("y", 16, 16) + "," + at("w", 32, 16) + "," + at("s", 48, 4);

TEST_CASE("plan: places that keep apart, and the nearest ones that do not", "[plan]") {
  CHECK(said(program(kExp, "y", kApart)) == "proved");
  // x is dead when w is written; y is not.
  CHECK(said(program(kExp, "y",
                     at("x", 0, 16) + "," + at("y", 16, 16) + "," + at("w", 0, 16) + "," + at("s", 48, 4))) ==
        "proved");
  CHECK(said(program(kExp, "y",
                     at("x", 0, 16) + "," + at("y", 16, 16) + "," + at("w", 16, 16) + "," +
                         at("s", 48, 4))) == "plan-overlap");
  CHECK(said(program(kExp, "y",
                     at("x", 0, 16) + "," + at("y", 16, 16) + "," + at("w", 28, 16) + "," +
                         at("s", 48, 4))) == "plan-overlap");
  CHECK(said(program(kExp, "x",
                     at("x", 0, 16) + "," + at("y", 16, 16) + "," + at("w", 0, 16) + "," + at("s", 48, 4))) ==
        "plan-overlap");
}

TEST_CASE("plan: a result on its operand needs a contract and the same bytes", "[plan]") {
  const std::string same =
      at("x", 0, 16) + "," + at("y", 0, 16) + "," + at("w", 32, 16) + "," + at("s", 48, 4);
  const std::string shifted =
      at("x", 0, 16) + "," + at("y", 4, 16) + "," + at("w", 32, 16) + "," + at("s", 48, 4);
  CHECK(said(program(kExp, "y", same)) == "proved");
  CHECK(said(program(kExp, "y", shifted)) == "plan-overlap");
  CHECK(said(program(kExp, "x", same)) == "plan-overlap");
  CHECK(said(program(step("aten.cumsum.default", R"({"ref": "x"}, 0)"), "y", same)) == "plan-overlap");
  CHECK(said(program(step("aten.add.Tensor", R"({"ref": "x"}, {"ref": "x"})"), "y", same)) == "proved");
  CHECK(said(program(step("aten.flip.default", R"({"ref": "x"}, [0])"), "y", same)) != "proved");
}

/// As `said`, where the kernels are those of ExecuTorch's portable library or not.
static std::string said_of_kernels(const std::string& text, bool portable) {
  auto value = read_case_json(text);
  REQUIRE(value);
  value->portable_kernels = portable;
  bool contradiction = false;
  const CheckRecord record = check_case(*value, {}, contradiction);
  if (record.status == Status::proved) return "proved";
  return record.findings.empty() ? "unknown" : record.findings[0].property;
}

TEST_CASE("plan: a kernel that reads a row before it writes it takes its operand's place, executorch",
          "[plan]") {
  const std::string rest = at("w", 32, 16) + "," + at("s", 48, 4);
  const std::string same = at("x", 0, 16) + "," + at("y", 0, 16) + "," + rest;
  const std::string shifted = at("x", 0, 16) + "," + at("y", 4, 16) + "," + rest;
  const auto typed = [](const std::string& op) {
    return R"({"name": "y", "op": ")" + op + R"(", "args": [{"ref": "x"}, 0, false],
      "types": [{"dtype": "f32", "shape": [4]}]})";
  };
  const std::string softmax = typed("aten._softmax.default");
  CHECK(said_of_kernels(program(softmax, "y", same), true) == "proved");
  CHECK(said_of_kernels(program(softmax, "y", same), false) == "proved");  // assumed by name:
  bool contradiction = false;
  CheckOptions strict;
  strict.no_assumptions = true;
  const auto open = read_case_json(program(softmax, "y", same));
  REQUIRE(open);
  CHECK(check_case(*open, strict, contradiction).status == Status::unknown);
  const CheckRecord assumed = check_case(*open, {}, contradiction);
  CHECK(std::ranges::count(assumed.assumptions, kPortableSoftmax) == 1);
  // Other bytes of the row, or the operand is meant afterwards.
  CHECK(said_of_kernels(program(softmax, "y", shifted), true) == "plan-overlap");
  CHECK(said_of_kernels(program(softmax, "x", same), true) == "plan-overlap");
  // The optimized library's kernel says that the two do not overlap.
  const std::string log_softmax = typed("aten._log_softmax.default");
  CHECK(said_of_kernels(program(log_softmax, "y", same), true) == "unknown");
  CHECK(said_of_kernels(program(log_softmax, "y", shifted), true) == "plan-overlap");
  // Kernels that read behind what they have written.
  for (const std::string call :
       {"aten.cumsum.default|{\"ref\": \"x\"}, 0", "aten.roll.default|{\"ref\": \"x\"}, [1]"}) {
    const auto bar = call.find('|');
    INFO(call);
    CHECK(said_of_kernels(program(step(call.substr(0, bar), call.substr(bar + 1)), "y", same), true) ==
          "plan-overlap");
  }
}

TEST_CASE("plan: aliases live and lie together", "[plan]") {
  const std::string view = step("aten.view.default", R"({"ref": "x"}, [2, 2])");
  const std::string base = at("x", 0, 16) + "," + at("s", 48, 4) + ",";
  CHECK(said(program(view, "y", base + at("w", 16, 16))) == "proved");
  CHECK(said(program(view, "y", base + at("w", 0, 16))) == "plan-overlap");
  CHECK(said(program(view, "y", base + at("w", 16, 16) + "," + at("y", 0, 16))) == "proved");
  CHECK(said(program(view, "y", base + at("w", 16, 16) + "," + at("y", 32, 16))) == "metadata");
  const std::string in_place = step("aten.neg_.default", R"({"ref": "x"})");
  CHECK(said(program(in_place, "y", base + at("w", 16, 16))) == "proved");
  CHECK(said(program(in_place, "y", base + at("w", 0, 16))) == "plan-overlap");
}

TEST_CASE("plan: bounds, sizes and lives", "[plan]") {
  const std::string rest = "," + at("y", 16, 16) + "," + at("w", 32, 16) + "," + at("s", 48, 4);
  CHECK(said(program(kExp, "y", at("x", -4, 16) + rest)) == "plan-bounds");
  CHECK(said(program(kExp, "y", at("x", 2, 16) + rest)) == "plan-bounds");
  CHECK(said(program(kExp, "y", at("x", 52, 16) + rest)) == "plan-bounds");
  CHECK(said(program(kExp, "y", at("x", 0, -1) + rest)) == "plan-bounds");
  CHECK(said(program(kExp, "y", at("x", 0, 16) + rest + "," + at("x", 0, 16))) == "plan-bounds");
  CHECK(said(program(kExp, "y", at("x", 0, 12) + rest)) == "size-fit");
  CHECK(said(program(kExp, "y", at("x", 0, 16, R"(, "lower": 0, "upper": 2)") + rest)) == "proved");
  CHECK(said(program(kExp, "y", at("x", 0, 16, R"(, "lower": 0, "upper": 1)") + rest)) == "plan-lifetime");
  CHECK(said(program(kExp, "y", at("x", 0, 16, R"(, "lower": 1, "upper": 2)") + rest)) == "plan-lifetime");
}

TEST_CASE("plan: a fault names who wrote over whom", "[plan]") {
  const CheckRecord record = checked(program(
      kExp, "y", at("x", 0, 16) + "," + at("y", 16, 16) + "," + at("w", 24, 16) + "," + at("s", 48, 4)));
  REQUIRE(record.findings.size() == 1);
  const Finding& finding = record.findings[0];
  CHECK(finding.rule == "NC030");
  CHECK(finding.storage == "y");
  CHECK(finding.bytes == std::pair<std::int64_t, std::int64_t>(24, 32));
  REQUIRE((finding.define && finding.clobber && finding.read));
  CHECK((finding.define->step == 1 && finding.clobber->step == 2 && finding.read->step == 3));
}

/// a = neg(i), b = neg(i), s = cumsum(a, 0), returns b, s; all of size n, for n in [low, 8].
static std::string sized(const std::string& low, const std::string& offset, const std::string& size) {
  const std::string buffer = R"("arena": "1", "size": )" + size + ", ";
  return R"({"format": "noclobber.case/1", "name": "p", "symbols": {"n": {"min": )" + low + R"(, "max": 8}},
    "after": {"inputs": [{"name": "i", "type": {"dtype": "f32", "shape": ["n"]}}],
    "steps": [{"name": "a", "op": "aten.neg.default", "args": [{"ref": "i"}]},
              {"name": "b", "op": "aten.neg.default", "args": [{"ref": "i"}]},
              {"name": "s", "op": "aten.cumsum.default", "args": [{"ref": "a"}, 0]}],
    "outputs": [{"ref": "b"}, {"ref": "s"}]},
    "plan": {"arenas": {"1": {"size": 128}}, "buffers": [{"value": "a", )" +
         buffer + R"("offset": 0}, {"value": "b", )" + buffer + R"("offset": )" + offset +
         R"(}, {"value": "s", )" + buffer + R"("offset": "64"}]}})";
}

TEST_CASE("plan: sizes with symbols, for all values or with one that fails", "[plan]") {
  CHECK(said(sized("1", "\"4*n\"", "\"4*n\"")) == "proved");
  CHECK(said(sized("1", "\"4*n - 4\"", "\"4*n\"")) == "plan-overlap");
  CHECK(said(sized("1", "\"n + 24\"", "\"4*n\"")) == "proved");
  CHECK(said(sized("1", "\"n + 23\"", "\"4*n\"")) == "plan-overlap");  // n = 8 alone
  CHECK(said(sized("1", "32", "32")) == "proved");
  CHECK(said(sized("1", "32", "28")) == "size-fit");
  const CheckRecord record = checked(sized("1", "\"n + 23\"", "\"4*n\""));
  REQUIRE(record.findings.size() == 1);
  CHECK(record.findings[0].witness_symbols.at("n") == 8);
}

TEST_CASE("plan: written and read back the same", "[plan]") {
  const auto value = read_case_json(
      program(kExp, "y", kApart + "," + at("x", 0, 16, R"(, "lower": 0, "upper": 2, "inplace_of": "y")")));
  REQUIRE(value);
  const auto again = read_case_json(write_case_json(*value));
  REQUIRE(again);
  CHECK(value->plan->buffers.size() == 5);
  CHECK(again->plan == value->plan);
}

}  // namespace plan_test
