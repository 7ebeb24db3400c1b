// A Trace with one planted fault is not proved wherever a run of the Trace itself shows the fault; and the
// Trace says of a generated case what the interpreter says of its graphs.
#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "src/second/direct.h"
#include "tests/catch.h"
#include "tests/support/brute.h"
#include "tests/support/corpus.h"
#include "tests/support/generator.h"
#include "tests/support/sample.h"
#include "tests/support/trace_run.h"
#include "tests/support/traced.h"

namespace trace_fault_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

/// Sizes that its Traces are run at first.
std::map<std::string, std::int64_t> sizes_of(const Case& value) {
  std::map<std::string, std::int64_t> out;
  for (const auto& [name, range] : value.symbols)
    out[name] = std::max<std::int64_t>(range.min, 4) / range.multiple_of * range.multiple_of;
  return out;
}

bool proved(Space& space, const Trace& before, const Trace& after) {
  Terms terms{space};
  Rules rules(space, terms, &before, after, {});
  return decide(rules, enumerate(&before, after, {}), {}).proved;
}

/// What nc-check says, given all the evidence that is found.
Said said(Modelled& m, const Trace& after) {
  Certificate content = unsigned_certificate(m);
  content.checks[0].boundary = {};
  content.checks[0].after = as_listed(after);
  return nc_check_certified(m.space, content).said;
}

/// By the second engine, which shares no reasoning with the rules.
bool proved_directly(const Space& space, const Trace& before, const Trace& after) {
  const auto all = enumerate(&before, after, {});
  Questions questions(200'000);
  return decide_directly(space, &before, after, {}, all, questions).shown.size() == all.size();
}

const char* const kDamages[] = {"dropped read",   "dropped write",    "view of a fresh storage",
                                "shifted offset", "contract widened", "steps swapped"};

TraceView& some_view(TraceStep& step, Random& random) {
  const auto at = static_cast<std::size_t>(
      random.below(static_cast<std::int64_t>(step.reads.size() + step.writes.size())));
  return at < step.reads.size() ? step.reads[at] : step.writes[at - step.reads.size()];
}

StorageId fresh_like(Trace& trace, StorageId of) {
  TraceStorage storage = trace.storages[of];
  storage.start = TraceStorage::Start::undefined;
  storage.key = "planted";
  storage.compared = false;
  storage.writable = true;
  trace.storages.push_back(std::move(storage));
  return static_cast<StorageId>(trace.storages.size() - 1);
}

bool shift_some_map(Space& space, TraceView& view, Random& random) {
  for (Map& map : view.maps.edit())
    if (map.kind == Map::Kind::slice || map.kind == Map::Kind::strided || map.kind == Map::Kind::diagonal) {
      map.start = space.add(map.start, space.constant(random.chance(50) ? 1 : -1));
      return true;
    }
  return false;
}

/// false: that damage has no place here.
bool damage(Space& space, Trace& trace, int kind, Random& random) {
  if (trace.steps.empty()) return false;
  const auto n = static_cast<std::int64_t>(trace.steps.size());
  const auto at = static_cast<std::size_t>(random.below(n));
  TraceStep& step = trace.steps[at];
  switch (kind) {
    case 0:
      if (step.reads.empty() || step.kind == TraceStep::Kind::move) return false;
      step.reads.pop_back();
      step.access.edit().pop_back();
      return true;
    case 1:
      trace.steps.erase(trace.steps.begin() + static_cast<std::ptrdiff_t>(at));
      return true;
    case 2: {
      TraceView& view = some_view(step, random);
      view.storage = fresh_like(trace, view.storage);
      return true;
    }
    case 3:
      return shift_some_map(space, some_view(step, random), random);
    case 4:
      for (auto& row : step.access.edit())
        for (Access& access : row)
          if (access != Access::any_time) {
            access = Access::any_time;
            return true;
          }
      return false;
    default:
      if (n < 2) return false;
      std::swap(trace.steps[at], trace.steps[(at + 1) % static_cast<std::size_t>(n)]);
      return true;
  }
}

struct Count {
  int planted = 0, visible = 0, unreadable = 0, proved = 0, proved_directly = 0, asked = 0;
};

/// Other sizes within the ranges of the symbols, which a claim is about as well.
std::vector<std::map<std::string, std::int64_t>> more_sizes(const Case& value) {
  std::vector<std::map<std::string, std::int64_t>> out;
  for (std::int64_t more = 0; more < 6 && !value.symbols.empty(); ++more) {
    std::map<std::string, std::int64_t> at;
    std::int64_t number = 0;
    for (const auto& [name, range] : value.symbols) {
      const std::int64_t unit = range.multiple_of;
      const std::int64_t least = (std::max<std::int64_t>(range.min, 0) + unit - 1) / unit * unit;
      const std::int64_t wanted = least + unit * ((more * (2 * number + 1) + number) % 6);
      at[name] = range.max && wanted > *range.max ? least : wanted;
      at[name + "/" + std::to_string(unit)] = at[name] / unit;  // as Sizes::declare names it
      ++number;
    }
    if (std::all_of(value.assume.begin(), value.assume.end(),
                    [&](const SymRelation& relation) { return holds(relation, at); }))
      out.push_back(std::move(at));
  }
  return out;
}

/// The damaged Trace differs from `before` at some of these sizes.
bool differs_somewhere(const Case& value, const Modelled& m, const Trace& after) {
  for (const auto& symbols : more_sizes(value)) {
    const TraceRun a = run_trace(m.space, *m.traced.before, symbols, 1);
    const TraceRun b = run_trace(m.space, after, symbols, 2);
    if (a.usable && b.usable && !trace_difference(a, b).empty()) return true;
  }
  return false;
}

void plant(const Case& value, Random& random, std::map<std::string, Count>& counts) {
  Modelled m;
  REQUIRE(model(value, m));
  if (!m.traced.before || !m.traced.before->unknown.empty() || !m.traced.after.unknown.empty()) return;
  const auto sizes = sizes_of(value);
  const TraceRun before = run_trace(m.space, *m.traced.before, sizes, 1);
  const TraceRun undamaged = run_trace(m.space, m.traced.after, sizes, 2);
  if (!before.usable || !undamaged.usable || !trace_difference(before, undamaged).empty()) return;
  const bool honest = proved(m.space, *m.traced.before, m.traced.after);
  const bool certified = said(m, m.traced.after) == Said::proved;
  CHECK((m.traced.after.any_order ? honest || !certified : certified == honest));  // orders only one decides
  for (int kind = 0; kind < 6; ++kind) {
    Trace after = m.traced.after;
    if (!damage(m.space, after, kind, random)) continue;
    Count& count = counts[kDamages[kind]];
    ++count.planted;
    const TraceRun run = run_trace(m.space, after, sizes, 2);
    if (!run.usable) continue;
    const std::string difference = trace_difference(before, run);
    const bool claimed = proved(m.space, *m.traced.before, after);
    // A fresh solver for every question takes its time: by default one fault in ten is asked about.
    const bool asked = count.planted % 10 == 1 || std::getenv("NC_FUZZ_COUNT") != nullptr;
    const bool directly = asked && proved_directly(m.space, *m.traced.before, after);
    count.asked += asked ? 1 : 0;
    count.proved += claimed ? 1 : 0;
    count.proved_directly += directly ? 1 : 0;
    if (difference.empty() && !differs_somewhere(value, m, after)) continue;
    ++count.visible;
    const Said answer =
        is_sampled(static_cast<std::size_t>(count.planted)) ? said(m, after) : Said::not_proved;
    count.unreadable += answer == Said::unreadable ? 1 : 0;
    INFO(kDamages[kind] << ": " << difference << "\n" << both_graphs(value));
    CHECK_FALSE(claimed);
    CHECK_FALSE(directly);
    CHECK(answer != Said::proved);
  }
}

void print(const char* what, const std::map<std::string, Count>& counts) {
  for (const auto& [name, c] : counts)
    std::cout << what << ", " << name << ": " << c.planted << " planted, " << c.visible << " visible, "
              << c.unreadable << " of them unreadable, " << c.proved << " harmless and proved ("
              << c.proved_directly << " of " << c.asked << " by the second engine)\n";
}

}  // namespace

