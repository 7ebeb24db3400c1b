#include <random>

#include "src/prover/order_graph.h"
#include "tests/catch.h"

namespace order_reach_test {

using namespace noclobber;

namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// later[a][b]: a path leads from a to b.
std::vector<std::vector<bool>> closure(std::uint32_t count, const Edges& edges) {
  std::vector<std::vector<bool>> later(count, std::vector<bool>(count, false));
  for (const auto& [from, to] : edges) later[from][to] = true;
  for (std::uint32_t m = 0; m < count; ++m)
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = 0; later[a][m] && b < count; ++b)
        if (later[m][b]) later[a][b] = true;
  return later;
}

}  // namespace

TEST_CASE("what must run before what agrees with the closure", "[order]") {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    const std::uint32_t count = 2 + random() % 60;
    std::vector<std::uint32_t> place(count);  // edges follow a hidden order, not the listed one
    for (std::uint32_t k = 0; k < count; ++k) place[k] = k;
    if (round % 2 == 1) std::shuffle(place.begin(), place.end(), random);
    Edges edges;
    for (std::uint32_t k = 0; k < count * 2; ++k) {
      const std::uint32_t a = random() % count, b = random() % count;
      if (a != b) edges.emplace_back(place[std::min(a, b)], place[std::max(a, b)]);
    }
    const auto graph = OrderGraph::of(count, edges);
    REQUIRE(graph.has_value());
    const auto later = closure(count, edges);
    std::vector<OrderQuery> queries;
    std::vector<bool> meant;
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = 0; b < count; ++b) {
        if (graph->number(a) >= graph->number(b)) continue;
        queries.push_back({graph->number(a), graph->number(b)});
        meant.push_back(later[a][b]);
      }
    CHECK(ordered(*graph, queries) == meant);
  }
}

TEST_CASE("more targets than one pass takes", "[order]") {
  constexpr std::uint32_t kCount = 3000;
  Edges edges;  // two chains, joined once
  for (std::uint32_t k = 2; k < kCount; ++k) edges.emplace_back(k - 2, k);
  edges.emplace_back(1000, 2001);
  const auto graph = OrderGraph::of(kCount, edges);
  REQUIRE(graph.has_value());
  std::vector<OrderQuery> queries;
  for (std::uint32_t k = 0; k + 1 < kCount; ++k) queries.push_back({k, k + 1});
  for (std::uint32_t k = 2; k < kCount; k += 7) queries.push_back({0, k});
  const std::vector<bool> answers = ordered(*graph, queries);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    const auto [a, b] = queries[k];
    const bool joined = a % 2 == 0 && b % 2 == 1 && a <= 1000 && b >= 2001;
    CHECK(answers[k] == (a % 2 == b % 2 || joined));
  }
}

TEST_CASE("a circle has no order", "[order]") {
  CHECK_FALSE(OrderGraph::of(3, {{0, 1}, {1, 2}, {2, 0}}).has_value());
  CHECK(OrderGraph::of(3, {{2, 1}, {1, 0}}).has_value());
}

}  // namespace order_reach_test
