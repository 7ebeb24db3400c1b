#include "src/second/direct_access.h"

#include <algorithm>

#include "src/second/direct_contents.h"

namespace noclobber {

namespace {

/// True for maps that are injective by their meaning alone.
bool plain(const Map& map, Formulas& f, DirectSizes& sizes) {
  switch (map.kind) {
    case Map::Kind::permute:
    case Map::Kind::reshape:
    case Map::Kind::diagonal:
      return true;
    case Map::Kind::slice: {
      const auto step = f.value(sizes.of(map.step));
      return step && *step != 0;
    }
    case Map::Kind::expand:
    case Map::Kind::unfold:
    case Map::Kind::strided:
      return false;
  }
  return false;
}

}  // namespace

FormulaId one_place(Formulas& f, const DirectIndex& a, const DirectIndex& b) {
  if (a.size() != b.size()) return Formulas::kBad;
  std::vector<FormulaId> parts;
  for (std::size_t k = 0; k < a.size(); ++k) parts.push_back(f.equal(a[k], b[k]));
  return f.all(std::move(parts));
}

bool never_meet(DirectSizes& sizes, DirectAsk& ask, const TraceView& a, const TraceView& b) {
  if (a.storage != b.storage) return true;
  const auto x = root_of(sizes, a, any_place(sizes, a, "i"));
  const auto y = root_of(sizes, b, any_place(sizes, b, "j"));
  return x && y && ask.never(one_place(sizes.formulas(), *x, *y), DirectAsk::About::overlap);
}

bool DirectContents::clean(DirectSide side, std::uint32_t step) {
  auto& known = sides_[static_cast<std::size_t>(side)].clean[step];
  if (!known) known = clean_now(trace(side).steps[step]);
  return *known;
}

/// True if no two elements of the view are one element of the storage.
bool DirectContents::holds_once(const TraceView& view) {
  if (std::all_of(view.maps.begin(), view.maps.end(), [&](const Map& m) { return plain(m, f_, sizes_); }))
    return root_of(sizes_, view, any_place(sizes_, view, "i")).has_value();
  const DirectIndex i = any_place(sizes_, view, "i"), j = any_place(sizes_, view, "j");
  const auto x = root_of(sizes_, view, i), y = root_of(sizes_, view, j);
  return x && y &&
         ask_.never(f_.all({one_place(f_, *x, *y), f_.inverted(one_place(f_, i, j))}),
                    DirectAsk::About::overlap);
}

/// True if a read and a write overlap only in the same element and byte.
bool DirectContents::elements_kept(const TraceView& read, const TraceView& write) {
  if (sizes_.of(read.shape) != sizes_.of(write.shape) || read.lanes != write.lanes) return false;
  const DirectIndex i = any_place(sizes_, read, "i"), j = any_place(sizes_, write, "j");
  const auto x = root_of(sizes_, read, i), y = root_of(sizes_, write, j), own = root_of(sizes_, write, i);
  if (!x || !y || !own) return false;
  if (*x == *own) return true;  // and the write holds every element once
  return ask_.never(f_.all({one_place(f_, *x, *y), f_.inverted(one_place(f_, i, j))}),
                    DirectAsk::About::overlap);
}

bool DirectContents::clean_now(const TraceStep& step) {
  if (step.access.size() != step.reads.size()) return false;
  for (std::size_t w = 0; w < step.writes.size(); ++w) {
    const TraceView& write = step.writes[w];
    if (!holds_once(write)) return false;
    for (std::size_t other = 0; other < w; ++other)
      if (!never_meet(sizes_, ask_, write, step.writes[other])) return false;
    for (std::size_t r = 0; r < step.reads.size(); ++r) {
      if (step.access[r].size() != step.writes.size()) return false;
      switch (step.access[r][w]) {
        case Access::before_write:
          break;
        case Access::elementwise:
          if (step.reads[r].storage == write.storage && !elements_kept(step.reads[r], write) &&
              !never_meet(sizes_, ask_, step.reads[r], write))
            return false;
          break;
        case Access::any_time:
          if (!never_meet(sizes_, ask_, step.reads[r], write)) return false;
          break;
      }
    }
  }
  return true;
}

}  // namespace noclobber
