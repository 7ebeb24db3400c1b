// Views of the second engine: map an index of a view to the index in its storage and back. Written
// independently, from the meaning of the primitive maps.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/second/direct_formula.h"
#include "src/trace/trace.h"

namespace noclobber {

/// Translates the Space's polynomials, and its facts about symbols, to formulas.
class DirectSizes {
 public:
  DirectSizes(const Space& space, Formulas& formulas) : space_(space), formulas_(formulas) {}
  FormulaId of(PolyId poly);
  std::vector<FormulaId> of(const Shape& shape);
  /// All facts that the Space assumes of its symbols.
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

/// The position of a storage's element in a view: absent unless `inside`, else `index`. Valid only if `sound`
/// holds for all sizes; then the view contains the element at most once.
struct DirectImage {
  FormulaId inside = Formulas::kBad, sound = Formulas::kBad;
  DirectIndex index;
};

/// The index of an arbitrary element of a view. Indices of different `name` are different variables.
DirectIndex any_index(DirectSizes& sizes, const TraceView& view, const std::string& name);
/// The same with an arbitrary byte of the element, if the storage has lanes.
DirectIndex any_place(DirectSizes& sizes, const TraceView& view, const std::string& name);
/// The index in the storage's own space; empty if a map is not well formed.
std::optional<DirectIndex> root_of(DirectSizes& sizes, const TraceView& view, DirectIndex index);
std::optional<DirectImage> image_of(DirectSizes& sizes, const TraceView& view, DirectIndex root);

}  // namespace noclobber
