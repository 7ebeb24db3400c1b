// What steps do to the storages they touch: one fault of each kind beside what is right, and just so.
#include "src/certify/nonnegative.h"
#include "src/values/obligation.h"
#include "tests/catch.h"

namespace access_test {

using namespace noclobber;

namespace {

using Kind = Obligation::Kind;

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
    out.maps.edit().push_back(map);
    out.shape = four;
    return out;
  }
  TraceStep& step(TraceViews reads, TraceViews writes, Access access = Access::any_time) {
    TraceStep out;
    out.key = "f";
    out.origin = static_cast<std::uint32_t>(trace.steps.size());
    out.access.edit().assign(reads.size(), std::vector<Access>(writes.size(), access));
    out.reads = std::move(reads), out.writes = std::move(writes);
    trace.steps.push_back(std::move(out));
    return trace.steps.back();
  }
  bool shown(Kind kind, std::uint32_t a = 0) {
    Terms terms(space);
    Rules rules(space, terms, nullptr, trace, {});
    return rules.shown({kind, false, a, 0});
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

}  // namespace access_test
