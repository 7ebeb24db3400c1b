// Equality of contents: twins that differ in one thing.
#include "src/values/term.h"

#include "src/certify/nonnegative.h"
#include "tests/catch.h"

namespace equal_test {

using namespace noclobber;

namespace {

using Kind = Term::Kind;

struct World {
  Space space = searching_space();
  Terms terms{space};
  PolyId n = 0, i = 0, j = 0;

  World() {
    space.range("n", 2, std::nullopt);
    n = space.symbol("n");
    i = space.index(0, n);
    j = space.index(1, n);
  }
  TermId start(Index index) {
    return terms.intern({Kind::start, 0, terms.text("in:x"), std::move(index), {}, {}});
  }
  TermId undefined(Index index) {
    return terms.intern({Kind::undefined, 0, terms.text("fresh 0"), std::move(index), {}, {}});
  }
  TermId scalar(const char* text) { return terms.intern({Kind::scalar, 0, terms.text(text), {}, {}, {}}); }
  TermId choose(std::vector<Condition> when, TermId yes, TermId no) {
    return terms.intern({Kind::choose, 0, 0, {}, {yes, no}, std::move(when)});
  }
  TermId each(const char* op, std::vector<TermId> of) {
    return terms.intern({Kind::each, 0, terms.text(op), {}, std::move(of), {}});
  }
  TermId result(const char* op, TermId of, Index at) {
    const TermId call = terms.intern({Kind::call, 0, terms.text(op), {n}, {of}, {}});
    return terms.intern({Kind::result, 0, 0, std::move(at), {call}, {}});
  }
  PolyId plus(PolyId a, std::int64_t b) { return space.add(a, space.constant(b)); }
  bool equal(TermId a, TermId b, const std::set<std::string>& free = {}, Index running = {}) {
    Equality equality(space, terms);
    return equality.shown(a, b, free, running);
  }
};

}  // namespace

TEST_CASE("equal leaves, and leaves that differ in one part", "[equal]") {
  World w;
  CHECK(w.equal(w.start({w.i}), w.start({w.i})));
  CHECK_FALSE(w.equal(w.start({w.i}), w.start({w.plus(w.i, 1)})));
  CHECK_FALSE(w.equal(w.start({w.i}), w.start({w.j})));
  CHECK_FALSE(w.equal(w.scalar("f32:0"), w.scalar("f32:1")));
  CHECK_FALSE(w.equal(w.scalar("f32:0"), w.start({w.i})));
  CHECK(w.equal(w.each("neg", {w.start({w.i})}), w.each("neg", {w.start({w.i})})));
  CHECK_FALSE(w.equal(w.each("neg", {w.start({w.i})}), w.each("abs", {w.start({w.i})})));
  CHECK_FALSE(w.equal(w.each("sub", {w.start({w.i}), w.start({w.j})}),
                      w.each("sub", {w.start({w.j}), w.start({w.i})})));
}

TEST_CASE("bad is equal to nothing", "[equal]") {
  World w;
  CHECK_FALSE(w.equal(Terms::kBad, Terms::kBad));
  CHECK_FALSE(w.equal(Terms::kBad, w.start({w.i})));
  CHECK(w.start({Space::kBad}) == Terms::kBad);
  CHECK(w.each("neg", {w.start({Space::kBad})}) == Terms::kBad);
  CHECK(w.choose({{false, Space::kBad}}, w.start({w.i}), w.scalar("0")) == Terms::kBad);
}

TEST_CASE("choices are split: equal where each way is, on both sides", "[equal]") {
  World w;
  const TermId x = w.start({w.i}), zero = w.scalar("f32:0");
  const Condition first{false, w.space.scale(w.i, -1)}, later{false, w.plus(w.i, -1)};
  CHECK(w.equal(w.choose({first}, zero, x), w.choose({later}, x, zero)));
  CHECK(w.equal(w.choose({later}, x, zero), w.choose({first}, zero, x)));
  CHECK_FALSE(w.equal(w.choose({first}, zero, x), w.choose({first}, x, zero)));
  CHECK_FALSE(w.equal(w.choose({first}, zero, x), x));
  CHECK_FALSE(w.equal(x, w.choose({first}, zero, x)));
  CHECK_FALSE(w.equal(w.choose({later}, x, zero), w.choose({{false, w.plus(w.i, -2)}}, x, zero)));
}

TEST_CASE("a condition that always or never holds decides a choice", "[equal]") {
  World w;
  const TermId x = w.start({w.i}), zero = w.scalar("f32:0");
  CHECK(w.equal(w.choose({{false, w.i}}, x, zero), x));
  CHECK_FALSE(w.equal(w.choose({{false, w.i}}, x, zero), zero));
  CHECK(w.equal(w.choose({{false, w.space.sub(w.i, w.n)}}, x, zero), zero));
}

TEST_CASE("the place of use says nothing of a call's operands", "[equal]") {
  World w;
  const TermId x = w.start({w.i}), patched = w.choose({{true, w.i}}, w.scalar("f32:0"), x);
  CHECK(w.equal(w.result("cumsum", x, {w.i}), w.result("cumsum", x, {w.i})));
  CHECK_FALSE(w.equal(w.result("cumsum", x, {w.i}), w.result("cumsum", x, {w.plus(w.i, 1)})));
  CHECK_FALSE(w.equal(w.result("cumsum", x, {w.i}), w.result("cumsum", patched, {w.i})));
  // Only where i >= 1 is the whole compared; still the call reads element 0.
  const TermId zero = w.scalar("f32:0");
  const Condition later{false, w.plus(w.i, -1)};
  CHECK_FALSE(w.equal(w.choose({later}, w.result("cumsum", x, {w.i}), zero),
                      w.choose({later}, w.result("cumsum", patched, {w.i}), zero)));
}

TEST_CASE("undefined contents of before may be chosen, once per element", "[equal]") {
  World w;
  const std::set<std::string> free{"fresh 0"};
  const Index running{w.i, w.j};
  const TermId x = w.start({w.i, w.j});
  CHECK(w.equal(w.undefined({w.i, w.j}), x, free, running));
  CHECK(w.equal(w.undefined({w.j, w.i}), x, free, running));
  CHECK_FALSE(w.equal(w.undefined({w.i, w.j}), x, {}, running));
  CHECK_FALSE(w.equal(x, w.undefined({w.i, w.j}), free, running));
  CHECK_FALSE(w.equal(w.undefined({w.i, w.i}), x, free, running));
  CHECK_FALSE(w.equal(w.undefined({w.i}), x, free, running));
}

TEST_CASE("one undefined element shown in two places is one element", "[equal]") {
  World w;
  const Index running{w.i, w.j};
  const Condition upper{false, w.space.sub(w.plus(w.n, -2), w.i)};
  const TermId both = w.choose({upper}, w.undefined({w.j, w.i}), w.undefined({w.i, w.j}));
  CHECK_FALSE(w.equal(both, w.start({w.i, w.j}), {"fresh 0"}, running));
}

TEST_CASE("what one question chose, the next one may choose again", "[equal]") {
  World w;
  const Index running{w.i, w.j};
  Equality equality(w.space, w.terms);
  const TermId x = w.start({w.i, w.j});
  CHECK(equality.shown(w.undefined({w.i, w.j}), x, {"fresh 0"}, running));
  CHECK(equality.shown(w.undefined({w.j, w.i}), x, {"fresh 0"}, running));
  CHECK_FALSE(equality.shown(w.undefined({w.j, w.i}), x, {}, running));
}

TEST_CASE("what is the same on both sides chooses nothing inside of operators", "[equal]") {
  World w;
  const Index running{w.i, w.j};
  const TermId twice = w.each("sub", {w.undefined({w.i, w.j}), w.undefined({w.j, w.i})});
  CHECK(w.equal(twice, twice, {"fresh 0"}, running));
  const TermId other = w.each("sub", {w.undefined({w.j, w.i}), w.undefined({w.i, w.j})});
  CHECK_FALSE(w.equal(twice, other, {"fresh 0"}, running));
  // As a choice shows it, it is chosen at that place, and at no other.
  const Condition later{false, w.plus(w.i, -1)};
  const TermId shown = w.choose({later}, w.undefined({w.i, w.j}), w.scalar("f32:0"));
  CHECK(w.equal(shown, shown, {"fresh 0"}, running));
  CHECK_FALSE(w.equal(w.choose({later}, w.undefined({w.i, w.j}), w.undefined({w.j, w.i})),
                      w.choose({later}, w.undefined({w.i, w.j}), w.start({w.i, w.j})), {"fresh 0"}, running));
}

TEST_CASE("a way that is open is followed, also where its fact is never just met", "[equal]") {
  World w;
  const TermId x = w.start({w.i}), zero = w.scalar("f32:0");
  const Condition from_one{
      false, w.space.add(w.plus(w.i, -1), w.plus(w.i, -1))};  // 2 i - 2 >= 0, never 2 i - 1 == 0
  CHECK_FALSE(w.equal(w.choose({from_one}, zero, x), zero));
  CHECK_FALSE(w.equal(w.choose({from_one}, zero, x), x));
  CHECK(w.equal(w.choose({from_one}, zero, x), w.choose({{false, w.plus(w.i, -1)}}, zero, x)));
}

TEST_CASE("indices are equal where conditions make them so", "[equal]") {
  World w;
  const TermId zero = w.scalar("f32:0");
  const Condition first{true, w.i};
  for (const bool of_result : {false, true}) {
    const auto leaf = [&](PolyId at) {
      return of_result ? w.result("f", w.start({w.i}), {at}) : w.start({at});
    };
    CHECK(w.equal(w.choose({first}, leaf(w.i), zero), w.choose({first}, leaf(0), zero)));
    CHECK_FALSE(w.equal(w.choose({first}, leaf(w.i), zero), w.choose({first}, leaf(w.plus(w.i, 1)), zero)));
    CHECK_FALSE(w.equal(w.choose({first}, leaf(w.i), zero), w.choose({first}, w.undefined({0}), zero)));
  }
}

TEST_CASE("calls are equal where their operands are, and what is chosen stays to be chosen", "[equal]") {
  World w;
  const TermId x = w.start({w.i}), same = w.choose({{false, w.i}}, x, w.scalar("f32:0"));
  const TermId one = w.result("f", x, {w.i}), other = w.result("f", same, {w.i});
  REQUIRE(one != other);
  CHECK(w.equal(one, other));
  CHECK(w.equal(w.each("sub", {one, one}), w.each("sub", {other, other})));
  const Index running{w.i};
  CHECK(w.equal(w.each("sub", {one, w.undefined({w.i})}), w.each("sub", {other, x}), {"fresh 0"}, running));
  CHECK_FALSE(w.equal(w.result("f", w.undefined({w.i}), {w.i}), one, {"fresh 0"}, running));
}

}  // namespace equal_test
