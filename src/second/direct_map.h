// One primitive map at work. Internal to the second engine's views.
#pragma once
#include "src/second/direct_view.h"

namespace noclobber {

class MapForms {
 public:
  MapForms(DirectSizes& sizes, const Map& map)
      : sizes_(sizes), f_(sizes.formulas()), map_(map), from_(sizes.of(map.from)), to_(sizes.of(map.to)) {}

  /// From an index of the view to that of its parent; nothing where the map makes no sense.
  std::optional<DirectIndex> root(const DirectIndex& index);
  /// Of a reshape alone: from an index of the parent to that of the view.
  DirectIndex reshaped_back(const DirectIndex& root);
  const DirectIndex& from() const { return from_; }
  const DirectIndex& to() const { return to_; }

 private:
  FormulaId one() { return f_.number(1); }
  FormulaId start() { return sizes_.of(map_.start); }
  FormulaId step() { return sizes_.of(map_.step); }
  DirectIndex regrouped(const DirectIndex& index, const DirectIndex& shape, const DirectIndex& into);
  void unfolded(FormulaId position, const DirectIndex& shape, std::size_t begin, std::size_t end,
                DirectIndex& out);
  bool well_formed() const;

  DirectSizes& sizes_;
  Formulas& f_;
  const Map& map_;
  DirectIndex from_, to_;
};

/// The same maps, reshapes in a row made one.
std::vector<Map> joined_maps(const std::vector<Map>& maps);
bool any_bad(const DirectIndex& index);

}  // namespace noclobber
