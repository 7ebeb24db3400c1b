// Views of the second engine: from an index of a view to the index in its storage and back, written anew
// from the meaning of the primitive maps.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/second/direct_formula.h"
#include "src/trace/trace.h"

namespace noclobber {

/// The Space's polynomials as formulas, and what it knows of symbols.
class DirectSizes {
 public:
  DirectSizes(const Space& space, Formulas& formulas) : space_(space), formulas_(formulas) {}
  FormulaId of(PolyId poly);
  std::vector<FormulaId> of(const Shape& shape);
  /// All that the Space holds of its symbols.
  std::vector<FormulaId> facts();
  Formulas& formulas() { return formulas_; }

 private:
  FormulaId atom(AtomId id, int depth);
  FormulaId poly(PolyId id, int depth);

  const Space& space_;
  Formulas& formulas_;
  std::unordered_map<PolyId, FormulaId> done_;
};

using DirectIndex = std::vector<FormulaId>;

/// Where an element of a storage lies in a view: nowhere unless `inside`, else at `index`. Only if `sound`
/// holds for all sizes; a storage's element then lies there once.
struct DirectImage {
  FormulaId inside = Formulas::kBad, sound = Formulas::kBad;
  DirectIndex index;
};

/// The index of any element of a view. Indices of different `name` are different variables.
DirectIndex any_index(DirectSizes& sizes, const TraceView& view, const std::string& name);
/// The same with any of the element's bytes, where the storage has lanes.
DirectIndex any_place(DirectSizes& sizes, const TraceView& view, const std::string& name);
/// Index in the storage's own space; nothing where a map makes no sense.
std::optional<DirectIndex> root_of(DirectSizes& sizes, const TraceView& view, DirectIndex index);
std::optional<DirectImage> image_of(DirectSizes& sizes, const TraceView& view, DirectIndex root);

}  // namespace noclobber
