#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/transitive_closure.hpp>
#include <chrono>
#include <cstdio>
#include <random>

#include "src/prover/order_reach.h"
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

TEST_CASE("how long questions of reachability take by hand, and by Boost.Graph", "[.reach-speed]") {
  constexpr std::uint32_t kCount = 2000;
  std::mt19937 random(3);
  Edges edges;  // as of a network: mostly of what was made a moment ago
  for (std::uint32_t k = 1; k < kCount; ++k)
    for (int operand = 0; operand < 2; ++operand)
      edges.emplace_back(k - 1 - random() % std::min(k, random() % 8 == 0 ? 400U : 6U), k);
  const auto graph = OrderGraph::of(kCount, edges);
  REQUIRE(graph.has_value());
  std::vector<OrderQuery> queries;
  for (std::uint32_t k = 1; k < kCount; ++k)
    for (int each = 0; each < 3; ++each) queries.push_back({static_cast<std::uint32_t>(random() % k), k});
  const auto seconds = [](const auto& run) {
    const auto start = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  using Plain = boost::compressed_sparse_row_graph<boost::directedS>;
  const Plain plain(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), kCount);
  std::vector<bool> own, searched, closed;
  const double by_hand = seconds([&] { own = ordered(*graph, queries); });
  const double search = seconds([&] {
    for (const OrderQuery& query : queries) {  // numbers are those of the listed order here
      std::vector<boost::default_color_type> seen(kCount);
      const auto colors =
          boost::make_iterator_property_map(seen.begin(), boost::get(boost::vertex_index, plain));
      boost::breadth_first_search(plain, query.first, boost::color_map(colors));
      searched.push_back(seen[query.second] != boost::white_color);
    }
  });
  const double closure_took = seconds([&] {
    boost::adjacency_list<> all, given(kCount);
    for (const auto& [from, to] : edges) boost::add_edge(from, to, given);
    boost::transitive_closure(given, all);
    std::vector<std::vector<bool>> later(kCount, std::vector<bool>(kCount));
    for (const auto& edge : boost::make_iterator_range(boost::edges(all)))
      later[boost::source(edge, all)][boost::target(edge, all)] = true;
    for (const OrderQuery& query : queries) closed.push_back(later[query.first][query.second]);
  });
  CHECK(own == searched);
  CHECK(own == closed);
  std::printf(
      "reach: %zu questions over %u steps: by hand %.4f s, by Boost.Graph a search each %.2f s, the closure "
      "%.2f s\n",
      queries.size(), kCount, by_hand, search, closure_took);
}

}  // namespace order_reach_test
