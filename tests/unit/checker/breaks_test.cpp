// Witnesses, replayed: each kind of obligation broken just so, beside witnesses that show nothing.
#include "src/values/certificate.h"
#include "tests/catch.h"
#include "tests/support/traced.h"

namespace breaks_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

using Kind = Obligation::Kind;
using Values = std::vector<std::int64_t>;
using Path = std::vector<std::pair<std::uint32_t, Values>>;

/// x and y (4 elements, inputs) and two fresh storages of their shape.
struct Witnessed {
  Space space;
  Shape four{space.constant(4)};
  Trace before, after;
  Boundary boundary;
  checker::Refutation witness;

  Witnessed() {
    for (const char* key : {"in:x", "in:y", "fresh 0", "fresh 1"}) {
      const bool given = key[0] == 'i';
      after.storages.push_back(
          {given ? TraceStorage::Start::given : TraceStorage::Start::undefined, key, four, 0, true, false});
    }
    after.inputs = {{"x", all(0)}, {"y", all(1)}};
    before = after;
  }
  TraceView all(StorageId storage) const { return {storage, {}, four, "f32", 0}; }
  TraceView begins(StorageId storage, PolyId start, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four, map.to = {space.constant(length)};
    map.start = start, map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", 0};
  }
  TraceView from(StorageId storage, std::int64_t start, std::int64_t length) {
    return begins(storage, space.constant(start), length);
  }
  static TraceStep call(const char* key, TraceViews reads, TraceViews writes) {
    TraceStep step;
    step.key = key;
    step.access.edit().assign(reads.size(), std::vector<Access>(writes.size(), Access::before_write));
    step.reads = std::move(reads), step.writes = std::move(writes);
    return step;
  }
  static TraceStep fill(const char* scalar, TraceView write) {
    TraceStep step = call(scalar, {}, {std::move(write)});
    step.kind = TraceStep::Kind::fill;
    return step;
  }
  static void give(Trace& trace, TraceViews outputs) {
    trace.outputs.clear();
    for (TraceView& v : outputs) trace.outputs.push_back({std::move(v), "", {}, false, std::nullopt});
  }
  Certificate content(bool single = false) const {
    Certificate c;
    c.checks.push_back({"", single ? std::nullopt : std::optional(before), after, boundary});
    c.refutation = witness;
    return c;
  }
  Said said(Obligation about, Values index = {}, Path path = {}, Values other = {}, bool single = false) {
    witness.about = about;
    witness.index = std::move(index);
    witness.path = std::move(path), witness.other = std::move(other);
    return nc_check(space, content(single)).said;
  }
  /// What cannot be read, or is proved, is no answer here.
  bool broken(Obligation about, Values index = {}, Path path = {}, Values other = {}, bool single = false) {
    const Said out = said(about, std::move(index), std::move(path), std::move(other), single);
    if (out != Said::refuted) REQUIRE(out == Said::not_proved);
    return out == Said::refuted;
  }
  bool value_broken(Values index, Path path = {}) {
    return broken({Kind::value, false, 0, 0}, std::move(index), std::move(path));
  }
};

}  // namespace

TEST_CASE("a value differs at an element of the output, and at no other place", "[breaks]") {
  Witnessed w;
  w.before.steps = {w.fill("f32:0", w.all(2))};
  w.after.steps = {w.fill("f32:0", w.all(2)), w.fill("f32:1", w.from(2, 1, 1))};
  w.give(w.before, {w.all(2)}), w.give(w.after, {w.all(2)});
  CHECK(w.value_broken({1}));
  for (const Values& at : {Values{0}, Values{2}, Values{-1}, Values{4}, Values{}, Values{1, 0}})
    CHECK_FALSE(w.value_broken(at));
  CHECK_FALSE(w.broken({Kind::value, false, 1, 0}, {1}));  // there is no output 1
  CHECK_FALSE(w.broken({Kind::value, true, 0, 0}, {1}));
  CHECK_FALSE(w.broken({Kind::type, false, 0, 0}, {1}));
  w.after.steps.resize(1);
  CHECK_FALSE(w.value_broken({1}));
}

