// addmm is mm and a sum, under an assumption: which rewrites hold with it, and which do not.
#include "tests/support/brute.h"
#include "tests/unit/effects/fx_traced.h"

namespace sums_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

const std::string kGiven =
    R"(a: "f32[3, 4]", b: "f32[4, 5]", d: "f32[3, 4]", e: "f32[4, 5]", c: "f32[5]", w: "f32[3, 5]", s: "f32[3, 1]", )"
    R"(A: "f64[2, 3, 4]", B: "f64[2, 4, 5]", C: "f64[2, 3, 5]", v: "f32[4]", u: "f32[3]", x: "f32[2, 3]", h: "f64[5]", )"
    R"(i: "i64[3, 4]", j: "i64[4, 5]", k: "i64[5]", z: "f32[2, 5]", q: "f32[6, 4]")";

CheckRecord checked(const std::string& before, const std::string& after, bool no_assumptions = false) {
  INFO(before << "\nafter\n" << after);
  CheckOptions options;
  options.no_assumptions = no_assumptions;
  bool contradiction = false;
  CheckRecord out = check_case(fx_pair(kGiven, before, after), options, contradiction);
  CHECK_FALSE(contradiction);
  return out;
}

bool assumes_rounding(const CheckRecord& record) {
  return std::ranges::any_of(record.assumptions,
                             [](const std::string& a) { return a.ends_with("and a sum, but for rounding"); });
}

/// Both ways: fused, and written apart.
void holds(const std::string& apart, const std::string& fused) {
  for (const bool fuses : {true, false}) {
    const std::string &before = fuses ? apart : fused, &after = fuses ? fused : apart;
    const CheckRecord record = checked(before, after);
    CHECK(record.status == Status::proved);
    CHECK(assumes_rounding(record));
    CHECK(checked(before, after, true).status == Status::unknown);
    const BruteForce run = brute_force(fx_pair(kGiven, before, after));
    INFO(before << "\nafter\n" << after << run.difference);
    CHECK(run.difference.empty());  // numbers so small do not round
  }
}

const std::string kProduct = "m = aten.mm.default(a, b)\n";
const std::string kSum = kProduct + "r = aten.add.Tensor(m, c)\nreturn (r,)";
const std::string kFused = "r = aten.addmm.default(c, a, b)\nreturn (r,)";

}  // namespace

TEST_CASE("a product and a sum are fused, and written apart", "[identities]") {
  // table: written apart, fused
  const std::pair<std::string, std::string> pairs[] = {
      {kSum, kFused},
      {kProduct + "r = aten.add.Tensor(c, m)\nreturn (r,)", kFused},
      {kProduct + "r = aten.add.Tensor(m, s)\nreturn (r,)", "r = aten.addmm.default(s, a, b)\nreturn (r,)"},
      {kProduct + "r = aten.add_.Tensor(m, c)\nreturn (r,)", kFused},
      {kProduct + "g = aten.clone.default(w)\nr = aten.add_.Tensor(g, m)\nreturn (g,)",
       "r = aten.addmm.default(w, a, b)\nreturn (r,)"},
      {"m = aten.bmm.default(A, B)\nr = aten.add.Tensor(m, C)\nreturn (r,)",
       "r = aten.baddbmm.default(C, A, B)\nreturn (r,)"},
      {"m = aten.mv.default(a, v)\nr = aten.add.Tensor(u, m)\nreturn (r,)",
       "r = aten.addmv.default(u, a, v)\nreturn (r,)"},
      {"m = aten.mm.default(i, j)\nr = aten.add.Tensor(m, k)\nreturn (r,)",
       "r = aten.addmm.default(k, i, j)\nreturn (r,)"},
      {"n = aten.mm.default(d, e)\n" + kProduct + "r = aten.add.Tensor(m, n)\nreturn (r,)",
       "n = aten.mm.default(d, e)\nr = aten.addmm.default(n, a, b)\nreturn (r,)"},
      {"n = aten.mm.default(d, e)\n" + kProduct + "r = aten.add.Tensor(m, n)\nreturn (r,)",
       kProduct + "r = aten.addmm.default(m, d, e)\nreturn (r,)"},
  };
  for (const auto& [apart, fused] : pairs) holds(apart, fused);
}

