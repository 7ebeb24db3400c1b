// A Trace of the checker's own nouns by hand: steps, edges and placements of storages of 8 elements.
#pragma once
#include <algorithm>

#include "tests/unit/checker/by_hand.h"

namespace noclobber::testing::hand {

using checker::Access;
using checker::Placement;
using checker::Start;
using checker::Step;
using checker::StepForm;
using checker::StepKind;
using checker::StorageForm;
using checker::StorageId;
using checker::View;
constexpr std::int64_t kLength = 8;

struct Touching {
  Space space = searching_space();
  Shape all{space.constant(kLength)};
  StorageForm own{Start::undefined, all, 0, true, false}, given{Start::given, all, 0, true, false};
  std::deque<ViewForm> forms;
  std::deque<StepForm> step_forms;
  checker::Trace trace;

  explicit Touching(std::size_t storages = 2) {
    trace.storages.assign(storages, {&own, "fresh"});
    trace.any_order = true;
  }
  /// Equal forms are one, as in a text.
  View view(StorageId storage, const std::vector<IntMap>& maps) {
    Seen made = seen(space, {kLength}, maps);
    const auto equal = [&](const ViewForm& f) {
      return f.shape == made.form.shape && std::ranges::equal(f.maps, made.form.maps, one_map);
    };
    auto at = std::ranges::find_if(forms, equal);
    if (at == forms.end()) {
      made.form.place = static_cast<std::uint32_t>(forms.size());
      forms.push_back(std::move(made.form));
      at = forms.end() - 1;
    }
    return {storage, &*at};
  }
  static bool one_map(const Map& a, const Map& b) {
    const auto one = [](const Map::Factor& x, const Map::Factor& y) {
      return x.to == y.to && x.from == y.from && x.by == y.by;
    };
    return a.from == b.from && a.to == b.to && a.start == b.start &&
           std::ranges::equal(a.factors, b.factors, one);
  }
  View whole(StorageId storage) { return view(storage, {}); }
  View part(StorageId storage, std::int64_t start, std::int64_t length, std::int64_t step = 1) {
    return view(storage, {slice(kLength, start, length, step)});
  }
  View repeated(StorageId storage) { return view(storage, {{false, {kLength}, {2}, {}, {3}, {}}}); }
  void step(std::uint32_t origin, const std::vector<View>& reads, const std::vector<View>& writes,
            Access access = Access::any_time) {
    StepForm form{StepKind::opaque,
                  "f",
                  false,
                  static_cast<std::uint32_t>(reads.size()),
                  static_cast<std::uint32_t>(writes.size()),
                  std::vector(reads.size(), std::vector(writes.size(), access)),
                  {}};
    Step made{&step_forms.emplace_back(std::move(form)), origin,
              static_cast<std::uint32_t>(trace.views.size()), 0, 0};
    for (const auto* views : {&reads, &writes})
      trace.views.insert(trace.views.end(), views->begin(), views->end());
    trace.steps.push_back(made);
    trace.origin = origin;
  }
  bool clean(const std::vector<View>& reads, const std::vector<View>& writes, Access access) {
    step(0, reads, writes, access);
    return clean_step(space, trace, trace.steps.back());
  }
  bool ordered_by(std::vector<Places> edges) {
    std::ranges::sort(edges);
    trace.edges = std::move(edges);
    return ordered(space, trace);
  }
  Placement& place(std::int64_t offset, std::int64_t size, std::uint32_t first, std::uint32_t last) {
    trace.placements.push_back({0, space.constant(offset), space.constant(size), first, last, {}, {0}, {}});
    return trace.placements.back();
  }
};

}  // namespace noclobber::testing::hand
