#include "src/second/direct_view.h"

namespace noclobber {

namespace {
constexpr int kNested = 60;  // nesting of quotients
}

FormulaId DirectSizes::of(PolyId id) { return poly(id, kNested); }

FormulaId DirectSizes::poly(PolyId id, int depth) {
  if (id == Space::kBad || depth == 0) return Formulas::kBad;
  if (const auto at = done_.find(id); at != done_.end()) return at->second;
  FormulaId out = formulas_.number(0);
  for (const Monomial& m : space_.terms(id)) {
    FormulaId product = formulas_.number(m.factor);
    for (AtomId a : space_.atoms(m)) product = formulas_.multiply(product, atom(a, depth - 1));
    out = formulas_.add(out, product);
  }
  return done_[id] = out;
}

FormulaId DirectSizes::atom(AtomId id, int depth) {
  const Atom& a = space_.atom(id);
  switch (a.kind) {
    case Atom::Kind::symbol:
      return formulas_.variable(a.name, a.bounded_below ? std::optional(a.least) : std::nullopt, a.most);
    case Atom::Kind::index:
      return Formulas::kBad;  // a Trace contains only sizes
    case Atom::Kind::quotient:
      return formulas_.quotient(poly(a.first, depth), poly(a.second, depth));
    case Atom::Kind::opaque: {
      std::vector<FormulaId> args;
      for (PolyId p : a.arguments) args.push_back(poly(p, depth));
      return formulas_.number_call(a.name, args);
    }
  }
  return Formulas::kBad;
}

std::vector<FormulaId> DirectSizes::of(const Shape& shape) {
  std::vector<FormulaId> out;
  for (PolyId extent : shape) out.push_back(of(extent));
  return out;
}

std::vector<FormulaId> DirectSizes::facts() {
  std::vector<FormulaId> out;
  for (PolyId fact : space_.facts())
    if (const FormulaId f = formulas_.at_least_zero(of(fact)); f != Formulas::kBad) out.push_back(f);
  return out;
}

}  // namespace noclobber
