#include "src/plan/plan.h"

#include <algorithm>
#include <set>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

constexpr std::size_t kAllPairs = 4096;  // storages; beyond it, only the first overlap is looked at
constexpr std::size_t kReported = 256;   // faults

/// The sweep at one assignment of the symbols, and the verdict on every overlap that it finds.
class Meetings {
 public:
  Meetings(const PlanScene& scene, const PlacedStorages& placed, const SymbolValues& symbols)
      : scene_(scene), placed_(placed), symbols_(symbols) {}

  /// False if some place is not a number.
  bool place() {
    for (const PlacedStorage& one : placed_.storages) {
      const auto at = placement_of(scene_, one, symbols_);
      if (!at) return false;
      all_.push_back(*at);
    }
    return true;
  }

  /// Records once where everything lies, for a drawing of the fault.
  void draw(PlanAnswer& answer) const {
    if (answer.faults.empty() || !answer.drawn.empty() || all_.size() != placed_.storages.size()) return;
    for (std::uint32_t k = 0; k < all_.size(); ++k) answer.drawn.push_back({at(k).name, all_[k]});
  }

  void run(PlanAnswer& answer) {
    SweepHooks hooks;
    hooks.takes_over = [&](std::uint32_t dying, std::uint32_t born) { return allowed(dying, born); };
    SweepAnswer swept = sweep(all_, hooks);
    keep(answer, swept);
    if (!scene_.order.listed()) return every_order(answer);
    if (!swept.clash) return;
    if (all_.size() > kAllPairs) {  // if this pair is right, later ones are still unknown
      judge(swept.clash->first, swept.clash->second, answer);
      if (answer.faults.empty()) answer.open.emplace_back("resource-limit", "places that meet");
      return;
    }
    for (const auto& [a, b] : all_meetings(all_)) judge(a, b, answer);
  }

 private:
  const PlacedStorage& at(std::uint32_t k) const { return placed_.storages[k]; }

  /// In other orders the last use of the listed order need not be the last one: see always_before().
  bool allowed(std::uint32_t dying, std::uint32_t born) const {
    const auto now = static_cast<std::uint32_t>(all_[born].first);
    return scene_.order.listed() && takes_over(scene_, at(dying), at(born), now);
  }

  /// Keeps the sample in which the fewest places are empty: it has the most neighbours.
  void keep(PlanAnswer& answer, SweepAnswer& swept) const {
    const auto empty = static_cast<std::size_t>(std::ranges::count_if(all_, &Placement::empty));
    if (!answer.placements.empty() && empty >= answer.empty) return;
    answer.empty = empty;
    answer.placements = all_;
    answer.below = std::move(swept.below);
  }

  void every_order(PlanAnswer& answer) {
    if (all_.size() > kAllPairs)
      return answer.open.emplace_back("resource-limit", "orders of the plan"), void();
    for (std::uint32_t b = 0; b < all_.size(); ++b)
      for (std::uint32_t a = 0; a < b; ++a)
        if (meet_in_bytes(all_[a], all_[b]) && !always_before(scene_, at(a), at(b)) &&
            !always_before(scene_, at(b), at(a)))
          judge(a, b, answer);
  }

  void judge(std::uint32_t a, std::uint32_t b, PlanAnswer& answer) {
    // A plan does not say whether a buffer without a value is written, or aliases the contents of the other
    // one.
    if (said_to_be_views(scene_, at(a), at(b), all_[a], all_[b]))
      return answer.open.emplace_back("not-replayed", "whether " + at(a).name + " and " + at(b).name +
                                                          " are one view of the other"),
             void();
    const bool in_turn = all_[a].last == all_[b].first + 1 && allowed(a, b);
    if (in_turn || (all_[b].last == all_[a].first + 1 && allowed(b, a))) return;
    if (at(a).storage && at(b).storage &&
        (always_before(scene_, at(a), at(b)) || always_before(scene_, at(b), at(a))))
      return;
    if (auto fault = overlap_fault(scene_, at(a), at(b), all_[a], all_[b], symbols_)) {
      if (answer.faults.size() < kReported) answer.faults.push_back(*std::move(fault));
    } else {
      answer.open.emplace_back("not-replayed", "places of " + at(a).name + " and " + at(b).name);
    }
  }

  const PlanScene& scene_;
  const PlacedStorages& placed_;
  const SymbolValues& symbols_;
  std::vector<Placement> all_;
};

void unresolved(const Plan& plan, const PlacedStorages& placed, PlanAnswer& answer) {
  for (const std::uint32_t k : placed.unresolved)
    answer.open.emplace_back("no-metadata", "place of " + plan.buffers[k].name);
}

bool depends_on_symbols(const Space& space, const PlacedStorages& placed, const PlanNumbers& numbers) {
  const auto fixed = [&](PolyId poly) { return space.value(poly).has_value(); };
  for (const PlacedStorage& one : placed.storages)
    if (!fixed(one.base) || !fixed(one.bytes)) return true;
  return !std::ranges::all_of(numbers.sizes, fixed) || !std::ranges::all_of(numbers.arenas, fixed) ||
         !std::ranges::all_of(numbers.needed, [&](const auto& entry) { return fixed(entry.second); });
}

}  // namespace

PlanAnswer check_plan(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes,
                      bool branches) {
  PlanAnswer answer;
  const auto order = StepOrder::of(value);
  if (!order) {
    answer.open.emplace_back("resource-limit", "orders of the plan");
    return answer;
  }
  Space& space = sizes.space();
  const PlacedStorages placed = placed_storages(value, ops, traced, sizes);
  const PlanScene scene{value, traced, space, *order, placed.guards};
  const PlanNumbers numbers = plan_numbers(scene, placed, sizes);
  answer.obligations = value.plan->buffers.size() + value.plan->required.size() + placed.storages.size();
  unresolved(*value.plan, placed, answer);
  if (!value.portable_kernels) answer.outside = placed.outside;  // there each value to be placed is required
  names_placed(value, answer);
  if (value.portable_kernels) kernels_accept(value, answer);
  lives_kept(scene, placed, answer);
  const bool symbolic = depends_on_symbols(space, placed, numbers);
  auto samples = symbolic ? symbol_samples(value) : std::vector{SymbolValues{}};
  if (samples.empty()) answer.open.emplace_back("no-metadata", "values of the symbols");
  for (const SymbolValues& symbols : samples) {
    const PlanSample sample{scene, placed, numbers, symbols};
    bool known = inside_arenas(sample, answer);
    known = known && aliases_agree(sample, answer) && large_enough(sample, answer);
    Meetings meetings(scene, placed, symbols);
    known = known && meetings.place();
    if (!known) answer.open.emplace_back("not-replayed", "sizes of the plan");
    meetings.draw(answer);
    if (!answer.faults.empty() || !known) break;
    meetings.run(answer);
    meetings.draw(answer);
    if (!answer.faults.empty() || !answer.open.empty()) break;
  }
  if (symbolic && answer.faults.empty() && answer.open.empty())
    prove_for_all_symbols(scene, placed, numbers, samples, answer);
  answer.arenas = numbers.arenas;
  if (!answer.faults.empty() || !answer.open.empty()) return answer;
  if (branches || !placed.guards.empty())
    answer.ways = plan_ways(scene, placed, numbers, samples);
  else
    answer.stated = stated_places(scene, placed, numbers, samples);
  return answer;
}

}  // namespace noclobber
