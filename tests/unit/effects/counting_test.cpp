// Sums of one number everywhere count up, as Inductor writes them: prims.iota times the number.
#include "tests/support/brute.h"
#include "tests/unit/effects/fx_traced.h"

namespace counting_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

const std::string kGiven = R"(x: "i64[2, 8]", s: "f32[2, 8]")";

CheckRecord checked(const std::string& before, const std::string& after) {
  bool contradiction = false;
  CheckRecord out = check_case(fx_pair(kGiven, before, after), {}, contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

std::string full(const std::string& value, const std::string& type = "int64") {
  return "f = aten.full.default([2, 8], " + value + ", dtype = torch." + type +
         ", device = device(type='cpu'), pin_memory = False)\n";
}

std::string summed(const std::string& rest) { return rest + "\nr = aten.add.Tensor(x, c)\nreturn (r,)"; }

std::string counted(int length, const std::string& first, const std::string& times,
                    const std::string& device = "cpu") {
  return "i = torch.ops.prims.iota.default(" + std::to_string(length) + ", start = " + first +
         ", step = 1, dtype = torch.int64, device = device(type='" + device +
         "'), requires_grad = False)\nm = aten.mul.Tensor(i, " + times + ")\n";
}

const std::string kAcross = "v = aten.view.default(m, [1, 8])\nc = aten.expand.default(v, [2, 8])";
const std::string kDown = "v = aten.view.default(m, [2, 1])\nc = aten.expand.default(v, [2, 8])";

/// No lemma shows the checker why sums count up: the row is assumed by name.
bool by_rows(const std::string& assumption) {
  return assumption.starts_with("calls are one by rows that nc-check is not shown: ") &&
         assumption.find("counted-sums") != std::string::npos;
}

}  // namespace

TEST_CASE("sums of one number everywhere count up", "[identities]") {
  // table: the sums, what Inductor makes of them
  const std::pair<std::string, std::string> pairs[] = {
      {full("1") + "c = aten.cumsum.default(f, 1)", counted(8, "1", "1") + kAcross},
      {full("1") + "c = aten.cumsum.default(f, -1)", counted(8, "1", "1") + kAcross},
      {full("1") + "c = aten.cumsum.default(f, 0)", counted(2, "1", "1") + kDown},
      {full("-3") + "c = aten.cumsum.default(f, 1)", counted(8, "1", "-3") + kAcross},
      {full("3", "int32") + "c = aten.cumsum.default(f, 1)", counted(8, "1", "3") + kAcross},
      {full("True", "bool") + "c = aten.cumsum.default(f, 1)", counted(8, "1", "True") + kAcross},
      {full("1", "int32") + "c = aten.cumsum.default(f, 1, dtype = torch.int64)",
       counted(8, "1", "1") + kAcross},
  };
  for (const auto& [sums, counting] : pairs) {
    INFO(sums << "\nand\n" << counting);
    const CheckRecord proved = checked(summed(sums), summed(counting));
    CHECK(proved.status == Status::proved);
    CHECK(std::ranges::any_of(proved.assumptions, by_rows));
    CHECK(checked(summed(counting), summed(sums)).status == Status::proved);
    CHECK(brute_force(fx_pair(kGiven, summed(sums), summed(counting))).difference.empty());
  }
}

TEST_CASE("sums count up by assumption alone", "[identities]") {
  const std::string sums = full("1") + "c = aten.cumsum.default(f, 1)";
  const Case pair = fx_pair(kGiven, summed(sums), summed(counted(8, "1", "1") + kAcross));
  bool contradiction = false;
  CheckOptions options;
  options.no_assumptions = true;
  CHECK(check_case(pair, options, contradiction).status == Status::unknown);
  const CheckRecord same = checked(summed(sums), summed(sums));
  CHECK(same.status == Status::proved);
  CHECK(std::ranges::none_of(same.assumptions, by_rows));
}

TEST_CASE("what counts otherwise is not the sums", "[identities]") {
  const std::string sums = full("1") + "c = aten.cumsum.default(f, 1)";
  const std::string written = full("1") + "w = aten.select.int(f, 1, 3)\ny = aten.fill_.Scalar(w, 5)\n";
  // table: before, after
  const std::pair<std::string, std::string> pairs[] = {
      {sums, counted(8, "0", "1") + kAcross},
      {sums, counted(8, "1", "2") + kAcross},
      {sums, counted(2, "1", "1") + kDown},
      {full("1") + "c = aten.cumsum.default(f, 0)", counted(8, "1", "1") + kAcross},
      {written + "c = aten.cumsum.default(f, 1)", counted(8, "1", "1") + kAcross},
      {full("1") + "c = aten.cumsum.default(f, 1)\nd = aten.mul_.Tensor(c, 2)",
       counted(8, "1", "1") + kAcross},
  };
  for (const auto& [before, after] : pairs) {
    INFO(before << "\nand\n" << after);
    CHECK(checked(summed(before), summed(after)).status == Status::refuted);
    CHECK_FALSE(brute_force(fx_pair(kGiven, summed(before), summed(after))).difference.empty());
  }
  CHECK(checked(summed(sums), summed(counted(8, "1", "1", "cuda") + kAcross)).status != Status::proved);
  const std::string narrow = full("100", "int8") + "c = aten.cumsum.default(f, 1, dtype = torch.int8)";
  CHECK(checked(summed(narrow), summed(counted(8, "1", "100") + kAcross)).status != Status::proved);
}

namespace {

/// As Inductor counts in reals: doubles, then the type of the sums.
std::string counted_real(const std::string& more, const std::string& times, const std::string& type) {
  return "i = torch.ops.prims.iota.default(8, start = 0, step = 1, dtype = torch.int64, device = "
         "device(type='cpu'), requires_grad = False)\nj = aten.mul.Tensor(i, 1)\nk = aten.add.Tensor(j, " +
         more +
         ")\nd = torch.ops.prims.convert_element_type.default(k, torch.float64)\nm = aten.mul.Tensor(d, " +
         times + ")\n" + "v = aten.view.default(m, [1, 8])\ne = aten.expand.default(v, [2, 8])\n" +
         "c = torch.ops.prims.convert_element_type.default(e, torch." + type + ")";
}

std::string divided(const std::string& rest) { return rest + "\nr = aten.div.Tensor(s, c)\nreturn (r,)"; }

}  // namespace

TEST_CASE("reals count up as long as they hold the sums", "[identities]") {
  // table: filled with, its type, more arguments of the sums, what Inductor makes of them
  struct Row {
    std::string value, type, more, after;
    std::string sums() const { return full(value, type) + "c = aten.cumsum.default(f, 1" + more + ")"; }
  };
  const Row proved[] = {{"1.0", "float32", "", counted_real("1", "1", "float32")},
                        {"-3.0", "float32", "", counted_real("1", "-3", "float32")},
                        {"True", "bool", ", dtype = torch.float32", counted_real("1", "1", "float32")},
                        {"2", "int64", ", dtype = torch.bfloat16", counted_real("1", "2", "bfloat16")}};
  for (const Row& row : proved) {
    INFO(row.sums() << "\nand\n" << row.after);
    CHECK(checked(divided(row.sums()), divided(row.after)).status == Status::proved);
    CHECK(brute_force(fx_pair(kGiven, divided(row.sums()), divided(row.after))).difference.empty());
  }
  // 256 is the greatest number up to which bf16 holds all; tenths round.
  const Row open[] = {{"64", "int64", ", dtype = torch.bfloat16", counted_real("1", "64", "bfloat16")},
                      {"0.1", "float32", "", counted_real("1", "0.1", "float32")},
                      {"1.0", "float32", "", counted_real("2", "1", "float32")},
                      {"1.0", "float32", "", counted_real("1", "2", "float32")}};
  for (const Row& row : open) {
    INFO(row.sums() << "\nand\n" << row.after);
    CHECK(checked(divided(row.sums()), divided(row.after)).status != Status::proved);
  }
}

}  // namespace counting_test
