// What steps may do to storages, and in which order: against pairs of elements, and paths between all pairs.
#include "tests/catch.h"
#include "tests/support/sample.h"
#include "tests/unit/checker/touching.h"

namespace orders_test {

using namespace noclobber::testing::hand;
namespace checker = noclobber::checker;

namespace {

using Edges = std::vector<Places>;

/// Where elements of a view of numbers lie.
std::vector<std::int64_t> elements_of(Space& space, const View& v) {
  std::vector<std::int64_t> out;
  const std::int64_t extent = space.value(v.form->shape[0]).value();
  for (std::int64_t k = 0; k < extent; ++k)
    out.push_back(space.value(root_index(space, *v.form, constants(space, {k}))[0]).value());
  return out;
}
bool meet(Space& space, const View& a, const View& b) {
  const auto x = elements_of(space, a), y = elements_of(space, b);
  return a.storage == b.storage && std::ranges::find_first_of(x, y) != x.end();
}

View some_view(Touching& t, Random& random, std::int64_t most_step) {
  const auto storage =
      static_cast<StorageId>(random.below(static_cast<std::int64_t>(t.trace.storages.size())));
  if (random.chance(40)) return t.whole(storage);
  const std::int64_t start = random.below(kLength), step = random.between(1, most_step);
  return t.part(storage, start, random.between(1, (kLength - 1 - start) / step + 1), step);
}

/// Is it harmless, element by element?
bool harmless(Space& space, const std::vector<View>& reads, const std::vector<View>& writes, Access access) {
  for (std::size_t w = 0; w < writes.size(); ++w) {
    const auto to = elements_of(space, writes[w]);
    if (std::set(to.begin(), to.end()).size() != to.size()) return false;
    for (std::size_t k = 0; k < w; ++k)
      if (meet(space, writes[w], writes[k])) return false;
    for (const View& read : reads) {
      const auto from = elements_of(space, read);
      for (std::size_t i = 0; i < to.size() && read.storage == writes[w].storage; ++i)
        for (std::size_t k = 0; k < from.size(); ++k)
          if (from[k] == to[i] && access != Access::before_write && (access == Access::any_time || i != k))
            return false;
    }
  }
  return true;
}

struct AllPairs {
  std::vector<std::vector<bool>> path;  // [earlier][later]
  std::set<Places> conflicts;

