// What the second engine may choose, what it may merge, and what it does without an answer.
#include "src/second/direct.h"

#include "tests/catch.h"
#include "tests/unit/fuzz/found.h"

namespace direct_test {

using namespace noclobber;

namespace {

using Kind = Obligation::Kind;

/// x: an input of 4 elements; e: 4 elements never written; storage 2 becomes output 0.
struct Fresh {
  Space space;
  Shape four{space.constant(4)};

  TraceView all(StorageId storage) const { return {storage, {}, four, "f32", 0}; }
  TraceView part(StorageId storage, std::int64_t start, std::int64_t length) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = four;
    map.to = {space.constant(length)};
    map.start = space.constant(start);
    map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", 0};
  }
  static TraceStep move(TraceView to, TraceView from) {
    TraceStep step;
    step.kind = TraceStep::Kind::move;
    step.reads = {std::move(from)};
    step.writes = {std::move(to)};
    step.access = {{Access::elementwise}};
    return step;
  }
  static TraceStep call(const std::string& key, TraceView to, TraceView from) {
    TraceStep step = move(std::move(to), std::move(from));
    step.kind = TraceStep::Kind::opaque;
    step.key = key;
    step.access = {{Access::any_time}};
    return step;
  }
  Trace trace(std::vector<TraceStep> steps) {
    Trace out;
    out.storages = {{TraceStorage::Start::given, "in:x", four, 0, true, true},
                    {TraceStorage::Start::undefined, "fresh 0", four, 0, true, false},
                    {TraceStorage::Start::undefined, "fresh 1", four, 0, true, false}};
    out.inputs = {{"x", all(0)}};
    out.steps = std::move(steps);
    out.outputs.push_back({all(2), "", {}, false, std::nullopt});
    return out;
  }
  bool value_shown(const Trace& before, const Trace& after, std::uint64_t effort = 0) {
    return shown({Kind::value, false, 0, 0}, before, after, effort);
  }
  bool shown(const Obligation& wanted, const Trace& before, const Trace& after, std::uint64_t effort = 0) {
    Questions questions(effort);
    return decide_directly(space, &before, after, {}, {wanted}, questions).shown.contains(wanted);
  }
};

}  // namespace

TEST_CASE("contents never written may be chosen, once each", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const Trace after = w.trace({Fresh::move(w.all(2), w.all(0))});
  const TraceStep base = Fresh::move(w.all(2), w.all(0));
  // Elements 1 to 3 of e at places 0 to 2.
  const Trace shifted = w.trace({base, Fresh::move(w.part(2, 0, 3), w.part(1, 1, 3))});
  CHECK(w.value_shown(shifted, after));
  // Elements 0 and 1 of e at places 0, 1 and again at 2, 3.
  const Trace twice = w.trace(
      {base, Fresh::move(w.part(2, 0, 2), w.part(1, 0, 2)), Fresh::move(w.part(2, 2, 2), w.part(1, 0, 2))});
  CHECK_FALSE(w.value_shown(twice, after));
  // A second output shows them as well.
  Trace other = shifted, both = after;
  other.outputs.push_back({w.all(1), "", {}, false, std::nullopt});
  both.outputs.push_back({w.all(1), "", {}, false, std::nullopt});
  CHECK_FALSE(w.value_shown(other, both));
  // What an operator makes of them cannot be chosen; nor can what `after` never wrote.
  CHECK_FALSE(w.value_shown(w.trace({Fresh::call("f", w.all(2), w.all(1))}), after));
  CHECK_FALSE(w.value_shown(after, shifted));
}

TEST_CASE("contents never written may be what the other graph leaves there, all at once",
          "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const auto show = [&](std::int64_t at) { return Fresh::move(w.part(2, at, 2), w.part(1, 0, 2)); };
  const auto store = [&](std::int64_t from) { return Fresh::move(w.part(1, 0, 2), w.part(0, from, 2)); };
  const Trace before = w.trace({show(0), show(2)});
  const Trace after = w.trace({store(0), show(0), show(2)});
  CHECK(w.value_shown(before, after));
  // No one content of e is both.
  CHECK_FALSE(w.value_shown(before, w.trace({store(0), show(0), store(2), show(2)})));
  // Whatever e is, x is something else.
  Trace wrong = before, right = after;
  wrong.outputs.push_back({w.all(0), "", {}, false, std::nullopt});
  right.outputs.push_back({w.all(1), "", {}, false, std::nullopt});
  CHECK_FALSE(w.value_shown(wrong, right));
}

