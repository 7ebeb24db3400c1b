// One fault in each place of a Trace: steps, edges, placements. What a run of the two Traces shows to
// be wrong is never proved: neither by the rules that the prover asks, nor by nc-check.
#include <algorithm>
#include <iostream>

#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/sample.h"
#include "tests/support/trace_boundary.h"
#include "tests/support/traced.h"

namespace every_fault_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

struct Numbers {
  int planted = 0, visible = 0, wrong = 0, harmless_proved = 0, harmless_open = 0, not_run = 0;
  int unreadable = 0, harmless_certified = 0, harmless_asked = 0;  // by nc-check
};
using Table = std::map<std::string, Numbers>;

struct Pair {
  Space& space;
  const Trace& before;
  const Boundary& boundary;
  const std::map<std::string, std::int64_t>& symbols;
};

/// What nc-check says, given all the evidence that is found.
Said said(const Pair& p, const Trace& after) {
  Certificate content;
  content.about = "fault";
  content.symbols = p.symbols;
  content.checks.push_back({"", p.before, as_listed(after), p.boundary});
  return nc_check_certified(p.space, content).said;
}

/// What the prover says; orders and places are the checker's alone.
bool shown(const Pair& p, const Trace& after) {
  Terms terms{p.space};
  Rules rules(p.space, terms, &p.before, after, p.boundary);
  return decide(rules, enumerate(&p.before, after, p.boundary), {}).proved &&
         ((after.placements.empty() && !after.any_order) || said(p, after) == Said::proved);
}

/// What is right is proved by both, or by neither.
bool proved_as_it_is(const Pair& p, const Trace& good) {
  const bool by_rules = shown(p, good);
  CHECK((said(p, good) == Said::proved) == by_rules);
  return by_rules;
}

void try_fault(const Pair& p, const Trace& after, Numbers& numbers, Random& random) {
  ++numbers.planted;
  const Seen seen = boundary_difference(p.space, &p.before, after, p.boundary, p.symbols, 6, random);
  const bool claimed = shown(p, after);
  if (!seen.usable) {
    ++numbers.not_run;
    return;
  }
  const bool harmless = seen.difference.empty();
  // To find evidence takes its time: where there should be some, it is looked for in one case of eight.
  const bool asked =
      harmless ? numbers.planted % 8 == 1 : is_sampled(static_cast<std::size_t>(numbers.planted));
  const Said answer = asked ? said(p, after) : Said::not_proved;
  numbers.unreadable += answer == Said::unreadable ? 1 : 0;
  if (harmless) {
    ++(claimed ? numbers.harmless_proved : numbers.harmless_open);
    numbers.harmless_asked += asked && claimed ? 1 : 0;
    numbers.harmless_certified += claimed && answer == Said::proved ? 1 : 0;
    return;
  }
  ++numbers.visible;
  numbers.wrong += claimed || answer == Said::proved ? 1 : 0;
  INFO(seen.difference);
  CHECK_FALSE(claimed);
  CHECK(answer != Said::proved);
}

void print(const char* what, const Table& table) {
  for (const auto& [name, n] : table)
    std::cout << what << ", " << name << ": " << n.planted << " planted, " << n.visible
              << " visible, of these " << n.wrong << " proved; "
              << "harmless " << n.harmless_proved << " proved, " << n.harmless_open << " open; not run "
              << n.not_run << "; by nc-check " << n.harmless_certified << " of " << n.harmless_asked
              << " harmless, " << n.unreadable << " unreadable\n";
}

StorageId another(Trace& trace, StorageId of) {
  TraceStorage storage = trace.storages[of];
  storage.start = TraceStorage::Start::undefined;
  storage.key = "planted";
  storage.compared = false;
  storage.writable = true;
  trace.storages.push_back(std::move(storage));
  return static_cast<StorageId>(trace.storages.size() - 1);
}

bool shifted(Space& space, TraceView& view) {
  for (Map& map : view.maps.edit())
    if (map.kind == Map::Kind::slice || map.kind == Map::Kind::strided || map.kind == Map::Kind::diagonal) {
      const bool back = space.value(map.start).value_or(0) > 0;
      map.start = space.add(map.start, space.constant(back ? -1 : 1));
      return true;
    }
  return false;
}

bool widened(TraceStep& step) {
  bool out = false;
  for (auto& row : step.access.edit())
    for (Access& access : row) out = out || access != Access::any_time, access = Access::any_time;
  return out;
}

