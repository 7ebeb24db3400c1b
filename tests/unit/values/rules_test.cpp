// What is shown of one obligation, asked by itself: cases that other obligations would refuse as well.
#include "src/certify/nonnegative.h"
#include "src/values/obligation.h"
#include "tests/catch.h"

namespace rules_test {

using namespace noclobber;

namespace {

using Kind = Obligation::Kind;

/// x (an input, compared at exit) and three fresh storages, of n >= 4 elements; 0 <= s <= n.
struct Asked {
  Space space = searching_space();
  PolyId n = space.symbol("n"), s = space.symbol("s");
  Trace before, after;
  Boundary boundary;

  Asked() {
    space.range("n", 4, std::nullopt), space.range("s", 0, std::nullopt);
    space.assume_nonnegative(space.sub(n, s));
    for (const char* key : {"in:x", "fresh 0", "fresh 1", "fresh 2"})
      after.storages.push_back({key[0] == 'i' ? TraceStorage::Start::given : TraceStorage::Start::undefined,
                                key,
                                {n},
                                0,
                                true,
                                key[0] == 'i'});
    after.inputs = {{"x", all(0)}};
    before = after;
  }
  TraceView all(StorageId storage) const { return {storage, {}, {n}, "f32", 0}; }
  TraceView part(StorageId storage, PolyId start, PolyId end) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = {n}, map.to = {space.sub(end, start)};
    map.start = start, map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", 0};
  }
  static TraceStep call(const char* key, TraceViews reads, TraceView write) {
    TraceStep step;
    step.key = key;
    step.access.edit().assign(reads.size(), {Access::before_write});
    step.reads = std::move(reads), step.writes = {std::move(write)};
    return step;
  }
  static TraceStep fill(TraceView write, const char* scalar = "f32:0") {
    TraceStep step = call(scalar, {}, std::move(write));
    step.kind = TraceStep::Kind::fill;
    return step;
  }
  static TraceStep move(TraceView read, TraceView write) {
    TraceStep step = call("", {std::move(read)}, std::move(write));
    step.kind = TraceStep::Kind::move;
    return step;
  }
  static TraceOutput output(TraceView view) { return {std::move(view), "", {}, false, std::nullopt}; }
  static TraceOutput scalar(const char* text) { return {std::nullopt, text, {}, false, std::nullopt}; }

  bool shown(Kind kind, std::uint32_t a = 0, std::uint32_t b = 0) {
    Terms terms(space);
    return Rules(space, terms, &before, after, boundary).shown({kind, false, a, b});
  }
  bool defined() {
    Terms terms(space);
    return Rules(space, terms, nullptr, after, boundary).shown({Kind::defined, false, 0, 0});
  }
};

}  // namespace

TEST_CASE("an output that the other graph lacks is equal to nothing", "[rules]") {
  Asked a;
  a.before.outputs = a.after.outputs = {a.scalar("3")};
  CHECK(a.shown(Kind::frame));
  CHECK(a.shown(Kind::type));
  CHECK(a.shown(Kind::value));
  a.after.outputs.push_back(a.scalar("3"));
  CHECK_FALSE(a.shown(Kind::frame));
  CHECK_FALSE(a.shown(Kind::type, 1));
  CHECK_FALSE(a.shown(Kind::value, 1));
  a.after.outputs[1] = a.output(a.all(0));
  CHECK_FALSE(a.shown(Kind::type, 1));
  CHECK_FALSE(a.shown(Kind::value, 1));
  a.after.outputs = {a.scalar("4")};
  CHECK_FALSE(a.shown(Kind::type));
}

TEST_CASE("no elements are equal elements", "[rules]") {
  Asked a;
  a.before.outputs = {a.output(a.part(0, a.s, a.s))}, a.after.outputs = {a.output(a.part(1, a.s, a.s))};
  CHECK(a.shown(Kind::value));
  a.before.outputs = {a.output(a.part(0, 0, a.s))}, a.after.outputs = {a.output(a.part(1, 0, a.s))};
  CHECK_FALSE(a.shown(Kind::value));
}

