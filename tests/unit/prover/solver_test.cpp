// The solver as a witness that may be silent but is never misunderstood.
#include "src/prover/solver.h"

#include <atomic>
#include <csignal>
#include <thread>

#include "src/certify/nonnegative.h"
#include "src/effects/effects.h"
#include "src/formats/case/case_json.h"
#include "src/prover/prover.h"
#include "tests/catch.h"
#include "tests/support/generator.h"
#include "tests/support/trace_run.h"
#include "tests/support/traced.h"

namespace solver_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

constexpr std::uint64_t kEffort = 1'000'000;
using Kind = SolverAnswer::Kind;

/// Too hard for any small effort: a product of two unknowns, both above one, that is a large prime.
const char* const kHard =
    "(declare-const p Int)(declare-const q Int)(assert (> p 1))(assert (> q 1))(assert (= (* p q q) (+ (* q "
    "p 1000003) 1000000007)))";

}  // namespace

TEST_CASE("unsat, sat and silence", "[solver]") {
  if (solver_version().empty()) {
    WARN("no solver found: its tests are skipped");
    return;
  }
  CHECK(solver_version().rfind("z3 ", 0) == 0);
  CHECK(Solver().ask("(declare-const i Int)(assert (and (< i 0) (> i 0)))", kEffort).kind == Kind::unsat);
  const SolverAnswer sat = Solver().ask("(declare-const i Int)(assert (and (> i 6) (< i 8)))", kEffort);
  CHECK(sat.kind == Kind::sat);
  CHECK(sat.model == std::map<std::string, std::int64_t>{{"i", 7}});
  const SolverAnswer large =
      Solver().ask("(declare-const i Int)(assert (> i 99999999999999999999999999))", kEffort);
  CHECK(large.kind == Kind::sat);
  CHECK(large.model.empty());
}

TEST_CASE("what is no question has no answer", "[solver]") {
  for (const char* text : {"(assert", "garbage", "(assert undeclared)",
                           "(declare-const i Int)(assert (+ i 1))", ")", "\x01\xff"}) {
    INFO(text);
    CHECK(Solver().ask(text, kEffort).kind == Kind::none);
  }
}

TEST_CASE("an effort that does not suffice is silence", "[solver]") {
  CHECK(Solver().ask(kHard, 10).kind == Kind::none);
  CHECK(Solver().ask(kHard, 10).model.empty());
}

/// Two questions at once would put back each other's handler, and one of the solver's would stay: a Ctrl-C
/// in a campaign of several threads was lost that way.
TEST_CASE("a question leaves the handler of Ctrl-C alone", "[solver]") {
  if (solver_version().empty()) {
    WARN("no solver found: its tests are skipped");
    return;
  }
  const auto handler = [] {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    return now.sa_handler;
  };
  const auto own = handler();
  std::atomic<bool> is_over{false};
  std::uint64_t other = 0, looks = 0;
  std::thread watcher([&] {
    for (; !is_over.load(); ++looks) other += handler() != own ? 1 : 0;
  });
  for (int k = 0; k < 200; ++k) Solver().ask(kHard, 10);  // Z3 4.8 ignores larger limits here: 60 s each
  is_over.store(true);
  watcher.join();
  CHECK(looks > 0);
  CHECK(other == 0);
}

TEST_CASE("the solver claims no equality that a run of the Traces contradicts", "[solver]") {
  int asked = 0;
  for (std::uint64_t seed = 1; seed <= 60 && asked < 25; ++seed) {
    Random random(seed + 70000);
    const Draft before = random_program(random, false);
    const auto after = damaged(before, static_cast<Fault>(seed % kFaults), random);
    if (!after) continue;
    Space space = searching_space();
    Sizes sizes(space);
    const auto ops = make_op_set({});
    const Traced traced = trace_case(pair_of_drafts(before, *after), *ops, sizes);
    if (!traced.before->unknown.empty() || !traced.after.unknown.empty()) continue;
    const TraceRun a = run_trace(space, *traced.before, {}, 1), b = run_trace(space, traced.after, {}, 2);
    if (!a.usable || !b.usable) continue;
    Terms terms{space};
    Rules rules(space, terms, &*traced.before, traced.after, {});
    const auto all = enumerate(&*traced.before, traced.after, {});
    Questions questions(200'000);
    const Solved solved = solve(space, terms, rules, decide(rules, all, {}).open, questions);
    ++asked;
    for (const Obligation& o : solved.shown) {
      INFO("seed " << seed);
      REQUIRE((o.kind == Obligation::Kind::value || o.kind == Obligation::Kind::exit));
      if (o.kind == Obligation::Kind::value) CHECK(a.outputs[o.a] == b.outputs[o.a]);
      if (o.kind == Obligation::Kind::exit)
        CHECK(a.exits.at(traced.after.storages[o.a].key) == b.exits.at(traced.after.storages[o.a].key));
    }
  }
  CHECK(asked == 25);
}

TEST_CASE("no solver is asked whether different operators agree; behind a choice one is", "[solver]") {
  struct Said {
    bool hopeless;
    std::uint64_t asked;
  };
  const auto solved = [](const std::string& after) {
    const std::string x = R"("inputs":[{"name":"x","type":{"dtype":"f32","shape":["n"]}}],)";
    const std::string sine = R"({"name":"v","op":"aten.sin.default","args":[{"ref":"x"}]})";
    const std::string rest = R"(,"outputs":[{"ref":"v"}]})";
    const auto value =
        read_case_json(R"({"format":"noclobber.case/1","name":"t","symbols":{"n":{"min":2}},"before":{)" + x +
                       "\"steps\":[" + sine + "]" + rest + ",\"after\":{" + x + after + rest + "}");
    REQUIRE(value);
    Modelled m;
    REQUIRE(model(*value, m));
    Terms terms(m.space);
    Rules rules(m.space, terms, &*m.traced.before, m.traced.after, m.boundary);
    const auto all = enumerate(&*m.traced.before, m.traced.after, m.boundary);
    Questions questions;
    const Solved out = solve(m.space, terms, rules, decide(rules, all, {}).open, questions);
    CHECK(out.shown.empty());
    return Said{out.hopeless, questions.asked()};
  };
  const Said cosine = solved(R"("steps":[{"name":"v","op":"aten.cos.default","args":[{"ref":"x"}]}])");
  CHECK(cosine.hopeless);
  CHECK(cosine.asked == 0);
  const Said part = solved(R"("steps":[{"name":"v","op":"aten.sin.default","args":[{"ref":"x"}]},)"
                           R"({"name":"p","op":"aten.slice.Tensor","args":[{"ref":"v"},0,1,2,1]},)"
                           R"({"name":"w","op":"aten.zero_.default","args":[{"ref":"p"}]}])");
  CHECK_FALSE(part.hopeless);
  CHECK(part.asked > 0);
}

}  // namespace solver_test
