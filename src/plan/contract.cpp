#include "src/plan/contract.h"

#include <algorithm>

namespace noclobber {
namespace {

/// True if element k of the read has the bytes of element k of the write, for every k and all symbols.
bool same_bytes(const PlanScene& scene, const PlacedStorage& from, const Touch& r, const PlacedStorage& to,
                const Touch& w) {
  const TraceView &read = *r.view, &write = *w.view;
  if (from.arena != to.arena || read.shape != write.shape || read.lanes != write.lanes) return false;
  const ValueViews& views = r.traced->views;
  const int bits = bit_width(views.layouts[read.storage].dtype);
  if (bits != bit_width(views.layouts[write.storage].dtype)) return false;
  Space& space = scene.space;
  const auto address = [&](const PlacedStorage& placed, const TraceView& view) {
    return space.add(space.scale(placed.base, 8), bit_address(space, views, view, running(space, view)));
  };
  return space.same(address(from, read), address(to, write));
}

/// The same if one of the two views is seen in parts (bytes, of storages that are seen as several types as
/// well) and the other is not: part n of its element lies n parts behind the start of the other's.
bool same_bytes_in_parts(const PlanScene& scene, const PlacedStorage& from, const Touch& r,
                         const PlacedStorage& to, const Touch& w) {
  const TraceView &read = *r.view, &write = *w.view;
  if (from.arena != to.arena || read.shape != write.shape || (read.lanes > 0) == (write.lanes > 0))
    return false;
  const ValueViews& views = r.traced->views;
  const auto width = [&](const TraceView& view) {
    const auto dtype = parse_dtype(*view.type);
    return dtype ? bit_width(*dtype) : 0;
  };
  const std::int64_t lanes = std::max(read.lanes, write.lanes), bits = width(read);
  if (bits == 0 || bits != width(write) || bits % lanes != 0) return false;
  Space& space = scene.space;
  const PolyId part = space.scale(space.index(Space::kLane, space.constant(lanes)), bits / lanes);
  const auto address = [&](const PlacedStorage& placed, const TraceView& view) {
    const PolyId at = bit_address(space, views, view, running(space, view));
    return space.add(space.scale(placed.base, 8), view.lanes > 0 ? at : space.add(at, part));
  };
  const PolyId a = address(from, read), b = address(to, write);
  return a != Space::kBad && b != Space::kBad && space.same(a, b);
}

bool is_control(const PlanScene& scene, std::uint32_t at) {
  return at < scene.value.after.steps.size() && scene.value.after.steps[at].op->starts_with("higher_order.");
}

enum class Together : std::uint8_t { fine, harmless, harmful };

/// For kernels that read whole rows before they write an element of them, if the kernel is known to be that
/// one.
Together by_rows(const PlanScene& scene, const PlacedStorage& from, const Touch& r, const PlacedStorage& to,
                 const Touch& w) {
  const std::string& key = *r.traced->after.steps[r.step].key;
  const Rows rows = rows_of_kernel(std::string_view(key).substr(0, key.find(';')), scene.value);
  if (rows == Rows::mixed || !same_bytes(scene, from, r, to, w)) return Together::harmful;
  return rows == Rows::one_by_one ? Together::fine : Together::harmless;
}

/// For one step that reads `r` of `from` and writes `w` of `to`. harmless: no value is lost, but the reason
/// is not an equal place.
Together together(const PlanScene& scene, const PlacedStorage& from, const Touch& r, const PlacedStorage& to,
                  const Touch& w) {
  if (r.step != w.step || r.traced != w.traced || r.step == Touch::kNoStep) return Together::harmful;
  const TraceStep& step = r.traced->after.steps[r.step];
  switch (step.access[r.item][w.item]) {
    case Access::before_write:
      return scene.space.same(from.base, to.base) ? Together::fine : Together::harmless;
    case Access::elementwise:
      if (same_bytes(scene, from, r, to, w)) return Together::fine;
      return same_bytes_in_parts(scene, from, r, to, w) ? Together::harmless : Together::harmful;
    case Access::any_time:
      return is_control(scene, r.at) ? Together::harmless : by_rows(scene, from, r, to, w);
  }
  return Together::harmful;
}

/// True if a ends before b begins, in every run in which both happen.
bool precedes(const PlanScene& scene, const Touch& a, const Touch& b) {
  return a.at != b.at ? scene.order.before(a.at, b.at) : a.moment < b.moment;
}

bool same_moment(const Touch& a, const Touch& b) { return a.at == b.at && a.moment == b.moment; }

ByteRanges moved(ByteRanges ranges, std::int64_t by) {
  for (auto& [begin, end] : ranges) {
    begin += by;
    end += by;
  }
  return ranges;
}

std::optional<std::pair<std::int64_t, std::int64_t>> common(const ByteRanges& a, const ByteRanges& b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t begin = std::max(a[i].first, b[j].first), end = std::min(a[i].second, b[j].second);
    if (begin < end) return std::pair{begin, end};
    a[i].second < b[j].second ? ++i : ++j;
  }
  return std::nullopt;
}

/// The search for a lost value, over all triples (definition, write, read) of two storages.
class LossSearch {
 public:
  LossSearch(const PlanScene& scene, const PlacedStorage& victim, const PlacedStorage& writer,
             const SymbolValues& symbols)
      : scene_(scene), victim_(victim), writer_(writer), symbols_(symbols) {}

