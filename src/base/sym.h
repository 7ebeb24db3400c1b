// Symbolic integers as dumps print them: sizes, strides, offsets, slice bounds.
//
// A SymExpr is a value: a plain constant (no allocation), or an expression in postfix form. `//` and `%`
// round towards minus infinity. Equality is by structure after constant folding, not by meaning; the
// checker's polynomials decide meaning.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/base/shared.h"

namespace noclobber {

class SymExpr {
 public:
  enum class Op : std::uint8_t { constant, symbol, add, mul, floor_div, mod, min, max, pow, opaque };
  /// One postfix node. `constant` uses `number`; `symbol` uses `text`; `opaque` is an uninterpreted function,
  /// `text` its name and `number` its argument count. The others are binary.
  struct Node {
    Op op = Op::constant;
    std::int64_t number = 0;
    std::string text;
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  SymExpr() = default;
  SymExpr(std::int64_t constant) : constant_(constant) {}  // NOLINT: implicit on purpose
  static SymExpr symbol(std::string name);
  /// A function of integers that stays uninterpreted, for example `TruncToInt`.
  static SymExpr opaque(std::string name, const std::vector<SymExpr>& arguments);

  bool is_constant() const { return nodes_.empty(); }
  /// require: is_constant().
  std::int64_t constant() const;
  const std::vector<Node>& nodes() const { return *nodes_; }
  /// The name of the symbol if the expression is one symbol, else "".
  const std::string& bare_symbol() const;

  friend SymExpr operator+(const SymExpr& a, const SymExpr& b) { return binary(Op::add, a, b); }
  friend SymExpr operator*(const SymExpr& a, const SymExpr& b) { return binary(Op::mul, a, b); }
  friend SymExpr operator-(const SymExpr& a, const SymExpr& b) { return a + SymExpr(-1) * b; }
  /// Folds constants; the constant part of a sum or product comes last. Cost: the length of b, if `a` is
  /// moved in and shared with no copy.
  static SymExpr binary(Op op, SymExpr a, SymExpr b);

  /// The value under `symbols`. Empty for an unbound symbol, an opaque function, division by zero, a negative
  /// exponent, or overflow.
  std::optional<std::int64_t> evaluate(const std::map<std::string, std::int64_t>& symbols) const;
  /// Names of all symbols in it, sorted, each once.
  std::vector<std::string> symbols() const;
  /// The text of the expression, which `parse_sym` reads back: parse_sym(e.text()) == e.
  std::string text() const;

  friend bool operator==(const SymExpr&, const SymExpr&) = default;
  friend auto operator<=>(const SymExpr&, const SymExpr&) = default;

 private:
  static SymExpr join(Op op, SymExpr a, SymExpr b);
  static SymExpr commutative(Op op, SymExpr a, SymExpr b);
  static std::int64_t take_constant(Op op, SymExpr& from);
  static std::optional<std::int64_t> number(Op op, std::int64_t a, std::int64_t b);
  bool total() const;
  void append_to(std::vector<Node>& nodes) &&;

  std::int64_t constant_ = 0;
  Shared<std::vector<Node>> nodes_;  // empty: the value is constant_
};

/// Reads an integer expression as sympy's `str` and noclobber.case/1 write it: integers, symbols, + - * /
/// (exact) // % ** parentheses, min/Min, max/Max, Mod, PythonMod, FloorDiv, CleanDiv, ModularIndexing,
/// Identity; any other call stays opaque. error: `where` is "column N".
Result<SymExpr> parse_sym(std::string_view text);

/// A relation between integers that is given to hold ("i + 4 <= n", "Eq(s0, 2*s1)"): left RELATION right.
struct SymRelation {
  enum class Kind : std::uint8_t { eq, ne, lt, le };  // a > b is read as b < a
  Kind kind = Kind::eq;
  SymExpr left, right;
  friend bool operator==(const SymRelation&, const SymRelation&) = default;
};
Result<SymRelation> parse_relation(std::string_view text);
/// True if both sides have values under `symbols` and the relation holds.
bool holds(const SymRelation& relation, const std::map<std::string, std::int64_t>& symbols);

}  // namespace noclobber
