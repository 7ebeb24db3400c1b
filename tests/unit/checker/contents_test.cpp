// What lemmas of a certificate say of steps and contents: each that lies, beside its honest twin.
#include "tests/unit/checker/two.h"

namespace contents_test {

using namespace noclobber;
using namespace noclobber::testing;

TEST_CASE("calls are one where operator and operands are", "[contents]") {
  Two t;
  t.both({call("f", {t.all(kX), t.all(kY)}, {t.all(kA), t.all(kB)})}, t.all(kA));
  t.lemmas = {calls(0, 0)};
  CHECK(t.why() == "");
  CHECK(t.why_with({}) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads = {t.all(kY), t.all(kX)}; }) == kDiffer);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[1] = t.all(kX); }) == kDiffer);
  const std::string other = kNotShown + "two steps are different operators";
  CHECK(t.why_changed([](Trace& a) { a.steps[0].key = "g"; }) == other);
  CHECK(t.why_changed([](Trace& a) { a.steps[0].reads[0].type = "i32"; }) == other);
  CHECK(t.why_changed([](Trace& a) { a.steps[0].writes[1].type = "i32"; }) == other);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[1] = t.from(kY, 0, 3); }) == other);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].writes[1] = t.from(kB, 0, 3); }) == other);
  CHECK(t.why_changed([](Trace& a) { a.steps[0].reads.pop_back(), a.steps[0].access.edit().pop_back(); }) ==
        other);
  CHECK(t.why_changed([](Trace& a) {
    a.steps[0].writes.pop_back();
    for (auto& row : a.steps[0].access.edit()) row.pop_back();
  }) == other);
  // A shape of its own is in what an operator is given, though the elements are the same.
  const PolyId two = t.space.constant(2);
  Map map;
  map.from = t.four, map.to = {two, two};
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = {kX, {map}, map.to, "f32", 0}; }) == other);
}

TEST_CASE("one call has one value at one element of one result", "[contents]") {
  Two t;
  t.both({call("f", {t.all(kX)}, {t.all(kA), t.all(kB)})}, t.from(kA, 0, 2));
  t.lemmas = {calls(0, 0)};
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = t.from(kB, 0, 2); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = t.from(kA, 1, 2); }) == kOpen);
  t.both({call("f", {t.all(kX)}, {t.all(kA)}), call("f", {t.all(kY)}, {t.all(kB)})}, t.all(kB));
  t.lemmas = {calls(1, 1)};
  CHECK(t.why() == "");
  CHECK(t.why_with({calls(0, 0)}) == kOpen);  // it is true, and of the other call
  CHECK(t.why_with({calls(0, 1)}) == kDiffer);
  CHECK(t.why_with({calls(1, 0)}) == kDiffer);
  CHECK(t.why_with({calls(1, 1), calls(0, 0)}) == "surplus evidence");
}

TEST_CASE("operands of a call are what they hold when it begins", "[contents]") {
  Two t;
  t.give(t.before, {call("f", {t.all(kX)}, {t.all(kA)}), fill("f32:0", t.all(kX))}, t.all(kA));
  t.give(t.after, {move(t.all(kX), t.all(kB)), fill("f32:0", t.all(kX)), call("f", {t.all(kB)}, {t.all(kA)})},
         t.all(kA));
  t.lemmas = {calls(0, 2)};
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.steps[2].reads[0] = t.all(kX); }) == kDiffer);
  CHECK(t.why_changed([](Trace& a) { std::swap(a.steps[0], a.steps[1]); }) == kDiffer);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0] = move(t.from(kX, 0, 3), t.from(kB, 0, 3)); }) == kDiffer);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = t.all(kY); }) == kDiffer);
}

TEST_CASE("a token makes the second draw another call than the first", "[contents]") {
  Two t;
  for (Trace* trace : {&t.before, &t.after})
    trace->storages.push_back({TraceStorage::Start::token, "generator", {}, 0, true, true});
  const StorageId token = kC + 1;
  const auto draw = [&](StorageId to) {
    const TraceView state{token, {}, {}, "token", 0};
    return call("draw", {state}, {t.all(to), state});
  };
  t.both({draw(kA), draw(kB)}, t.all(kA));
  t.lemmas = {calls(0, 0), calls(1, 1)};
  CHECK(t.why() == "");
  CHECK(t.why_with({calls(0, 0), calls(0, 1)}) == kDiffer);
  CHECK(t.why_changed([](Trace& a) { std::swap(a.steps[0], a.steps[1]); }) == kOpen);
  CHECK(t.why_changed([](Trace& a) { a.steps.pop_back(); }) == kNotShown + "no such step");
}

TEST_CASE("what an operator does to each element needs no lemma, and keeps to its element", "[contents]") {
  Two t;
  const auto each = [&](TraceView read, TraceView write) {
    TraceStep step = call("neg", {std::move(read)}, {std::move(write)});
    step.elementwise = true;
    return step;
  };
  t.give(t.before, {each(t.all(kX), t.all(kA))}, t.from(kA, 1, 2));
  t.give(t.after, {each(t.from(kX, 1, 2), t.from(kB, 0, 2))}, t.from(kB, 0, 2));
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = t.from(kX, 0, 2); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = t.from(kY, 1, 2); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].elementwise = false; }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].key = "abs"; }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0].type = "i32"; }) == kOpen);
}

