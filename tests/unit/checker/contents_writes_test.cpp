// Lemmas of writes, and of what they rest on: each that lies, beside its honest twin.
#include "tests/unit/checker/two.h"

namespace contents_writes_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// a := 0; b := f(x); a[1:3] := b[1:3], in both. What is there before the last write, then the write.
Two partly() {
  Two t;
  t.both({fill("f32:0", t.all(kA)), call("f", {t.all(kX)}, {t.all(kB)}),
          move(t.from(kB, 1, 2), t.from(kA, 1, 2))},
         t.all(kA));
  t.lemmas = {calls(1, 1), contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)};
  return t;
}

}  // namespace

TEST_CASE("a write is the same where it puts the same in the same places of the same", "[contents]") {
  Two t = partly();
  CHECK(t.why() == "");
  const std::string elsewhere = kNotShown + "two writes go elsewhere",
                    was = kNotShown + "what was there before is not the same";
  CHECK(t.why_changed([&](Trace& a) { a.steps[2].writes[0] = t.from(kA, 2, 2); }) == elsewhere);
  CHECK(t.why_changed([&](Trace& a) { a.steps[2] = move(t.from(kB, 1, 3), t.from(kA, 1, 3)); }) == elsewhere);
  CHECK(t.why_changed([&](Trace& a) { a.steps[2].reads[0] = t.from(kB, 2, 2); }) == kDiffer);
  CHECK(t.why_changed([&](Trace& a) { a.steps[2].reads[0] = t.from(kX, 1, 2); }) == kDiffer);
  CHECK(t.why_changed([&](Trace& a) { a.steps[2] = fill("f32:0", t.from(kA, 1, 2)); }) == kDiffer);
  CHECK(t.why_changed([](Trace& a) { a.steps[0].key = "f32:1"; }) == kDiffer);
  CHECK(t.why_with({calls(1, 1), writes(kA, 2, kA, 2)}) == was);
  CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)}) == kDiffer);
  t.after.steps[0].key = "f32:1";  // of which no lemma speaks now
  CHECK(t.why_with({calls(1, 1), writes(kA, 2, kA, 2)}) == was);
  CHECK(t.why_with({calls(1, 1), contents(kX, 0, kX, 0), writes(kA, 2, kA, 2)}) == was);
}

TEST_CASE("a write that disturbs its own step is the same as none", "[contents]") {
  Two t = partly();
  CHECK(t.why() == "");
  for (Trace* trace : {&t.before, &t.after}) trace->steps[2] = move(t.from(kA, 0, 2), t.from(kA, 1, 2));
  CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)}) == "");  // all reads come first
  t.before.steps[2].access = {{Access::any_time}};
  CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)}) ==
        kNotShown + "a step that disturbs itself was met");
  t.after.steps[2].access = {{Access::any_time}};
  CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)}) ==
        kNotShown + "a step that disturbs itself was met");
}

TEST_CASE("a lemma rests on those that stand before it", "[contents]") {
  Two t = partly();
  const std::vector<Lemma> good = t.lemmas;
  const std::string was = kNotShown + "what was there before is not the same";
  CHECK(t.why() == "");
  CHECK(t.why_with({good[1], good[0], good[2]}) == "");
  CHECK(t.why_with({good[0], good[2], good[1]}) == was);
  CHECK(t.why_with({good[1], good[2], good[0]}) == kDiffer);
  t.both({call("f", {t.all(kX)}, {t.all(kA)}), call("g", {t.all(kA)}, {t.all(kB)})}, t.all(kB));
  CHECK(t.why_with({calls(0, 0), calls(1, 1)}) == "");
  CHECK(t.why_with({calls(1, 1), calls(0, 0)}) == kDiffer);
  CHECK(t.why_with({calls(1, 1)}) == kDiffer);
}

TEST_CASE("lemmas that would show each other show nothing", "[contents]") {
  Two t;  // a[0:2] := the other half of a, of which each graph begins with another
  t.give(t.before, {fill("f32:0", t.all(kA)), move(t.from(kA, 0, 2), t.from(kA, 2, 2))}, t.all(kA));
  t.give(t.after, {fill("f32:0", t.all(kA)), move(t.from(kA, 0, 2), t.from(kA, 2, 2))}, t.all(kA));
  t.lemmas = {contents(kA, 1, kA, 1), writes(kA, 2, kA, 2)};
  CHECK(t.why() == "");
  t.after.steps[0].key = "f32:1";
  CHECK(t.why() == kDiffer);
  CHECK(t.why_with({contents(kA, 2, kA, 2), writes(kA, 2, kA, 2)}) == kDiffer);
  CHECK(t.why_with({writes(kA, 2, kA, 2), contents(kA, 1, kA, 1)}) ==
        kNotShown + "what was there before is not the same");
  CHECK(t.why_with({writes(kA, 1, kA, 1)}) == kNotShown + "what was there before is not the same");
}

