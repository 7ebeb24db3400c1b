// Extends a proof from one assignment of the symbols to all. The order of places in an arena is taken from a
// sample; that neighbours are disjoint is then proved as an inequality, and follows for all other pairs by
// transitivity.
#include <algorithm>

#include "src/plan/checks.h"

namespace noclobber {
namespace {

class ForAllSymbols {
 public:
  ForAllSymbols(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                PlanAnswer& answer)
      : scene_(scene), placed_(placed), numbers_(numbers), answer_(answer), space_(scene.space) {}

  void buffers() {
    const Plan& plan = *scene_.value.plan;
    for (std::size_t k = 0; k < plan.buffers.size(); ++k) {
      const PolyId offset = numbers_.offsets[k], size = numbers_.sizes[k];
      const PolyId end = space_.add(offset, size);
      const PolyId unit = space_.constant(plan.arenas[plan.buffers[k].arena].alignment);
      const PolyId room = space_.sub(numbers_.arenas[plan.buffers[k].arena], end);
      const bool aligned = space_.same(space_.mul(space_.quotient(offset, unit), unit), offset);
      if (!space_.nonnegative(offset) || !space_.nonnegative(size) || !space_.nonnegative(room) || !aligned)
        open("place of " + plan.buffers[k].name);
    }
    for (const auto& [k, bytes] : numbers_.needed)
      if (!space_.nonnegative(space_.sub(numbers_.sizes[k], bytes))) open("size of " + plan.buffers[k].name);
    for (const PlacedStorage& one : placed_.storages) {
      const auto holds_all = [&](std::size_t j) {
        const PolyId end = space_.add(one.starts[j], numbers_.sizes[one.buffers[j]]);
        return space_.nonnegative(space_.sub(end, one.bytes));
      };
      bool roomy = false;
      for (std::size_t j = 0; j < one.buffers.size(); ++j) roomy = roomy || holds_all(j);
      if (!space_.nonnegative(one.base)) open("place of " + one.name);
      if (!roomy) open("size of " + one.name);
    }
    for (const PlacedStorage& one : placed_.storages)
      for (std::size_t j = 0; j < one.buffers.size(); ++j) {
        const PlanBuffer& buffer = plan.buffers[one.buffers[j]];
        const PolyId meant = space_.add(one.base, one.starts[j]);
        if (buffer.arena != one.arena || one.bits[j] != 0 ||
            !space_.same(meant, numbers_.offsets[one.buffers[j]]))
          open("place of " + buffer.name);
      }
    for (std::size_t k = 0; k < plan.buffers.size(); ++k)
      if (const PlanBuffer* base = claimed_base(plan, plan.buffers[k]))
        if (!inside(k, static_cast<std::size_t>(base - plan.buffers.data())))
          open("place of " + plan.buffers[k].name);
  }

  /// For the listed order: proves that the neighbours of the sweep are disjoint, at a sample in which no
  /// place is empty that can be nonempty.
  void neighbours(const std::vector<SymbolValues>& samples) {
    for (const SymbolValues& symbols : samples) {
      std::vector<Placement> all;
      bool usable = true;
      for (const PlacedStorage& one : placed_.storages) {
        const auto at = placement_of(scene_, one, symbols);
        if (!at) return open("sizes of the plan");
        usable = usable && (at->size > 0 || never_more(one));
        all.push_back(*at);
      }
      if (usable) return keep_apart(all);
    }
    open("sizes of the plan");
  }

  void every_pair() {
    for (const PlacedStorage& x : placed_.storages)
      for (const PlacedStorage& y : placed_.storages)
        if (&x < &y && x.arena == y.arena && !always_before(scene_, x, y) && !always_before(scene_, y, x) &&
            !below(x, y) && !below(y, x))
          open("places of " + x.name + " and " + y.name);
  }

 private:
  void open(const std::string& name) {
    const std::pair<std::string, std::string> entry{"not-replayed", name};
    if (std::ranges::find(answer_.open, entry) == answer_.open.end()) answer_.open.push_back(entry);
  }

  bool inside(std::size_t view, std::size_t base) {
    const auto end = [&](std::size_t k) { return space_.add(numbers_.offsets[k], numbers_.sizes[k]); };
    const Plan& plan = *scene_.value.plan;
    return plan.buffers[view].arena == plan.buffers[base].arena &&
           space_.nonnegative(space_.sub(numbers_.offsets[view], numbers_.offsets[base])) &&
           space_.nonnegative(space_.sub(end(base), end(view)));
  }

  bool never_more(const PlacedStorage& one) const {
    return std::ranges::all_of(one.buffers, [&](std::uint32_t k) {
      const auto size = space_.value(numbers_.sizes[k]);
      return size && *size <= 0;
    });
  }

  /// True if all entries of x end before y begins.
  bool below(const PlacedStorage& x, const PlacedStorage& y) {
    return std::ranges::all_of(x.buffers, [&](std::uint32_t k) {
      const PolyId end = space_.add(numbers_.offsets[k], numbers_.sizes[k]);
      return space_.nonnegative(space_.sub(y.base, end));
    });
  }

  void keep_apart(const std::vector<Placement>& all) {
    SweepHooks hooks;
    hooks.takes_over = [&](std::uint32_t dying, std::uint32_t born) {
      const PlacedStorage &x = placed_.storages[dying], &y = placed_.storages[born];
      return takes_over(scene_, x, y, static_cast<std::uint32_t>(all[born].first));
    };
    hooks.neighbours = [&](std::uint32_t lower, std::uint32_t upper) {
      const PlacedStorage &x = placed_.storages[lower], &y = placed_.storages[upper];
      if (!below(x, y)) open("places of " + x.name + " and " + y.name);
    };
    if (sweep(all, hooks).clash) open("places of the plan");
  }

  const PlanScene& scene_;
  const PlacedStorages& placed_;
  const PlanNumbers& numbers_;
  PlanAnswer& answer_;
  Space& space_;
};

}  // namespace

void prove_for_all_symbols(const PlanScene& scene, const PlacedStorages& placed, const PlanNumbers& numbers,
                           const std::vector<SymbolValues>& samples, PlanAnswer& answer) {
  ForAllSymbols all(scene, placed, numbers, answer);
  all.buffers();
  if (scene.order.listed()) return all.neighbours(samples);
  all.every_pair();
}

}  // namespace noclobber
