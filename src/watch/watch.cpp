#include "src/watch/watch.h"

#include <algorithm>

#include "src/effects/loops.h"
#include "src/interp/replay_view.h"
#include "src/ops/array.h"
#include "src/ops/meaning.h"
#include "src/ops/same_tensor.h"

namespace noclobber {
namespace {

/// The stamps of `width` bytes from `at` on.
std::span<std::uint32_t> bytes_of(std::vector<std::uint32_t>& stamps, std::int64_t at, std::int64_t width) {
  return std::span(stamps).subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(width));
}

/// Values that some step rebinds to another view (t_, set_, resize_), under all their names.
std::set<ValueId> moving_names(const Graph& graph, const OpSet& ops) {
  std::set<ValueId> firsts;
  std::vector<ValueId> first;
  for (const Step& step : graph.steps) {
    const Schema* schema = ops.find(step.op);
    if (schema == nullptr || step.args.empty() || step.args[0].kind != Arg::Kind::ref) continue;
    const Meaning meaning = meaning_of(base_name(step.op), *schema);
    if (!schema->has(Tag::inplace_view) && meaning != Meaning::set && meaning != Meaning::resize) continue;
    if (first.empty()) first = first_names(graph, ops);
    firsts.insert(first[step.args[0].ref.index]);
  }
  std::set<ValueId> out;
  for (std::size_t k = 0; k < first.size(); ++k)
    if (firsts.contains(first[k])) out.insert(ValueId(static_cast<std::uint32_t>(k)));
  return out;
}

/// True for results of control flow, which may lie on the storages of its operands.
bool may_lie_elsewhere(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return value.from == Value::From::step && graph.steps[value.at].op->starts_with("higher_order.");
}

/// True if the number of elements depends on contents, whatever the dump says.
bool is_as_long_as_found(const Graph& graph, ValueId id, const OpSet& ops) {
  const Value& value = graph.value(id);
  if (value.from != Value::From::step) return false;
  const Schema* schema = ops.find(graph.steps[value.at].op);
  return schema != nullptr && schema->has(Tag::dynamic_output_shape);
}

}  // namespace

Watch::Watch(const Space& space, const Watched& what, const OpSet& ops, const Symbols& symbols,
             const std::set<std::string>& found, std::int64_t most)
    : what_(what),
      ops_(ops),
      symbols_(symbols),
      others_(symbols),
      cells_(space, *what.trace, symbols_, most),
      other_cells_(space, *what.trace, others_, most),
      places_(what.trace->storages.size()),
      moving_(moving_names(*what.graph, ops)) {
  for (const std::string& symbol : found) ++others_[symbol];
  for (StorageId s = 0; s < places_.size(); ++s) {
    const TraceStorage& storage = what.trace->storages[s];
    const auto count = cells_.count(s);
    const bool open = cells_.numbers(storage.shape) != other_cells_.numbers(storage.shape);
    doubtful_ = doubtful_ || open;
    places_[s].blind = storage.start == TraceStorage::Start::token || !count || open;
    places_[s].loose = storage.key.text().starts_with(kShadow);
    if (!places_[s].blind) places_[s].at.assign(static_cast<std::size_t>(*count), kNowhere);
  }
}

/// True if the view depends on a symbol that the run finds.
bool Watch::is_found(const TraceView& view) const {
  if (others_ == symbols_) return false;
  const auto differ = [&](const Shape& shape) {
    return cells_.numbers(shape) != other_cells_.numbers(shape);
  };
  return differ(view.shape) || std::ranges::any_of(view.maps, [&](const Map& map) {
           return differ(map.from) || differ(map.to) || differ(map.strides) || differ({map.start, map.step});
         });
}

void Watch::say(const std::string& what) {
  if (fault_.empty()) fault_ = what;
}

std::string Watch::name(std::uint32_t step) const {
  const Graph& graph = *what_.graph;
  if (step >= graph.steps.size()) return "the return";
  const Step& s = graph.steps[step];
  const bool named = !s.results.empty() && s.results[0].valid();
  return "step " + std::to_string(step + 1) + " (" + (named ? graph.value(s.results[0]).name + " = " : "") +
         s.op + ")";
}