TEST_CASE("two steps are one call if their operands are equal everywhere", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const Trace whole = w.trace({Fresh::call("f", w.all(2), w.all(0))});
  const auto pieces = [&](std::int64_t second) {
    return w.trace({Fresh::move(w.part(1, 0, 2), w.part(0, 0, 2)),
                    Fresh::move(w.part(1, 2, 2), w.part(0, second, 2)),
                    Fresh::call("f", w.all(2), w.all(1))});
  };
  CHECK(w.value_shown(whole, pieces(2)));
  CHECK_FALSE(w.value_shown(whole, pieces(1)));
  CHECK_FALSE(w.value_shown(whole, w.trace({Fresh::call("g", w.all(2), w.all(0))})));
}

TEST_CASE("a write that may hold an element twice has no content", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const auto strided = [&](std::int64_t stride) {
    TraceView view = w.all(2);
    Map map;
    map.kind = Map::Kind::strided;
    map.from = w.four;
    map.to = {w.space.constant(2), w.space.constant(2)};
    map.strides = {w.space.constant(stride), w.space.constant(1)};
    view.maps = {map};
    view.shape = map.to;
    TraceView from = view;
    from.storage = 0;
    return w.trace({Fresh::move(view, from)});
  };
  CHECK(w.value_shown(w.trace({Fresh::move(w.all(2), w.all(0))}), strided(2)));
  CHECK_FALSE(w.value_shown(strided(1), strided(1)));
}

TEST_CASE("what is not modelled, and an effort that does not suffice, show nothing", "[direct]") {
  Fresh w;
  const Trace before = w.trace({Fresh::call("f", w.all(2), w.all(0))});
  Trace after = before;
  after.unknown = {{"unsupported-op", "zoo.op"}};
  Questions questions;
  CHECK(decide_directly(w.space, &before, after, {}, enumerate(&before, after, {}), questions).shown.empty());
  const Trace moved =
      w.trace({Fresh::move(w.part(1, 0, 2), w.part(0, 0, 2)), Fresh::move(w.part(1, 2, 2), w.part(0, 2, 2)),
               Fresh::call("f", w.all(2), w.all(1))});
  CHECK_FALSE(w.value_shown(before, moved, 1));
}

TEST_CASE("placements that live at one time share no byte, and lie inside their arena", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  w.space.range("s", 1, std::nullopt);
  const PolyId s = w.space.symbol("s");
  const auto shown = [&](PolyId second, std::uint32_t second_begins, std::uint32_t last, PolyId room) {
    Trace after = w.trace({Fresh::move(w.all(1), w.all(0)), Fresh::move(w.all(2), w.all(1))});
    after.steps[1].origin = 1;
    after.arenas = {room};
    after.placements = {{"e", 0, 0, s, 0, last, 1, {}, std::nullopt},
                        {"y", 0, second, s, second_begins, 3, 2, {}, std::nullopt}};
    Questions questions;
    const Obligation first{Kind::placed, false, 0, 0}, other{Kind::placed, false, 1, 0};
    return decide_directly(w.space, nullptr, after, {}, {first, other}, questions).shown.size();
  };
  const PolyId two = w.space.scale(s, 2), less = w.space.sub(s, w.space.constant(1));
  CHECK(shown(s, 0, 2, two) == 2);
  CHECK(shown(less, 0, 2, two) == 0);                                 // one byte is both
  CHECK(shown(s, 0, 2, w.space.sub(two, w.space.constant(1))) == 1);  // the second ends outside
  CHECK(shown(s, 0, 1, two) == 1);                                    // the first is dead at its last use
  CHECK(shown(s, 1, 2, two) == 2);
  CHECK(shown(s, 2, 2, two) == 1);  // the second begins behind its first use
}

TEST_CASE("bodies are part of what a step is", "[direct]") {
  Fresh w;
  const Trace before = w.trace({Fresh::call("f", w.all(2), w.all(0))});
  Trace after = before;
  Questions questions;
  const auto all = enumerate(&before, after, {});
  after.steps[0].bodies = {"then"};
  CHECK(decide_directly(w.space, &before, after, {}, all, questions).shown.size() < all.size());
  Trace same = after;
  CHECK(decide_directly(w.space, &same, after, {}, all, questions).shown.size() == all.size());
}

TEST_CASE("inputs of one name show the same, wherever their storages are listed", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const Obligation frame{Kind::frame, false, 0, 0};
  const Trace before = w.trace({Fresh::move(w.all(2), w.all(0))});
  Trace part = before, listed = w.trace({Fresh::move(w.all(2), w.all(1))});
  CHECK(w.shown(frame, before, before));
  part.inputs = {{"x", w.part(0, 1, 3)}};
  CHECK_FALSE(w.shown(frame, before, part));
  std::swap(listed.storages[0], listed.storages[1]);
  listed.inputs = {{"x", w.all(1)}};
  CHECK(w.shown(frame, before, listed));
  listed.storages[0].key = "in:y", listed.storages[0].start = TraceStorage::Start::given;
  CHECK_FALSE(w.shown(frame, before, listed));
}

