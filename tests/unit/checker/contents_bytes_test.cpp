// Contents of storages whose elements have bytes: each question that no byte answers, beside its honest twin.
#include "tests/unit/checker/two.h"

namespace contents_bytes_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

TraceStep each(TraceView read, TraceView write) {
  TraceStep step = call("neg", {std::move(read)}, {std::move(write)});
  step.elementwise = true;
  return step;
}

/// Of which element k has byte k of each element of the storage.
TraceView across(Two& t, StorageId storage) {
  Map map;
  map.kind = Map::Kind::permute;
  map.from = map.to = {t.four[0], t.four[0]};
  map.order = {1, 0};
  TraceView out = t.all(storage);
  out.maps = {map};
  return out;
}

}  // namespace

TEST_CASE("bytes of a result are bytes of one element", "[contents]") {
  Two t(4);
  t.both({call("f", {t.all(kX)}, {t.all(kA), t.all(kB)})}, t.bytes(kA, 5, 3));
  t.lemmas = {calls(0, 0)};
  CHECK(t.why() == "");
  CHECK(t.why_with({}) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = t.bytes(kA, 6, 3); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = t.bytes(kA, 1, 3); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = t.bytes(kB, 5, 3); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = across(t, kX); }) == kDiffer);
  t.before.outputs[0].view = t.after.outputs[0].view = across(t, kA);
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = t.all(kA); }) == kOpen);
}

TEST_CASE("one scalar has its own bytes in each element", "[contents]") {
  Two t(4);
  t.both({fill("f32:1", t.all(kA))}, t.bytes(kA, 0, 4));
  CHECK(t.why() == "");
  const auto shown = [&](std::int64_t start) {
    t.after.outputs[0].view = t.bytes(kA, start, 4);
    return t.why_certified();
  };
  CHECK(shown(4) == "");
  CHECK(shown(12) == "");
  CHECK(shown(1) == kOpen);
  CHECK(shown(6) == kOpen);
  t.both({fill("f32:1", t.all(kA))}, t.all(kA));
  CHECK(t.why_changed([&](Trace& a) { a.outputs[0].view = across(t, kA); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].key = "f32:2"; }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps = {fill("u8:1", t.bytes(kA, 0, 16))}; }) == kOpen);
  t.both({fill("u8:1", t.bytes(kA, 0, 16))}, t.all(kA));
  CHECK(t.why() == "");
}

TEST_CASE("an element depends on all of its bytes", "[contents]") {
  Two t(4);
  const auto program = [&](std::int64_t from) {
    return std::vector{move(t.all(kX), t.all(kA)), move(t.bytes(kY, from, 3), t.bytes(kA, 5, 3)),
                       each(t.all(kA), t.all(kB))};
  };
  t.both(program(5), t.all(kB));
  CHECK(t.why_certified() == "");
  t.give(t.after, program(9), t.all(kB));
  CHECK(t.why_certified() == kOpen);
  t.before.outputs[0].view = t.after.outputs[0].view = t.bytes(kB, 4, 1);  // whose byte of a is that of x
  CHECK(t.why_certified() == kOpen);
  t.before.outputs[0].view = t.after.outputs[0].view = t.bytes(kB, 0, 4);  // of another element
  CHECK(t.why_certified() == "");
  t.before.outputs[0].view = t.after.outputs[0].view = t.bytes(kA, 4, 1);  // of a itself
  CHECK(t.why_certified() == "");
  t.before.outputs[0].view = t.after.outputs[0].view = t.bytes(kA, 5, 1);
  CHECK(t.why_certified() == kOpen);
}

TEST_CASE("an element that is read across is another", "[contents]") {
  Two t(4);
  t.both({each(t.all(kX), t.all(kA))}, t.all(kA));
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = across(t, kX); }) == kOpen);
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].writes[0] = across(t, kA); }) == kOpen);
  t.both({each(across(t, kX), t.all(kA))}, t.all(kA));
  CHECK(t.why() == "");
  t.both({call("f", {across(t, kX)}, {t.all(kA)})}, t.all(kA));
  t.lemmas = {calls(0, 0)};
  CHECK(t.why() == "");
  CHECK(t.why_changed([&](Trace& a) { a.steps[0].reads[0] = t.all(kX); }) == kDiffer);
}

TEST_CASE("an element is the same with its bytes and without, not with some of another width", "[contents]") {
  Two t(4);
  const auto with = [&](std::int16_t lanes, const std::string& key) {
    t.lanes = lanes;
    t.after.storages[kA].lanes = lanes;
    t.give(t.after, {fill("f32:1", t.all(kA))}, t.all(kA));
    if (key != "f32:1") t.after.steps[0].key = key;
    t.lanes = 4;
    return t.why();
  };
  t.give(t.before, {fill("f32:1", t.all(kA))}, t.all(kA));
  CHECK(with(4, "f32:1") == "");
  CHECK(with(0, "f32:1") == "");
  CHECK(with(0, "f32:2") == kOpen);
  CHECK(with(2, "f32:1") == kOpen);
  CHECK(with(8, "f32:1") == kOpen);
  t.both({call("f", {t.all(kX)}, {t.all(kA)})}, t.all(kA));
  t.lemmas = {calls(0, 0)};
  TraceView whole = t.all(kA);
  whole.lanes = t.after.storages[kA].lanes = 0;
  t.after.steps[0].writes[0] = whole, t.after.outputs[0].view = whole;
  CHECK(t.why() == "");
  t.before.outputs[0].view = across(t, kA);
  CHECK(t.why() == kOpen);
  t.before.outputs[0].view = t.all(kB);  // which nobody wrote
  CHECK(t.why_with({}) == "");
  std::swap(t.before, t.after);
  CHECK(t.why_with({}) == kOpen);
}

TEST_CASE("bytes that are written are the same where they come from the same", "[contents]") {
  Two t(4);
  const auto program = [&](std::int64_t from, std::int64_t to) {
    return std::vector{call("f", {t.all(kX)}, {t.all(kA)}), move(t.bytes(kY, from, 3), t.bytes(kA, to, 3))};
  };
  t.both(program(9, 5), t.all(kA));
  t.lemmas = {calls(0, 0), contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)};
  CHECK(t.why() == "");
  CHECK(t.why_with({calls(0, 0), writes(kA, 2, kA, 2)}) ==
        kNotShown + "what was there before is not the same");
  t.give(t.after, program(9, 6), t.all(kA));
  CHECK(t.why() == kNotShown + "two writes go elsewhere");
  t.give(t.after, program(8, 5), t.all(kA));
  CHECK(t.why() == kDiffer);
  CHECK(t.why_certified() == kOpen);
  t.give(t.after, program(9, 5), across(t, kA));
  CHECK(t.why() != "");
}

}  // namespace contents_bytes_test
