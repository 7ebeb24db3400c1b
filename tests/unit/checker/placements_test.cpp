// Placements in arenas: against every pair of them.
#include "tests/catch.h"
#include "tests/support/sample.h"
#include "tests/unit/checker/touching.h"

namespace placements_test {

using namespace noclobber::testing::hand;
namespace checker = noclobber::checker;

namespace {

constexpr std::int64_t kBytes = 4 * kLength;  // of a storage

struct Bytes {
  std::int64_t offset, size;
};
Bytes bytes_of(const Space& space, const Placement& p) {
  return {space.value(p.offset).value(), space.value(p.size).value()};
}
bool exists(const Space& space, const Placement& p) {
  return p.first < p.last && bytes_of(space, p).size > 0;
}
bool meet(const Space& space, const Placement& p, const Placement& q) {
  const Bytes a = bytes_of(space, p), b = bytes_of(space, q);
  return exists(space, p) && exists(space, q) && p.arena == q.arena && p.first < q.last && q.first < p.last &&
         a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

/// Alone: in its arena, and alive whenever its storage is looked at.
bool fits_alone(const Touching& t, const Placement& p) {
  const Bytes b = bytes_of(t.space, p);
  if (p.arena >= t.trace.arenas.size() || b.offset < 0 || b.size < 0) return false;
  if (b.offset + b.size > t.space.value(t.trace.arenas[p.arena]).value()) return false;
  if (!p.storage) return true;
  if (b.size < kBytes) return false;
  const auto alive = [&](std::int64_t time) { return time >= p.first && time < p.last; };
  for (const Step& step : t.trace.steps) {
    const std::span views(t.trace.views.data() + step.views, step.form->reads + step.form->writes);
    const bool uses = std::ranges::any_of(views, [&](const View& v) { return v.storage == *p.storage; });
    if (uses && !alive(step.origin)) return false;
  }
  const StorageForm& s = *t.trace.storages[*p.storage].form;
  bool leaves = s.start == Start::given && s.compared;
  for (const auto& o : t.trace.outputs) leaves = leaves || (o.view && o.view->storage == *p.storage);
  return (s.start != Start::given || p.first == 0) && (!leaves || alive(t.trace.origins()));
}

bool all_fit(const Touching& t) {
  const auto& all = t.trace.placements;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!fits_alone(t, all[k])) return false;
    for (std::size_t j = 0; j < k; ++j)
      if (meet(t.space, all[j], all[k])) return false;
  }
  return true;
}

/// Who is alive and next below when each begins to live; those that begin at one time do in their order.
void say_below(Touching& t) {
  auto& all = t.trace.placements;
  for (std::uint32_t k = 0; k < all.size(); ++k) {
    all[k].below.reset();
    const auto below = [&](const Placement& p) { return bytes_of(t.space, p).offset; };
    for (std::uint32_t j = 0; j < all.size(); ++j) {
      const bool there = exists(t.space, all[j]) && all[j].arena == all[k].arena &&
                         all[j].last > all[k].first &&
                         (all[j].first < all[k].first || (all[j].first == all[k].first && j < k));
      if (there && below(all[j]) < below(all[k]) &&
          (!all[k].below || below(all[j]) > below(all[*all[k].below])))
        all[k].below = j;
    }
  }
}

void some_placements(Touching& t, Random& random) {
  t.trace.arenas = constants(t.space, {random.between(4, 72), random.between(4, 72)});
  for (std::uint32_t k = 0; k < 3; ++k) t.step(2 * k, {t.whole(k % 2)}, {t.whole(1 - k % 2)});
  if (random.chance(50)) t.trace.outputs.push_back({t.part(1, 0, 2), "", {}, false, std::nullopt});
  for (std::int64_t n = random.between(1, 6); n > 0; --n) {
    const bool edge = random.chance(8);
    const auto first = static_cast<std::uint32_t>(random.below(5));
    Placement& p = t.place(random.between(edge ? -2 : 0, 12), random.between(edge ? -1 : 1, 8), first,
                           first + static_cast<std::uint32_t>(random.between(edge ? 0 : 1, 3)));
    p.arena = random.chance(70) ? 0 : static_cast<std::uint32_t>(random.between(1, edge ? 2 : 1));
    if (random.chance(80)) continue;
    p.storage = static_cast<StorageId>(random.below(2));
    if (random.chance(90)) p.size = t.space.constant(kBytes);
    if (random.chance(90)) p.first = 0, p.last = 6;
  }
}

bool all_placed(Touching& t) {
  const auto said = placed(t.space, t.trace);
  return std::ranges::all_of(said, [](bool is) { return is; });
}

}  // namespace

