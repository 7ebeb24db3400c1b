// The index functions of one primitive map. Internal to the second engine's views.
#pragma once
#include "src/second/direct_view.h"

namespace noclobber {

class MapForms {
 public:
  MapForms(DirectSizes& sizes, const Map& map)
      : sizes_(sizes), f_(sizes.formulas()), map_(map), from_(sizes.of(map.from)), to_(sizes.of(map.to)) {}

  /// Maps an index of the view to that of its parent; empty if the map is not well formed.
  std::optional<DirectIndex> root(const DirectIndex& index);
  /// For a reshape only: maps an index of the parent to that of the view.
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

/// The same maps, with consecutive reshapes joined.
std::vector<Map> joined_maps(const std::vector<Map>& maps);
bool any_bad(const DirectIndex& index);

}  // namespace noclobber
