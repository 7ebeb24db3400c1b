#include "tests/support/trace_run.h"

#include <algorithm>
#include <set>

#include "tests/support/evaluate.h"

namespace noclobber::testing {
namespace {

using Ints = std::vector<std::int64_t>;
using Cells = std::vector<std::uint64_t>;
constexpr std::int64_t kMostCells = 4096, kMostLanes = 16;
constexpr std::uint64_t kUndefined = 1ULL << 63;  // set in undefined contents, and in nothing else

std::uint64_t mixed(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ULL;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebULL;
  return (h ^ (h >> 31)) & ~kUndefined;
}
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t h = 1469598103934665603ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return mixed(7, h);
}

std::uint64_t byte_of(std::uint64_t element, std::int64_t lane) {
  return mixed(mixed(11, element), static_cast<std::uint64_t>(lane)) | (element & kUndefined);
}

class Runner {
 public:
  Runner(const Space& space, const Trace& trace, const std::map<std::string, std::int64_t>& symbols,
         std::uint64_t side)
      : space_(space), trace_(trace), side_(side) {
    choice_.symbols = symbols;
  }

  std::optional<std::vector<std::size_t>> cells(const TraceView& view) {
    usable_ = view.storage < trace_.storages.size();
    std::vector<std::size_t> out;
    if (usable_)
      for (const auto& element : places(view)) out.insert(out.end(), element.begin(), element.end());
    return usable_ ? std::optional(out) : std::nullopt;
  }

  TraceRun run() {
    TraceRun out;
    for (const TraceStorage& storage : trace_.storages) start(storage);
    for (std::size_t k = 0; k < trace_.steps.size() && usable_; ++k) {
      step(trace_.steps[k], k, out);
    }
    for (const TraceOutput& output : trace_.outputs)
      out.outputs.push_back(output.view && usable_ ? std::optional(elements(*output.view)) : std::nullopt);
    for (std::size_t s = 0; s < cells_.size(); ++s)
      if (trace_.storages[s].compared && usable_) out.exits[trace_.storages[s].key] = whole(s);
    out.usable = usable_;
    return out;
  }

 private:
  /// Numbers of a Trace that can be run are small; a damaged one may hold any.
  std::int64_t number(PolyId poly) {
    constexpr std::int64_t kMost = std::int64_t{1} << 28;
    const auto v = evaluate(space_, poly, choice_);
    const bool small = v && *v >= -kMost && *v <= kMost;
    usable_ = usable_ && small;
    return small ? *v : 0;
  }
  Ints numbers(const Shape& shape) {
    Ints out;
    for (const PolyId p : shape) out.push_back(number(p));
    return out;
  }
  std::int64_t size(const Ints& shape) {
    std::int64_t n = 1;
    for (const std::int64_t e : shape)
      if (e < 0 || e > kMostCells || (n *= e) > kMostCells) {
        usable_ = false;
        return 0;
      }
    return n;
  }

  void start(const TraceStorage& storage) {
    const std::int64_t n = size(numbers(storage.shape)), lanes = std::max<std::int64_t>(storage.lanes, 1);
    usable_ = usable_ && lanes <= kMostLanes;
    Cells cells;
    for (std::int64_t k = 0; k < n && usable_; ++k) {
      const bool undefined = storage.start == TraceStorage::Start::undefined;
      const std::uint64_t element =
          mixed(hash_of(storage.key.text() + (undefined ? "?" : "")), static_cast<std::uint64_t>(k)) |
          (undefined ? kUndefined : 0);
      for (std::int64_t l = 0; l < lanes; ++l)
        cells.push_back(storage.lanes > 0 ? remember(element, l, lanes) : element);
    }
    cells_.push_back(std::move(cells));
  }

  /// Byte `lane` of an element of that width; the first byte leads back to the element.
  std::uint64_t remember(std::uint64_t element, std::int64_t lane, std::int64_t width) {
    const std::uint64_t byte = byte_of(element, lane);
    if (lane == 0) whole_of_[{byte, width}] = element;
    return byte;
  }
  std::uint64_t packed(const Cells& bytes) {
    const auto width = static_cast<std::int64_t>(bytes.size());
    if (const auto at = whole_of_.find({bytes[0], width}); at != whole_of_.end()) {
      bool same = true;
      for (std::int64_t l = 0; l < width; ++l)
        same = same && bytes[static_cast<std::size_t>(l)] == byte_of(at->second, l);
      if (same) return at->second;
    }
    std::uint64_t out = 13;
    bool undefined = false;
    for (const std::uint64_t b : bytes) out = mixed(out, b), undefined = undefined || (b & kUndefined) != 0;
    return out | (undefined ? kUndefined : 0);
  }

  static std::int64_t position(const Ints& shape, const Ints& at) {
    std::int64_t out = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) out = out * shape[k] + at[k];
    return out;
  }
  static Ints at_position(const Ints& shape, std::int64_t position) {
    Ints out(shape.size(), 0);
    for (std::size_t k = shape.size(); k-- > 0; position /= std::max<std::int64_t>(shape[k], 1))
      out[k] = position % std::max<std::int64_t>(shape[k], 1);
    return out;
  }

