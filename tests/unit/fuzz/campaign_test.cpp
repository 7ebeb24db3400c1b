// The fuzzer finds what is wrong with a checker, and nothing wrong with this one.
#include "src/fuzz/campaign.h"

#include <iostream>

#include "src/check/check.h"
#include "src/formats/fx_text/fx_text.h"
#include "src/fuzz/explore.h"
#include "src/fuzz/logged.h"
#include "src/fuzz/reduce.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/torch_trace.h"
#include "tests/catch.h"
#include "tests/support/sample.h"

namespace campaign_test {

using namespace noclobber;

namespace {

fuzz::Checker this_checker() {
  fuzz::Checker out;
  out.check = [](const Case& value, fuzz::Way way, bool& alarm) {
    CheckOptions options;
    options.solver_only = way == fuzz::Way::by_solver;
    return check_case(value, options, alarm);
  };
  out.certificate = [](const Case&, Status) { return fuzz::Certified{}; };
  return out;
}

fuzz::Checker always(Status status) {
  fuzz::Checker out;
  out.check = [status](const Case&, fuzz::Way, bool&) {
    CheckRecord record;
    record.status = status;
    return record;
  };
  out.certificate = [](const Case&, Status) { return fuzz::Certified{}; };
  return out;
}

std::map<std::string, int> kinds_found(const fuzz::Checker& checker, std::uint64_t seeds) {
  std::map<std::string, int> out;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const auto& c : fuzz::examine(seed, checker, {0, 0, 0, 0, 0, 0, 0, 5}).contradictions) ++out[c.kind];
  return out;
}

}  // namespace

TEST_CASE("a checker that says one thing of everything contradicts runs, except by silence", "[fuzz]") {
  CHECK(kinds_found(always(Status::proved), 60)["proved-but-differs"] >= 5);
  CHECK(kinds_found(always(Status::refuted), 60)["refuted-but-sound"] >= 5);
  int by_log = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const auto& c : fuzz::examine(seed, always(Status::proved), {0, 0, 0, 0, 0, 1, 0, 5}).contradictions)
      by_log += c.kind == "log-proved-but-differs" ? 1 : 0;
  CHECK(by_log >= 3);
  CHECK(kinds_found(always(Status::unknown), 60).empty());
}

TEST_CASE("a proof under an assumption that the run shows false is no proof, and no contradiction",
          "[fuzz]") {
  constexpr std::uint64_t kSeed = 20002033934;  // strides of output 1 differ
  const auto examined = [](const std::string& assumption, fuzz::Score& score) {
    fuzz::Checker checker = always(Status::proved);
    checker.check = [&](const Case&, fuzz::Way, bool&) {
      CheckRecord record;
      record.status = Status::proved;
      record.assumptions = {assumption};
      return record;
    };
    fuzz::Examined one = fuzz::examine(kSeed, checker, {1, 0, 0, 0, 1, 0, 0, 5});  // with both other ways
    score.add(one);
    return one;
  };
  fuzz::Score assumed, other;
  const fuzz::Examined excused = examined(strides_assumed("output 1"), assumed);
  REQUIRE(excused.probe.difference.ends_with(": strides"));
  CHECK(excused.conditional);
  CHECK(excused.contradictions.empty());
  CHECK(assumed.classes[excused.probe.fault].proved == 0);
  CHECK(assumed.classes[excused.probe.fault].unknown == 1);
  const fuzz::Examined told = examined(strides_assumed("output 0"), other);
  CHECK_FALSE(told.conditional);
  CHECK(told.contradictions.size() >= 1);
  CHECK(other.classes[told.probe.fault].proved == 1);
}

TEST_CASE("random probes of every kind find nothing wrong", "[fuzz]") {
  fuzz::Score score;
  const std::uint64_t seeds = std::max<std::uint64_t>(testing::sampled(200), 50);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const fuzz::Examined one = fuzz::examine(seed, this_checker(), {16, 0, 16, 0, 16, 16, 0, 5});
    score.add(one);
    for (const auto& c : one.contradictions) {
      INFO("seed " << seed << " " << c.kind << " " << c.text);
      CHECK(c.kind == "");
    }
  }
  std::cout << "fuzz, " << seeds << " seeds: " << score.checks << " checks, " << score.operators.size()
            << " operator rows\n";
  CHECK(score.checks >= seeds / 2);
  CHECK(score.kinds.size() >= 5);
  CHECK(score.classes[""].proved * 10 >= score.classes[""].made * 7);
}

TEST_CASE("what a log says of a pair is read as it was, and a cut one as cut", "[fuzz]") {
  int whole = 0, cut = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto probe = fuzz::make_probe(seed);
    const std::string text = probe ? fuzz::log_of(probe->value) : "";
    if (text.empty()) continue;
    TraceLog log = read_torch_trace(text);
    REQUIRE(log.checks.size() == 1);
    log.checks[0].read();
    INFO(text);
    REQUIRE(log.checks[0].value);
    CHECK(write_fx_text(log.checks[0].value->after) == write_fx_text(probe->value.after));
    CHECK_FALSE(log.truncated);
    ++whole;
    fuzz::Random random(seed);
    const std::string part = fuzz::cut_log(text, random);
    cut += !part.empty() && read_torch_trace(part).truncated ? 1 : 0;
  }
  CHECK(whole >= 15);
  CHECK(cut >= 10);
}