void at_step(const Pair& p, const Trace& good, std::size_t k, Table& table, Random& random) {
  const auto with = [&](const char* name, const auto& change) {
    Trace after = good;
    if (change(after, after.steps[k])) try_fault(p, after, table[name], random);
  };
  with("read dropped", [](Trace&, TraceStep& s) {
    const bool has = !s.reads.empty() && s.kind == TraceStep::Kind::opaque;
    if (has) s.reads.pop_back(), s.access.edit().pop_back();
    if (has && !s.reaching.empty()) s.reaching.edit().pop_back();
    return has;
  });
  with("write dropped", [&](Trace& t, TraceStep&) {
    t.steps.erase(t.steps.begin() + static_cast<std::ptrdiff_t>(k));
    return true;
  });
  with("alias of a write dropped", [](Trace& t, TraceStep& s) {
    if (!s.writes.empty()) s.writes.back().storage = another(t, s.writes.back().storage);
    return !s.writes.empty();
  });
  with("alias of a read dropped", [](Trace& t, TraceStep& s) {
    if (!s.reads.empty()) s.reads.back().storage = another(t, s.reads.back().storage);
    return !s.reads.empty();
  });
  with("read shifted",
       [&](Trace&, TraceStep& s) { return !s.reads.empty() && shifted(p.space, s.reads[0]); });
  with("write shifted",
       [&](Trace&, TraceStep& s) { return !s.writes.empty() && shifted(p.space, s.writes[0]); });
  with("contract widened", [](Trace&, TraceStep& s) { return widened(s); });
  with("steps swapped", [&](Trace& t, TraceStep&) {
    if (k + 1 < t.steps.size()) std::swap(t.steps[k], t.steps[k + 1]);
    return k + 1 < t.steps.size();
  });
  with("steps exchanged", [&](Trace& t, TraceStep&) {  // each is now the other's step of the graph, too
    if (k + 1 == t.steps.size()) return false;
    std::swap(t.steps[k], t.steps[k + 1]);
    std::swap(t.steps[k].origin, t.steps[k + 1].origin);
    return true;
  });
}

void at_each_place(const Case& value, Table& table, Random& random, int& sound) {
  Modelled m;
  if (!model(value, m) || !m.traced.before || !m.traced.before->unknown.empty() ||
      !m.traced.after.unknown.empty())
    return;
  const Trace &before = *m.traced.before, &good = m.traced.after;
  const Pair p{m.space, before, m.boundary, m.symbols};
  const Seen as_it_is = boundary_difference(m.space, &before, good, m.boundary, m.symbols, 6, random);
  if (!as_it_is.usable || !as_it_is.difference.empty()) return;
  ++sound;
  proved_as_it_is(p, good);
  for (std::size_t k = 0; k < good.steps.size(); ++k) at_step(p, good, k, table, random);
  for (std::size_t k = 0; k < good.edges.size() && good.any_order; ++k) {
    Trace after = good;
    after.edges.erase(after.edges.begin() + static_cast<std::ptrdiff_t>(k));
    try_fault(p, after, table["edge dropped"], random);
  }
  const Pair turned{m.space, good, m.boundary, m.symbols};
  try_fault(turned, before, table["before and after swapped"], random);
}

/// Storages of a graph's own, each placed for its uses at the lowest place that is free.
void place_all(Trace& trace, Space& space, const std::map<std::string, std::int64_t>& symbols) {
  std::int64_t top = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  std::uint32_t count = 0;
  for (const TraceStep& s : trace.steps) count = std::max(count, s.origin + 1);
  for (StorageId id = 0; id < trace.storages.size(); ++id) {
    if (trace.storages[id].start != TraceStorage::Start::undefined) continue;
    const auto used = [&](const TraceView& v) { return v.storage == id; };
    TracePlacement p{"b" + std::to_string(id), 0, 0, 0, count, 0, id, {}, std::nullopt};
    for (const TraceStep& s : trace.steps) {
      if (!std::any_of(s.reads.begin(), s.reads.end(), used) &&
          !std::any_of(s.writes.begin(), s.writes.end(), used))
        continue;
      p.first = std::min(p.first, s.origin), p.last = std::max(p.last, s.origin + 1);
    }
    for (const TraceOutput& o : trace.outputs)
      if (o.view && used(*o.view)) p.last = count + 1;
    const std::int64_t size =
        16 * space.value(element_count(space, trace.storages[id].shape), symbols).value_or(1);
    std::int64_t low = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t k = 0; k < spans.size(); ++k) {
        const TracePlacement& q = trace.placements[k];
        const bool together = std::max(p.first, q.first) < std::min(p.last, q.last);
        if (together && low < spans[k].second && spans[k].first < low + size)
          low = spans[k].second, moved = true;
      }
    }
    spans.emplace_back(low, low + size);
    top = std::max(top, low + size);
    p.offset = space.constant(low), p.size = space.constant(size);
    trace.placements.push_back(p);
  }
  trace.arenas = {space.constant(top)};
}