  Ints parent(const Map& map, Ints at) {
    switch (map.kind) {
      case Map::Kind::slice:
        at[map.dim] = number(map.start) + number(map.step) * at[map.dim];
        return at;
      case Map::Kind::permute: {
        Ints out(at.size());
        for (std::size_t k = 0; k < at.size(); ++k) out[map.order[k]] = at[k];
        return out;
      }
      case Map::Kind::reshape: {
        const Ints from = numbers(map.from);
        const std::int64_t where = position(numbers(map.to), at);
        usable_ = usable_ && where < size(from) && size(from) == size(numbers(map.to));
        return at_position(from, where);
      }
      case Map::Kind::expand:
        for (std::size_t k = 0; k < at.size(); ++k)
          if (number(map.from[k]) == 1) at[k] = 0;
        return at;
      case Map::Kind::diagonal: {
        Ints out;
        for (std::size_t k = 0, next = 0; k < map.from.size(); ++k)
          out.push_back(k == map.dim     ? at.back() + number(map.start)
                        : k == map.other ? at.back() + number(map.step)
                                         : at[next++]);
        return out;
      }
      case Map::Kind::unfold: {
        const std::int64_t inside = at.back();
        at.pop_back();
        at[map.dim] = at[map.dim] * number(map.step) + inside;
        return at;
      }
      case Map::Kind::strided: {
        std::int64_t out = number(map.start);
        for (std::size_t k = 0; k < at.size(); ++k) out += number(map.strides[k]) * at[k];
        return {out};
      }
    }
    return {};
  }

  /// Cells of each element of a view: one, or one per byte.
  std::vector<std::vector<std::size_t>> places(const TraceView& view) {
    const TraceStorage& storage = trace_.storages[view.storage];
    Ints root = numbers(storage.shape);
    if (storage.lanes > 0) root.push_back(storage.lanes);
    const Ints shape = numbers(view.shape);
    const std::int64_t n = size(shape);
    std::vector<std::vector<std::size_t>> out;
    for (std::int64_t k = 0; k < n && usable_; ++k) {
      out.emplace_back();
      for (std::int64_t lane = 0; lane < std::max<std::int64_t>(view.lanes, 1) && usable_; ++lane) {
        Ints at = at_position(shape, k);
        if (view.lanes > 0) at.push_back(lane);
        for (std::size_t m = view.maps.size(); m-- > 0;) {
          const std::size_t own = view.maps[m].to.size();
          Ints tail(at.begin() + static_cast<std::ptrdiff_t>(own), at.end());
          at.resize(own);
          at = parent(view.maps[m], at);
          const Ints from = numbers(view.maps[m].from);
          for (std::size_t d = 0; d < from.size() && d < at.size(); ++d)
            usable_ = usable_ && at[d] >= 0 && at[d] < from[d];
          at.insert(at.end(), tail.begin(), tail.end());
        }
        usable_ = usable_ && at.size() == root.size();
        for (std::size_t d = 0; usable_ && d < root.size(); ++d) usable_ = at[d] >= 0 && at[d] < root[d];
        if (usable_) out.back().push_back(static_cast<std::size_t>(position(root, at)));
      }
    }
    return out;
  }

  Cells elements(const TraceView& view) {
    Cells out;
    for (const auto& cells : places(view)) {
      if (!usable_) break;
      Cells bytes;
      for (const std::size_t c : cells) bytes.push_back(cells_[view.storage][c]);
      out.push_back(view.lanes > 0 ? packed(bytes) : bytes[0]);
    }
    return out;
  }

  Cells whole(std::size_t storage) {
    if (trace_.storages[storage].lanes <= 0) return cells_[storage];
    Cells out;
    const auto lanes = static_cast<std::size_t>(trace_.storages[storage].lanes);
    for (std::size_t k = 0; k < cells_[storage].size(); k += lanes)
      out.push_back(packed(Cells(cells_[storage].begin() + static_cast<std::ptrdiff_t>(k),
                                 cells_[storage].begin() + static_cast<std::ptrdiff_t>(k + lanes))));
    return out;
  }

  /// No cell twice in what is written, and no meeting of accesses that their contract forbids.
  bool orderly(const TraceStep& s) {
    std::vector<std::vector<std::vector<std::size_t>>> reads;
    for (const TraceView& view : s.reads) reads.push_back(places(view));
    std::set<std::pair<StorageId, std::size_t>> seen;
    for (std::size_t w = 0; w < s.writes.size(); ++w) {
      std::map<std::size_t, std::size_t> element_of;
      const auto own = places(s.writes[w]);
      for (std::size_t e = 0; e < own.size(); ++e)
        for (const std::size_t c : own[e]) {
          if (!seen.emplace(s.writes[w].storage, c).second) return false;
          element_of[c] = e;
        }
      for (std::size_t r = 0; r < s.reads.size(); ++r) {
        if (s.reads[r].storage != s.writes[w].storage || s.access[r][w] == Access::before_write) continue;
        for (std::size_t e = 0; e < reads[r].size(); ++e)
          for (const std::size_t c : reads[r][e])
            if (const auto at = element_of.find(c);
                at != element_of.end() &&
                (s.access[r][w] == Access::any_time || at->second != e || reads[r][e] != own[e]))
              return false;
      }
    }
    return true;
  }

