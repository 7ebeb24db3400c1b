// Lemmas of what runs under a condition: each that lies, beside its honest twin.
#include "tests/unit/checker/two.h"

using namespace noclobber;
using namespace noclobber::testing;

TEST_CASE("a write under a condition is no write that always happens", "[contents]") {
  Two t;
  const auto made = call("f", {t.all(kX)}, {t.all(kB)});
  const auto program = [&](TraceStep last) {
    return std::vector{fill("f32:0", t.all(kA)), made, std::move(last)};
  };
  const auto written = move(t.from(kB, 0, 2), t.from(kA, 0, 2));
  t.both(program(guarded(written, 0, true)), t.all(kA));
  t.lemmas = {calls(1, 1), contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)};
  CHECK(t.why() == "");
  CHECK(t.why_with({calls(1, 1)}) == "");
  const std::string other = kNotShown + "two conditions differ";
  for (const auto& change : {std::vector<std::pair<std::uint32_t, bool>>{},
                             {{0, false}},
                             {{1, true}},
                             {{0, true}, {1, true}},
                             {{0, true}, {0, true}}}) {
    const auto with = [&](Trace& a) { a.steps[2].guards = change; };
    CHECK(t.why_changed(with) == other);
    const std::vector<Lemma> all = std::exchange(t.lemmas, {calls(1, 1)});
    const bool twice = change.size() == 2 && change[1].first == 0;  // which is once
    CHECK(t.why_changed(with) == (twice ? "" : kOpen));
    t.lemmas = all;
  }
  t.give(t.before, program(written), t.all(kA));
  CHECK(t.why() == other);
  CHECK(t.why_with({calls(1, 1)}) == kOpen);
}

TEST_CASE("a condition is what it is when it is looked at", "[contents]") {
  Two t;
  const auto written = guarded(fill("f32:1", t.all(kA)), 0, true);
  const auto turned = move(Two::flag_of(kOther), Two::flag_of(kFlag));
  t.both({fill("f32:0", t.all(kA)), turned, written}, t.all(kA));
  CHECK(t.why() == "");
  CHECK(t.why_changed([](Trace& a) { a.guards[0].time = 1; }) == "");
  CHECK(t.why_changed([](Trace& a) { a.guards[0].time = 2; }) == kOpen);  // of the other flag by then
  CHECK(t.why_changed([](Trace& a) { a.guards[0].view = Two::flag_of(kOther); }) == kOpen);
  t.before.guards[0].time = 2;
  CHECK(t.why() == kOpen);
  CHECK(t.why_changed([](Trace& a) { a.guards[0].view = Two::flag_of(kOther); }) == "");
}

TEST_CASE("one of two ways is taken, the same in both graphs", "[contents]") {
  Two t;
  const auto way = [&](const char* key, std::uint32_t guard, bool wanted) {
    return guarded(call(key, {t.all(kX)}, {t.all(kA)}), guard, wanted);
  };
  t.both({way("f", 0, true), way("g", 0, false)}, t.all(kA));
  t.lemmas = {calls(0, 0), calls(1, 1)};
  CHECK(t.why() == "");
  CHECK(t.why_changed([](Trace& a) { std::swap(a.steps[0].guards, a.steps[1].guards); }) == kOpen);
  CHECK(t.why_changed([](Trace& a) { a.steps[1].guards[0].first = 1; }) == kOpen);
  CHECK(t.why_changed([](Trace& a) { a.steps[1].guards.clear(); }) == kOpen);
  t.give(t.after, {way("g", 0, false), way("f", 0, true)}, t.all(kA));  // they exclude each other
  CHECK(t.why_with({calls(0, 1), calls(1, 0)}) == "");
  t.give(t.after, {way("g", 1, false), way("f", 0, true)}, t.all(kA));
  CHECK(t.why_with({calls(0, 1), calls(1, 0)}) == kOpen);
}

TEST_CASE("calls that run under a condition have operands that are the same there", "[contents]") {
  Two t;
  const auto made = [&](StorageId of) { return call("f", {t.all(of)}, {t.all(kA)}); };
  t.give(t.before,
         {fill("f32:0", t.all(kA)), guarded(move(t.all(kX), t.all(kB)), 0, true), guarded(made(kB), 0, true)},
         t.all(kA));
  t.give(t.after, {fill("f32:0", t.all(kA)), guarded(made(kX), 0, true)}, t.all(kA));
  t.lemmas = {calls(2, 1)};
  CHECK(t.why() == "");
  const auto with = [&](std::uint32_t guard, bool wanted) {
    const auto saved = std::exchange(t.before.steps[2].guards, {{guard, wanted}});
    const std::string out = t.why();
    t.before.steps[2].guards = saved;
    return out;
  };
  CHECK(with(0, true) == "");
  CHECK(with(1, true) == kOpen);     // one call where both run, but where only one does
  CHECK(with(0, false) == kDiffer);  // they never both run
  t.before.steps[2].guards.clear();
  CHECK(t.why() == kOpen);
  CHECK(t.why_changed([](Trace& a) { a.steps[1].guards.clear(); }) == kDiffer);  // b may be what nobody wrote
  t.before.steps[1].guards.clear();
  CHECK(t.why() == kOpen);  // one call, which one graph may leave out
  CHECK(t.why_changed([](Trace& a) { a.steps[1].guards.clear(); }) == "");
}
