// Terms and contents: what is one term, what is two, and how far chains of steps are followed.
#include "src/values/term.h"
#include "src/certify/nonnegative.h"
#include "tests/catch.h"

namespace term_test {

using namespace noclobber;

namespace {

using Kind = Term::Kind;

struct World {
  Space space = searching_space();
  Terms terms{space};
  PolyId n = space.symbol("n"), i = 0, lane = 0;
  TermId a = 0, b = 0, c = 0, yes = 0;

  World() {
    space.range("n", 2, std::nullopt);
    i = space.index(0, n), lane = space.index(Space::kLane, space.constant(4));
    a = scalar("a"), b = scalar("b"), c = scalar("c"), yes = scalar("yes");
  }
  TermId scalar(const char* text) { return terms.intern({Kind::scalar, 0, terms.text(text), {}, {}, {}}); }
  TermId start(Index at) { return terms.intern({Kind::start, 0, terms.text("in:x"), std::move(at), {}, {}}); }
  TermId byte(TermId of, PolyId at, std::uint32_t bytes = 4) {
    return terms.intern({Kind::byte, bytes, 0, {at}, {of}, {}});
  }
  TermId pack(TermId of, std::uint32_t bytes = 4) {
    return terms.intern({Kind::pack, bytes, 0, {lane}, {of}, {}});
  }
  TermId when(TermId yes_of, TermId no_of, std::uint32_t wanted = 1) {
    return terms.intern({Kind::when, wanted, 0, {}, {yes, yes_of, no_of}, {}});
  }
  TermId choose(std::vector<Condition> conditions, TermId yes_of, TermId no_of) {
    return terms.intern({Kind::choose, 0, 0, {}, {yes_of, no_of}, std::move(conditions)});
  }
  Condition least(std::int64_t value) { return {false, space.sub(i, space.constant(value))}; }
  Condition most(std::int64_t value) { return {false, space.sub(space.constant(value), i)}; }
  Condition is(std::int64_t value) { return {true, space.sub(i, space.constant(value))}; }
};

/// A storage "in:x" and a fresh one, of n elements with that many lanes.
struct Program {
  Space space = searching_space();
  Terms terms{space};
  PolyId n = space.symbol("n"), s = space.symbol("s");
  Trace trace;