TEST_CASE("elements of an input are others at other places only", "[breaks]") {
  Witnessed w;
  w.give(w.before, {w.from(0, 0, 2)}), w.give(w.after, {w.from(0, 1, 2)});
  CHECK(w.value_broken({0}));
  CHECK(w.value_broken({1}));
  CHECK_FALSE(w.value_broken({2}));
  w.give(w.after, {w.from(1, 0, 2)});
  CHECK(w.value_broken({0}));  // of another input
  w.give(w.after, {w.from(0, 0, 2)});
  CHECK_FALSE(w.value_broken({0}));
  // Where it lies is not known: it may be the same.
  w.give(w.after, {w.begins(0, w.space.opaque("n", {}), 2)});
  CHECK_FALSE(w.value_broken({0}));
  std::swap(w.before, w.after);
  CHECK_FALSE(w.value_broken({0}));
}

TEST_CASE("an operator's result is another for another operator, result or element", "[breaks]") {
  Witnessed w;
  w.before.steps = {w.call("f", {w.all(0)}, {w.all(2), w.all(3)})};
  w.after = w.before;
  w.give(w.before, {w.all(2)}), w.give(w.after, {w.all(2)});
  CHECK_FALSE(w.value_broken({3}));
  w.after.steps[0].key = "g";
  CHECK(w.value_broken({3}));
  w.after.steps[0].key = "f";
  w.give(w.after, {w.all(3)});
  CHECK(w.value_broken({3}));
  w.give(w.before, {w.from(2, 0, 2)}), w.give(w.after, {w.from(2, 1, 2)});
  CHECK(w.value_broken({0}));
  w.give(w.after, {w.from(0, 0, 2)});
  CHECK(w.value_broken({0}));  // is no result at all
}

TEST_CASE("a path leads to operands that differ", "[breaks]") {
  Witnessed w;
  const auto program = [&](Trace& trace, const char* scalar) {
    trace.steps = {w.call("copy", {w.all(0)}, {w.all(3)}), w.fill(scalar, w.from(3, 2, 1)),
                   w.call("f", {w.all(1), w.all(3)}, {w.all(2)})};
    w.give(trace, {w.all(2)});
  };
  program(w.before, "f32:0"), program(w.after, "f32:1");
  CHECK(w.value_broken({0}, {{1, {2}}}));
  CHECK_FALSE(w.value_broken({0}));                        // f is f
  CHECK_FALSE(w.value_broken({0}, {{1, {1}}}));            // another element
  CHECK_FALSE(w.value_broken({0}, {{0, {2}}}));            // another operand
  CHECK_FALSE(w.value_broken({0}, {{2, {2}}}));            // there is none
  CHECK_FALSE(w.value_broken({0}, {{1, {2, 0}}}));         // no index of it
  CHECK(w.value_broken({0}, {{1, {2}}, {0, {}}}));         // it ends where they differ
  CHECK_FALSE(w.value_broken({0}, {{1, {1}}, {0, {2}}}));  // the copy's operand is x in both
  for (Trace* trace : {&w.before, &w.after}) {
    trace->steps[2].elementwise = true;
    trace->steps[2].access = {{Access::elementwise}, {Access::elementwise}};
  }
  CHECK(w.value_broken({2}, {{1, {}}}));
  CHECK_FALSE(w.value_broken({1}, {{1, {}}}));
  CHECK_FALSE(w.value_broken({2}, {{0, {}}}));
  CHECK_FALSE(w.value_broken({2}, {{2, {}}}));
  CHECK_FALSE(w.value_broken({2}));
}

TEST_CASE("what is open may be equal", "[breaks]") {
  Witnessed w;
  w.before.steps = {w.fill("f32:0", w.all(2))};
  w.give(w.before, {w.all(2)}), w.give(w.after, {w.all(2)});
  CHECK(w.value_broken({0}));  // 0 became what nothing has written
  std::swap(w.before, w.after);
  CHECK_FALSE(w.value_broken({0}));  // and what was undefined may be 0
  std::swap(w.before, w.after);
  w.after.steps = {w.before.steps[0], w.fill("f32:1", w.begins(2, w.space.opaque("n", {}), 1))};
  CHECK_FALSE(w.value_broken({0}));  // stored somewhere
  w.after.steps = {w.before.steps[0], w.fill("f32:1", w.all(2))};
  CHECK(w.value_broken({0}));
  w.after.steps[1].writes.push_back(w.all(2));  // a step that disturbs itself stores nothing that is known
  w.after.steps[1].kind = TraceStep::Kind::opaque;
  CHECK_FALSE(w.value_broken({0}));
}

