// Covers by flow against covers by trying all.
#include "src/advise/clone_cover.h"

#include "src/fuzz/random.h"
#include "tests/catch.h"

namespace clone_cover_test {

using namespace noclobber;

namespace {

/// The least cost of any set of ends that meets every hazard; kNever if there is none.
std::uint64_t least_cost(const HazardGraph& graph) {
  const std::size_t values = graph.keep_cost.size(), all = values + graph.write_cost.size();
  std::uint64_t best = kNever;
  for (std::uint64_t chosen = 0; chosen < (std::uint64_t{1} << all); ++chosen) {
    const auto has = [&](std::size_t k) { return ((chosen >> k) & 1U) != 0; };
    bool covers = true, possible = true;
    std::uint64_t cost = 0;
    for (const auto& [value, write] : graph.hazards) covers = covers && (has(value) || has(values + write));
    for (std::size_t k = 0; k < all; ++k) {
      const std::uint64_t one = k < values ? graph.keep_cost[k] : graph.write_cost[k - values];
      if (has(k)) possible = possible && one < kNever, cost += one < kNever ? one : 0;
    }
    if (covers && possible) best = std::min(best, cost);
  }
  return best;
}

HazardGraph random_hazards(fuzz::Random& random) {
  HazardGraph out;
  const auto cost = [&] {
    return random.chance(15) ? kNever : static_cast<std::uint64_t>(random.below(6)) * 4;
  };
  for (std::int64_t k = random.between(1, 6); k > 0; --k) out.keep_cost.push_back(cost());
  for (std::int64_t k = random.between(1, 6); k > 0; --k) out.write_cost.push_back(cost());
  for (std::int64_t k = random.between(1, 12); k > 0; --k)
    out.hazards.emplace_back(random.place_in(out.keep_cost), random.place_in(out.write_cost));
  return out;
}

}  // namespace

TEST_CASE("a cover by flow costs as little as any", "[repair]") {
  fuzz::Random random(7);
  int impossible = 0;
  for (int round = 0; round < 3000; ++round) {
    const HazardGraph graph = random_hazards(random);
    const CloneCover cover = cheapest_cover(graph);
    const std::uint64_t best = least_cost(graph);
    INFO("round " << round);
    REQUIRE(cover.possible == (best < kNever));
    impossible += cover.possible ? 0 : 1;
    if (!cover.possible) continue;
    REQUIRE(cover.bytes == best);
    for (const auto& [value, write] : graph.hazards)
      REQUIRE((cover.keep.contains(value) || cover.write.contains(write)));
  }
  CHECK(impossible > 0);
}

TEST_CASE("one large value beside many small writes, and the other way round", "[repair]") {
  const HazardGraph wide{{64}, {8, 8, 8}, {{0, 0}, {0, 1}, {0, 2}}};
  CHECK(cheapest_cover(wide).write == std::set<std::size_t>{0, 1, 2});
  const HazardGraph narrow{{16}, {8, 8, 8}, {{0, 0}, {0, 1}, {0, 2}}};
  CHECK(cheapest_cover(narrow).keep == std::set<std::size_t>{0});
  CHECK(cheapest_cover({}).bytes == 0);
}

}  // namespace clone_cover_test