Watch::Marks& Watch::marks(std::uint32_t storage, std::size_t bytes) {
  if (marks_.size() <= storage) marks_.resize(storage + 1);
  Marks& out = marks_[storage];
  if (out.owner.size() < bytes) {
    out.owner.resize(bytes, 0);
    for (auto* stamps : {&out.may_read, &out.may_write, &out.written}) stamps->resize(bytes, 0);
  }
  return out;
}

/// Places the cells of a view at the bytes of the tensor. Reports cells that had another place, and bytes of
/// other cells.
void Watch::lay(StorageId at, const CellList& cells, const Tensor& tensor, std::int64_t lanes,
                std::size_t bytes, const std::string& who) {
  Place& place = places_[at];
  const auto starts = element_bytes(tensor);
  Marks& there = marks(tensor.storage, bytes);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto lane = static_cast<std::int64_t>(k) % lanes;
    const std::int64_t byte = starts[k / static_cast<std::size_t>(lanes)] + (lanes > 1 ? lane : 0);
    std::int64_t& known = place.at[static_cast<std::size_t>(cells[k])];
    if (known == byte) continue;
    if (known != kNowhere) return say(who + " shows other elements of its storage than its Trace says");
    known = byte;
    const std::uint64_t cell = (std::uint64_t{at} + 1) << 40U | static_cast<std::uint64_t>(cells[k]);
    for (std::int64_t b = byte; b < byte + place.width; ++b) {
      std::uint64_t& owner = there.owner[static_cast<std::size_t>(b)];
      const auto other = static_cast<StorageId>((owner >> 40U) - 1);
      if (owner != 0 && owner != cell && !place.loose && !places_[other].loose)
        return say(who + (other == at ? " shows an element twice that its Trace tells apart"
                                      : " lies on bytes of what its Trace says is another storage"));
      if (owner == 0 || !place.loose) owner = cell;
    }
  }
}

/// True if the strides of a result differ from those in the dump. The Trace is made from the dump, and it is
/// unknown here which of them is right. Results of bodies are exempt: bodies choose their layout.
bool Watch::lies_otherwise(ValueId id, const Tensor& tensor) const {
  const Value& value = what_.graph->value(id);
  if (!value.type || value.type->strides == Type::Strides::unknown || may_lie_elsewhere(*what_.graph, id))
    return false;
  const bool given = value.type->strides == Type::Strides::given;
  if (value.from == Value::From::input || (given && value.type->stride.size() != tensor.stride.size()))
    return false;
  std::int64_t dense = 1;
  for (std::size_t d = tensor.stride.size(); d-- > 0;) {
    const auto said = given ? value.type->stride[d].evaluate(symbols_) : std::optional(dense);
    if (tensor.shape[d] != 1 && said && *said != tensor.stride[d]) return true;
    dense *= std::max<std::int64_t>(tensor.shape[d], 1);
  }
  return false;
}

void Watch::learn(ValueId id, const Tensor& tensor, const std::vector<Storage>& storages) {
  if (!fault_.empty() || id.index >= what_.views->size() || !(*what_.views)[id.index]) return;
  const TraceView& view = *(*what_.views)[id.index];
  Place& place = places_[view.storage];
  if (place.blind || element_count(tensor) == 0) return;
  if (is_found(view)) {
    doubtful_ = true;
    return;
  }
  const std::string& who = what_.graph->value(id).name;
  place.loose = place.loose || may_lie_elsewhere(*what_.graph, id);
  if (lies_otherwise(id, tensor)) place.blind = doubtful_ = true;
  if (place.blind) return;
  const auto shape = cells_.numbers(view.shape);
  const auto cells = cells_.of(view);
  const auto width = static_cast<std::int64_t>(element_width(tensor.dtype));
  const std::int64_t lanes = std::max<std::int64_t>(view.lanes, 1);
  if (!shape || !cells || (view.lanes > 0 && view.lanes != width)) {
    place.blind = true;
    return;
  }
  if (*shape != tensor.shape) {
    resized_ = resized_ || is_as_long_as_found(*what_.graph, id, ops_);  // later values may be, too
    if (!resized_) return say(who + " has another shape than its Trace says");
    place.blind = doubtful_ = true;
    return;
  }
  if (*view.type != std::string(noclobber::name(tensor.dtype)))
    return say(who + " has another type than its Trace says");
  if (place.storage && *place.storage != tensor.storage)
    return say(who + " lies on a storage of its own, and its Trace says that it shares one");
  place.storage = tensor.storage;
  place.width = view.lanes > 0 ? 1 : width;
  lay(view.storage, *cells, tensor, lanes, storages[tensor.storage].bytes.size(), who);
}

