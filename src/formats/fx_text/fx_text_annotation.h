// Annotations of names in FX text: "f32[8, 16][16, 1]cpu", "Sym(2*s0)".
#pragma once
#include <limits>
#include <optional>
#include <string_view>

#include "src/graph/case.h"

namespace noclobber {

/// Least value of a symbol without a lower bound. Its negation does not overflow.
constexpr std::int64_t kFxUnbounded = -std::numeric_limits<std::int64_t>::max();

struct FxAnnotation {
  enum class Kind : std::uint8_t { absent, tensor, scalar, wrapped };  // wrapped: subclass, tuple, list
  Kind kind = Kind::absent;
  SharedType type;           // tensor
  bool has_strides = false;  // tensor
  Arg scalar;                // scalar: sym, boolean or real
};

/// Every symbol the text mentions. A symbol that is a dimension by itself is not negative.
class FxSymbols {
 public:
  void mention(const SymExpr& value, bool as_dimension);
  void mention(const Arg& value);
  std::map<std::string, SymbolRange> take() { return std::move(ranges_); }

 private:
  std::map<std::string, SymbolRange> ranges_;
};

/// error: `where` is empty; the caller knows the place.
Result<FxAnnotation> parse_fx_annotation(std::string_view text, FxSymbols& symbols);

/// The scalar that `text` stands for: an integer expression, a number, True or False, a relation
/// (opaque `eq`, `ne`, `lt`, `le`), else an opaque function of its symbols named by the text itself,
/// so that equal texts are equal values.
Arg fx_scalar(std::string_view text);
/// The relation as an opaque value: le(a, b).
SymExpr fx_relation(SymRelation::Kind kind, const SymExpr& left, const SymExpr& right);

}  // namespace noclobber