TEST_CASE("placements are placed exactly where no two meet, whatever their text says of it", "[placed]") {
  Random random(41);
  int right = 0, wrong = 0, forged = 0;
  for (std::size_t round = 0; round < noclobber::testing::sampled(6000); ++round) {
    Touching t;
    t.given.compared = random.chance(50);
    if (random.chance(50)) t.trace.storages[0] = {&t.given, "in"};
    some_placements(t, random);
    const bool is = all_fit(t);
    ++(is ? right : wrong);
    say_below(t);
    const auto said = placed(t.space, t.trace);
    INFO("round " << round);
    if (all_placed(t) != is) FAIL_CHECK("honest");
    for (std::size_t k = 0; k < said.size(); ++k)
      if (said[k] && !fits_alone(t, t.trace.placements[k])) FAIL_CHECK("placement " << k);
    auto& p = random.one_of(t.trace.placements);
    p.below = static_cast<std::uint32_t>(random.below(7));  // perhaps one that is not there
    if (random.chance(30)) p.below.reset();
    const bool still = all_placed(t);
    if (still && !is) FAIL_CHECK("forged");
    forged += is && !still ? 1 : 0;
  }
  CHECK(right > static_cast<int>(noclobber::testing::sampled(500)));
  CHECK(wrong > static_cast<int>(noclobber::testing::sampled(500)));
  CHECK(forged > static_cast<int>(noclobber::testing::sampled(200)));
}

TEST_CASE("a placement of no storage lies where it says (checker)", "[placed]") {
  Touching t(0);
  t.trace.arenas = constants(t.space, {16});
  t.place(0, 16, 0, 1);
  t.place(1, 16, 1, 2);
  t.place(0, 16, 2, 3).arena = 1;  // there is none
  CHECK(placed(t.space, t.trace) == std::vector{true, false, false});
}

TEST_CASE("an input is placed from the start, an output to the end (checker)", "[placed]") {
  Touching t;
  t.trace.storages[0] = {&t.given, "in"};
  t.trace.arenas = constants(t.space, {64});
  t.step(0, {t.whole(0)}, {t.whole(1)});
  t.step(1, {t.whole(0)}, {});
  t.trace.outputs.push_back({t.whole(1), "", {}, false, std::nullopt});
  t.place(0, 32, 0, 2).storage = 0;
  t.place(32, 32, 0, 3).storage = 1;
  t.trace.placements[1].below = 0;
  CHECK(placed(t.space, t.trace) == std::vector{true, true});
  t.trace.placements[0].last = 1;  // gone when it is read
  CHECK_FALSE(placed(t.space, t.trace)[0]);
  t.trace.placements[0].last = 2;
  t.trace.placements[1].last = 2;  // gone when the caller looks
  CHECK(placed(t.space, t.trace) == std::vector{true, false});
  t.trace.placements[1].last = 3;
  t.given.compared = true;  // now its contents at exit count as well
  CHECK_FALSE(placed(t.space, t.trace)[0]);
  t.trace.placements[0].last = 3;
  CHECK(placed(t.space, t.trace) == std::vector{true, true});
  t.trace.placements[0].first = 1;  // not there when the caller gave it
  CHECK_FALSE(placed(t.space, t.trace)[0]);
}