  void step(const TraceStep& s, std::size_t number_of_step, TraceRun& out) {
    const bool good = orderly(s);
    std::vector<Cells> given;
    for (const TraceView& view : s.reads) given.push_back(elements(view));
    std::uint64_t call = hash_of(s.key);
    for (std::size_t r = 0; r < given.size(); ++r) {
      call = mixed(call, hash_of(s.reads[r].type));
      for (const std::int64_t e : numbers(s.reads[r].shape))
        call = mixed(call, static_cast<std::uint64_t>(e));
      for (const std::uint64_t v : given[r]) call = mixed(call, v);
    }
    for (std::size_t w = 0; w < s.writes.size() && usable_; ++w) {
      const TraceView& view = s.writes[w];
      const auto targets = places(view);
      out.stored_into_input =
          out.stored_into_input || (!trace_.storages[view.storage].writable && !targets.empty());
      for (std::size_t e = 0; e < targets.size() && usable_; ++e) {
        std::uint64_t value = result(s, given, call, w, e);
        if (!good) value = mixed(mixed(side_, number_of_step), e + 1000 * w);
        for (std::size_t l = 0; l < targets[e].size(); ++l)
          cells_[view.storage][targets[e][l]] =
              view.lanes > 0 ? remember(value, static_cast<std::int64_t>(l), view.lanes) : value;
      }
    }
  }

  std::uint64_t result(const TraceStep& s, const std::vector<Cells>& given, std::uint64_t call, std::size_t w,
                       std::size_t e) {
    const std::string& type = s.writes[w].type;
    switch (s.kind) {
      case TraceStep::Kind::fill:
        return hash_of("fill " + *s.key);
      case TraceStep::Kind::move:
        if (e >= given[0].size()) usable_ = false;
        if (!usable_) return 0;
        return s.reads[0].type == type ? given[0][e]
                                       : mixed(hash_of(*s.reads[0].type + ">" + type), given[0][e]);
      case TraceStep::Kind::opaque:
        break;
    }
    if (!s.elementwise) return mixed(mixed(call, w), e);
    std::uint64_t h = hash_of(*s.key + ">" + type);
    for (std::size_t r = 0; r < given.size(); ++r) {
      if (e >= given[r].size()) usable_ = false;
      if (usable_) h = mixed(mixed(h, hash_of(s.reads[r].type)), given[r][e]);
    }
    return h;
  }

  const Space& space_;
  const Trace& trace_;
  Choice choice_;
  std::uint64_t side_;
  bool usable_ = true;
  std::vector<Cells> cells_;
  std::map<std::pair<std::uint64_t, std::int64_t>, std::uint64_t> whole_of_;
};

std::string cells_difference(const Cells& before, const Cells& after) {
  if (before.size() != after.size()) return "size";
  for (std::size_t k = 0; k < before.size(); ++k)
    if ((before[k] & kUndefined) == 0 && before[k] != after[k]) return "element " + std::to_string(k);
  return "";
}

}  // namespace

TraceRun run_trace(const Space& space, const Trace& trace, const std::map<std::string, std::int64_t>& symbols,
                   std::uint64_t side) {
  return Runner(space, trace, symbols, side).run();
}

std::optional<std::vector<std::size_t>> cells_of(const Space& space, const Trace& trace,
                                                 const TraceView& view,
                                                 const std::map<std::string, std::int64_t>& symbols) {
  return Runner(space, trace, symbols, 0).cells(view);
}

bool any_undefined(const TraceRun& run) {
  return std::any_of(run.outputs.begin(), run.outputs.end(), [](const auto& output) {
    return output &&
           std::any_of(output->begin(), output->end(), [](std::uint64_t v) { return (v & kUndefined) != 0; });
  });
}

std::string trace_difference(const TraceRun& before, const TraceRun& after) {
  if (after.stored_into_input) return "stores into an input";
  if (before.outputs.size() != after.outputs.size()) return "number of outputs";
  for (std::size_t k = 0; k < before.outputs.size(); ++k) {
    if (before.outputs[k].has_value() != after.outputs[k].has_value())
      return "kind of output " + std::to_string(k);
    if (!before.outputs[k]) continue;
    if (const std::string d = cells_difference(*before.outputs[k], *after.outputs[k]); !d.empty())
      return "output " + std::to_string(k) + ": " + d;
  }
  for (const auto& [key, cells] : after.exits) {
    const auto was = before.exits.find(key);
    if (was == before.exits.end()) return key + " is new";
    if (const std::string d = cells_difference(was->second, cells); !d.empty()) return key + " at exit: " + d;
  }
  return "";
}

}  // namespace noclobber::testing