void Watch::entry(const std::vector<Storage>& storages, const Named& inputs) {
  for (const auto& [id, tensor] : inputs)
    if (!moving_.contains(id)) learn(id, *tensor, storages);
}

void Watch::begins(std::uint32_t step, const std::vector<Storage>& storages) {
  const std::vector<TraceStep>& steps = what_.trace->steps;
  stamp_ = step + 1;
  old_ = storages.size();
  first_ = last_;
  while (first_ < steps.size() && steps[first_].origin < step) ++first_;
  for (last_ = first_; last_ < steps.size() && steps[last_].origin == step;) ++last_;
  seen_.clear();
  left_.clear();
  open_ = false;
  if (!fault_.empty()) return;
  for (std::size_t k = first_; k < last_; ++k) {
    Seen& seen = seen_.emplace_back();
    const auto all = [&](const TraceViews& views, std::vector<std::optional<CellList>>& out) {
      for (const TraceView& view : views) {
        const bool token = what_.trace->storages[view.storage].start == TraceStorage::Start::token;
        out.push_back(token || is_found(view) ? std::nullopt : cells_.of(view));
        open_ = open_ || (!token && !out.back());
      }
    };
    all(steps[k].reads, seen.reads);
    all(steps[k].writes, seen.writes);
    if (!open_) foresee(steps[k], seen, storages);
  }
  unseen_ += open_ ? 1 : 0;
}

void Watch::mark(const TraceView& view, const CellList& cells, bool write) {
  const Place& place = places_[view.storage];
  if (place.blind || !place.storage) return;
  Marks& there = marks_[*place.storage];
  for (const std::int64_t cell : cells) {
    const std::int64_t byte = place.at[static_cast<std::size_t>(cell)];
    if (byte == kNowhere) continue;
    std::ranges::fill(bytes_of(write ? there.may_write : there.may_read, byte, place.width), stamp_);
  }
}

void Watch::ends(std::uint32_t step, const std::vector<Storage>& storages, const Named& results,
                 const std::vector<Contact>& touched) {
  for (const auto& [id, tensor] : results)
    if (!moving_.contains(id)) learn(id, *tensor, storages);
  if (!fault_.empty() || open_) return;
  for (std::size_t k = first_; k < last_; ++k) {
    const TraceStep& s = what_.trace->steps[k];
    const Seen& seen = seen_[k - first_];
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      if (seen.reads[r]) mark(s.reads[r], *seen.reads[r], false);
    for (std::size_t w = 0; w < s.writes.size(); ++w)
      if (seen.writes[w]) mark(s.writes[w], *seen.writes[w], true);
  }
  compare_contacts(step, storages, touched);
  if (fault_.empty()) expect_written(step);
  if (fault_.empty()) compare_contents(step, storages);
}