TEST_CASE("an input is there before it is looked at", "[placed]") {
  Touching t;
  t.trace.arenas = constants(t.space, {64});
  t.step(3, {t.whole(0)}, {});
  t.place(0, 32, 2, 4).storage = 0;
  CHECK(placed(t.space, t.trace)[0]);
  t.trace.storages[0] = {&t.given, "in"};
  CHECK_FALSE(placed(t.space, t.trace)[0]);
  t.trace.placements[0].first = 0;
  CHECK(placed(t.space, t.trace)[0]);
}

TEST_CASE("placements of any size lie one above the other, and so does their arena", "[placed]") {
  Touching t;
  const PolyId s = t.space.symbol("s"), two = t.space.scale(s, 2);
  t.space.range("s", 1, std::nullopt);
  t.trace.arenas = {two};
  t.place(0, 0, 0, 4).size = s;
  t.place(0, 0, 0, 4).size = s;
  Placement& above = t.trace.placements[1];
  above.offset = s, above.below = 0;
  CHECK(placed(t.space, t.trace) == std::vector{true, true});
  above.offset = t.space.sub(s, t.space.constant(1));
  CHECK(placed(t.space, t.trace) == std::vector{true, false});
  above.offset = s, above.below.reset();  // then it lies below the other
  CHECK(placed(t.space, t.trace) == std::vector{true, false});
  above.below = 0, t.trace.arenas = {t.space.sub(two, t.space.constant(1))};
  CHECK(placed(t.space, t.trace) == std::vector{true, false});
  t.trace.arenas = {two}, above.size = Space::kBad;
  CHECK(placed(t.space, t.trace) == std::vector{true, false});
}

namespace {

/// x, read by the step that makes y of it, both at one place of the arena.
struct TakenOver : Touching {
  explicit TakenOver(Access access) : Touching(3) {
    trace.arenas = constants(space, {96});
    step(0, {}, {whole(0)});
    step(1, {whole(0)}, {whole(1)}, access);
    step(2, {whole(1)}, {});
    place(0, 32, 0, 2).storage = 0;
    place(0, 32, 1, 3).storage = 1;
  }
  bool holds() { return all_placed(*this); }
};

}  // namespace

TEST_CASE("a result lies where an operand lay that is read no more, if the step's contract allows it",
          "[placed]") {
  CHECK(TakenOver(Access::elementwise).holds());
  CHECK(TakenOver(Access::before_write).holds());
  CHECK_FALSE(TakenOver(Access::any_time).holds());
  const auto moved = [](Access access, std::int64_t offset) {
    TakenOver t(access);
    t.trace.placements[1].offset = t.space.constant(offset);
    return t.holds();
  };
  CHECK_FALSE(moved(Access::elementwise, 4));  // element k over element k + 1, which is read later
  CHECK(moved(Access::before_write, 4));
  CHECK(moved(Access::any_time, 64) == false);  // above the first, it has to say so
  const auto with = [](Access access, const auto& change) {
    TakenOver t(access);
    change(t);
    return t.holds();
  };
  for (const Access access : {Access::elementwise, Access::before_write}) {
    CHECK_FALSE(with(access, [](TakenOver& t) { t.trace.placements[0].last = 3; }));  // lives on
    CHECK_FALSE(with(access, [](TakenOver& t) { t.step(2, {t.whole(0)}, {}); }));     // is read later
    CHECK_FALSE(with(access, [](TakenOver& t) { t.step(1, {t.whole(0)}, {}); }));  // in the same graph step
    CHECK_FALSE(with(access, [](TakenOver& t) { t.trace.placements[0].storage.reset(); }));
    CHECK_FALSE(with(access, [](TakenOver& t) { t.trace.placements[1].storage.reset(); }));
    CHECK_FALSE(with(access, [](TakenOver& t) { t.trace.placements[0].size = t.space.constant(31); }));
    CHECK_FALSE(with(access, [](TakenOver& t) {  // a second one comes to the place of the first
      t.step(1, {}, {t.whole(2)});
      t.place(8, 32, 1, 3).storage = 2;
    }));
  }
  CHECK_FALSE(with(Access::elementwise, [](TakenOver& t) { t.trace.placements[1].order = {}; }));
  CHECK_FALSE(with(Access::elementwise, [](TakenOver& t) { t.trace.placements[1].order = {1}; }));
}