TEST_CASE("inputs of one name show the same of the same, wherever it is listed", "[rules]") {
  Asked a;
  a.before.storages.push_back(a.before.storages[0]);
  a.before.storages.back().key = "in:y";
  a.after.storages = a.before.storages;
  a.before.inputs = {{"x", a.all(0)}, {"y", a.all(4)}};
  a.after.inputs = {{"y", a.all(4)}, {"x", a.all(0)}};
  CHECK(a.shown(Kind::frame));
  std::swap(a.after.storages[0], a.after.storages[4]);
  CHECK_FALSE(a.shown(Kind::frame));  // x shows what y is
  a.after.inputs = {{"x", a.all(4)}, {"y", a.all(0)}};
  CHECK(a.shown(Kind::frame));
  a.after.inputs[0].view = a.part(4, 0, a.s);
  CHECK_FALSE(a.shown(Kind::frame));
  a.after.inputs[0].view = a.all(4);
  a.after.inputs[0].view.type = "i32";
  CHECK_FALSE(a.shown(Kind::frame));
  a.after.inputs[0].name = "z";  // a name that the other has not is another question
  CHECK(a.shown(Kind::frame));
}

TEST_CASE("an output that was no view of an input may not become one", "[rules]") {
  Asked a;
  a.before.outputs = {a.scalar("3")}, a.after.outputs = {a.output(a.all(0))};
  CHECK_FALSE(a.shown(Kind::sharing));
  a.before.outputs = {a.output(a.all(1))};
  CHECK_FALSE(a.shown(Kind::sharing));
  a.before.outputs = a.after.outputs;
  CHECK(a.shown(Kind::sharing));
}

TEST_CASE("what shared an input may share it at the same places alone", "[rules]") {
  Asked a;
  Map flat;
  flat.kind = Map::Kind::reshape;
  flat.from = {a.n}, flat.to = {a.space.constant(1), a.n};
  Map turned = flat;
  turned.kind = Map::Kind::permute;
  turned.from = turned.to = {a.n}, turned.order = {0};
  a.before.outputs = {a.output({0, {turned}, turned.to, "f32", 0})};
  a.after.outputs = {a.output(a.all(0))};
  CHECK(a.shown(Kind::sharing));
  a.before.outputs = {a.output({0, {flat}, flat.to, "f32", 0})};
  a.after.outputs = {a.output({0, {turned, flat}, flat.to, "f32", 0})};
  CHECK(a.shown(Kind::sharing));
  for (const PolyId start : {PolyId(0), a.s}) {  // of other lengths, and further on
    a.before.outputs = {a.output(a.part(0, start, a.n))}, a.after.outputs = {a.output(a.part(0, 0, a.s))};
    CHECK_FALSE(a.shown(Kind::sharing));
  }
  a.before.outputs = {a.output(a.part(0, 0, a.s))};
  CHECK(a.shown(Kind::sharing));
}

TEST_CASE("undefined contents are nowhere in an output, also under operators and behind conditions",
          "[rules]") {
  Asked a;
  a.after.outputs = {a.output(a.all(2))};
  CHECK_FALSE(a.defined());
  a.after.steps = {a.call("f", {a.all(1)}, a.all(2))};
  CHECK_FALSE(a.defined());
  a.after.steps = {a.call("f", {a.all(0)}, a.all(2))};
  CHECK(a.defined());
  a.after.steps = {a.move(a.part(0, 0, a.s), a.part(2, 0, a.s))};
  CHECK_FALSE(a.defined());
  a.after.steps.push_back(a.fill(a.part(2, a.s, a.n)));
  CHECK(a.defined());
  a.after.steps[1] = a.fill(a.part(2, a.space.add(a.s, a.space.constant(1)), a.n));  // all but one
  CHECK_FALSE(a.defined());
}

TEST_CASE("what nothing has written is chosen for one output, where nothing else shows it", "[rules]") {
  Asked a;
  a.before.outputs = {a.output(a.all(1))}, a.after.outputs = {a.output(a.all(2))};
  a.after.steps = {a.fill(a.all(2))};
  CHECK(a.shown(Kind::value));
  // It is also what x holds at exit, in both.
  a.before.steps = {a.move(a.all(1), a.all(0))};
  a.after.steps.push_back(a.move(a.all(1), a.all(0)));
  CHECK(a.shown(Kind::exit));
  CHECK_FALSE(a.shown(Kind::value));
  // It is also an operand of another output, in both.
  a.before.steps = {a.call("f", {a.all(1)}, a.all(3))};
  a.after.steps = {a.fill(a.all(2)), a.call("f", {a.all(1)}, a.all(3))};
  a.before.outputs.push_back(a.output(a.all(3)));
  a.after.outputs.push_back(a.output(a.all(3)));
  CHECK(a.shown(Kind::value, 1));
  CHECK_FALSE(a.shown(Kind::value));
  // It is another output itself.
  a.before.outputs[1] = a.output(a.all(1)), a.after.outputs[1] = a.output(a.all(1));
  CHECK(a.shown(Kind::value, 1));
  CHECK_FALSE(a.shown(Kind::value));
}

}  // namespace rules_test
