// The decision: each kind of obligation met and not met, and solvers that lie or say nothing.
#include <algorithm>

#include "src/certify/nonnegative.h"
#include "src/second/direct.h"
#include "src/values/obligation.h"
#include "tests/catch.h"

namespace decide_test {

using namespace noclobber;

namespace {

using Kind = Obligation::Kind;

/// x (4 elements, an input), y = call of `key` on x, output y.
struct World {
  Space space = searching_space();
  Terms terms{space};
  Shape four{space.constant(4)};

  TraceView view(StorageId storage) const { return {storage, {}, four, "f32", 0}; }
  TraceView slice(StorageId storage, std::int64_t start, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four;
    map.to = {space.constant(length)};
    map.start = space.constant(start);
    map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", 0};
  }
  static TraceStep opaque(std::string key, TraceView read, TraceView write) {
    TraceStep step;
    step.key = std::move(key);
    step.reads = {std::move(read)};
    step.writes = {std::move(write)};
    step.access = {{Access::any_time}};
    return step;
  }
  TraceStep move(TraceView read, TraceView write) const {
    TraceStep step = opaque("", std::move(read), std::move(write));
    step.kind = TraceStep::Kind::move;
    step.access = {{Access::elementwise}};
    return step;
  }
  Trace trace(const std::string& key = "f") {
    Trace out;
    out.storages.push_back({TraceStorage::Start::given, "in:x", four, 0, true, true});
    out.storages.push_back({TraceStorage::Start::undefined, "fresh 0", four, 0, true, false});
    out.inputs = {{"x", view(0)}};
    out.steps = {opaque(key, view(0), view(1))};
    out.outputs.push_back({view(1), "", {space.constant(1)}, true, std::nullopt});
    return out;
  }
  Decision decision(const Trace& before, const Trace& after, const std::set<Obligation>& claims = {},
                    Boundary boundary = {}) {
    Rules rules(space, terms, &before, after, boundary);
    return decide(rules, enumerate(&before, after, boundary), claims);
  }
  std::set<Kind> open(const Trace& before, const Trace& after, Boundary boundary = {}) {
    std::set<Kind> out;
    for (const Obligation& o : decision(before, after, {}, boundary).open) out.insert(o.kind);
    if (!out.contains(Kind::modelled)) CHECK(open_directly(&before, after, boundary) == out);
    return out;
  }
  /// By the second engine, which answers nothing where something is not modelled.
  std::set<Kind> open_directly(const Trace* before, const Trace& after, const Boundary& boundary) {
    std::set<Kind> out;
    const auto all = enumerate(before, after, boundary);
    Questions questions;
    const DirectAnswer answer = decide_directly(space, before, after, boundary, all, questions);
    for (const Obligation& o : all)
      if (!answer.shown.contains(o)) out.insert(o.kind);
    return out;
  }
};

using Kinds = std::set<Kind>;

}  // namespace

TEST_CASE("a Trace is right for itself", "[decide]") {
  World w;
  const Decision d = w.decision(w.trace(), w.trace());
  CHECK(d.proved);
  CHECK(d.by_solver == 0);
  CHECK(d.by_rule == 7);  // store, clean, frame, exit, type, value, together
}

TEST_CASE("each kind of obligation refuses its own fault, and no other does", "[decide]") {
  World w;
  const Trace good = w.trace();
  Trace bad = good;
  SECTION("modelled: of either graph") {
    bad.unknown = {{"unsupported-op", "zoo.op"}};
    CHECK(w.open(good, bad) == Kinds{Kind::modelled});
    CHECK(w.open(bad, good) == Kinds{Kind::modelled});
  }
  SECTION("claim: of either graph") {
    bad.claims = {{0, "size", w.space.constant(3), w.space.constant(4)}};
    CHECK(w.open(good, bad) == Kinds{Kind::claim});
    CHECK(w.open(bad, good) == Kinds{Kind::claim});
    bad.claims[0].said = w.space.constant(4);
    CHECK(w.open(good, bad).empty());
    bad.claims[0] = {0, "size", Space::kBad, Space::kBad};
    CHECK(w.open(good, bad) == Kinds{Kind::claim});
  }
  SECTION("frame: an input that the other lacks") {
    bad.storages.push_back({TraceStorage::Start::given, "in:y", w.four, 0, true, false});
    CHECK(w.open(good, bad) == Kinds{Kind::frame});
    CHECK(w.open(bad, good) == Kinds{Kind::frame});
  }
  SECTION("frame: an output that the other lacks") {
    bad.outputs.clear();
    CHECK(w.open(good, bad) == Kinds{Kind::frame});
    CHECK_FALSE(w.decision(bad, good).proved);
  }
  SECTION("value") {
    bad = w.trace("g");
    CHECK(w.open(good, bad) == Kinds{Kind::value});
  }
  SECTION("type") {
    bad.outputs[0].view->type = "i32";
    CHECK(w.open(good, bad) == Kinds{Kind::type});
    bad = good;
    bad.outputs[0].strides = {w.space.constant(2)};
    CHECK(w.open(good, bad).empty());
    Boundary strides;
    strides.compare_strides = true;
    CHECK(w.open(good, bad, strides) == Kinds{Kind::type});
  }
  SECTION("exit, and store") {
    bad.steps.push_back(w.move(w.view(1), w.view(0)));
    CHECK(w.open(good, bad) == Kinds{Kind::exit});
    Trace free = good;
    free.storages[0].compared = bad.storages[0].compared = false;
    CHECK(w.open(good, bad) == Kinds{Kind::frame});  // both say what is compared, or neither
    CHECK(w.open(free, bad).empty());
    bad.storages[0].writable = false;
    CHECK(w.open(free, bad) == Kinds{Kind::store});
  }
  SECTION("clean") {
    bad.storages.push_back(bad.storages[1]);
    bad.steps.push_back(w.opaque("h", w.view(2), w.view(2)));
    CHECK(w.open(good, bad) == Kinds{Kind::clean});
    bad.steps.back().access = {{Access::before_write}};
    CHECK(w.open(good, bad).empty());
  }
}

TEST_CASE("sharing may shrink and not grow", "[decide]") {
  World w;
  Trace shares = w.trace();
  shares.outputs[0].view = w.view(0);
  Trace copies = shares;
  copies.steps.push_back(w.move(w.view(0), w.view(1)));
  copies.outputs[0].view = w.view(1);
  CHECK(w.open(shares, copies).empty());
  CHECK(w.open(copies, shares) == Kinds{Kind::sharing});
  Boundary sharing;
  sharing.sharing_may_grow = true;
  CHECK(w.open(copies, shares, sharing).empty());
}

TEST_CASE("two outputs of one storage: shared before, or not", "[decide]") {
  World w;
  Trace one = w.trace(), two = w.trace();
  one.outputs.push_back(one.outputs[0]);
  two.storages.push_back(two.storages[1]);
  two.storages[2].key = "fresh 1";
  two.steps.push_back(w.move(w.view(1), w.view(2)));
  two.outputs.push_back(two.outputs[0]);
  two.outputs[1].view = w.view(2);
  CHECK(w.open(one, two).empty());
  CHECK(w.open(two, one) == Kinds{Kind::together});
}

TEST_CASE("a name that no longer holds what it means is not current", "[decide]") {
  World w;
  Trace stale = w.trace();
  stale.steps.push_back(w.opaque("g", w.view(0), w.view(1)));
  stale.outputs[0].reaching = 1;
  Rules rules(w.space, w.terms, nullptr, stale, {});
  const Decision d = decide(rules, enumerate(nullptr, stale, {}), {});
  REQUIRE(d.open.size() == 1);
  CHECK(d.open[0].kind == Kind::current_output);
  CHECK(w.open_directly(nullptr, stale, {}) == Kinds{Kind::current_output});
  stale.outputs[0].reaching = 2;
  CHECK(w.open_directly(nullptr, stale, {}).empty());
  Rules fresh(w.space, w.terms, nullptr, stale, {});
  CHECK(decide(fresh, enumerate(nullptr, stale, {}), {}).proved);
}

TEST_CASE("a solver's claim closes the equality it is about, and nothing else", "[decide]") {
  World w;
  const Trace good = w.trace(), bad = w.trace("g");
  const Obligation value{Kind::value, false, 0, 0};
  CHECK_FALSE(w.decision(good, bad).proved);
  const Decision d = w.decision(good, bad, {value});
  CHECK(d.proved);
  CHECK(d.by_solver == 1);
  CHECK_FALSE(w.decision(good, bad, {{Kind::value, false, 1, 0}}).proved);
  CHECK_FALSE(w.decision(good, bad, {{Kind::value, true, 0, 0}}).proved);
  CHECK_FALSE(w.decision(good, bad, {{Kind::exit, false, 0, 0}, {Kind::value, false, 0, 1}}).proved);
}

TEST_CASE("a solver has no say in what is no equality", "[decide]") {
  World w;
  const Trace good = w.trace();
  const auto everything = [](const Trace& before, const Trace& after) {
    const auto all = enumerate(&before, after, {});
    return std::set<Obligation>(all.begin(), all.end());
  };
  std::vector<std::pair<Trace, Trace>> pairs(7, {good, good});
  pairs[0].second.unknown = {{"unsupported-op", "zoo.op"}};
  pairs[1].first.claims = {{0, "size", w.space.constant(3), w.space.constant(4)}};
  pairs[2].second.storages.push_back({TraceStorage::Start::given, "in:y", w.four, 0, true, false});
  pairs[3].second.outputs[0].view->type = "i32";
  pairs[4].second.storages[1].writable = false;
  pairs[5].second.storages.push_back(good.storages[1]);
  pairs[5].second.steps.push_back(w.opaque("h", w.view(2), w.view(2)));
  pairs[6].first.steps.push_back(w.move(w.view(0), w.view(1)));
  pairs[6].second.outputs[0].view = w.view(0);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    INFO("pair " << k);
    CHECK_FALSE(
        w.decision(pairs[k].first, pairs[k].second, everything(pairs[k].first, pairs[k].second)).proved);
  }
}

