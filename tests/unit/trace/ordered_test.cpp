// `ordered` asks few pairs, in windows: against paths that are followed for every pair of touches.
#include <algorithm>

#include "src/fuzz/random.h"
#include "src/prover/nonnegative.h"
#include "src/trace/trace.h"
#include "tests/catch.h"

using namespace noclobber;
using fuzz::Random;

namespace {

constexpr std::int64_t kLength = 8;

/// All of a storage of 8 elements, or some of them in a row.
TraceView view_of(Space& space, StorageId storage, std::int64_t start, std::int64_t end) {
  TraceView out;
  out.storage = storage;
  out.shape = {space.constant(end - start)};
  out.type = "f32";
  if (start == 0 && end == kLength) return out;
  Map slice;
  slice.kind = Map::Kind::slice;
  slice.from = {space.constant(kLength)};
  slice.to = out.shape;
  slice.start = space.constant(start);
  slice.step = space.constant(1);
  out.maps = {slice};
  return out;
}

TraceView some_view(Space& space, const Trace& trace, Random& random) {
  const auto storage = static_cast<StorageId>(random.below(static_cast<std::int64_t>(trace.storages.size())));
  if (random.chance(50)) return view_of(space, storage, 0, kLength);
  const std::int64_t start = random.below(kLength), end = random.between(start + 1, kLength);
  return view_of(space, storage, start, end);
}

struct AllPairs {
  std::vector<std::vector<bool>> path;  // [earlier][later]
  std::vector<std::pair<std::uint32_t, std::uint32_t>> conflicts;

  AllPairs(Space& space, const Trace& trace, std::uint32_t steps) : path(steps, std::vector<bool>(steps)) {
    for (std::uint32_t a = steps; a-- > 0;)
      for (const auto& [from, to] : trace.edges)
        if (from == a && to < steps) {
          path[a][to] = true;
          for (std::uint32_t b = 0; b < steps; ++b) path[a][b] = path[a][b] || path[to][b];
        }
    for (const TraceStep& x : trace.steps)
      for (const TraceStep& y : trace.steps)
        if (x.origin < y.origin && disturb(space, x, y)) conflicts.emplace_back(x.origin, y.origin);
  }
  static bool disturb(Space& space, const TraceStep& x, const TraceStep& y) {
    const auto meet = [&](const auto& all, const auto& others) {
      return std::ranges::any_of(all, [&](const TraceView& a) {
        return std::ranges::any_of(others, [&](const TraceView& b) { return !apart(space, a, b); });
      });
    };
    return meet(x.writes, y.writes) || meet(x.reads, y.writes) || meet(x.writes, y.reads);
  }
  bool ordered() const {
    return std::ranges::all_of(conflicts, [&](const auto& pair) { return path[pair.first][pair.second]; });
  }
};

Trace random_trace(Space& space, Random& random) {
  Trace trace;
  trace.any_order = true;
  trace.storages.resize(static_cast<std::size_t>(random.between(1, 6)));
  for (TraceStorage& storage : trace.storages) storage.shape = {space.constant(kLength)};
  const auto steps = static_cast<std::uint32_t>(random.between(2, random.chance(20) ? 150 : 20));
  for (std::uint32_t k = 0; k < steps; ++k) {
    TraceStep step;
    step.origin = k;
    for (std::int64_t n = random.below(3); n > 0; --n) step.reads.push_back(some_view(space, trace, random));
    if (random.chance(40)) step.writes.push_back(some_view(space, trace, random));
    trace.steps.push_back(step);
  }
  return trace;
}

/// Most of the pairs that need an order get a way from one to the other, some of them through other steps.
void add_edges(Trace& trace, const AllPairs& all, Random& random) {
  const bool complete = random.chance(60);
  for (const auto& [a, b] : all.conflicts) {
    if (!complete && random.chance(2)) continue;
    const std::uint32_t between = b - a > 1 ? a + 1 + static_cast<std::uint32_t>(random.below(b - a - 1)) : b;
    trace.edges.emplace_back(a, between);
    if (between != b) trace.edges.emplace_back(between, b);
  }
  std::ranges::sort(trace.edges);
  const auto rest = std::ranges::unique(trace.edges);
  trace.edges.erase(rest.begin(), rest.end());
}

}  // namespace

TEST_CASE("the checker's pairs in windows say what paths between all pairs say", "[order]") {
  Random random(20261122);
  int yes = 0, no = 0;
  for (int round = 0; round < 400; ++round) {
    Space space = searching_space();
    Trace trace = random_trace(space, random);
    const auto steps = static_cast<std::uint32_t>(trace.steps.size());
    add_edges(trace, AllPairs(space, trace, steps), random);
    const AllPairs all(space, trace, steps);
    INFO("round " << round);
    REQUIRE(ordered(space, trace) == all.ordered());
    ++(all.ordered() ? yes : no);
    // Without one edge, and with one that leads back.
    for (int lost = 0; lost < 3 && !trace.edges.empty(); ++lost) {
      Trace less = trace;
      less.edges.erase(less.edges.begin() + random.below(static_cast<std::int64_t>(less.edges.size())));
      const bool right = AllPairs(space, less, steps).ordered();
      REQUIRE(ordered(space, less) == right);
      ++(right ? yes : no);
    }
    Trace back = trace;
    back.edges.emplace_back(steps - 1, 0);
    CHECK_FALSE(ordered(space, back));
  }
  CHECK(yes > 200);
  CHECK(no > 200);
}

TEST_CASE("a forged order of graph steps is not ordered by edges the other way round", "[order]") {
  Space space = searching_space();
  Trace trace;
  trace.any_order = true;
  trace.storages.resize(1);
  trace.storages[0].shape = {space.constant(kLength)};
  for (const std::uint32_t origin : {5U, 2U, 9U}) {
    TraceStep step;
    step.origin = origin;
    step.writes = {view_of(space, 0, 0, kLength)};
    trace.steps.push_back(step);
  }
  trace.edges = {{2, 5}, {5, 9}};  // listed: 5, 2, 9
  CHECK_FALSE(ordered(space, trace));
  std::swap(trace.steps[0], trace.steps[1]);
  CHECK(ordered(space, trace));
  trace.edges = {{2, 5}};  // nothing leads to the last one
  CHECK_FALSE(ordered(space, trace));
}
