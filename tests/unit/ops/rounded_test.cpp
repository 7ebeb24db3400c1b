// Rows of the table of identities that compute reals as doubles, held against float and double arithmetic.
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "src/ops/identities.h"
#include "tests/catch.h"

namespace rounded_test {

using namespace noclobber;

namespace {

template <typename Real>
using Native = std::function<Real(Real, Real)>;

template <typename Real>
std::map<std::string, Native<Real>> natives() {
  return {{"real-add", [](Real a, Real b) { return a + b; }},
          {"real-sub", [](Real a, Real b) { return a - b; }},
          {"real-mul", [](Real a, Real b) { return a * b; }},
          {"real-div", [](Real a, Real b) { return a * (Real{1} / b); }},
          {"real-neg", [](Real a, Real) { return -a; }},
          {"real-abs", [](Real a, Real) { return std::fabs(a); }},
          {"real-relu", [](Real a, Real) { return std::max(a, Real{0}); }},
          {"real-eq", [](Real a, Real b) { return Real(a == b); }},
          {"real-ne", [](Real a, Real b) { return Real(a != b); }},
          {"real-lt", [](Real a, Real b) { return Real(a < b); }},
          {"real-le", [](Real a, Real b) { return Real(a <= b); }},
          {"real-gt", [](Real a, Real b) { return Real(a > b); }},
          {"real-ge", [](Real a, Real b) { return Real(a >= b); }}};
}

/// How many results were compared.
template <typename Real>
int compare(const Identity& row, const Native<Real>& native) {
  std::mt19937_64 random(20261127);
  int compared = 0, wrong = 0;
  for (int k = 0; k < 20000; ++k) {
    const auto drawn = [&] {
      const auto mantissa = static_cast<double>(random() % (1ULL << 53U));
      const Real out = static_cast<Real>(std::ldexp(mantissa, static_cast<int>(random() % 40) - 70));
      return random() % 3 == 0 ? Real{0.5} * static_cast<Real>(random() % 9) : random() % 2 == 0 ? out : -out;
    };
    const Real a = drawn(), b = k % 5 == 0 ? a : drawn();
    const Real own = static_cast<Real>(row.compute(a, b));
    if (std::isnan(own)) continue;
    ++compared;
    const Real other = native(a, b);
    wrong += !(own == other && std::signbit(own) == std::signbit(other));
  }
  CHECK(wrong == 0);
  return compared;
}

}  // namespace

TEST_CASE("what is computed as doubles and rounded is what floats and doubles give", "[identities]") {
  int rows = 0;
  for (const Identity& row : identities()) {
    if (row.form != Identity::Form::rounds || row.exact.contains(Dtype::boolean)) continue;
    INFO(row.name);
    ++rows;
    const std::string name(row.name);
    REQUIRE(natives<float>().contains(name));
    CHECK(compare<float>(row, natives<float>()[name]) > 1000);
    CHECK(compare<double>(row, natives<double>()[name]) > 1000);
  }
  CHECK(rows == static_cast<int>(natives<float>().size()));
}

TEST_CASE("a third is nobody's half: quotients by what is no power of two are left alone", "[identities]") {
  const Identity* row = find_identity(Identity::Form::rounds, "aten.div");
  REQUIRE(row != nullptr);
  CHECK(std::isnan(row->compute(1, 3)));
  CHECK(std::isnan(row->compute(1, 0)));
  CHECK(row->compute(1, -4) == -0.25);
}

}  // namespace rounded_test
