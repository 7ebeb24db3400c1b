// Two graphs of a few steps, and lemmas about them, by hand.
#pragma once
#include "tests/catch.h"
#include "tests/support/traced.h"

namespace noclobber::testing {

using checker::Lemma;
using Views = TraceViews;
using Order = std::vector<std::uint32_t>;
inline const std::string kNotShown = "a lemma is not shown: ";
inline const std::string kDiffer = "a lemma is not shown: two contents differ";
inline const std::string kOpen = "1 obligations are open";
constexpr StorageId kX = 0, kY = 1, kFlag = 2, kOther = 3, kA = 4, kB = 5, kC = 6;

/// x and y (4 elements), two flags, and three storages of a graph's own, in both graphs.
struct Two {
  Space space;
  std::int16_t lanes;
  Shape four{space.constant(4)};
  Trace before, after;
  std::vector<Lemma> lemmas;

  explicit Two(std::int16_t parts = 0) : lanes(parts) {
    for (const char* key : {"in:x", "in:y", "in:flag", "in:other", "fresh 0", "fresh 1", "fresh 2"}) {
      const bool given = key[0] == 'i', flag = given && key[3] != 'x' && key[3] != 'y';
      before.storages.push_back({given ? TraceStorage::Start::given : TraceStorage::Start::undefined, key,
                                 flag ? Shape{} : four, flag ? std::int16_t{0} : lanes, true, given});
    }
    before.inputs = {{"x", all(kX)}, {"y", all(kY)}};
    after = before;
  }
  TraceView all(StorageId storage) const { return {storage, {}, four, "f32", lanes}; }
  TraceView from(StorageId storage, std::int64_t start, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four, map.to = {space.constant(length)};
    map.start = space.constant(start), map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", lanes};
  }
  /// Bytes of a storage that has 4 in each element.
  TraceView bytes(StorageId storage, std::int64_t start, std::int64_t length) {
    Map flat, slice;
    flat.from = {four[0], four[0]}, flat.to = {space.constant(16), space.constant(1)};
    slice.kind = Map::Kind::slice;
    slice.from = {flat.to[0]}, slice.to = {space.constant(length)};
    slice.start = space.constant(start), slice.step = space.constant(1);
    return {storage, {flat, slice}, slice.to, "u8", 1};
  }
  /// The graphs do this one after the other, and show a storage.
  static void give(Trace& trace, std::vector<TraceStep> steps, TraceView output) {
    trace.steps = std::move(steps);
    trace.outputs = {{std::move(output), "", {}, false, std::nullopt}};
  }
  void both(const std::vector<TraceStep>& steps, const TraceView& output) {
    give(before, steps, output), give(after, steps, output);
  }
  Certificate content() const {
    Certificate out;
    out.about = "contents";
    out.checks.push_back({"", before, after, {}, {}, lemmas});
    return out;
  }
  /// "" where it is proved, or why it is not. What cannot be read is no answer here.
  std::string why() { return why_of(nc_check(space, content())); }
  /// With lemmas and evidence that are found, instead of its own.
  std::string why_certified() { return why_of(nc_check_certified(space, content())); }
  static std::string why_of(const Answer& out) {
    INFO(out.why);
    REQUIRE((out.said == Said::proved || out.said == Said::not_proved));
    CHECK((out.said == Said::proved) == out.why.empty());
    return out.why;
  }
  std::string why_with(std::vector<Lemma> others) {
    std::swap(lemmas, others);
    const std::string out = why();
    std::swap(lemmas, others);
    return out;
  }
  bool is_readable_with(std::vector<Lemma> others) {
    std::swap(lemmas, others);
    const bool out = nc_check(space, content()).said != Said::unreadable;
    std::swap(lemmas, others);
    return out;
  }
  /// Why it is not proved with one change of `after`, which is taken back.
  std::string why_changed(const auto& change) {
    const Trace saved = after;
    change(after);
    const std::string out = why();
    after = saved;
    return out;
  }
};

inline TraceStep call(const char* key, Views reads, Views writes) {
  TraceStep step;
  step.key = key;
  step.access.edit().assign(reads.size(), std::vector<Access>(writes.size(), Access::before_write));
  step.reads = std::move(reads), step.writes = std::move(writes);
  return step;
}
inline TraceStep move(TraceView read, TraceView write) {
  TraceStep step = call("", {std::move(read)}, {std::move(write)});
  step.kind = TraceStep::Kind::move;
  return step;
}
inline TraceStep fill(const char* scalar, TraceView write) {
  TraceStep step = call(scalar, {}, {std::move(write)});
  step.kind = TraceStep::Kind::fill;
  return step;
}
inline Lemma calls(std::uint32_t before, std::uint32_t after) {
  return {Lemma::Kind::calls, before, 0, after, 0};
}
inline Lemma contents(StorageId a, std::uint32_t b, StorageId c, std::uint32_t d) {
  return {Lemma::Kind::contents, a, b, c, d};
}
inline Lemma writes(StorageId a, std::uint32_t b, StorageId c, std::uint32_t d, Order order = {0}) {
  return {Lemma::Kind::writes, a, b, c, d, {{std::move(order), ""}}};
}

}  // namespace noclobber::testing
