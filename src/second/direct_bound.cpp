// Bounds that decide an integer's sign without a question to the solver. They only save questions: a choice
// whose condition is known to hold is no choice.
#include <algorithm>

#include "src/second/direct_formula.h"

namespace noclobber {

namespace {
constexpr int kGlanceDepth = 16;
constexpr int kGlances = 300;  // for one question

/// a = slope * atom + rest.
void split_by(const Formula& a, FormulaId atom, std::vector<FormulaProduct>& slope,
              std::vector<FormulaProduct>& rest) {
  for (FormulaProduct p : a.products) {
    const auto at = std::find(p.atoms.begin(), p.atoms.end(), atom);
    if (at == p.atoms.end()) {
      rest.push_back(std::move(p));
    } else {
      p.atoms.erase(at);
      slope.push_back(std::move(p));
    }
  }
}
}  // namespace

bool Formulas::surely_nonnegative(FormulaId a) {
  if (a == kBad) return false;
  if (const auto known = value(a)) return *known >= 0;
  if (!glances_) return false;
  if (const auto at = seen_.find(a); at != seen_.end()) return at->second;
  if (budget_ > 0) return glance(a, kGlanceDepth);
  budget_ = kGlances;
  const bool out = glance(a, kGlanceDepth);
  budget_ = 0;
  return seen_[a] = out;
}

/// Eliminates indices first, then quotients, then variables without an extent: bounds of the former mention
/// the latter.
bool Formulas::glance(FormulaId a, int depth) {
  if (a == kBad || depth == 0 || budget_ <= 0) return false;
  --budget_;
  if (const auto known = value(a)) return *known >= 0;
  FormulaId first = kBad;
  int best = 0;
  for (const FormulaProduct& p : all_[a].products)
    for (FormulaId x : p.atoms) {
      const Formula& f = all_[x];
      const int rank = f.op == Formula::Op::quotient ? 2 : !f.args.empty() ? 3 : 1;
      if (f.op == Formula::Op::number_call) return false;
      if (rank > best || (rank == best && x > first)) {
        best = rank;
        first = x;
      }
    }
  return bounded(a, first, depth);
}

/// Evaluates a = slope * atom + rest at the end of the atom's range where it is smallest.
bool Formulas::bounded(FormulaId a, FormulaId which, int depth) {
  std::vector<FormulaProduct> with, without;
  split_by(all_[a], which, with, without);
  const FormulaId slope = sum(std::move(with)), rest = sum(std::move(without));
  const Formula f = all_[which];
  const bool up = glance(slope, depth - 1);
  if (!up && !glance(multiply(slope, number(-1)), depth - 1)) return false;
  const auto at = [&](FormulaId bound) { return glance(add(multiply(slope, bound), rest), depth - 1); };
  if (f.op == Formula::Op::quotient) return bounded_quotient(up, slope, rest, which, depth);
  if (!f.args.empty()) return at(up ? number(0) : subtract(f.args[0], number(1)));
  if (up) return f.least && at(number(*f.least));
  return f.most && at(number(*f.most));
}

/// For q = floor(p / d), d a positive number: p - d + 1 <= d * q <= p.
bool Formulas::bounded_quotient(bool up, FormulaId slope, FormulaId rest, FormulaId which, int depth) {
  const FormulaId p = all_[which].args[0], d = all_[which].args[1];
  if (!value(d)) return false;
  if (up && glance(p, depth - 1) && glance(rest, depth - 1)) return true;
  const FormulaId bound = up ? add(subtract(p, d), number(1)) : p;
  return glance(add(multiply(slope, bound), multiply(d, rest)), depth - 1);
}

}  // namespace noclobber