TEST_CASE("an equality of which nothing is known cannot be claimed", "[decide]") {
  World w;
  const Trace good = w.trace();
  Trace bad = good;
  bad.outputs[0].view = w.slice(1, 0, 2);  // another shape: there are no two contents to compare
  Rules rules(w.space, w.terms, &good, bad, {});
  const Obligation value{Kind::value, false, 0, 0}, type{Kind::type, false, 0, 0};
  CHECK(rules.contents(value).first == Terms::kBad);
  CHECK_FALSE(decide(rules, {value}, {value}).proved);
  CHECK_FALSE(decide(rules, {type}, {type}).proved);
}

TEST_CASE("an equality with what is not known cannot be claimed", "[decide]") {
  World w;
  const Trace good = w.trace();
  Trace bad = good;
  bad.steps[0].writes.push_back(bad.steps[0].writes[0]);  // it disturbs itself
  bad.steps[0].access.edit()[0].push_back(Access::any_time);
  const Obligation value{Kind::value, false, 0, 0};
  for (const bool first : {true, false}) {
    Rules rules(w.space, w.terms, first ? &bad : &good, first ? good : bad, {});
    CHECK((rules.contents(value).first == Terms::kBad) == first);
    CHECK((rules.contents(value).second == Terms::kBad) == !first);
    CHECK_FALSE(decide(rules, {value}, {value}).proved);
  }
}

