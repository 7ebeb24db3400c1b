// One fault in each place of the Trace of a case: the watch complains, where the run is no other for it. As
// they are, no Trace of the corpus gives it a reason.
#include <algorithm>
#include <functional>
#include <iostream>

#include "src/watch/proof_run.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/sample.h"
#include "tests/support/traced.h"

namespace watch_fault_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

constexpr std::int64_t kWork = 2'000'000;

ProofRun run_of(const Case& value, const Modelled& m, const Traced& traced) {
  const auto ops = make_op_set(value.ops);
  return run_proof(value, traced, m.space, *ops, false, kWork);
}

struct Planted {
  int planted = 0, seen = 0;
  std::vector<std::string> missed;
};
using Table = std::map<std::string, Planted>;

void plant(const Case& value, const Modelled& m, const Traced& wrong, const std::string& kind,
           const std::string& where, Table& table) {
  Planted& row = table[kind];
  ++row.planted;
  if (run_of(value, m, wrong).contradiction.empty())
    row.missed.push_back(value.name + " " + where);
  else
    ++row.seen;
}

bool is_memory(const Trace& trace, const TraceView& view) {
  return trace.storages[view.storage].start != TraceStorage::Start::token;
}

/// What the graph step reads of a storage, through whichever views: one makes up for another.
std::ptrdiff_t reads_of(const Trace& trace, std::uint32_t origin, StorageId storage) {
  std::ptrdiff_t out = 0;
  for (const TraceStep& step : trace.steps)
    if (step.origin == origin)
      out += std::ranges::count_if(step.reads, [&](const TraceView& v) { return v.storage == storage; });
  return out;
}

/// Faults of one step of `after`.
void plant_in_step(const Case& value, const Modelled& m, std::size_t k, Table& table) {
  const Trace& good = m.traced.after;
  const TraceStep& step = good.steps[k];
  const std::string where = "step " + std::to_string(k);
  const bool opaque = step.kind == TraceStep::Kind::opaque;
  for (std::size_t r = 0; r < step.reads.size() && opaque; ++r) {
    if (!is_memory(good, step.reads[r]) || reads_of(good, step.origin, step.reads[r].storage) > 1) continue;
    Traced wrong = m.traced;
    TraceStep& s = wrong.after.steps[k];
    s.reads.erase(s.reads.begin() + static_cast<std::ptrdiff_t>(r));
    auto& access = s.access.edit();
    access.erase(access.begin() + static_cast<std::ptrdiff_t>(r));
    plant(value, m, wrong, "read dropped", where, table);
  }
  if (std::ranges::any_of(step.writes, [&](const TraceView& w) { return is_memory(good, w); }) && opaque) {
    Traced wrong = m.traced;
    TraceStep& s = wrong.after.steps[k];
    TraceViews others;
    for (const TraceView& w : s.writes)
      if (!is_memory(good, w)) others.push_back(w);
    s.writes = others;
    for (auto& row : s.access.edit()) row.resize(s.writes.size());
    plant(value, m, wrong, "write dropped", where, table);
  }
  if (!opaque) {
    Traced wrong = m.traced;
    wrong.after.steps.erase(wrong.after.steps.begin() + static_cast<std::ptrdiff_t>(k));
    plant(value, m, wrong, "move or fill dropped", where, table);
  }
}

/// A name shows other elements of its storage: each start of a map is one less.
void move_start(const Case& value, Modelled& m, std::size_t k, const std::string& where, Table& table) {
  const auto& maps = m.traced.views.values[k]->maps;
  for (std::size_t at = 0; at < maps.size(); ++at) {
    if (m.space.value(maps[at].start).value_or(0) < 1) continue;
    Traced wrong = m.traced;
    PolyId& start = wrong.views.values[k]->maps.edit()[at].start;
    start = m.space.sub(start, m.space.constant(1));
    plant(value, m, wrong, "start moved", where, table);
  }
}

/// A name on a storage of its own, where it shows another one's.
void plant_in_names(const Case& value, Modelled& m, Table& table) {
  const auto& names = m.traced.views.values;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Value& name = value.after.values[k];
    if (!names[k] || name.from != Value::From::step || names[k]->lanes > 0) continue;
    const std::string where = "name " + name.name;
    move_start(value, m, k, where, table);
    Traced wrong = m.traced;
    TraceView& view = *wrong.views.values[k];
    view.maps.clear();
    wrong.after.storages.push_back({TraceStorage::Start::undefined, "planted", view.shape});
    view.storage = static_cast<StorageId>(wrong.after.storages.size() - 1);
    const bool shared = std::ranges::count_if(names, [&](const auto& other) {
                          return other && other->storage == names[k]->storage;
                        }) > 1;
    if (shared) plant(value, m, wrong, "alias dropped", where, table);
  }
}

}  // namespace

TEST_CASE("no run of the corpus contradicts its Trace; faults that are planted are seen", "[watch]") {
  Table table;
  int watched = 0, number = 0;
  for (const auto& [path, value] : corpus_cases()) {
    if (!path.ends_with(".accept.json") || !is_sampled(static_cast<std::size_t>(number++))) continue;
    Modelled m;
    if (!model(value, m) || !m.traced.after.unknown.empty()) continue;
    if (m.traced.before && !m.traced.before->unknown.empty()) continue;
    INFO(path);
    const ProofRun good = run_of(value, m, m.traced);
    CHECK(good.contradiction == "");
    if (!good.ran) continue;
    ++watched;
    for (std::size_t k = 0; k < m.traced.after.steps.size(); ++k) plant_in_step(value, m, k, table);
    plant_in_names(value, m, table);
  }
  CHECK(watched >= static_cast<int>(sampled(70)));
  for (const auto& [kind, row] : table) {
    std::cout << kind << ": " << row.seen << " of " << row.planted << " seen\n";
    for (const std::string& one : row.missed) std::cout << "  missed: " << one << "\n";
    CHECK(row.seen >= row.planted * 9 / 10);
  }
}

}  // namespace watch_fault_test