TEST_CASE("a lemma is about steps, storages and writes that there are", "[contents]") {
  Two t = partly();
  CHECK(t.why() == "");
  const std::string step = kNotShown + "no such step", write = kNotShown + "no such write",
                    storage = kNotShown + "no such storage";
  for (const std::uint32_t far : {3U, 4U, 0x7fffffffU, 0xffffffffU}) {
    CHECK(t.why_with({calls(far, 1)}) == step);
    CHECK(t.why_with({calls(1, far)}) == step);
    CHECK(t.why_with({contents(kA, far, kA, 1)}) == write);
    CHECK(t.why_with({contents(kA, 1, kA, far)}) == write);
    CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, far, kA, 2)}) == write);
    CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, far)}) == write);
    CHECK(t.why_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, 2, {far})}) == write + "s");
    const std::uint32_t more = far + 4 < far ? far : far + 4;
    CHECK(t.why_with({contents(more, 0, kA, 1)}) == storage);
    CHECK(t.why_with({contents(kA, 1, more, 0)}) == storage);
    CHECK(t.why_with({writes(more, 1, kA, 1)}) == storage);
    CHECK(t.why_with({writes(kA, 1, more, 1)}) == storage);
  }
  CHECK(t.why_with({writes(kA, 0, kA, 0)}) == write);
  CHECK(t.why_with({writes(kA, 1, kA, 1, {0, 1})}) == write);
  CHECK_FALSE(t.is_readable_with({contents(kA, 1, kA, 1), writes(kA, 2, kA, 2, {})}));
  CHECK(t.why_with({contents(kA, 0, kA, 0), writes(kA, 2, kA, 2, {0, 0})}) == write + "s");
  CHECK(t.why_with({contents(kA, 0, kA, 0), writes(kA, 2, kA, 2, {0, 2})}) == write + "s");
}

TEST_CASE("a lemma that is there twice is one too many", "[contents]") {
  Two t = partly();
  const std::vector<Lemma> good = t.lemmas;
  CHECK(t.why() == "");
  for (std::size_t k = 0; k < good.size(); ++k)
    for (std::size_t at = k; at <= good.size(); ++at) {
      std::vector<Lemma> more = good;
      more.insert(more.begin() + static_cast<std::ptrdiff_t>(at), good[k]);
      INFO(k << " at " << at);
      if (at <= k + 1)
        CHECK_FALSE(t.is_readable_with(more));  // twice in a row
      else
        CHECK(t.why_with(more) == checker::kSurplus);
    }
}

TEST_CASE("writes of other places may be in another order", "[contents]") {
  Two t;
  const auto program = [&](bool turned, std::int64_t second) {
    std::vector<TraceStep> steps{fill("f32:0", t.all(kA)), call("f", {t.all(kX)}, {t.all(kB)}),
                                 move(t.from(kB, 0, 2), t.from(kA, 0, 2)),
                                 move(t.from(kY, 0, 2), t.from(kA, second, 2))};
    if (turned) std::swap(steps[2], steps[3]);
    return steps;
  };
  t.give(t.before, program(false, 2), t.all(kA));
  t.give(t.after, program(true, 2), t.all(kA));
  t.lemmas = {calls(1, 1), contents(kA, 1, kA, 1), writes(kA, 3, kA, 3, {1, 0})};
  const std::string meet = kNotShown + "two writes meet that are in another order";
  CHECK(t.why() == "");
  CHECK(t.why_with({t.lemmas[0], t.lemmas[1], writes(kA, 3, kA, 3, {0, 1})}) ==
        kNotShown + "two writes go elsewhere");
  t.give(t.before, program(false, 1), t.all(kA));
  t.give(t.after, program(true, 1), t.all(kA));
  CHECK(t.why() == meet);
  t.give(t.after, program(false, 1), t.all(kA));
  CHECK(t.why() == kNotShown + "two writes go elsewhere");
  CHECK(t.why_with({t.lemmas[0], t.lemmas[1], writes(kA, 3, kA, 3, {0, 1})}) == "");
}

TEST_CASE("two writes of the same places count in their order", "[contents]") {
  Two t;
  const auto program = [&](const char* first, const char* second) {
    return std::vector{call("f", {t.all(kX)}, {t.all(kA)}), fill(first, t.from(kA, 1, 2)),
                       fill(second, t.from(kA, 1, 2))};
  };
  t.give(t.before, program("f32:0", "f32:1"), t.all(kA));
  t.give(t.after, program("f32:0", "f32:1"), t.all(kA));
  const auto with = [&](Order order) {
    return t.why_with({calls(0, 0), contents(kA, 1, kA, 1), writes(kA, 3, kA, 3, std::move(order))});
  };
  CHECK(with({0, 1}) == "");
  CHECK(with({1, 0}) == kDiffer);
  t.give(t.after, program("f32:1", "f32:0"), t.all(kA));
  CHECK(with({0, 1}) == kDiffer);
  CHECK(with({1, 0}) == kNotShown + "two writes meet that are in another order");
}

TEST_CASE("writes are followed through what is moved as a whole, as it was then", "[contents]") {
  Two t;  // before: a := f(x), a[0:1] := 0, b := a, b[2:3] := 1; after on a alone
  const auto first = fill("f32:0", t.from(kA, 0, 1)), made = call("f", {t.all(kX)}, {t.all(kA)});
  const auto copied = move(t.all(kA), t.all(kB));
  const auto last = [&](StorageId of) { return fill("f32:1", t.from(of, 2, 1)); };
  t.give(t.before, {made, first, copied, last(kB)}, t.all(kB));
  t.give(t.after, {made, first, last(kA)}, t.all(kA));
  t.lemmas = {calls(0, 0), contents(kA, 1, kA, 1), writes(kB, 2, kA, 3, {0, 1})};
  CHECK(t.why() == "");
  const std::string was = kNotShown + "what was there before is not the same";
  t.give(t.before, {made, copied, first, last(kB)}, t.all(kB));  // copied too early
  CHECK(t.why() == was);
  CHECK(t.why_with({calls(0, 0), contents(kA, 1, kA, 1), writes(kB, 2, kA, 3, {0})}) == was);
  t.give(t.before, {made, first, move(t.from(kA, 0, 4), t.all(kB)), last(kB)}, t.all(kB));
  CHECK(t.why() != "");  // a view of the whole is not looked through, which costs no proof
  CHECK(t.why_with({calls(0, 0)}) == "");
}

}  // namespace contents_writes_test
