#include "src/second/direct_contents.h"

#include <algorithm>
#include <array>

namespace noclobber {
namespace {

constexpr int kMostNested = 400;                                       // nesting of moves
constexpr std::size_t kMostContents = 200'000, kMostPassed = 500'000;  // contents held, writes looked at
constexpr std::int64_t kMostLanes = 16;                                // bytes of an element

std::string content_key(DirectSide side, StorageId storage, std::size_t version, const DirectIndex& index) {
  std::string out = side == DirectSide::before ? "b" : "a";
  out += std::to_string(storage) + "." + std::to_string(version);
  for (FormulaId i : index) out += ";" + std::to_string(i);
  return out;
}

}  // namespace

DirectContents::DirectContents(DirectSizes& sizes, DirectAsk& ask, const Trace* before, const Trace& after,
                               Unwritten unwritten)
    : sizes_(sizes), f_(sizes.formulas()), ask_(ask), unwritten_(unwritten) {
  sides_[0].trace = before;
  sides_[1].trace = &after;
  std::array<DirectSide, 2> order{DirectSide::before, DirectSide::after};
  if (unwritten == Unwritten::left_by_after) std::swap(order[0], order[1]);  // needed while `before` runs
  for (DirectSide side : order) {
    Side& own = sides_[static_cast<std::size_t>(side)];
    if (own.trace == nullptr) continue;
    own.writes.resize(own.trace->storages.size());
    own.clean.resize(own.trace->steps.size());
    for (std::uint32_t k = 0; k < own.trace->steps.size(); ++k) run(side, k);
  }
}

/// Looks up the content that a step stored as soon as it ran, so that later lookups need not follow long
/// chains.
void DirectContents::run(DirectSide side, std::uint32_t number) {
  Side& own = sides_[static_cast<std::size_t>(side)];
  const TraceStep& step = own.trace->steps[number];
  const bool whole = step.kind == TraceStep::Kind::opaque && !step.elementwise;
  own.calls.push_back(whole ? call_of(side, step, number) : std::nullopt);
  for (std::uint32_t slot = 0; slot < step.writes.size(); ++slot)
    own.writes[step.writes[slot].storage].push_back({number, slot});
  if (!whole && !step.writes.empty())
    at(side, step.writes[0], any_index(sizes_, step.writes[0], "i"), number + 1);
}

FormulaId DirectContents::at(DirectSide side, const TraceView& view, const DirectIndex& index,
                             std::size_t time) {
  if ((view.lanes > 0) != (trace(side).storages[view.storage].lanes > 0)) return Formulas::kBad;
  if (view.lanes == 0) {
    const auto root = root_of(sizes_, view, index);
    return root ? element(side, view.storage, *root, time) : Formulas::kBad;
  }
  std::vector<FormulaId> bytes;
  if (view.lanes > kMostLanes) return Formulas::kBad;
  for (std::int64_t k = 0; k < view.lanes; ++k) {
    DirectIndex place = index;
    place.push_back(f_.number(k));
    const auto root = root_of(sizes_, view, std::move(place));
    bytes.push_back(root ? element(side, view.storage, *root, time) : Formulas::kBad);
    if (bytes.back() == Formulas::kBad) return Formulas::kBad;
  }
  return packed(bytes);
}

FormulaId DirectContents::element(DirectSide side, StorageId storage, const DirectIndex& index,
                                  std::size_t time) {
  const auto& writes = sides_[static_cast<std::size_t>(side)].writes[storage];
  const auto later =
      std::partition_point(writes.begin(), writes.end(), [&](const Write& w) { return w.step < time; });
  return version_of(side, storage, static_cast<std::size_t>(later - writes.begin()), index);
}

FormulaId DirectContents::version_of(DirectSide side, StorageId storage, std::size_t version,
                                     const DirectIndex& index) {
  const std::string key = content_key(side, storage, version, index);
  if (const auto at = memo_.find(key); at != memo_.end()) return at->second;
  if (depth_ >= kMostNested || memo_.size() > kMostContents) return Formulas::kBad;
  ++depth_;
  const FormulaId out = found(side, storage, version, index);
  --depth_;
  return memo_[key] = out;
}

/// The latest write that covers the element gives its content: one choice per write, the oldest innermost.
FormulaId DirectContents::found(DirectSide side, StorageId storage, std::size_t version,
                                const DirectIndex& index) {
  const Side& own = sides_[static_cast<std::size_t>(side)];
  std::vector<std::pair<FormulaId, FormulaId>> choices;
  std::optional<FormulaId> base;
  while (version > 0 && !base) {
    if (++passed_ > kMostPassed) return Formulas::kBad;
    const Write& write = own.writes[storage][--version];
    const TraceView& target = own.trace->steps[write.step].writes[write.slot];
    if ((target.lanes > 0) != (own.trace->storages[storage].lanes > 0)) return Formulas::kBad;
    const auto image = image_of(sizes_, target, index);
    if (!image || !ask_.always(image->sound) || !clean(side, write.step)) return Formulas::kBad;
    if (image->inside == f_.truth(false)) continue;
    const FormulaId here = written(side, write, image->index);
    if (here == Formulas::kBad) return here;
    if (image->inside == f_.truth(true)) {
      base = here;
    } else {
      choices.emplace_back(image->inside, here);
      const auto known = memo_.find(content_key(side, storage, version, index));
      if (known != memo_.end()) base = known->second;
    }
  }
  FormulaId out = base ? *base : entry(side, storage, index);
  for (auto c = choices.rbegin(); c != choices.rend(); ++c) out = f_.choose(c->first, c->second, out);
  return out;
}

/// The content that a step stored at element `index` of its target; `index` ends with the byte if the storage
/// has lanes.
FormulaId DirectContents::written(DirectSide side, const Write& write, DirectIndex index) {
  const TraceStep& step = trace(side).steps[write.step];
  const std::int64_t lanes = step.writes[write.slot].lanes;
  FormulaId byte = Formulas::kBad;
  if (lanes > 0) {
    byte = index.back();
    index.pop_back();
  }
  FormulaId out = Formulas::kBad;
  switch (step.kind) {
    case TraceStep::Kind::move:
      return moved(side, write, index, byte);
    case TraceStep::Kind::fill:
      out = f_.call("scalar:" + *step.key, {});
      break;
    case TraceStep::Kind::opaque:
      out = computed(side, write, index);
      break;
  }
  return lanes > 0 ? byte_of(out, byte, lanes) : out;
}

/// `byte` is bad if the target has no lanes.
FormulaId DirectContents::moved(DirectSide side, const Write& write, const DirectIndex& index,
                                FormulaId byte) {
  const TraceStep& step = trace(side).steps[write.step];
  if (step.reads.size() != 1 || sizes_.of(step.reads[0].shape) != sizes_.of(step.writes[0].shape))
    return Formulas::kBad;
  const TraceView &from = step.reads[0], &to = step.writes[0];
  if (from.type == to.type && from.lanes == to.lanes && to.lanes > 0) {
    DirectIndex place = index;
    place.push_back(byte);
    const auto root = root_of(sizes_, from, std::move(place));
    return root ? element(side, from.storage, *root, write.step) : Formulas::kBad;
  }
  FormulaId out = at(side, from, index, write.step);
  if (*from.type != *to.type) out = f_.call("cast:" + *from.type + ">" + *to.type, {out});
  return to.lanes > 0 ? byte_of(out, byte, to.lanes) : out;
}

FormulaId DirectContents::computed(DirectSide side, const Write& write, const DirectIndex& index) {
  const TraceStep& step = trace(side).steps[write.step];
  const std::string& type = step.writes[write.slot].type;
  if (!step.elementwise) {
    const auto call = sides_[static_cast<std::size_t>(side)].calls[write.step];
    if (!call) return Formulas::kBad;
    std::string function = "result:" + std::to_string(*call) + "." + std::to_string(write.slot) + ":" + type;
    for (FormulaId extent : sizes_.of(step.writes[write.slot].shape))
      function += "," + std::to_string(extent);
    return f_.call(function, index);
  }
  std::string function = "each:" + *step.key + ">" + type;
  std::vector<FormulaId> elements;
  for (const TraceView& read : step.reads) {
    if (sizes_.of(read.shape) != sizes_.of(step.writes[0].shape)) return Formulas::kBad;
    function += ";" + *read.type;
    elements.push_back(at(side, read, index, write.step));
    if (elements.back() == Formulas::kBad) return Formulas::kBad;
  }
  return f_.call(function, std::move(elements));
}

std::optional<FormulaId> DirectContents::left_by_after(const TraceStorage& fresh, const DirectIndex& index) {
  const Trace& after = trace(DirectSide::after);
  const TraceStorage* other = partner_of(after, fresh);
  const TraceStorage* self = partner_of(trace(DirectSide::before), fresh);
  if (other == nullptr || self == nullptr || other->lanes != fresh.lanes) return std::nullopt;
  if (sizes_.of(other->shape) != sizes_.of(fresh.shape)) return std::nullopt;
  return element(DirectSide::after, static_cast<StorageId>(other - after.storages.data()), index,
                 after.steps.size());
}

/// Two fresh storages of one Trace are always distinct, even if their keys are equal.
FormulaId DirectContents::entry(DirectSide side, StorageId storage, const DirectIndex& index) {
  const auto& all = trace(side).storages;
  const TraceStorage& at = all[storage];
  switch (at.start) {
    case TraceStorage::Start::given:
      return f_.call("given:" + at.key.text(), index);
    case TraceStorage::Start::token:
      return f_.call("token:" + at.key.text(), index);
    case TraceStorage::Start::undefined:
      break;
  }
  if (side == DirectSide::before && unwritten_ == Unwritten::left_by_after)
    if (const auto left = left_by_after(at, index)) return *left;
  std::string function = kUndefined + at.key.text();
  const auto same = [&](const TraceStorage& s) { return s.start == at.start && s.key == at.key; };
  if (std::find_if(all.begin(), all.end(), same) != all.begin() + storage)
    function += " " + std::to_string(storage) + (side == DirectSide::before ? "b" : "a");
  return f_.call(function, index);
}

}  // namespace noclobber
