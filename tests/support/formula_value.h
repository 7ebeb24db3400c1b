// Formulas of the second engine at concrete values of their variables.
#pragma once
#include <map>
#include <stdexcept>
#include <string>

#include "src/second/direct_formula.h"

namespace noclobber::testing {

inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

/// An integer, or 0 and 1 for a truth. Variables by name; every one that occurs is in `at`.
inline std::int64_t value_of(const Formulas& f, FormulaId id, const std::map<std::string, std::int64_t>& at) {
  const Formula& formula = f[id];
  const auto part = [&](std::size_t k) { return value_of(f, formula.args.at(k), at); };
  switch (formula.op) {
    case Formula::Op::variable:
      return at.at(formula.text);
    case Formula::Op::quotient:
      return floor_quotient(part(0), part(1));
    case Formula::Op::sum: {
      std::int64_t out = 0;
      for (const FormulaProduct& p : formula.products) {
        std::int64_t product = p.factor;
        for (FormulaId a : p.atoms) product *= value_of(f, a, at);
        out += product;
      }
      return out;
    }
    case Formula::Op::yes:
      return 1;
    case Formula::Op::no:
      return 0;
    case Formula::Op::is_zero:
      return part(0) == 0 ? 1 : 0;
    case Formula::Op::at_least:
      return part(0) >= 0 ? 1 : 0;
    case Formula::Op::inverted:
      return 1 - part(0);
    case Formula::Op::all:
      for (std::size_t k = 0; k < formula.args.size(); ++k)
        if (part(k) == 0) return 0;
      return 1;
    case Formula::Op::bad:
    case Formula::Op::number_call:
    case Formula::Op::same:
    case Formula::Op::call:
    case Formula::Op::choose:
      break;
  }
  throw std::runtime_error("no value");
}

}  // namespace noclobber::testing