  AllPairs(Touching& t) : path(t.trace.origins(), std::vector<bool>(t.trace.origins())) {
    const auto steps = static_cast<std::uint32_t>(path.size());
    for (std::uint32_t a = steps; a-- > 0;)
      for (const auto& [from, to] : t.trace.edges)
        if (from == a && to < steps) {
          path[a][to] = true;
          for (std::uint32_t b = 0; b < steps; ++b) path[a][b] = path[a][b] || path[to][b];
        }
    for (const Step& x : t.trace.steps)
      for (const Step& y : t.trace.steps) {
        if (x.origin < y.origin && disturb(t, x, y)) conflicts.emplace(x.origin, y.origin);
      }
    for (const Placement& p : t.trace.placements)
      for (const Placement& q : t.trace.placements)
        for (const std::uint32_t a : follow(t, p, q) ? uses(t, p) : std::set<std::uint32_t>())
          for (const std::uint32_t b : uses(t, q))
            if (a != b) conflicts.emplace(a, b);
  }
  static std::vector<View> read(const checker::Trace& trace, const Step& step) {
    const auto reads = trace.reads(step);
    return std::vector<View>(reads.begin(), reads.end());
  }
  static bool disturb(Touching& t, const Step& x, const Step& y) {
    const auto any = [&](const auto& all, const auto& others) {
      for (const View& a : all)
        for (const View& b : others)
          if (meet(t.space, a, b)) return true;
      return false;
    };
    const auto to = t.trace.writes(x), other = t.trace.writes(y);
    return any(to, other) || any(read(t.trace, x), other) || any(to, read(t.trace, y));
  }
  /// The graph steps that touch its storage; without one, those of its live range.
  static std::set<std::uint32_t> uses(Touching& t, const Placement& p) {
    std::set<std::uint32_t> out;
    for (std::uint32_t at = p.first; !p.storage && at < p.last && at < t.trace.origins(); ++at)
      out.insert(at);
    for (const Step& s : t.trace.steps) {
      auto all = read(t.trace, s);
      const auto writes = t.trace.writes(s);
      all.insert(all.end(), writes.begin(), writes.end());
      if (p.storage && std::ranges::count(all, *p.storage, &View::storage) > 0) out.insert(s.origin);
    }
    return out;
  }
  /// True if q has bytes that p had before.
  static bool follow(Touching& t, const Placement& p, const Placement& q) {
    const auto number = [&](PolyId n) { return t.space.value(n).value(); };
    return p.last <= q.first + 1 && p.arena == q.arena &&
           number(p.offset) < number(q.offset) + number(q.size) &&
           number(q.offset) < number(p.offset) + number(p.size);
  }
  bool ordered() const {
    return std::ranges::all_of(conflicts, [&](const auto& pair) { return path[pair.first][pair.second]; });
  }
};

void some_steps(Touching& t, Random& random) {
  std::uint32_t origin = 0;
  for (std::int64_t n = random.between(2, random.chance(20) ? 150 : 20); n > 0; --n) {
    origin += random.chance(85) ? 1 : random.chance(50) ? 0 : 3;  // steps of one origin, and some of none
    std::vector<View> reads, writes;
    for (std::int64_t k = random.below(3); k > 0; --k) reads.push_back(some_view(t, random, 1));
    if (random.chance(40)) writes.push_back(some_view(t, random, 1));
    t.step(origin, reads, writes);
  }
  if (random.chance(60)) return;
  for (std::int64_t k = 0; k < 3; ++k) {
    const auto first = static_cast<std::uint32_t>(random.below(origin + 1));
    auto& p = t.place(4 * random.below(3), 4 * random.between(1, 2), first,
                      first + static_cast<std::uint32_t>(random.below(4)));
    p.arena = random.chance(80) ? 0 : 1;
    if (random.chance(80)) p.storage = static_cast<StorageId>(random.below(2));
  }
}

/// Most of the pairs that need an order get a way from one to the other, some of them through other steps.
Edges some_edges(const AllPairs& all, Random& random) {
  std::set<Places> out;
  const bool complete = random.chance(60);
  for (const auto& [a, b] : all.conflicts) {
    if (b <= a || (!complete && random.chance(2))) continue;
    const std::uint32_t between = b - a > 1 ? a + 1 + static_cast<std::uint32_t>(random.below(b - a - 1)) : b;
    out.emplace(a, between);
    if (between != b) out.emplace(between, b);
  }
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a step is clean only where no two of its accesses meet against their contract", "[orders]") {
  Random random(31);
  int said = 0, right = 0;
  for (int round = 0; round < 3000; ++round) {
    Touching t(random.chance(70) ? 1 : 2);
    std::vector<View> reads, writes;
    for (std::int64_t k = random.below(3); k > 0; --k) reads.push_back(some_view(t, random, 3));
    for (std::int64_t k = random.between(1, 2); k > 0; --k) writes.push_back(some_view(t, random, 3));
    if (random.chance(30) && !reads.empty()) writes[0] = reads[0];
    if (random.chance(10)) writes.push_back(t.repeated(0));
    const auto access = static_cast<Access>(random.below(3));
    const bool clean = t.clean(reads, writes, access), is = harmless(t.space, reads, writes, access);
    if (clean && !is) FAIL_CHECK("round " << round);
    said += clean ? 1 : 0, right += is ? 1 : 0;
  }
  CHECK(said * 10 > right * 9);
}

TEST_CASE("writes that hold an element twice, or meet each other, are not clean", "[orders]") {
  Touching t;
  const auto any = Access::any_time;
  CHECK_FALSE(t.clean({}, {t.repeated(1)}, any));
  CHECK(t.clean({}, {t.whole(1)}, any));
  CHECK(t.clean({t.repeated(1)}, {t.whole(0)}, any));  // to read it twice is no harm
  CHECK(t.clean({}, {t.part(1, 0, 2), t.part(1, 2, 2)}, any));
  CHECK_FALSE(t.clean({}, {t.part(1, 0, 2), t.part(1, 1, 2)}, any));
  CHECK(t.clean({}, {t.whole(0), t.whole(1)}, any));
  CHECK_FALSE(t.clean({}, {t.whole(0), t.part(0, 1, 1)}, any));
}

TEST_CASE("element by element, only the same elements may be read and written (checker)", "[orders]") {
  Touching t;
  const auto each = Access::elementwise;
  CHECK(t.clean({t.whole(1)}, {t.whole(1)}, each));
  CHECK_FALSE(t.clean({t.part(1, 0, 2)}, {t.whole(1)}, each));  // fewer of them
  CHECK_FALSE(t.clean({t.part(1, 0, 2)}, {t.part(1, 1, 2)}, each));
  CHECK(t.clean({t.part(1, 0, 2)}, {t.part(1, 2, 2)}, each));
  CHECK(t.clean({t.part(1, 0, 4, 2)}, {t.part(1, 0, 4, 2)}, each));
  CHECK_FALSE(t.clean({t.part(1, 0, 4, 2)}, {t.part(1, 0, 4, 1)}, each));
  CHECK_FALSE(t.clean({t.whole(1)}, {t.whole(1)}, Access::any_time));
  CHECK(t.clean({t.whole(0)}, {t.whole(1)}, Access::any_time));
  CHECK(t.clean({t.whole(1)}, {t.part(1, 1, 2)}, Access::before_write));
  CHECK_FALSE(t.clean({t.whole(1)}, {t.repeated(1)}, Access::before_write));
}

TEST_CASE("pairs in windows say what paths between all pairs say", "[orders]") {
  Random random(32);
  int yes = 0, no = 0;
  for (std::size_t round = 0; round < noclobber::testing::sampled(400); ++round) {
    Touching t(static_cast<std::size_t>(random.between(2, 6)));
    some_steps(t, random);
    t.trace.edges = some_edges(AllPairs(t), random);
    const Edges full = t.trace.edges;
    // As they are, and without one edge.
    for (int lost = 0; lost < 4 && !(full.empty() && lost > 0); ++lost) {
      t.trace.edges = full;
      if (lost > 0)
        t.trace.edges.erase(t.trace.edges.begin() + random.below(static_cast<std::int64_t>(full.size())));
      const bool right = AllPairs(t).ordered();
      INFO("round " << round << ", lost " << lost);
      REQUIRE(ordered(t.space, t.trace) == right);
      ++(right ? yes : no);
    }
    t.trace.edges = full;
    t.trace.edges.emplace_back(t.trace.origin, 0);
    CHECK_FALSE(ordered(t.space, t.trace));
  }
  CHECK(yes > static_cast<int>(noclobber::testing::sampled(200)));
  CHECK(no > static_cast<int>(noclobber::testing::sampled(200)));
}

TEST_CASE("what is only read needs no order", "[orders]") {
  Touching t(3);
  t.step(0, {t.part(0, 0, 1)}, {t.whole(1)});
  t.step(1, {t.part(0, 0, 1)}, {t.whole(2)});
  t.step(2, {t.whole(0)}, {});
  CHECK(t.ordered_by({}));
  t.step(3, {}, {t.part(0, 0, 1)});  // and what writes it needs one with all of them
  CHECK_FALSE(t.ordered_by({{0, 3}, {1, 3}}));
  CHECK_FALSE(t.ordered_by({{0, 3}, {2, 3}}));
  CHECK(t.ordered_by({{0, 3}, {1, 3}, {2, 3}}));
}

TEST_CASE("no graph step runs before itself, nor what comes later before what is earlier", "[orders]") {
  Touching t;
  t.step(2, {}, {t.whole(1)});
  t.step(5, {}, {t.whole(1)});
  CHECK(t.ordered_by({{2, 5}}));
  CHECK(t.ordered_by({{2, 3}, {3, 5}}));  // through graph steps without steps
  CHECK_FALSE(t.ordered_by({{2, 3}, {4, 5}}));
  CHECK_FALSE(t.ordered_by({{2, 2}, {2, 5}}));
  CHECK_FALSE(t.ordered_by({{2, 5}, {5, 2}}));
  CHECK_FALSE(t.ordered_by({{5, 2}}));
  CHECK_FALSE(t.ordered_by({{2, 9}}));  // behind the last
}

TEST_CASE("what follows on the bytes of another storage needs an order with it", "[orders]") {
  Touching t;
  t.step(0, {}, {t.whole(0)});
  t.step(1, {}, {t.whole(1)});
  CHECK(t.ordered_by({}));
  t.place(0, 32, 0, 1).storage = 0;
  t.place(31, 32, 1, 2).storage = 1;
  CHECK_FALSE(t.ordered_by({}));
  CHECK(t.ordered_by({{0, 1}}));
  t.trace.placements[1].arena = 1;
  CHECK(t.ordered_by({}));
  t.trace.placements[1].arena = 0, t.trace.placements[1].offset = t.space.constant(32);
  CHECK(t.ordered_by({}));
  t.trace.placements[1].offset = t.space.symbol("somewhere");
  CHECK_FALSE(t.ordered_by({}));
}

TEST_CASE("a path that orders one pair of many orders no pair of a later window", "[orders]") {
  // 64 pairs of neighbours are one window: (0, 1), ..., (124, 125) and (130, 131). The next is (128, 131),
  // the first of its own window, as (0, 1) is of the other.
  Touching t(66);
  for (StorageId k = 0; k < 66; ++k)
    for (std::uint32_t twice = 0; twice < 2; ++twice) {
      std::vector<View> writes;
      if (k != 63 && k != 64) writes.push_back(t.whole(k));
      if (k == 64 && twice == 0) writes.push_back(t.whole(64));
      if (k == 65 && twice == 1) writes.push_back(t.whole(64));
      t.step(2 * k + twice, {}, writes);
    }
  Edges edges;
  for (std::uint32_t k = 0; k < 66; ++k) edges.emplace_back(2 * k, 2 * k + 1);
  edges.emplace_back(1, 131);
  CHECK_FALSE(t.ordered_by(edges));
  edges.emplace_back(128, 131);
  CHECK(t.ordered_by(edges));
}

TEST_CASE("whoever takes over bytes in the last step of another comes after all its other uses", "[orders]") {
  Touching t;
  t.step(0, {}, {t.whole(0)});
  t.step(1, {t.whole(0)}, {});
  t.step(2, {t.whole(0)}, {t.whole(1)}, Access::before_write);
  t.place(0, 32, 0, 3).storage = 0;
  t.place(0, 32, 2, 3).storage = 1;
  CHECK(t.ordered_by({{0, 1}, {0, 2}, {1, 2}}));
  CHECK_FALSE(t.ordered_by({{0, 1}, {0, 2}}));  // step 1 may read what step 2 wrote
  t.trace.placements[1].offset = t.space.constant(32);
  CHECK(t.ordered_by({{0, 1}, {0, 2}}));
}

}  // namespace orders_test