TEST_CASE("outputs and claims are compared as they stand", "[breaks]") {
  Witnessed w;
  w.give(w.before, {w.all(0)}), w.give(w.after, {w.all(0)});
  const Obligation frame{Kind::frame, false, 0, 0}, type{Kind::type, false, 0, 0};
  const Obligation claim{Kind::claim, false, 0, 0}, claimed{Kind::claim, true, 0, 0};
  CHECK_FALSE(w.broken(frame));
  CHECK_FALSE(w.broken(type));
  w.after.outputs[0].view->type = "i32";
  CHECK(w.broken(type));
  w.after.outputs.push_back(w.after.outputs[0]);
  CHECK(w.broken(frame));
  w.after.claims = {{0, "size", w.space.constant(3), w.space.constant(4)}};
  CHECK(w.broken(claim));
  CHECK_FALSE(w.broken(claimed));
  for (const PolyId other : {w.space.constant(3), Space::kBad, w.space.opaque("n", {})}) {
    w.after.claims[0].computed = other;
    CHECK_FALSE(w.broken(claim));
    std::swap(w.after.claims[0].computed, w.after.claims[0].said);
    CHECK_FALSE(w.broken(claim));
    w.after.claims[0].said = w.space.constant(3);
  }
  w.before.claims = {{0, "size", w.space.constant(3), w.space.constant(4)}};
  CHECK(w.broken(claimed));
  CHECK_FALSE(w.broken(claim));
}

TEST_CASE("elements are stored where nothing may be", "[breaks]") {
  Witnessed w;
  w.after.steps = {w.fill("f32:0", w.all(0))};
  const Obligation store{Kind::store, false, 0, 0};
  CHECK_FALSE(w.broken(store));
  w.after.storages[0].writable = false;
  CHECK(w.broken(store));
  w.after.steps[0].writes = {w.from(0, 1, 0)};  // no element
  CHECK_FALSE(w.broken(store));
  w.after.steps[0].writes = {w.from(0, 1, 1)};
  CHECK(w.broken(store));
}

TEST_CASE("two outputs, or an output and an input, lie on one element that they did not share", "[breaks]") {
  Witnessed w;
  const Path to_first{{0, {}}}, to_second{{1, {}}};
  w.give(w.before, {w.all(2), w.all(3)}), w.give(w.after, {w.from(0, 1, 2), w.from(0, 2, 2)});
  const Obligation sharing{Kind::sharing, false, 0, 0}, together{Kind::together, false, 1, 0};
  CHECK(w.broken(sharing, {0}, to_first, {1}));
  CHECK_FALSE(w.broken(sharing, {0}, to_first, {0}));
  CHECK_FALSE(w.broken(sharing, {2}, to_first, {3}));  // beyond the output
  CHECK_FALSE(w.broken(sharing, {0}, to_first, {4}));
  CHECK_FALSE(w.broken(sharing, {0}, to_second, {1}));  // of another storage
  CHECK_FALSE(w.broken(sharing, {0}));                  // an input shows it
  CHECK(w.broken(together, {0}, to_first, {1}));
  CHECK_FALSE(w.broken(together, {1}, to_first, {1}));
  CHECK_FALSE(w.broken(together, {0}, to_second, {0}));
  CHECK_FALSE(w.broken(together, {0}, {}, {1}));
  w.give(w.before, {w.all(0), w.all(0)});  // so did they before, but otherwise
  CHECK(w.broken(sharing, {0}, to_first, {1}));
  CHECK(w.broken(together, {0}, to_first, {1}));
  w.before.outputs = w.after.outputs;
  CHECK_FALSE(w.broken(sharing, {0}, to_first, {1}));
  CHECK_FALSE(w.broken(together, {0}, to_first, {1}));
  w.before.outputs[0].view.reset(), w.before.outputs[0].scalar = "1";
  CHECK_FALSE(w.broken(sharing, {0}, to_first, {1}));
  w.give(w.after, {w.begins(0, w.space.opaque("n", {}), 2), w.begins(0, w.space.opaque("m", {}), 2)});
  w.give(w.before, {w.all(2), w.all(3)});
  CHECK_FALSE(w.broken(together, {0}, to_first, {0}));
}

