// What steps do to the storages they touch: one fault of each kind beside what is right, and just so.
#include <algorithm>

#include "src/prover/nonnegative.h"
#include "src/values/obligation.h"
#include "tests/catch.h"

using namespace noclobber;

namespace {

using Kind = Obligation::Kind;
using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// A Trace of storages of 4 elements, storage 0 an input.
struct Touching {
  Space space = searching_space();
  Shape four{space.constant(4)};
  Trace trace;

  explicit Touching(std::size_t storages = 2) {
    for (std::size_t k = 0; k < storages; ++k)
      trace.storages.push_back(
          {TraceStorage::Start::undefined, "fresh " + std::to_string(k), four, 0, true, false});
    trace.storages[0].start = TraceStorage::Start::given;
    trace.inputs = {{"x", whole(0)}};
  }
  TraceView whole(StorageId storage) const { return {storage, {}, four, "f32", 0}; }
  TraceView part(StorageId storage, std::int64_t start, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four, map.to = {space.constant(length)};
    map.start = space.constant(start), map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", 0};
  }
  TraceView repeated(StorageId storage) {  // element 0, four times
    TraceView out = part(storage, 0, 1);
    Map map;
    map.kind = Map::Kind::expand;
    map.from = out.shape, map.to = four;
    out.maps.push_back(map);
    out.shape = four;
    return out;
  }
  TraceStep& step(std::vector<TraceView> reads, std::vector<TraceView> writes,
                  Access access = Access::any_time) {
    TraceStep out;
    out.key = "f";
    out.origin = static_cast<std::uint32_t>(trace.steps.size());
    out.access.assign(reads.size(), std::vector<Access>(writes.size(), access));
    out.reads = std::move(reads), out.writes = std::move(writes);
    trace.steps.push_back(std::move(out));
    return trace.steps.back();
  }
  TracePlacement& place(std::int64_t offset, std::int64_t size, std::uint32_t first, std::uint32_t last) {
    TracePlacement out;
    out.name = "p" + std::to_string(trace.placements.size());
    out.offset = space.constant(offset), out.size = space.constant(size);
    out.first = first, out.last = last;
    trace.placements.push_back(std::move(out));
    return trace.placements.back();
  }
  bool shown(Kind kind, std::uint32_t a = 0) {
    Terms terms(space);
    Rules rules(space, terms, nullptr, trace, {});
    return rules.shown({kind, false, a, 0});
  }
  bool ordered_by(Edges edges) {
    trace.any_order = true;
    trace.edges = std::move(edges);
    return shown(Kind::order);
  }
};

}  // namespace

TEST_CASE("a write that holds an element twice disturbs itself", "[decide]") {
  Touching t;
  t.step({}, {t.repeated(1)});
  CHECK_FALSE(t.shown(Kind::clean));
  t.trace.steps.clear();
  t.step({}, {t.whole(1)});
  CHECK(t.shown(Kind::clean));
}

TEST_CASE("two writes of one step may not meet", "[decide]") {
  Touching t;
  t.step({}, {t.part(1, 0, 2), t.part(1, 1, 2)});
  t.step({}, {t.part(1, 0, 2), t.part(1, 2, 2)});
  CHECK_FALSE(t.shown(Kind::clean, 0));
  CHECK(t.shown(Kind::clean, 1));
}

TEST_CASE("element by element, only the same elements may be read and written", "[decide]") {
  Touching t;
  t.step({t.whole(1)}, {t.whole(1)}, Access::elementwise);
  t.step({t.part(1, 0, 2)}, {t.whole(1)}, Access::elementwise);  // fewer of them
  t.step({t.part(1, 0, 2)}, {t.part(1, 1, 2)}, Access::elementwise);
  t.step({t.part(1, 0, 2)}, {t.part(1, 2, 2)}, Access::elementwise);
  t.step({t.whole(1)}, {t.whole(1)}, Access::any_time);
  t.step({t.whole(1)}, {t.part(1, 1, 2)}, Access::before_write);
  const bool clean[] = {true, false, false, true, false, true};
  for (std::uint32_t k = 0; k < 6; ++k) {
    INFO(k);
    CHECK(t.shown(Kind::clean, k) == clean[k]);
  }
}

