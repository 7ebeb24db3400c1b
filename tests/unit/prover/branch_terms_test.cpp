// Contents that a branch decides, as a question for the solver.
#include "src/certify/nonnegative.h"
#include "src/prover/smt.h"
#include "src/prover/solver.h"
#include "tests/catch.h"

namespace branch_terms_test {

using namespace noclobber;

namespace {

struct Asking {
  Space space = searching_space();
  Terms terms{space};
  TermId p = scalar("p"), q = scalar("q"), a = scalar("a"), b = scalar("b"), c = scalar("c");

  TermId scalar(const char* name) { return terms.intern({Term::Kind::scalar, 0, terms.text(name), {}, {}}); }
  /// `yes` where `is` is `value`, else `no`.
  TermId when(std::uint32_t value, TermId is, TermId yes, TermId no) {
    return terms.intern({Term::Kind::when, value, 0, {}, {is, yes, no}});
  }
  bool same(TermId x, TermId y) {
    const std::map<TermId, TermId> calls;
    const std::string script = SmtPrinter(space, terms, calls).differ(x, y);
    INFO(script);
    const auto kind = Solver().ask(script, 1'000'000).kind;
    REQUIRE(kind != SolverAnswer::Kind::none);
    return kind == SolverAnswer::Kind::unsat;
  }
};

}  // namespace

TEST_CASE("solver: a branch on the truth is one on its opposite with the arms the other way", "[solver]") {
  if (solver_version().empty()) {
    WARN("no solver found: its tests are skipped");
    return;
  }
  Asking t;
  const TermId yes = t.when(1, t.p, t.a, t.b);
  REQUIRE(yes != Terms::kBad);
  CHECK(t.same(yes, t.when(0, t.p, t.b, t.a)));
  CHECK_FALSE(t.same(yes, t.when(0, t.p, t.a, t.b)));
  CHECK_FALSE(t.same(yes, t.when(1, t.p, t.b, t.a)));
  CHECK_FALSE(t.same(yes, t.when(1, t.q, t.a, t.b)));
  CHECK_FALSE(t.same(yes, t.a));
  CHECK(t.same(t.when(1, t.p, t.a, t.a), t.a));
  // In an arm it is known how the branch was decided.
  CHECK(t.same(t.when(1, t.p, t.when(1, t.p, t.a, t.b), t.c), t.when(1, t.p, t.a, t.c)));
  CHECK(t.same(t.when(1, t.p, t.when(0, t.p, t.a, t.b), t.c), t.when(1, t.p, t.b, t.c)));
  CHECK_FALSE(t.same(t.when(1, t.p, t.when(1, t.q, t.a, t.b), t.c), t.when(1, t.p, t.a, t.c)));
}

}  // namespace branch_terms_test