TEST_CASE("elements of several bytes meet as a whole", "[breaks]") {
  Witnessed w;
  for (Trace* trace : {&w.before, &w.after})
    for (TraceStorage& s : trace->storages) s.lanes = 4;
  const auto bytes = [&](TraceView view, std::int16_t lanes) {
    view.lanes = lanes;
    return view;
  };
  w.after.inputs = w.before.inputs = {{"x", bytes(w.all(0), 4)}};
  w.give(w.before, {bytes(w.all(2), 4)}), w.give(w.after, {bytes(w.from(0, 1, 2), 4)});
  const Obligation sharing{Kind::sharing, false, 0, 0};
  const Path to_x{{0, {}}};
  CHECK(w.broken(sharing, {0}, to_x, {1}));
  CHECK_FALSE(w.broken(sharing, {1}, to_x, {1}));
  w.give(w.after, {bytes(w.from(0, 1, 2), 2)});  // a view has all bytes of an element
  CHECK(w.said(sharing, {0}, to_x, {1}) == Said::unreadable);
  Map apart;  // into 16 bytes
  apart.from = {w.four[0], w.four[0]}, apart.to = {w.space.constant(16), w.space.constant(1)};
  const TraceView single{0, {apart}, {w.space.constant(16)}, "u8", 1};
  w.after.inputs[0].view = w.before.inputs[0].view = single;
  TraceView elsewhere = single;
  elsewhere.storage = 2;
  w.give(w.before, {elsewhere}), w.give(w.after, {single});
  CHECK(w.broken(sharing, {7}, to_x, {7}));
  CHECK_FALSE(w.broken(sharing, {7}, to_x, {6}));
  CHECK_FALSE(w.broken(sharing, {16}, to_x, {16}));
}

TEST_CASE("a step disturbs itself where a write meets another access of it", "[breaks]") {
  Witnessed w;
  const Obligation clean{Kind::clean, false, 0, 0};
  w.after.steps = {w.call("f", {w.from(2, 0, 3)}, {w.from(2, 1, 3)})};
  CHECK_FALSE(w.broken(clean, {0}, {{0, {}}, {0, {}}}, {1}));  // all reads come first
  w.after.steps[0].access = {{Access::any_time}};
  CHECK(w.broken(clean, {0}, {{0, {}}, {0, {}}}, {1}));
  CHECK_FALSE(w.broken(clean, {0}, {{0, {}}, {0, {}}}, {0}));
  CHECK_FALSE(w.broken(clean, {2}, {{0, {}}, {0, {}}}, {3}));
  CHECK_FALSE(w.broken(clean, {0}, {}, {1}));
  CHECK_FALSE(w.broken(clean, {0}, {{1, {}}, {0, {}}}, {1}));  // there is no such write
  CHECK_FALSE(w.broken(clean, {0}, {{0, {}}, {1, {}}}, {1}));  // nor such a read
  CHECK_FALSE(w.broken(clean, {0}, {{0, {}}}, {1}));           // a write alone does not
  w.after.steps[0].access = {{Access::elementwise}};
  CHECK(w.broken(clean, {0}, {{0, {}}, {0, {}}}, {1}));
  w.after.steps[0] = w.call("f", {w.all(2)}, {w.all(2)});
  w.after.steps[0].access = {{Access::elementwise}};
  CHECK_FALSE(w.broken(clean, {1}, {{0, {}}, {0, {}}}, {1}));
  w.after.steps[0].access = {{Access::any_time}};
  CHECK(w.broken(clean, {1}, {{0, {}}, {0, {}}}, {1}));
  Map expand;
  expand.kind = Map::Kind::expand;
  expand.from = {w.space.constant(1)}, expand.to = w.four;
  TraceView repeated = w.from(2, 3, 1);
  repeated.maps.edit().push_back(expand), repeated.shape = w.four;
  w.after.steps[0] = w.call("f", {}, {repeated});
  CHECK(w.broken(clean, {0}, {{0, {}}}, {1}));
  CHECK_FALSE(w.broken(clean, {1}, {{0, {}}}, {1}));  // an element and itself
}

TEST_CASE("an output of a single graph shows what nothing has written", "[breaks]") {
  Witnessed w;
  w.after.steps = {w.fill("f32:0", w.from(3, 0, 2)), w.call("f", {w.all(3)}, {w.all(2)})};
  w.give(w.after, {w.all(3), w.all(2)});
  const Obligation direct{Kind::defined, false, 0, 0}, through{Kind::defined, false, 1, 0};
  const auto broken = [&](const Obligation& o, Values at, Path path = {}) {
    return w.broken(o, std::move(at), std::move(path), {}, true);
  };
  CHECK(broken(direct, {2}));
  CHECK_FALSE(broken(direct, {1}));
  CHECK_FALSE(broken(direct, {4}));
  CHECK_FALSE(broken(through, {0}));
  CHECK(broken(through, {0}, {{0, {3}}}));
  CHECK_FALSE(broken(through, {0}, {{0, {0}}}));
  CHECK_FALSE(broken(through, {0}, {{1, {3}}}));
}