/// Exempt are storages that the step has created, and bytes that no value has covered. Of moves and fills the
/// contents are compared, not the reads: a kernel may read more if the result does not depend on it.
void Watch::compare_contacts(std::uint32_t step, const std::vector<Storage>& storages,
                             const std::vector<Contact>& touched) {
  for (; met_ < storages.size(); ++met_)  // a run only adds storages, and none of them grows
    if (!storages[met_].bytes.empty()) starts_.insert_or_assign(storages[met_].bytes.data(), met_);
  // If some results of a list have no name, the Trace may leave out the reads for these.
  const auto& steps = what_.graph->steps;
  const bool forgets = step < steps.size() && !std::ranges::all_of(steps[step].results, &ValueId::valid);
  bool moves = first_ != last_;
  for (std::size_t k = first_; k < last_; ++k)
    moves = moves && what_.trace->steps[k].kind != TraceStep::Kind::opaque;
  const Contact* before = nullptr;  // consecutive contacts mostly have one storage
  auto found = starts_.end();
  for (const Contact& contact : touched) {
    if (moves && !contact.write) continue;
    if (before == nullptr || before->storage != contact.storage) found = starts_.find(contact.storage);
    before = &contact;
    if (found == starts_.end()) continue;
    const std::uint32_t s = found->second;
    Marks& there = marks(s, storages[s].bytes.size());
    const auto bytes = [&](std::vector<std::uint32_t>& all) {
      return bytes_of(all, contact.at, contact.width);
    };
    const auto may = [&](std::uint32_t stamp) { return stamp == stamp_; };
    if (contact.write) std::ranges::fill(bytes(there.written), stamp_);
    if (std::ranges::all_of(bytes(contact.write ? there.may_write : there.may_read), may)) {
      contacts_ += static_cast<std::size_t>(contact.width);
      continue;
    }
    for (std::int64_t b = contact.at; b < contact.at + contact.width; ++b) {
      const auto byte = static_cast<std::size_t>(b);
      const std::uint64_t owner = there.owner[byte];
      ++contacts_;
      const bool own = s >= old_ && owner == 0;
      const bool blind = owner == 0 || places_[static_cast<StorageId>((owner >> 40U) - 1)].blind;
      if (own || blind || (contact.write && there.may_write[byte] == stamp_)) continue;
      if (!contact.write && (there.may_read[byte] == stamp_ || there.written[byte] == stamp_)) continue;
      if (!contact.write && forgets) continue;
      const StorageId whose = static_cast<StorageId>((owner >> 40U) - 1);
      return say(name(step) + (contact.write ? " writes" : " reads") + " byte " + std::to_string(b) + " of " +
                 what_.trace->storages[whose].key.text() + ", which its Trace does not say");
    }
  }
}

/// True if the writes of a step of the Trace do not stand for stores of its own.
bool Watch::keeps_quiet(const TraceStep& step) const {
  return *step.key == "wait" || step.key->starts_with("clobbered by") || !step.bodies.empty() ||
         (step.origin < what_.graph->steps.size() &&
          what_.graph->steps[step.origin].op->starts_with("higher_order."));
}

/// Checks that a step of the Trace stores every byte that it writes, unless it may keep what it reads there.
void Watch::expect_written(std::uint32_t step) {
  for (std::size_t k = first_; k < last_; ++k) {
    const TraceStep& s = what_.trace->steps[k];
    if (keeps_quiet(s)) continue;
    for (std::size_t w = 0; w < s.writes.size(); ++w) {
      const Place& place = places_[s.writes[w].storage];
      if (!seen_[k - first_].writes[w] || place.blind || place.loose || !place.storage) continue;
      const Marks& there = marks_[*place.storage];
      for (const std::int64_t cell : *seen_[k - first_].writes[w]) {
        const std::int64_t byte = place.at[static_cast<std::size_t>(cell)];
        if (byte == kNowhere) continue;
        const auto b = static_cast<std::size_t>(byte);
        if (there.written[b] == stamp_ || there.may_read[b] == stamp_) continue;
        return say(name(step) + " leaves byte " + std::to_string(byte) + " of " +
                   what_.trace->storages[s.writes[w].storage].key.text() +
                   " as it was, and its Trace says that it is written without being read");
      }
    }
  }
}

void Watch::finish(const Run& run) {
  if (run.raised || !fault_.empty()) return;
  for (const ValueId id : moving_)
    if (id.index < run.values.size() && run.values[id.index]) learn(id, *run.values[id.index], run.storages);
  const std::vector<TraceOutput>& outputs = what_.trace->outputs;
  for (std::size_t k = 0; k < std::min(outputs.size(), run.outputs.size()); ++k) {
    const auto& tensor = run.outputs[k].tensor;
    const auto strides = cells_.numbers(outputs[k].strides);
    if (!tensor || !outputs[k].view || !outputs[k].strides_known || !strides) continue;
    if (places_[outputs[k].view->storage].blind) continue;
    if (element_count(*tensor) == 0 || strides->size() != tensor->stride.size()) continue;
    for (std::size_t d = 0; d < strides->size(); ++d)
      if (tensor->shape[d] != 1 && tensor->stride[d] != (*strides)[d])
        return say("output " + std::to_string(k) + " has other strides than its Trace says");
  }
}

}  // namespace noclobber