/// The neighbours below, as a planner that tells the truth would say.
void neighbours(Trace& trace, Space& space) {
  const auto at = [&](const TracePlacement& p) { return space.value(p.offset).value_or(0); };
  std::vector<std::uint32_t> order;
  for (std::uint32_t k = 0; k < trace.placements.size(); ++k) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return trace.placements[a].first < trace.placements[b].first; });
  for (std::size_t n = 0; n < order.size(); ++n) {
    TracePlacement& p = trace.placements[order[n]];
    p.below.reset();
    for (std::size_t m = 0; m < n; ++m) {
      const TracePlacement& q = trace.placements[order[m]];
      if (q.last > p.first && at(q) <= at(p) && q.first < q.last && q.size != 0 &&
          (!p.below || at(trace.placements[*p.below]) < at(q)))
        p.below = order[m];
    }
  }
}

void on_placements(const Pair& p, const Trace& good, Table& table, Random& random) {
  const auto with = [&](const char* name, std::size_t k, const auto& change) {
    for (const bool told :
         {true, false}) {  // with the neighbours of the fault, and with those of the sound plan
      Trace after = good;
      change(after, after.placements[k]);
      if (told) neighbours(after, p.space);
      try_fault(p, after, table[name], random);
    }
  };
  const auto plus = [&](PolyId a, std::int64_t by) { return p.space.add(a, p.space.constant(by)); };
  for (std::size_t k = 0; k < good.placements.size(); ++k) {
    with("placement lower", k, [&](Trace&, TracePlacement& q) { q.offset = plus(q.offset, -1); });
    with("placement higher", k, [&](Trace&, TracePlacement& q) { q.offset = plus(q.offset, 1); });
    with("placement smaller than its storage", k, [&](Trace&, TracePlacement& q) { q.size = 0; });
    with("placement larger", k, [&](Trace&, TracePlacement& q) { q.size = plus(q.size, 1); });
    with("placement ends early", k, [](Trace&, TracePlacement& q) { q.last -= 1; });
    with("placement begins late", k, [](Trace&, TracePlacement& q) { q.first += 1; });
    with("placement lives longer", k, [](Trace&, TracePlacement& q) { q.last += 2; });
    with("arena smaller", k, [&](Trace& t, TracePlacement&) { t.arenas[0] = plus(t.arenas[0], -1); });
    with("arena of none", k, [](Trace&, TracePlacement& q) { q.arena = 1; });
  }
}

}  // namespace

TEST_CASE("one fault in each place of each case of the corpus", "[trace]") {
  Table table;
  Random random(4711);
  int sound = 0;
  for (const auto& [name, value] : corpus_cases()) {
    INFO(name);
    at_each_place(value, table, random, sound);
  }
  std::cout << "sound cases of the corpus with a fault in each place: " << sound << "\n";
  print("corpus", table);
  CHECK(sound >= 40);
  for (const char* kind :
       {"read dropped", "write dropped", "alias of a write dropped", "alias of a read dropped",
        "read shifted", "write shifted", "edge dropped", "steps exchanged"})
    CHECK(table[kind].visible >= 3);
}

TEST_CASE("one fault in the placements of a Trace", "[trace]") {
  Table table;
  int proved = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed + 52000);
    const Draft draft = random_program(random, true);
    Modelled m;
    if (!model(pair_of_drafts(draft, draft), m)) continue;
    place_all(m.traced.after, m.space, m.symbols);
    neighbours(m.traced.after, m.space);
    const Pair p{m.space, *m.traced.before, m.boundary, m.symbols};
    ++all;
    proved += proved_as_it_is(p, m.traced.after) ? 1 : 0;
    INFO("seed " << seed);
    CHECK(placement_fault(m.space, m.traced.after, m.symbols) == "");
    on_placements(p, m.traced.after, table, random);
  }
  std::cout << "plans proved as they are: " << proved << " of " << all << "\n";
  print("placements", table);
  CHECK(proved * 10 >= all * 8);
  for (const char* kind : {"placement lower", "placement larger", "placement ends early", "arena smaller"})
    CHECK(table[kind].visible >= 10);
}

}  // namespace every_fault_test
