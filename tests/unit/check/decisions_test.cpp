// What was decided before is decided again. A change is no fault by itself: who makes one renews the page
// with `build/bin/nc_tests --decisions > corpus/decisions.tsv`, and the review sees which verdicts and Traces
// moved.
#include "tests/support/decisions.h"

#include "src/prover/solver.h"
#include "tests/catch.h"
#include "tests/support/sample.h"

namespace decisions_test {

using namespace noclobber;

namespace {

constexpr const char* kSolver = "z3 5.4.0";  // others find other values, and ask something else next

/// Without the last two columns, where they are another solver's.
std::string of_this_solver(std::string line) {
  static const bool same = solver_version() == kSolver;
  for (int column = 0; column < 2 && !same; ++column) line.erase(line.rfind('\t'));
  return line;
}

#ifdef __clang__
constexpr bool kOtherCompiler = true;
#else
constexpr bool kOtherCompiler = false;
#endif

/// Of a row its first `count` columns.
std::string columns(const std::string& line, int count) {
  std::size_t end = 0;
  for (int column = 0; column < count && end != line.npos; ++column) end = line.find('\t', end + 1);
  return line.substr(0, end);
}

/// The page is gcc's. Where arguments are evaluated in another order other programs are drawn, and terms have
/// other numbers: what is decided of the same program is the same.
bool is_as_held(const std::string& now, const std::string& held) {
  constexpr int kText = 3, kWhy = 6;
  if (!kOtherCompiler) return of_this_solver(now) == of_this_solver(held);
  return columns(now, kText) != columns(held, kText) || columns(now, kWhy) == columns(held, kWhy);
}

void compare(const std::string& part, std::size_t at_least) {
  testing::Decisions held = testing::held_decisions(part);
  CHECK(held.size() >= at_least);
  std::size_t number = 0;
  std::erase_if(held, [&](const std::string&) { return !testing::is_sampled(number++); });
  const testing::Decisions now = testing::decided_again(held);
  for (std::size_t k = 0; k < held.size(); ++k) {
    INFO(now[k]);
    INFO(held[k]);
    CHECK(is_as_held(now[k], held[k]));
  }
}

}  // namespace

TEST_CASE("decisions: cases of the corpus", "[decisions]") { compare("cases", 200); }
TEST_CASE("decisions: cases of the corpus that come later", "[decisions]") { compare("later", 5); }
TEST_CASE("decisions: cases of Inductor's own output", "[decisions]") { compare("oneshot", 40); }
TEST_CASE("decisions: logs", "[decisions]") { compare("log", 50); }
TEST_CASE("decisions: folders of Thunder", "[decisions]") { compare("thunder", 100); }
TEST_CASE("decisions: programs alone", "[decisions]") { compare("program", 100); }
TEST_CASE("decisions: programs against graphs", "[decisions]") { compare("compared", 50); }
TEST_CASE("decisions: pairs", "[decisions]") { compare("pair", 100); }
TEST_CASE("decisions: pairs over symbols", "[decisions]") { compare("symbolic", 100); }
TEST_CASE("decisions: every order", "[decisions]") { compare("dataflow", 100); }
TEST_CASE("decisions: branches", "[decisions]") { compare("control", 100); }
TEST_CASE("decisions: loops", "[decisions]") { compare("loop", 100); }
TEST_CASE("decisions: plans", "[decisions]") { compare("plan", 100); }
TEST_CASE("decisions: annotations", "[decisions]") { compare("metadata", 100); }
TEST_CASE("decisions: operators that nobody runs", "[decisions]") { compare("foreign", 100); }
TEST_CASE("decisions: graphs that leave by a step", "[decisions]") { compare("leaving", 100); }
TEST_CASE("decisions: registers", "[decisions]") { compare("registers", 50); }
TEST_CASE("decisions: graphs alone", "[decisions]") { compare("alone", 50); }

}  // namespace decisions_test