  std::optional<Loss> run() {
    const auto victim_base = number_of(scene_.space, victim_.base, symbols_);
    const auto writer_base = number_of(scene_.space, writer_.base, symbols_);
    if (!victim_base || !writer_base || victim_.arena != writer_.arena) return std::nullopt;
    const auto begin = places(victim_, *victim_base), other = places(writer_, *writer_base);
    for (std::size_t w = 0; w < writer_.touches.size(); ++w) {
      if (!writer_.touches[w].writes || !other[w]) continue;
      for (std::size_t r = 0; r < victim_.touches.size(); ++r) {
        if (victim_.touches[r].writes || !begin[r]) continue;
        const auto bytes = common(*begin[r], *other[w]);
        if (!bytes) continue;
        if (const auto define = lost(victim_.touches[r], writer_.touches[w]))
          return Loss{*define, writer_.touches[w].at, victim_.touches[r].at, bytes->first, bytes->second};
      }
    }
    return std::nullopt;
  }

 private:
  std::vector<std::optional<ByteRanges>> places(const PlacedStorage& of, std::int64_t base) const {
    std::vector<std::optional<ByteRanges>> out;
    for (const Touch& touch : of.touches) {
      auto ranges = bytes_of(scene_.space, of, touch, symbols_);
      out.push_back(ranges ? std::optional(moved(*std::move(ranges), base)) : std::nullopt);
    }
    return out;
  }

  /// The reaching definition of the read, if the write can come between the two.
  std::optional<std::uint32_t> lost(const Touch& read, const Touch& write) const {
    if (!may_coexist(scene_.guards, read.guard, write.guard) || precedes(scene_, read, write))
      return std::nullopt;
    if (same_moment(read, write) && together(scene_, victim_, read, writer_, write) != Together::harmful)
      return std::nullopt;
    std::optional<std::uint32_t> define;
    for (const Touch& touch : victim_.touches) {
      if (!touch.writes || same_moment(touch, read) || !precedes(scene_, touch, read)) continue;
      if (precedes(scene_, write, touch)) return std::nullopt;  // redefined after the write
      define = touch.at;
    }
    return define || !victim_.is_input ? define : Touch::kNoStep;
  }

  const PlanScene& scene_;
  const PlacedStorage& victim_;
  const PlacedStorage& writer_;
  const SymbolValues& symbols_;
};

/// The steps that use a storage, or those of the live range that the plan states.
std::vector<std::uint32_t> steps_of(const PlanScene& scene, const PlacedStorage& one) {
  std::vector<std::uint32_t> out;
  for (const Touch& touch : one.touches) out.push_back(touch.at);
  const auto end = std::min<std::int64_t>(one.last, std::ssize(scene.value.after.steps) + 1);
  for (std::int64_t at = std::max<std::int64_t>(one.first, 0); !one.storage && at < end; ++at)
    out.push_back(static_cast<std::uint32_t>(at));
  return out;
}

/// always_before() if one of the two has no value: a stated live range counts steps as they are listed.
bool stated_before(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y) {
  if (scene.order.listed()) return x.last <= y.first;
  const auto later = steps_of(scene, y);
  return std::ranges::all_of(steps_of(scene, x), [&](std::uint32_t a) {
    return std::ranges::all_of(later, [&](std::uint32_t b) { return scene.order.before(a, b); });
  });
}

}  // namespace

bool takes_over(const PlanScene& scene, const PlacedStorage& dying, const PlacedStorage& born,
                std::uint32_t at) {
  if (!dying.storage || !born.storage) return false;
  for (const Touch& r : dying.touches) {
    if (r.at != at) continue;
    for (const Touch& w : born.touches) {
      if (w.at != at || !may_coexist(scene.guards, r.guard, w.guard) || precedes(scene, r, w)) continue;
      if (r.writes || !w.writes || !same_moment(r, w) || together(scene, dying, r, born, w) != Together::fine)
        return false;
    }
  }
  return true;
}

bool always_before(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y) {
  if (!x.storage || !y.storage) return stated_before(scene, x, y);
  if (y.is_input) return false;
  for (const Touch& a : x.touches)
    for (const Touch& b : y.touches) {
      if (!may_coexist(scene.guards, a.guard, b.guard) || precedes(scene, a, b)) continue;
      if (!same_moment(a, b) || a.writes || !b.writes || together(scene, x, a, y, b) != Together::fine)
        return false;
    }
  return true;
}

std::optional<Loss> loss(const PlanScene& scene, const PlacedStorage& victim, const PlacedStorage& writer,
                         const SymbolValues& symbols) {
  return LossSearch(scene, victim, writer, symbols).run();
}

}  // namespace noclobber