TEST_CASE("a generated Trace with one fault that can be seen is not proved", "[trace]") {
  std::map<std::string, Count> counts;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed + 500);
    const Draft before = random_program(random, seed % 2 == 0);
    std::string log;
    plant(pair_of_drafts(before, seed % 3 == 0 ? before : rewritten(before, random, log)), random, counts);
  }
  print("generated", counts);
  for (const char* kind : kDamages) CHECK(counts[kind].visible >= 10);
  for (const auto& [kind, c] : counts) CHECK(c.unreadable * 2 < c.visible);
}

TEST_CASE("a Trace of the corpus with one fault that can be seen is not proved", "[trace]") {
  std::map<std::string, Count> counts;
  Random random(77);
  for (const auto& [name, value] : corpus_cases()) {
    INFO(name);
    for (int k = 0; k < 4 && value.before; ++k) plant(value, random, counts);
  }
  print("corpus", counts);
}

TEST_CASE("a run of the Traces agrees with the interpreter", "[trace]") {
  int compared = 0, equal = 0, different = 0, only_trace = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed + 9000);
    const Draft before = random_program(random, seed % 2 == 0);
    std::string log;
    Draft after = rewritten(before, random, log);
    if (seed % 2 == 1)
      if (const auto broken = damaged(after, static_cast<Fault>(seed / 2 % kFaults), random)) after = *broken;
    const Case value = pair_of_drafts(before, after);
    Modelled m;
    REQUIRE(model(value, m));
    if (!m.traced.before->unknown.empty() || !m.traced.after.unknown.empty()) continue;
    const TraceRun a = run_trace(m.space, *m.traced.before, {}, 1),
                   b = run_trace(m.space, m.traced.after, {}, 2);
    const BruteForce truth = brute_force(value);
    if (!truth.usable) continue;
    INFO("seed " << seed << ": " << truth.difference << "\n" << both_graphs(value));
    REQUIRE((a.usable && b.usable));
    const std::string difference = trace_difference(a, b);
    const bool contents =
        truth.difference.find("byte") != std::string::npos && truth.difference.rfind("sharing", 0) != 0;
    ++compared;
    CHECK_FALSE((difference.empty() && contents));
    equal += difference.empty() ? 1 : 0;
    different += contents ? 1 : 0;
    only_trace += !difference.empty() && truth.difference.empty() ? 1 : 0;
  }
  std::cout << "trace against interpreter: " << compared << " compared, " << equal << " equal as traces, "
            << different << " differ when run, " << only_trace << " differ as traces only\n";
  CHECK(compared >= 450);
  CHECK(only_trace * 20 <= compared);
}

}  // namespace trace_fault_test
