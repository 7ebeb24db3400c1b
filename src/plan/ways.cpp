// A plan of a graph with branches. For each combination of arms: a Trace of the touches of the placed
// storages, in order, with their places. A touch of a branch operand by an arm counts as a touch of the whole
// storage.
#include <algorithm>
#include <limits>
#include <set>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

constexpr std::size_t kWays = 64;

/// The arm that each branch takes.
using Way = std::map<std::uint32_t, std::uint32_t>;

std::vector<Way> all_ways(const std::vector<ArmGuard>& guards) {
  std::set<std::uint32_t> branches;
  for (const ArmGuard& guard : guards) branches.insert(guard.branch);
  std::vector<Way> out{{}};
  for (const std::uint32_t branch : branches) {
    if (out.size() > kWays / 2) return {};
    const std::size_t count = out.size();
    for (std::size_t k = 0; k < count; ++k) {
      out.push_back(out[k]);
      out[k][branch] = 0, out.back()[branch] = 1;
    }
  }
  return out;
}

class WayTrace {
 public:
  WayTrace(const PlanScene& scene, const PlacedStorages& placed, const Way& way)
      : scene_(scene), placed_(placed), way_(way) {}

  Trace run(const PlanNumbers& numbers, const std::vector<SymbolValues>& samples) {
    for (const PlacedStorage& one : placed_.storages) add_storage(one);
    for (std::uint32_t k = 0; k < placed_.storages.size(); ++k)
      for (const Touch& touch : placed_.storages[k].touches)
        if (happens(touch.guard))
          moments_[{touch.at, touch.moment, touch.traced, touch.step}].push_back({k, &touch});
    for (const auto& [when, all] : moments_) add_moment(when, all);
    out_.arenas = numbers.arenas;
    for (std::uint32_t k = 0; k < placed_.storages.size(); ++k) add_place(k, numbers);
    if (!find_neighbours(scene_, placed_, samples, out_.placements)) out_.placements.clear();
    run_by_rows(out_, scene_.value);
    return std::move(out_);
  }

 private:
  struct Moment {
    std::uint32_t at, moment;
    const Traced* traced;
    std::uint32_t step;
    friend bool operator<(const Moment& a, const Moment& b) {
      return std::tie(a.at, a.moment, a.step, a.traced) < std::tie(b.at, b.moment, b.step, b.traced);
    }
  };
  using Used = std::vector<std::pair<std::uint32_t, const Touch*>>;  // storages

  bool happens(std::uint32_t guard) const {
    for (; guard != ArmGuard::kAlways; guard = placed_.guards[guard].outer)
      if (way_.at(placed_.guards[guard].branch) != placed_.guards[guard].arm) return false;
    return true;
  }

  void add_storage(const PlacedStorage& one) {
    TraceStorage out;
    out.key = one.name;
    if (one.storage) {
      const TraceStorage& own = one.traced->after.storages[*one.storage];
      out.shape = own.shape, out.lanes = own.lanes;
    }
    out.start = one.is_input ? TraceStorage::Start::given : TraceStorage::Start::undefined;
    out.compared = false;
    out_.storages.push_back(std::move(out));
  }

  TraceView whole(std::uint32_t k) const {
    const PlacedStorage& one = placed_.storages[k];
    const TraceStorage& own = out_.storages[k];
    return {k, {}, own.shape, std::string(name(one.traced->views.layouts[*one.storage].dtype)), own.lanes};
  }
  /// The view of a touch, if it is a view of this very storage.
  std::optional<TraceView> exact(std::uint32_t k, const Touch& touch) const {
    if (touch.view == nullptr || touch.traced != placed_.storages[k].traced) return std::nullopt;
    TraceView out = *touch.view;
    out.storage = k;
    return out;
  }

  void add_step(TraceViews reads, TraceViews writes, std::vector<std::vector<Access>> access) {
    TraceStep step;
    step.origin = origin_;
    step.key = "touches";
    step.reads = std::move(reads), step.writes = std::move(writes);
    access.resize(step.reads.size());
    step.access = std::move(access);
    out_.steps.push_back(std::move(step));
  }

  /// Adds the steps of one moment. Inexact writes come first and inexact reads last, so that no place is
  /// taken over between them.
  void add_moment(const Moment& when, const Used& all) {
    Used reads, writes, late;
    for (const auto& use : all) {
      const bool is_exact = when.step != Touch::kNoStep && exact(use.first, *use.second).has_value();
      if (is_exact)
        (use.second->writes ? writes : reads).push_back(use);
      else if (use.second->writes)
        add_step({}, {whole(use.first)}, {});
      else
        late.push_back(use);
    }
    if (!reads.empty() || !writes.empty()) add_exact(when, reads, writes);
    for (const auto& [k, touch] : late) add_step({whole(k)}, {}, {});
    ++origin_;
  }

  void add_exact(const Moment& when, const Used& reads, const Used& writes) {
    const TraceStep& step = when.traced->after.steps[when.step];
    TraceViews from, to;
    std::vector<std::vector<Access>> access;
    for (const auto& [k, touch] : writes) to.push_back(*exact(k, *touch));
    for (const auto& [k, touch] : reads) {
      from.push_back(*exact(k, *touch));
      std::vector<Access>& row = access.emplace_back();
      for (const auto& [other, write] : writes) row.push_back(step.access[touch->item][write->item]);
    }
    add_step(std::move(from), std::move(to), std::move(access));
    out_.steps.back().key = step.key;
  }

  /// The first moment that is not before the time `time` of the plan.
  std::uint32_t place_of(std::int64_t time) const {
    std::uint32_t out = 0;
    for (const auto& [when, all] : moments_) out += static_cast<std::int64_t>(when.at) < time ? 1 : 0;
    return out;
  }

  void add_place(std::uint32_t k, const PlanNumbers& numbers) {
    const PlacedStorage& one = placed_.storages[k];
    TracePlacement place = stated_place(scene_, one, numbers);
    place.first = place_of(one.first), place.last = place_of(one.last);
    if (one.storage) {
      place.storage = k;
      place.first = std::numeric_limits<std::uint32_t>::max(), place.last = 0;
      for (const TraceStep& step : out_.steps)
        for (const auto* views : {&step.reads, &step.writes})
          for (const TraceView& view : *views)
            if (view.storage == k)
              place.first = std::min(place.first, step.origin),
              place.last = std::max(place.last, step.origin + 1);
      if (one.is_input || place.last == 0) place.first = 0;
    }
    out_.placements.push_back(std::move(place));
  }

  const PlanScene& scene_;
  const PlacedStorages& placed_;
  const Way& way_;
  std::map<Moment, Used> moments_;
  std::uint32_t origin_ = 0;
  Trace out_;
};

}  // namespace

std::vector<Trace> plan_ways(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                             const std::vector<SymbolValues>& samples) {
  std::vector<Trace> out;
  for (const Way& way : all_ways(placed.guards))
    out.push_back(WayTrace(scene, placed, way).run(numbers, samples));
  return out;
}

}  // namespace noclobber
