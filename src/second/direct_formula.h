// Formulas of the second engine: integers, truth values and contents, printed as SMT-LIB. Independent of the
// checker's polynomials and terms. Every formula is interned: equal ids are equal formulas.
//
//   an integer is a sum of products of atoms; an atom is a variable, a floor quotient, or a call
//   a content is a call of integers and contents, or a choice between two contents
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace noclobber {

using FormulaId = std::uint32_t;

struct FormulaProduct {
  std::vector<FormulaId> atoms;  // sorted, with repetition
  std::int64_t factor = 0;       // never 0
  friend bool operator==(const FormulaProduct&, const FormulaProduct&) = default;
};

struct Formula {
  enum class Op : std::uint8_t {
    bad,          // unknown; a formula made from it is bad, too
    variable,     // integer; args: its extent e, if it has one: 0 <= variable < e
    quotient,     // integer: floor(args[0] / args[1]), for a positive divisor
    number_call,  // integer: an unknown function of integers
    sum,          // integer
    yes,
    no,
    is_zero,   // args[0] == 0
    at_least,  // args[0] >= 0
    all,
    inverted,
    same,    // two contents are equal
    call,    // content: an unknown function of integers and contents
    choose,  // content: args[1] where args[0], else args[2]
  };
  Op op = Op::bad;
  std::string text;  // name of a variable or function
  std::vector<FormulaId> args;
  std::vector<FormulaProduct> products;     // of a sum, sorted by atoms
  std::optional<std::int64_t> least, most;  // of a variable
  friend bool operator==(const Formula&, const Formula&) = default;
};

class Formulas {
 public:
  static constexpr FormulaId kBad = 0;
  /// `glances`: signs that simple bounds decide are taken as known. Otherwise only signs of constants are,
  /// and the rest is left to the solver.
  explicit Formulas(bool glances = true);
  const Formula& operator[](FormulaId id) const { return all_[id]; }
  std::size_t size() const { return all_.size(); }

  FormulaId number(std::int64_t value);
  FormulaId variable(const std::string& name, std::optional<std::int64_t> least,
                     std::optional<std::int64_t> most);
  /// 0 <= result < extent.
  FormulaId index(const std::string& name, FormulaId extent);
  FormulaId number_call(const std::string& function, const std::vector<FormulaId>& args);
  /// The integer that consists of one atom.
  FormulaId of_atom(FormulaId atom) { return sum({{{atom}, 1}}); }
  FormulaId add(FormulaId a, FormulaId b);
  FormulaId multiply(FormulaId a, FormulaId b);
  FormulaId subtract(FormulaId a, FormulaId b) { return add(a, multiply(b, number(-1))); }
  /// floor(a / b); unspecified where b <= 0.
  FormulaId quotient(FormulaId a, FormulaId b);
  std::optional<std::int64_t> value(FormulaId a) const;

  FormulaId truth(bool value) { return value ? 2 : 1; }
  FormulaId zero(FormulaId a);
  FormulaId at_least_zero(FormulaId a);
  FormulaId equal(FormulaId a, FormulaId b) { return zero(subtract(a, b)); }
  /// 0 <= a < extent.
  FormulaId within(FormulaId a, FormulaId extent);
  FormulaId all(std::vector<FormulaId> parts);
  FormulaId any(std::vector<FormulaId> parts);
  FormulaId inverted(FormulaId a);

  FormulaId call(const std::string& function, std::vector<FormulaId> args);
  FormulaId choose(FormulaId when, FormulaId yes, FormulaId no);
  FormulaId same(FormulaId a, FormulaId b);

  /// True if simple bounds prove a >= 0 wherever its variables are in range. False otherwise.
  bool surely_nonnegative(FormulaId a);

 private:
  FormulaId intern(Formula formula);
  FormulaId sum(std::vector<FormulaProduct> products);
  bool glance(FormulaId a, int depth);
  bool bounded(FormulaId a, FormulaId atom, int depth);
  bool bounded_quotient(bool up, FormulaId slope, FormulaId rest, FormulaId atom, int depth);

  std::vector<Formula> all_;
  std::unordered_multimap<std::size_t, FormulaId> ids_;
  std::unordered_map<FormulaId, bool> seen_;
  int budget_ = 0;
  bool glances_;
};

}  // namespace noclobber