TEST_CASE("two results share the place of an operand between them, and no byte", "[placed]") {
  const auto holds = [](std::int64_t second, Access access) {
    Touching t(3);
    t.trace.arenas = constants(t.space, {96});
    t.step(0, {}, {t.whole(0)});
    t.step(1, {t.whole(0)}, {t.whole(1), t.whole(2)}, access);
    t.step(2, {t.whole(1), t.whole(2)}, {});
    t.place(0, 64, 0, 2).storage = 0;
    t.place(0, 32, 1, 3).storage = 1;
    t.place(second, 32, 1, 3).storage = 2;
    t.trace.placements[2].below = 1;
    return all_placed(t);
  };
  CHECK(holds(32, Access::before_write));
  CHECK_FALSE(holds(31, Access::before_write));
  CHECK_FALSE(holds(32, Access::elementwise));
  CHECK_FALSE(holds(32, Access::any_time));
}

TEST_CASE("element by element counts where elements lie, not what their indices are", "[placed]") {
  const auto holds = [](std::vector<std::uint32_t> first, std::vector<std::uint32_t> second, bool turned) {
    Touching t;
    t.all = {t.space.constant(2), t.space.constant(4)};
    t.own.shape = t.all;
    ViewForm whole{"f32", 0, t.all, {}}, other = whole;
    const Map turn{false, t.all,  {t.all[1], t.all[0]},
                   {},    {0, 0}, {{0, 1, t.space.constant(1)}, {1, 0, t.space.constant(1)}}};
    ViewForm across{"f32", 0, turn.to, {turn}};
    t.trace.arenas = constants(t.space, {32});
    t.step(0, {}, {{0, &whole}});
    t.step(1, {{0, turned ? &across : &whole}}, {{1, turned ? &across : &other}}, Access::elementwise);
    t.place(0, 32, 0, 2).storage = 0;
    t.place(0, 32, 1, 3).storage = 1;
    t.trace.placements[0].order = std::move(first), t.trace.placements[1].order = std::move(second);
    return all_placed(t);
  };
  for (const bool turned : {false, true}) {
    CHECK(holds({0, 1}, {0, 1}, turned));
    CHECK(holds({1, 0}, {1, 0}, turned));
    CHECK_FALSE(holds({0, 1}, {1, 0}, turned));  // by columns over by rows
    CHECK_FALSE(holds({0, 0}, {0, 0}, turned));
    CHECK_FALSE(holds({0}, {0}, turned));
  }
}

TEST_CASE("a place has room for its storage, in all types that it is seen in", "[placed]") {
  const auto holds = [](const char* type, const char* other, std::int64_t size) {
    Touching t(1);
    ViewForm one{type, 0, t.all, {}}, two{other, 0, t.all, {}};
    t.trace.arenas = constants(t.space, {128});
    t.step(0, {}, {{0, &one}});
    t.step(1, {{0, &two}}, {});
    t.place(0, size, 0, 2).storage = 0;
    return all_placed(t);
  };
  CHECK(holds("f32", "i32", 32));
  CHECK_FALSE(holds("f32", "i32", 31));
  CHECK(holds("bool", "u8", 8));
  CHECK(holds("i4", "u4", 4));
  CHECK_FALSE(holds("i4", "u4", 3));
  CHECK_FALSE(holds("f32", "f64", 64));  // elements have one width, or bytes
  CHECK_FALSE(holds("f31", "f31", 128));
}

}  // namespace placements_test