TEST_CASE("a lemma of contents holds at every element", "[contents]") {
  Two t;
  const auto parts = [&](const char* last) {
    return std::vector{fill("f32:0", t.from(kA, 0, 2)), fill(last, t.from(kA, 2, 2))};
  };
  t.give(t.before, {fill("f32:0", t.all(kA))}, t.all(kA));
  t.give(t.after, parts("f32:0"), t.all(kA));
  t.lemmas = {contents(kA, 1, kA, 2)};
  CHECK(t.why() == "");
  CHECK(t.why_with({contents(kA, 1, kA, 1)}) == kDiffer);  // half of it was never written
  CHECK(t.why_with({contents(kA, 0, kA, 2)}) == kDiffer);
  CHECK(t.why_with({contents(kX, 0, kY, 0)}) == kDiffer);
  CHECK(t.why_with({contents(kA, 1, kB, 0)}) == kDiffer);
  t.give(t.after, parts("f32:1"), t.all(kA));
  CHECK(t.why() == kDiffer);
  CHECK(t.why_with({}) == kOpen);
  t.after.outputs[0].view = t.before.outputs[0].view = t.from(kA, 0, 2);
  CHECK(t.why_with({}) == "");  // where it is true, nothing rests on the lemma
  CHECK(t.why() == kDiffer);
}

TEST_CASE("contents are compared of storages of one shape", "[contents]") {
  Two t;
  t.both({fill("f32:0", t.all(kA))}, t.all(kA));
  t.lemmas = {contents(kA, 1, kA, 1)};
  CHECK(t.why() == "");
  const std::string shapes = kNotShown + "two storages of different shapes";
  CHECK(t.why_with({contents(kX, 0, kFlag, 0)}) == shapes);
  t.after.storages[kB].shape = {t.space.constant(5)};
  CHECK(t.why() == "");
  CHECK(t.why_with({contents(kA, 1, kB, 0)}) == shapes);
  t.after.storages[kB].shape = t.four, t.after.storages[kB].lanes = 4;
  CHECK(t.why_with({contents(kA, 1, kB, 0)}) == shapes);
}

TEST_CASE("what nobody wrote is one thing for both, and is chosen for an output alone", "[contents]") {
  Two t;
  const auto copied = move(t.all(kX), t.all(kC)), made = call("f", {t.all(kA)}, {t.all(kB)});
  const auto output = [&](StorageId of) { return TraceOutput{t.all(of), "", {}, false, std::nullopt}; };
  t.both({copied}, t.all(kA));
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.outputs = {output(kC)}; }) == "");  // it may have been x
  CHECK(t.why_changed([&](Trace& a) { a.outputs = {output(kB)}; }) == "");
  t.before.outputs = {output(kC)};
  CHECK(t.why() == kOpen);  // x may not become anything
  t.both({made}, t.all(kB));
  t.lemmas = {calls(0, 0)};
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = t.all(kX); }) == kDiffer);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = t.all(kC); }) == kDiffer);
  t.after.steps = {made, copied};
  t.after.outputs.push_back(output(kC));
  t.before.outputs.push_back(output(kA));
  CHECK(t.why() == "what nobody wrote is chosen twice");  // f of it is f of anything
  t.before.outputs[1] = output(kC);
  CHECK(t.why() == "");
  t.before.outputs.push_back(output(kC)), t.after.outputs.push_back(output(kC));
  CHECK(t.why() == "what nobody wrote is chosen twice");
}

TEST_CASE("undefined contents of one graph are equal to nothing, whatever a lemma says", "[contents]") {
  Two t;
  t.both({call("f", {t.all(kA)}, {t.all(kB)})}, t.all(kB));
  const auto single = [&](std::vector<Lemma> lemmas) {
    Certificate content;
    content.checks.push_back({"", std::nullopt, t.after, {}, {}, std::move(lemmas)});
    const Answer out = nc_check(t.space, content);
    REQUIRE(out.said != Said::unreadable);
    return out.why;
  };
  CHECK(single({}) == kOpen);
  CHECK(single({calls(0, 0)}) == kDiffer);
  CHECK(single({contents(kA, 0, kA, 0)}) == kDiffer);
  CHECK(single({contents(kB, 1, kB, 1)}) == kDiffer);
  t.after.steps[0].reads[0] = t.all(kX);
  CHECK(single({calls(0, 0)}) == "");
  t.after.steps.insert(t.after.steps.begin(), fill("f32:0", t.from(kX, 0, 3)));
  CHECK(single({calls(1, 1)}) == "");
  t.after.steps[0] = move(t.from(kA, 0, 3), t.from(kX, 0, 3));
  CHECK(single({calls(1, 1)}) == kDiffer);
}

}  // namespace contents_test
