#include "src/effects/paired.h"

#include <set>
#include <tuple>

#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// The call of `before` to compare `of` with: one with its key, if possible made by the same steps, and if
/// possible one that is not taken. nullptr if none has its key.
const Raised* counterpart(const std::vector<Raised>& before, const Raised& of,
                          std::set<const Raised*>& taken) {
  const Raised* found = nullptr;
  int best = 0;
  for (const Raised& one : before) {
    if (one.key != of.key) continue;
    const bool alike = one.hash == of.hash, is_free = !taken.contains(&one);
    const int rank = alike ? (is_free ? 4 : 3) : is_free ? 2 : 1;
    if (rank > best) best = rank, found = &one;
  }
  if (found != nullptr) taken.insert(found);
  return found;
}

/// Each call of `after` that may raise must be equal to a call of `before`: the storages that both write are
/// compared at exit. A call of `before` that may raise may be removed.
void pair_raising(Trace& before, Trace& after, const std::vector<Raised>& ours,
                  const std::vector<Raised>& theirs) {
  std::set<const Raised*> taken;
  const auto compare = [](Trace& trace, StorageId storage, std::size_t number) {
    trace.storages[storage].start = TraceStorage::Start::token;
    trace.storages[storage].key = "raises " + std::to_string(number);
    trace.storages[storage].compared = true;
  };
  for (std::size_t k = 0; k < theirs.size(); ++k) {
    const Raised* const partner = counterpart(ours, theirs[k], taken);
    if (partner == nullptr) {
      after.unknown.emplace_back("may-raise", theirs[k].op);
      continue;
    }
    compare(after, theirs[k].storage, k);
    const bool is_first = before.storages[partner->storage].start != TraceStorage::Start::token;
    const auto own = is_first ? partner->storage : static_cast<StorageId>(before.storages.size());
    if (!is_first) {  // `after` has it more than once
      before.storages.push_back(before.storages[partner->storage]);
      TraceStep again;
      again.kind = TraceStep::Kind::move;
      again.reads = before.steps[partner->step].writes;
      again.writes = again.reads;
      again.writes[0].storage = own;
      again.access = {{Access::elementwise}};
      again.origin = before.steps.back().origin;
      before.steps.push_back(std::move(again));
    }
    compare(before, own, k);
  }
}

/// Adds the hazards with operations in flight that `after` has and `before` does not.
void add_flown(Traced& out, const Case& value, const std::vector<Flown>& ours, std::vector<Flown> theirs) {
  const auto op = [](const Graph& graph, std::uint32_t step) {  // in-place forms count as functional ones
    const std::string own = step < graph.steps.size() ? graph.steps[step].op : "return";
    const std::string functional = functional_op(own);
    return functional.empty() ? own : functional;
  };
  std::multiset<std::tuple<std::string, std::string, bool>> known;
  for (const Flown& one : ours)
    known.emplace(op(*value.before, one.launched), op(*value.before, one.at), one.writes);
  for (const Flown& one : theirs) {
    const auto same = known.find({op(value.after, one.launched), op(value.after, one.at), one.writes});
    if (same != known.end()) {
      known.erase(same);
      continue;
    }
    out.flown.push_back(one);
    out.after.unknown.emplace_back("not-replayed", op(value.after, one.launched) + " in flight");
  }
}

}  // namespace

void pair_noted(Traced& out, const Case& value, const Noted& before, const Noted& after) {
  add_flown(out, value, before.flown, after.flown);
  if (out.before) pair_raising(*out.before, out.after, before.raised, after.raised);
}

}  // namespace noclobber