TEST_CASE("nothing asked is nothing open", "[decide]") {
  World w;
  const Trace empty;
  Rules rules(w.space, w.terms, nullptr, empty, {});
  const auto none = enumerate(nullptr, empty, {});
  CHECK(none.empty());
  const Decision d = decide(rules, none, {{Kind::value, false, 0, 0}});
  CHECK(d.proved);
  CHECK(d.by_rule + d.by_solver == 0);
}

TEST_CASE("every part of a Trace is asked about", "[decide]") {
  World w;
  Trace after = w.trace();
  after.claims.resize(2);
  after.unknown.resize(1);
  after.outputs.push_back(after.outputs[0]);
  after.outputs.push_back(after.outputs[0]);
  after.outputs[2].view = after.inputs[0].view;  // the others show another storage
  const Trace before = w.trace();
  std::map<Kind, int> count;
  for (const Obligation& o : enumerate(&before, after, {})) ++count[o.kind];
  CHECK(count == std::map<Kind, int>{{Kind::modelled, 1},
                                     {Kind::claim, 2},
                                     {Kind::frame, 1},
                                     {Kind::type, 3},
                                     {Kind::value, 3},
                                     {Kind::exit, 1},
                                     {Kind::store, 1},
                                     {Kind::clean, 1},
                                     {Kind::sharing, 1},
                                     {Kind::together, 3}});
}

}  // namespace decide_test
