#include "src/plan/sweep.h"

#include <random>

#include "tests/catch.h"

namespace sweep_test {

using namespace noclobber;

TEST_CASE("sweep: each accepted pair sits next to a refused twin", "[plan]") {
  struct Row {
    const char* why;
    Placement a, b;
    bool meet;
  };
  const std::vector<Row> rows = {
      {"bytes that touch", {0, 0, 8, 0, 4}, {0, 8, 8, 0, 4}, false},
      {"bytes, off by one", {0, 0, 9, 0, 4}, {0, 8, 8, 0, 4}, true},
      {"times that touch", {0, 0, 8, 0, 4}, {0, 0, 8, 4, 6}, false},
      {"times, off by one", {0, 0, 8, 0, 5}, {0, 0, 8, 4, 6}, true},
      {"two arenas", {0, 0, 8, 0, 4}, {1, 0, 8, 0, 4}, false},
      {"no bytes", {0, 4, 0, 0, 4}, {0, 0, 8, 0, 4}, false},
      {"one byte inside", {0, 4, 1, 0, 4}, {0, 0, 8, 0, 4}, true},
      {"no life", {0, 0, 8, 2, 2}, {0, 0, 8, 0, 4}, false},
  };
  for (const Row& row : rows) {
    INFO(row.why);
    CHECK(sweep(std::vector{row.a, row.b}, {}).clash.has_value() == row.meet);
    CHECK(sweep(std::vector{row.b, row.a}, {}).clash.has_value() == row.meet);
    CHECK(all_meetings(std::vector{row.a, row.b}).size() == (row.meet ? 1 : 0));
  }
}

TEST_CASE("sweep: agrees with all pairs, and neighbours are evidence", "[plan]") {
  std::mt19937 random(7);
  int clashes = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<Placement> all;
    for (unsigned k = 0; k < 2 + random() % 6; ++k) {
      Placement one;
      one.arena = random() % 2;
      one.offset = random() % 12;
      one.size = random() % 5;
      one.first = random() % 6;
      one.last = one.first + random() % 4;
      all.push_back(one);
    }
    const SweepAnswer answer = sweep(all, {});
    const auto meetings = all_meetings(all);
    REQUIRE(answer.clash.has_value() == !meetings.empty());
    if (answer.clash) {
      ++clashes;
      CHECK(std::find(meetings.begin(), meetings.end(), *answer.clash) != meetings.end());
      continue;
    }
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (answer.below[k] == SweepAnswer::kNone) continue;
      const Placement& lower = all[answer.below[k]];
      CHECK((lower.arena == all[k].arena && lower.end() <= all[k].offset && meet_in_time(lower, all[k])));
    }
  }
  CHECK(clashes > 300);
  CHECK(clashes < 2700);
}

TEST_CASE("sweep: who takes over must take over everything it meets", "[plan]") {
  const Placement dying{0, 0, 8, 0, 3}, born{0, 0, 8, 2, 5}, third{0, 4, 8, 2, 5};
  SweepHooks hooks;
  hooks.takes_over = [](std::uint32_t a, std::uint32_t b) { return a == 0 && b == 1; };
  CHECK_FALSE(sweep(std::vector{dying, born}, hooks).clash);
  CHECK(sweep(std::vector{dying, born}, {}).clash);
  CHECK(sweep(std::vector{dying, born, third}, hooks).clash);
  const Placement aside{0, 8, 4, 2, 5}, small{0, 0, 4, 2, 5}, rest{0, 4, 4, 2, 5};
  CHECK_FALSE(sweep(std::vector{dying, born, aside}, hooks).clash);
  CHECK(sweep(std::vector{dying, small, rest}, hooks).clash);  // `rest` meets what `small` took over in part
}

}  // namespace sweep_test
