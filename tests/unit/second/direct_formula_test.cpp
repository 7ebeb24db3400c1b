// Integers of the second engine against plain arithmetic.
#include "src/second/direct_formula.h"

#include "src/prover/solver.h"
#include "src/second/direct_print.h"
#include "tests/catch.h"
#include "tests/support/formula_value.h"
#include "tests/support/generator.h"

namespace direct_formula_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

using At = std::map<std::string, std::int64_t>;

/// A random integer, and what it is at given values.
struct Sample {
  FormulaId formula = Formulas::kBad;
  std::int64_t value = 0;
};

/// i < 4, j < s, 2 <= s <= 6.
struct Variables {
  Formulas f;
  FormulaId s, i, j;
  explicit Variables(bool glances) : f(glances) {
    s = f.variable("s", 2, 6);
    i = f.index("i", f.number(4));
    j = f.index("j", s);
  }
};

Sample random_integer(Variables& v, Random& random, const At& at, int depth) {
  Formulas& f = v.f;
  const std::int64_t which = depth == 0 ? random.below(4) : random.below(7);
  const auto part = [&] { return random_integer(v, random, at, depth - 1); };
  if (which == 0) return {v.s, at.at("s")};
  if (which == 1) return {v.i, at.at("i")};
  if (which == 2) return {v.j, at.at("j")};
  if (which == 3) {
    const std::int64_t n = random.between(-9, 9);
    return {f.number(n), n};
  }
  const Sample a = part();
  if (which == 4) {
    const Sample b = part();
    return {f.add(a.formula, b.formula), a.value + b.value};
  }
  if (which == 5) {
    const Sample b = part();
    return {f.multiply(a.formula, b.formula), a.value * b.value};
  }
  if (random.chance(30)) return {f.quotient(a.formula, v.s), floor_quotient(a.value, at.at("s"))};
  const std::int64_t by = random.between(1, 7);
  return {f.quotient(a.formula, f.number(by)), floor_quotient(a.value, by)};
}

std::vector<At> all_values() {
  std::vector<At> out;
  for (std::int64_t s = 2; s <= 6; ++s)
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < s; ++j) out.push_back({{"s", s}, {"i", i}, {"j", j}});
  return out;
}

}  // namespace

TEST_CASE("sums, products and quotients have the values of plain arithmetic", "[direct]") {
  for (const bool glances : {false, true})
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      Variables v(glances);
      const auto values = all_values();
      Random random(seed);
      const At at = values[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(values.size())))];
      const Sample sample = random_integer(v, random, at, 4);
      REQUIRE(sample.formula != Formulas::kBad);
      INFO("seed " << seed);
      CHECK(value_of(v.f, sample.formula, at) == sample.value);
    }
}

TEST_CASE("what is plain to see holds everywhere", "[direct]") {
  int seen = 0, true_everywhere = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Variables v(true);
    Random random(seed + 50000);
    const auto values = all_values();
    const Sample sample = random_integer(v, random, values[0], 3);
    bool holds = true;
    for (const At& at : values) holds = holds && value_of(v.f, sample.formula, at) >= 0;
    const bool glance = v.f.surely_nonnegative(sample.formula);
    INFO("seed " << seed);
    CHECK_FALSE((glance && !holds));
    CHECK(v.f.at_least_zero(sample.formula) != (holds ? v.f.truth(false) : v.f.truth(true)));
    CHECK(v.f.zero(sample.formula) != Formulas::kBad);
    seen += glance ? 1 : 0;
    true_everywhere += holds ? 1 : 0;
  }
  CHECK(seen * 2 >= true_everywhere);
}

TEST_CASE("without glances only numbers have a sign", "[direct]") {
  Variables v(false);
  CHECK_FALSE(v.f.surely_nonnegative(v.i));
  CHECK(v.f.surely_nonnegative(v.f.number(3)));
  CHECK(Variables(true).f.surely_nonnegative(Variables(true).i));
}

TEST_CASE("an overflow is bad, and so is all that is made of it", "[direct]") {
  Formulas f;
  const FormulaId big = f.multiply(f.number(INT64_MAX), f.variable("x", 0, std::nullopt));
  CHECK(f.add(big, big) == Formulas::kBad);
  CHECK(f.multiply(big, f.number(2)) == Formulas::kBad);
  CHECK(f.equal(f.add(big, big), big) == Formulas::kBad);
  CHECK(f.same(f.call("x", {f.add(big, big)}), f.call("x", {big})) == Formulas::kBad);
  CHECK(f.quotient(big, f.number(0)) == Formulas::kBad);
  DirectScript script(f);
  script.require(f.all({f.truth(true), Formulas::kBad}));
  CHECK(script.text().empty());
}

TEST_CASE("what is printed means what is computed", "[direct][solver]") {
  if (solver_version().empty()) {
    WARN("no solver found: its tests are skipped");
    return;
  }
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Variables v(false);
    Random random(seed + 900);
    const auto values = all_values();
    const At at = values[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(values.size())))];
    const Sample sample = random_integer(v, random, at, 3);
    for (const std::int64_t off : {0, 1}) {
      DirectScript script(v.f);
      for (const auto& [name, variable] : {std::pair{"s", v.s}, {"i", v.i}, {"j", v.j}})
        script.require(v.f.equal(variable, v.f.number(at.at(name))));
      script.require(v.f.equal(sample.formula, v.f.number(sample.value + off)));
      INFO(script.text());
      CHECK(Solver().ask(script.text(), 1'000'000).kind ==
            (off == 0 ? SolverAnswer::Kind::sat : SolverAnswer::Kind::unsat));
    }
  }
}

}  // namespace direct_formula_test
