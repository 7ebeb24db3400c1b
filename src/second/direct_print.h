// Formulas as SMT-LIB 2.6.
#pragma once
#include <map>
#include <set>
#include <string>

#include "src/second/direct_formula.h"

namespace noclobber {

/// One question: declarations, the ranges of the variables that occur, and assertions.
class DirectScript {
 public:
  explicit DirectScript(const Formulas& formulas) : formulas_(formulas) {}
  void require(FormulaId truth);
  /// The script; "" if a formula in it is bad.
  std::string text() const;
  /// Names in the script -> names of variables.
  const std::map<std::string, std::string>& variables() const { return variables_; }

 private:
  void define(FormulaId root);
  void declare(FormulaId id);
  void declare_function(const Formula& f, const std::string& name, const char* result);
  void range(FormulaId id);
  std::string name(FormulaId id) const;
  std::string sum(const Formula& f) const;
  std::string application(const Formula& f) const;
  std::string body(FormulaId id) const;

  const Formulas& formulas_;
  std::set<FormulaId> done_;
  std::map<std::string, std::string> functions_;  // function with its signature -> name
  std::map<FormulaId, std::string> names_;
  std::map<std::string, std::string> variables_;
  std::string head_, body_, asserts_;
  bool contents_ = false, bad_ = false;
};

}  // namespace noclobber