TEST_CASE("a placement leaves its arena, or meets one that lives with it", "[breaks]") {
  Witnessed w;
  w.after.arenas = {w.space.constant(32), w.space.constant(32)};
  const auto place = [&](std::int64_t offset, std::uint32_t first, std::uint32_t last, std::uint32_t arena) {
    TracePlacement p;
    p.offset = w.space.constant(offset), p.size = w.space.constant(16);
    p.first = first, p.last = last, p.arena = arena;
    return p;
  };
  const auto broken = [&](std::uint32_t a, std::uint32_t b) {
    return w.broken({Kind::placed, false, a, 0}, {}, a == b ? Path{} : Path{{b, {}}});
  };
  w.after.placements = {place(0, 0, 2, 0),  place(16, 0, 2, 0), place(15, 1, 3, 0), place(8, 2, 3, 0),
                        place(17, 0, 1, 0), place(-1, 0, 1, 0), place(8, 0, 2, 1),  place(8, 0, 2, 2)};
  const std::set<std::pair<std::uint32_t, std::uint32_t>> meet{{0, 2}, {1, 2}, {1, 4}, {2, 3}, {0, 5}};
  for (std::uint32_t a = 0; a < 6; ++a)
    for (std::uint32_t b = 0; b < 6; ++b) {
      INFO(a << " " << b);
      if (a != b) CHECK(broken(a, b) == meet.contains({std::min(a, b), std::max(a, b)}));
    }
  const bool outside[] = {false, false, false, false, true, true, false};
  for (std::uint32_t k = 0; k < 7; ++k) CHECK(broken(k, k) == outside[k]);
  CHECK_FALSE(broken(0, 6));  // in another arena
  CHECK_FALSE(broken(7, 7));  // in none
  CHECK_FALSE(broken(0, 8));  // there is no such placement
}

TEST_CASE("another order of graph steps breaks what the listed one keeps", "[breaks]") {
  Witnessed w;
  w.before.steps = {w.fill("f32:0", w.all(2)), w.fill("f32:1", w.all(2))};
  w.before.steps[1].origin = 1;
  w.after = w.before;
  w.give(w.before, {w.all(2)}), w.give(w.after, {w.all(2)});
  w.witness.order = {1, 0};
  CHECK_FALSE(w.value_broken({0}));  // no other may run
  w.after.any_order = true;
  CHECK(w.value_broken({0}));
  w.witness.order = {0, 1};
  CHECK_FALSE(w.value_broken({0}));
  w.witness.order = {};
  CHECK_FALSE(w.value_broken({0}));
  CHECK_FALSE(w.broken({Kind::order, false, 0, 0}));  // an order is broken by what it shows
  w.witness.order = {1, 0, 1};
  CHECK_FALSE(w.value_broken({0}));
  w.witness.order = {1, 0};
  w.after.edges = {{0, 1}};
  CHECK_FALSE(w.value_broken({0}));
  w.after.edges = {{1, 1}};  // none comes before itself
  CHECK_FALSE(w.value_broken({0}));
  w.after.edges.clear();
  CHECK(w.value_broken({0}));
}

TEST_CASE("a witness counts where facts hold, and is about a check", "[breaks]") {
  Witnessed w;
  w.before.steps = {w.fill("f32:0", w.all(2))};
  w.after.steps = {w.fill("f32:1", w.all(2))};
  w.give(w.before, {w.all(2)}), w.give(w.after, {w.all(2)});
  CHECK(w.value_broken({0}));
  Certificate c = w.content();
  c.refutation.reset();
  CHECK(nc_check(w.space, c).why == "1 obligations are open");
  c = w.content();
  c.checks.insert(c.checks.begin(), {"", w.before, w.before, {}});
  CHECK(nc_check(w.space, c).said == Said::refuted);
  std::swap(c.checks[0], c.checks[1]);  // of the last check
  CHECK(nc_check(w.space, c).said == Said::not_proved);
  CHECK(nc_check(w.space, c).why == "the witness breaks nothing");
  c.checks.clear();
  CHECK(nc_check(w.space, c).why.ends_with("expected a check"));
  w.space.assume_nonnegative(0);
  CHECK(w.value_broken({0}));
  w.space.assume_nonnegative(w.space.constant(-1));
  CHECK_FALSE(w.value_broken({0}));
}

}  // namespace breaks_test
