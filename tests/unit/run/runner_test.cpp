#include "src/run/runner.h"

#include "tests/catch.h"

namespace runner_test {

using namespace noclobber;

namespace {

std::deque<Work> records(int count) {
  std::deque<Work> out;
  for (int k = 0; k < count; ++k) {
    Work& work = out.emplace_back();
    work.kind = k % 3 == 0 ? Work::Kind::error : k % 3 == 1 ? Work::Kind::record : Work::Kind::note;
    work.input = std::to_string(k);
    work.fault.message = "m";
  }
  return out;
}

}  // namespace

TEST_CASE("runner: outcomes come in the order of the work, once each", "[cli]") {
  for (const std::uint64_t jobs : {1, 2, 16}) {
    WorkSource source(records(500));
    RunnerOptions options;
    options.jobs = jobs;
    std::vector<std::string> seen;
    CHECK(run_all(source, options, [&](Outcome&& outcome) { seen.push_back(outcome.input); }));
    REQUIRE(seen.size() == 500);
    for (std::size_t k = 0; k < seen.size(); ++k) CHECK(seen[k] == std::to_string(k));
  }
}

TEST_CASE("runner: no work is no outcome", "[cli]") {
  WorkSource source(records(0));
  CHECK(run_all(source, {}, [](Outcome&&) { FAIL("nothing was given"); }));
}

TEST_CASE("runner: a check keeps its name and what was left unchecked", "[cli]") {
  std::deque<Work> works(1);
  works[0].input = "a.json";
  works[0].id = "tiny";
  works[0].what = "single";
  works[0].unchecked = {"plan"};
  WorkSource source(std::move(works));
  std::vector<Outcome> seen;
  CHECK(run_all(source, {}, [&](Outcome&& outcome) { seen.push_back(std::move(outcome)); }));
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].record.input == "a.json");
  CHECK(seen[0].record.id == "tiny");
  CHECK(seen[0].record.unchecked == std::vector<std::string>{"plan"});
  CHECK(!seen[0].record.version.empty());
}

}  // namespace runner_test