TEST_CASE("outputs without a tensor are the same scalar", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const auto returns = [&](const char* scalar) {
    Trace out = w.trace({});
    out.outputs = {{std::nullopt, scalar, {}, false, std::nullopt}};
    return out;
  };
  const Obligation type{Kind::type, false, 0, 0};
  CHECK(w.shown(type, returns("s0"), returns("s0")));
  CHECK_FALSE(w.shown(type, returns("s0"), returns("s1")));
  CHECK_FALSE(w.shown(type, returns(""), w.trace({})));
}

TEST_CASE("bytes may be used again from the step at which they are no longer used", "[direct][solver]") {
  if (solver_version().empty()) return;
  Fresh w;
  const auto plan = [&](std::uint32_t first, std::int64_t offset) {
    Trace out = w.trace({});
    out.arenas = {w.space.constant(24)};
    const PolyId size = w.space.constant(16);
    out.placements = {{"a", 0, w.space.constant(0), size, 0, 3, std::nullopt, {}, std::nullopt},
                      {"b", 0, w.space.constant(offset), size, first, 9, std::nullopt, {}, std::nullopt}};
    return out;
  };
  const auto placed = [&](std::uint32_t first, std::int64_t offset) {
    return w.shown({Kind::placed, false, 1, 0}, w.trace({}), plan(first, offset));
  };
  CHECK(placed(3, 0));
  CHECK_FALSE(placed(2, 0));
  CHECK_FALSE(placed(2, 8));
  CHECK(placed(3, 8));
  CHECK_FALSE(placed(3, 9));  // beyond the arena
}

namespace {

std::string step(const std::string& name, const std::string& op, const std::string& args) {
  return R"({"name":")" + name + R"(","op":"aten.)" + op + R"(","args":[)" + args + "]},";
}

std::string ref(const std::string& name) { return R"({"ref":")" + name + R"("})"; }

/// What the second engine says of two lists of steps that make r of x and y, f32[4].
Status solved(std::string before, std::string after) {
  const std::string inputs = R"({"name":"x","type":{"dtype":"f32","shape":[4]}},)"
                             R"({"name":"y","type":{"dtype":"f32","shape":[4]}})",
                    end = R"(],"outputs":[{"ref":"r"}])";
  before.pop_back(), after.pop_back();
  return found::status_of(found::pair_of(inputs, "\"steps\":[" + before + end, "\"steps\":[" + after + end),
                          true);
}

}  // namespace

TEST_CASE("the second engine tells calls of one operator apart by the types that they read", "[direct]") {
  const std::string i32 = R"(,{"dtype":"i32"})", floats = step("r", "eq.Tensor", ref("x") + "," + ref("y")),
                    bits = step("a", "view.dtype", ref("x") + i32) + step("b", "view.dtype", ref("y") + i32) +
                           step("r", "eq.Tensor", ref("a") + "," + ref("b"));
  CHECK(solved(floats, floats) == Status::proved);
  CHECK(solved(bits, bits) == Status::proved);
  CHECK(solved(floats, bits) != Status::proved);  // -0 and 0, NaN and itself
}

TEST_CASE("the second engine tells bytes of results from bytes of what they were made of", "[direct]") {
  const auto bytes = [](const std::string& op) {
    return step("n", op, ref("x")) + step("r", "view.dtype", ref("n") + R"(,{"dtype":"u8"})");
  };
  CHECK(solved(bytes("exp.default"), bytes("exp.default")) == Status::proved);
  CHECK(solved(bytes("exp.default"), bytes("neg.default")) != Status::proved);
}

TEST_CASE("the second engine chooses what was never written once for each element", "[direct]") {
  const auto empty = [](const char* size, const char* stride) {
    return step("e", "empty.memory_format", size) +
           step("r", "as_strided.default", ref("e") + ",[2,2]," + stride);
  };
  const std::string copy =
      step("c", "clone.default", ref("x")) + step("r", "reshape.default", ref("c") + ",[2,2]");
  CHECK(solved(step("r", "empty.memory_format", "[2,2]"), copy) == Status::proved);
  CHECK(solved(empty("[3]", "[1,1]"), copy) != Status::proved);  // two places show one element
}

}  // namespace direct_test