TEST_CASE("what is only read needs no order, also where it is a condition", "[order]") {
  Touching t(3);
  t.trace.guards = {{t.part(0, 0, 1), 0}};
  t.step({}, {t.whole(1)}).guards = {{0, true}};
  t.step({}, {t.whole(2)}).guards = {{0, false}};
  t.step({t.whole(0)}, {});
  CHECK(t.ordered_by({}));
  t.step({}, {t.part(0, 0, 1)});  // and what writes the condition needs one with all of them
  CHECK_FALSE(t.ordered_by({{0, 3}, {1, 3}}));
  CHECK_FALSE(t.ordered_by({{0, 3}, {2, 3}}));
  CHECK(t.ordered_by({{0, 3}, {1, 3}, {2, 3}}));
}

TEST_CASE("no graph step runs before itself", "[order]") {
  Touching t;
  t.step({}, {t.whole(1)});
  t.step({}, {t.whole(1)});
  CHECK(t.ordered_by({{0, 1}}));
  CHECK_FALSE(t.ordered_by({{0, 0}, {0, 1}}));
  CHECK_FALSE(t.ordered_by({{0, 1}, {1, 1}}));
}

TEST_CASE("a path that orders one pair of many orders no pair of a later window", "[order]") {
  // 64 pairs of neighbours are one window: (0, 1), ..., (124, 125) and (130, 131). The next is (128, 131),
  // the first of its own window, as (0, 1) is of the other.
  Touching t(66);
  for (StorageId k = 0; k < 66; ++k)
    for (int twice = 0; twice < 2; ++twice) {
      if (k == 63 || k == 64)
        t.step({}, {});
      else
        t.step({}, {t.whole(k)});
    }
  t.trace.steps[128].writes = {t.whole(64)};
  t.trace.steps[131].writes.push_back(t.whole(64));
  Edges edges;
  for (std::uint32_t k = 0; k < 66; ++k) edges.emplace_back(2 * k, 2 * k + 1);
  edges.emplace_back(1, 131);
  std::ranges::sort(edges);
  CHECK_FALSE(t.ordered_by(edges));
  edges.emplace_back(128, 131);
  std::ranges::sort(edges);
  CHECK(t.ordered_by(edges));
}

TEST_CASE("a placement of no storage lies where it says", "[placed]") {
  Touching t;
  t.trace.arenas = {t.space.constant(16)};
  t.place(0, 16, 0, 1);
  t.place(1, 16, 1, 2);
  CHECK(t.shown(Kind::placed, 0));
  CHECK_FALSE(t.shown(Kind::placed, 1));
}

TEST_CASE("an input is placed from the start, an output to the end", "[placed]") {
  Touching t;
  t.trace.arenas = {t.space.constant(64)};
  t.step({t.whole(0)}, {t.whole(1)});
  t.step({t.whole(0)}, {});
  t.trace.outputs.push_back({t.whole(1), "", {}, false, std::nullopt});
  t.place(0, 16, 0, 2).storage = 0;
  t.place(16, 16, 0, 3).storage = 1;  // .below follows
  t.trace.placements[1].below = 0;
  CHECK(t.shown(Kind::placed, 0));
  CHECK(t.shown(Kind::placed, 1));
  t.trace.placements[1].last = 2;  // gone when the caller looks
  CHECK_FALSE(t.shown(Kind::placed, 1));
  t.trace.placements[1].last = 3;
  t.trace.storages[0].compared = true;  // now its contents at exit count as well
  CHECK_FALSE(t.shown(Kind::placed, 0));
  t.trace.placements[0].last = 3;
  CHECK(t.shown(Kind::placed, 0));
  t.trace.placements[0].first = 1;  // there when the caller gave it
  CHECK_FALSE(t.shown(Kind::placed, 0));
}

TEST_CASE("what lives at no time meets nobody, and what begins at one time is placed in turn", "[placed]") {
  Touching t;
  t.trace.arenas = {t.space.constant(64)};
  t.place(0, 32, 0, 4);
  t.place(32, 16, 0, 4).below = 0;
  t.place(48, 16, 0, 4).below = 1;
  t.place(16, 32, 2, 2);
  for (std::uint32_t k = 0; k < 4; ++k) CHECK(t.shown(Kind::placed, k));
  t.trace.placements[3].last = 3;
  CHECK_FALSE(t.shown(Kind::placed, 3));
}