TEST_CASE("what is added is what was meant, whoever fuses it", "[identities]") {
  // table: before, after
  const std::pair<std::string, std::string> pairs[] = {
      {kSum, "r = aten.addmm.default(s, a, b)\nreturn (r,)"},              // something else is added
      {kSum, "r = aten.addmm.default(c, d, b)\nreturn (r,)"},              // something else is multiplied
      {kSum, "r = aten.addmm.default(c, a, e)\nreturn (r,)"},              // by something else
      {kSum, "r = aten.addmm.default(c, a, b, beta = 2)\nreturn (r,)"},    // scaled
      {kSum, "r = aten.addmm.default(c, a, b, alpha = -1)\nreturn (r,)"},  // turned
      {kProduct + "r = aten.sub.Tensor(m, c)\nreturn (r,)", kFused},       // subtracted
      {kProduct + "r = aten.sub.Tensor(c, m)\nreturn (r,)", kFused},       // the other way round
      {kProduct + "r = aten.add.Tensor(m, c, alpha = 3)\nreturn (r,)", kFused},  // a multiple of it
      {kProduct + "g = aten.clone.default(c)\nt = aten.mul_.Tensor(g, 2)\nr = aten.add.Tensor(m, g)\n"
                  "return (r,)",
       kFused},  // what the summand held before
      {"r = aten.addmm.default(z, q, b)\nreturn (r,)",
       "r = aten.addmm.default(z, q, b)\nreturn (r,)"},  // no fit
  };
  for (const auto& [before, after] : pairs) {
    CHECK(checked(before, after).status != Status::proved);
    CHECK(checked(after, before).status != Status::proved);
    CHECK((before == after || !brute_force(fx_pair(kGiven, before, after)).difference.empty()));
  }
}

TEST_CASE("a summand that is overwritten before it is added is another one", "[identities]") {
  const std::string early = kProduct +
                            "g = aten.clone.default(w)\nr = aten.add.Tensor(m, g)\n"
                            "t = aten.zero_.default(g)\nreturn (r, g)";
  const std::string late =
      "g = aten.clone.default(w)\nt = aten.zero_.default(g)\n"
      "r = aten.addmm.default(g, a, b)\nreturn (r, g)";
  const std::string right =
      "g = aten.clone.default(w)\nr = aten.addmm.default(g, a, b)\n"
      "t = aten.zero_.default(g)\nreturn (r, g)";
  CHECK(checked(early, right).status == Status::proved);
  CHECK(checked(early, late).status != Status::proved);
}

TEST_CASE("what both graphs fuse needs no assumption", "[identities]") {
  const CheckRecord same = checked(kFused, kFused);
  CHECK(same.status == Status::proved);
  CHECK_FALSE(assumes_rounding(same));
  const std::string mixed = "r = aten.addmm.default(h, a, b)\nreturn (r,)";  // PyTorch raises
  CHECK(checked(kSum, mixed).status != Status::proved);
}

TEST_CASE("a summand that is larger than the product is refused by one, and spread by the other",
          "[identities]") {
  const std::string sum = "m = aten.mv.default(a, v)\nr = aten.add.Tensor(m, x)\nreturn (r,)";
  CHECK(checked(sum, "r = aten.addmv.default(x, a, v)\nreturn (r,)").status != Status::proved);
  CHECK(checked("return (a,)", "r = aten.addmv.default(x, a, v)\nreturn (a,)").status != Status::proved);
}

// From forward and backward of lstm_gru_train, two terms of one sum exchanged: behind an operator without a
// kernel the run saw other payloads of NaN, and took them for other numbers.
TEST_CASE("a sum of two NaN is NaN in either order, also to an operator without a kernel", "[identities]") {
  const std::string given = R"(x: "f32[2, 60]", w: "f32[60, 60]", c: "f32[2, 60]")";
  const auto pair = [&](const std::string& sum) {
    const auto made = [](const std::string& name, const std::string& call) {
      return name + ": \"f32[2, 60][60, 1]cpu\" = aten." + call + "\n";
    };
    const std::string terms = made("m", "mm.default(x, w)") + made("z", "sub.Tensor(c, c)") +
                              made("n", "div.Tensor(z, z)") + made("f", "addmm.default(c, x, w)");
    const std::string rest = made("d", "digamma.default(r)") + "return (d, f)";
    return fx_pair(given, terms + made("r", "add.Tensor(m, n)") + rest, terms + made("r", sum) + rest);
  };
  CheckOptions options;
  options.run = CheckOptions::Runs::always;
  bool contradiction = false;
  const CheckRecord record = check_case(pair("add.Tensor(n, m)"), options, contradiction);
  CHECK(record.status == Status::proved);
  CHECK(record.ran);
  CHECK_FALSE(contradiction);
  CHECK(check_case(pair("sub.Tensor(n, m)"), options, contradiction).status != Status::proved);
}

}  // namespace sums_test