  explicit Program(std::int16_t lanes = 0) {
    space.range("n", 4, std::nullopt), space.range("s", 1, std::nullopt);
    space.assume_nonnegative(space.sub(n, s));
    trace.storages.push_back({TraceStorage::Start::given, "in:x", {n}, lanes, true, true});
    trace.storages.push_back({TraceStorage::Start::undefined, "fresh 0", {n}, lanes, true, false});
  }
  TraceView all(StorageId storage) const { return {storage, {}, {n}, "f32", trace.storages[storage].lanes}; }
  TraceView part(StorageId storage, PolyId start, PolyId end) {
    Map map;
    map.kind = Map::Kind::slice;
    map.from = {n}, map.to = {space.sub(end, start)};
    map.start = start, map.step = space.constant(1);
    return {storage, {map}, map.to, "f32", trace.storages[storage].lanes};
  }
  TraceView shaped(Shape shape) {
    Map map;
    map.kind = Map::Kind::reshape;
    map.from = {n}, map.to = std::move(shape);
    return {0, {map}, map.to, "f32", 0};
  }
  TraceStep& step(TraceStep::Kind kind, TraceViews reads, TraceView write) {
    TraceStep out;
    out.kind = kind, out.key = "f";
    out.access.edit().assign(reads.size(), {Access::before_write});
    out.reads = std::move(reads), out.writes = {std::move(write)};
    trace.steps.push_back(std::move(out));
    return trace.steps.back();
  }
  TermId at_end(const TraceView& view) {
    Contents contents(space, terms, trace);
    return contents.at_all(view, contents.exit());
  }
  /// Of f, which reads these.
  TermId called(TraceViews reads) {
    trace.steps.clear();
    step(TraceStep::Kind::opaque, std::move(reads), all(1));
    return at_end(all(1));
  }
};

}  // namespace

TEST_CASE("a byte of what was packed from bytes is the byte it was packed from", "[term]") {
  World w;
  const TermId one = w.start({w.i, w.lane}), packed = w.pack(one);
  CHECK(w.byte(packed, w.lane) == one);
  for (const TermId other : {w.byte(packed, 0), w.byte(packed, w.lane, 2), w.byte(one, w.lane)}) {
    CHECK(w.terms[other].kind == Kind::byte);
    CHECK(w.terms[other].terms[0] == (other == w.byte(one, w.lane) ? one : packed));
  }
  const TermId twin =
      w.terms.intern({Kind::result, 4, 0, {w.lane}, {w.a}, {}});  // as a pack but for its kind
  CHECK(w.terms[w.byte(twin, w.lane)].kind == Kind::byte);
}

TEST_CASE("a byte of a choice is a choice of bytes", "[term]") {
  World w;
  CHECK(w.byte(w.choose({w.least(1)}, w.a, w.b), w.lane) ==
        w.choose({w.least(1)}, w.byte(w.a, w.lane), w.byte(w.b, w.lane)));
  CHECK(w.byte(w.when(w.a, w.b), w.lane) == w.when(w.byte(w.a, w.lane), w.byte(w.b, w.lane)));
}

TEST_CASE("choices that exclude each other have one order, others keep theirs", "[term]") {
  World w;
  const auto orders = [&](Condition x, Condition y) {
    return std::pair{w.choose({x}, w.a, w.choose({y}, w.b, w.c)),
                     w.choose({y}, w.b, w.choose({x}, w.a, w.c))};
  };
  const std::vector<std::pair<Condition, Condition>> apart{{w.is(0), w.is(1)},      {w.is(3), w.is(1)},
                                                           {w.least(2), w.most(1)}, {w.is(0), w.least(1)},
                                                           {w.is(2), w.most(1)},    {w.is(1), w.least(2)}};
  for (const auto& [x, y] : apart) CHECK(orders(x, y).first == orders(x, y).second);
  const std::vector<std::pair<Condition, Condition>> meeting{{w.least(2), w.most(2)},
                                                             {w.least(2), w.least(5)},
                                                             {w.most(2), w.most(5)},
                                                             {w.is(1), w.least(1)},
                                                             {w.is(2), w.most(2)}};
  for (const auto& [x, y] : meeting) CHECK(orders(x, y).first != orders(x, y).second);
  const TermId three = w.choose({w.is(0)}, w.a, w.choose({w.is(1)}, w.b, w.choose({w.is(2)}, w.yes, w.c)));
  CHECK(three == w.choose({w.is(2)}, w.yes, w.choose({w.is(0)}, w.a, w.choose({w.is(1)}, w.b, w.c))));
  CHECK(w.choose({w.is(0)}, w.a, w.choose({w.is(0)}, w.b, w.c)) == w.choose({w.is(0)}, w.a, w.c));
  CHECK(w.choose({w.is(0)}, w.a, w.a) == w.a);
}

TEST_CASE("inside of a branch its condition is known", "[term]") {
  World w;
  CHECK(w.when(w.when(w.a, w.b), w.c) == w.when(w.a, w.c));
  CHECK(w.when(w.c, w.when(w.a, w.b)) == w.when(w.c, w.b));
  CHECK(w.when(w.when(w.a, w.b, 0), w.c) == w.when(w.b, w.c));
  CHECK(w.when(w.c, w.when(w.a, w.b, 0)) == w.when(w.c, w.a));
  CHECK(w.when(w.a, w.a) == w.a);
  CHECK(w.when(w.when(w.a, w.b), w.a) == w.a);
}

TEST_CASE("the running byte is free where nothing binds it", "[term]") {
  World w;
  const TermId with = w.start({w.i, w.lane}), without = w.start({w.i});
  const auto free = [&](TermId t) { return w.terms[t].lane; };
  CHECK(free(with));
  CHECK_FALSE(free(without));
  CHECK(free(w.byte(without, w.lane)));
  CHECK_FALSE(free(w.pack(with)));
  CHECK_FALSE(free(w.terms.intern({Kind::call, 0, w.terms.text("f"), {}, {with}, {}})));
  CHECK(free(w.terms.intern({Kind::each, 0, w.terms.text("f"), {}, {with}, {}})));
  CHECK_FALSE(free(w.terms.intern({Kind::each, 0, w.terms.text("f"), {}, {without}, {}})));
  CHECK(free(w.choose({{false, w.space.sub(w.lane, w.i)}}, w.a, w.b)));
  CHECK_FALSE(free(w.choose({w.least(1)}, w.a, w.b)));
  Term marked{Kind::start, 0, w.terms.text("in:y"), {w.i}, {}, {}};
  marked.lane = true;  // whatever it says itself
  CHECK_FALSE(free(w.terms.intern(Term(marked))));
}

TEST_CASE("long chains of steps are followed", "[term]") {
  Program once;
  for (int k = 0; k < 1500; ++k) once.step(TraceStep::Kind::move, {once.all(k % 2)}, once.all(1 - k % 2));
  const TermId x = once.at_end(once.all(0));
  REQUIRE(x != Terms::kBad);
  CHECK(once.terms[x].kind == Kind::start);
  Program parts;
  for (int k = 0; k < 750; ++k) {
    parts.step(TraceStep::Kind::move, {parts.part(0, 0, parts.s)}, parts.part(1, 0, parts.s));
    parts.step(TraceStep::Kind::move, {parts.part(0, parts.s, parts.n)}, parts.part(1, parts.s, parts.n));
  }
  const TermId y = parts.at_end(parts.all(1));
  REQUIRE(y != Terms::kBad);
  CHECK(parts.terms[y].kind == Kind::choose);
}

TEST_CASE("operators of other types or shapes are other operators", "[term]") {
  Program p;
  const PolyId two = p.space.constant(2), half = p.space.quotient(p.n, two);
  const TermId flat = p.called({p.all(0)});
  CHECK(flat == p.called({p.all(0)}));
  TraceView typed = p.all(0);
  typed.type = "i32";
  CHECK(flat != p.called({typed}));
  CHECK(flat != p.called({p.part(0, 0, p.s)}));
  CHECK(flat != p.called({p.all(0), p.all(0)}));
  CHECK(p.called({p.shaped({two, half})}) != p.called({p.shaped({half, two})}));
  const auto of_zeros = [&](TraceViews reads) {
    p.trace.steps.clear();
    p.step(TraceStep::Kind::fill, {}, p.all(0)).key = "f32:0";
    p.step(TraceStep::Kind::opaque, std::move(reads), p.all(1));
    return p.at_end(p.all(1));
  };
  const PolyId one = p.space.constant(1);
  CHECK(of_zeros({p.shaped({two, half})}) == of_zeros({p.shaped({two, half})}));
  CHECK(of_zeros({p.shaped({two, half})}) != of_zeros({p.shaped({half, two})}));
  CHECK(of_zeros({p.shaped({p.n}), p.shaped({p.n, one})}) !=
        of_zeros({p.shaped({p.n, p.n}), p.shaped({one})}));  // the same extents in a row, cut elsewhere
}

TEST_CASE("an element of bytes is what was stored, where all of its bytes are", "[term]") {
  Program p(4);
  p.step(TraceStep::Kind::opaque, {p.all(0)}, p.all(1)).elementwise = true;
  const TermId all = p.at_end(p.all(1));
  CHECK(p.terms[all].kind == Kind::each);
  CHECK(p.terms[p.terms[all].terms[0]].kind == Kind::pack);
  TraceView halves = p.all(1);
  halves.lanes = 2;  // of which the storage holds more
  CHECK(p.terms[p.at_end(halves)].kind == Kind::pack);
  Program one(1);
  CHECK(one.terms[one.at_end(one.all(0))].kind == Kind::start);
  one.step(TraceStep::Kind::opaque, {one.all(0)}, one.all(1)).elementwise = true;
  const TermId stored = one.at_end(one.all(1));
  CHECK(one.terms[stored].kind == Kind::each);
  CHECK(one.terms[one.terms[stored].terms[0]].kind == Kind::start);
}

}  // namespace term_test
