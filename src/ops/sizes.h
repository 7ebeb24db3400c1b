// Sizes as the dump writes them, translated to the checker's polynomials.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/trace/map.h"

namespace noclobber {

class Sizes {
 public:
  explicit Sizes(Space& space) : space_(space) {}
  /// Adds the ranges and relations of a case to the facts of the space.
  void declare(const std::map<std::string, SymbolRange>& given, const std::vector<SymRelation>& assume);
  /// kBad if the expression overflows. Unknown functions are opaque.
  PolyId of(const SymExpr& expression);
  Shape of(const std::vector<SymExpr>& expressions);
  /// The lesser of two sizes: one of them if that is known, else opaque.
  PolyId lesser(PolyId a, PolyId b) { return lesser(a, b, "min", 1); }
  Space& space() { return space_; }

 private:
  PolyId apply(SymExpr::Op op, PolyId a, PolyId b);
  void divisible(const SymRelation& relation, const std::map<std::string, SymbolRange>& symbols);
  void narrow(const SymRelation& relation, std::map<std::string, SymbolRange>& symbols);
  void counted(PolyId gap);
  void positive_factors(const SymRelation& relation);
  void eliminate(const SymRelation& relation, const std::map<std::string, SymbolRange>& symbols);
  PolyId symbol(const std::string& name);
  PolyId lesser(PolyId a, PolyId b, const char* name, int sign);

  Space& space_;
  std::map<std::string, std::int64_t> fixed_, multiples_;
  std::map<std::string, PolyId> eliminated_;  // symbols that an equality expresses by others
};

/// floor(a / b), as a number if ranges leave only one; kBad unless b > 0 is known. A quotient of a quotient
/// by numbers becomes one quotient, as PyTorch's sizes have it: floor((floor(x / m) + y) / n) = floor((x + m
/// * y) / (m * n)).
PolyId floor_quotient_of(Space& space, PolyId a, PolyId b);

/// A polynomial as text, for messages and keys: equal polynomials of one Space have equal texts.
std::string size_text(const Space& space, PolyId a);

/// Row-major strides of a shape.
std::vector<PolyId> contiguous_strides(Space& space, const Shape& shape);

}  // namespace noclobber