TEST_CASE("the same seed makes the same probe", "[fuzz]") {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto a = fuzz::make_probe(seed), b = fuzz::make_probe(seed);
    REQUIRE(a.has_value() == b.has_value());
    if (!a) continue;
    ++compared;
    CHECK(fuzz::both_graphs(a->value) == fuzz::both_graphs(b->value));
    CHECK(a->difference == b->difference);
  }
  CHECK(compared >= 10);
}

TEST_CASE("a refuted probe is reduced to the same finding in less", "[fuzz]") {
  int reduced = 0;
  for (std::uint64_t seed = 1; seed <= 60 && reduced < 5; ++seed) {
    const auto probe = fuzz::make_probe(seed);
    if (!probe || probe->kind != fuzz::Probe::Kind::pair) continue;
    bool alarm = false;
    const CheckRecord first = check_case(probe->value, {}, alarm);
    if (first.status != Status::refuted) continue;
    const auto same = [&](const Case& value) {
      const CheckRecord record = check_case(value, {}, alarm);
      return record.status == Status::refuted && record.findings[0].rule == first.findings[0].rule;
    };
    const Case small = fuzz::reduce_case(probe->value, same, 120);
    INFO("seed " << seed << ": " << fuzz::size_of(probe->value).text() << " to "
                 << fuzz::size_of(small).text());
    CHECK(same(small));
    CHECK(fuzz::size_of(small).steps <= fuzz::size_of(probe->value).steps);
    reduced += fuzz::size_of(small).steps < fuzz::size_of(probe->value).steps ? 1 : 0;
  }
  CHECK(reduced >= 3);
}

TEST_CASE("all programs of two steps, all in-place choices, orders and plans", "[fuzz]") {
  const auto check = [](const Case& value) {
    bool alarm = false;
    return check_case(value, {}, alarm).status;
  };
  for (const int steps : {1, 2}) {
    if (!testing::is_sampled(static_cast<std::size_t>(steps) - 1)) continue;
    fuzz::Explorer explorer(check, [] { return true; });
    CHECK(explorer.rewrites(steps));
    CHECK(explorer.plans(steps, 2));
    std::cout << "exhaustive, " << steps << " steps: " << explorer.count().text() << "\n";
    for (const auto& [why, value] : explorer.wrong()) {
      INFO(why << "\n" << fuzz::both_graphs(value));
      CHECK(why == "");
    }
    for (const auto& [difference, value] : explorer.undecided())
      std::cout << "undecided\n" << fuzz::both_graphs(value);
    CHECK(explorer.count().alarms == 0);
    CHECK(explorer.count().open == 0);
    CHECK(explorer.count().shown == 0);
  }
}

TEST_CASE("the exhaustive scope catches a checker that proves everything", "[fuzz]") {
  fuzz::Explorer explorer([](const Case&) { return Status::proved; }, [] { return true; });
  CHECK(explorer.rewrites(2));
  const std::uint64_t rewrites = explorer.count().wrong;
  CHECK(rewrites >= 20);
  CHECK(explorer.plans(2, 2));
  CHECK(explorer.count().wrong > rewrites);
}

// What a seed makes depends on how many rows the table has: 400185 was found, and 1309.
TEST_CASE("seed 508951: a program that reads what is in flight is no sound one in any order", "[fuzz]") {
  const fuzz::Examined one = fuzz::examine(508951, this_checker(), {0, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(one.usable);
  CHECK((one.probe.value.dataflow && one.status == Status::refuted));
  CHECK(one.contradictions.empty());
  // It would be one if the program by itself read nothing in flight.
  fuzz::Checker wrong = always(Status::refuted);
  wrong.check = [](const Case& value, fuzz::Way, bool&) {
    CheckRecord record;
    record.status = value.before ? Status::refuted : Status::proved;
    if (value.before) record.findings.emplace_back().rule = "NC010";
    return record;
  };
  CHECK(fuzz::examine(508951, wrong, {0, 0, 0, 0, 0, 0, 0, 0}).contradictions.size() == 1);
}

TEST_CASE("seed 7522: a write of what an unwaited collective uses is refuted, and no contradiction",
          "[fuzz]") {
  const fuzz::Examined one = fuzz::examine(7522, this_checker(), {0, 0, 0, 0, 0, 0, 0, 0});
  REQUIRE(one.usable);
  CHECK(one.status == Status::refuted);
  REQUIRE_FALSE(one.record.findings.empty());
  CHECK(one.record.findings[0].rule == "NC010");
  CHECK(one.contradictions.empty());
  // The same answer about anything else is one.
  fuzz::Checker wrong = always(Status::refuted);
  wrong.check = [](const Case&, fuzz::Way, bool&) {
    CheckRecord record;
    record.status = Status::refuted;
    record.findings.emplace_back().rule = "NC001";
    return record;
  };
  CHECK(fuzz::examine(7522, wrong, {0, 0, 0, 0, 0, 0, 0, 0}).contradictions.size() == 1);
}

}  // namespace campaign_test
