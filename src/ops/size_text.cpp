#include "src/ops/sizes.h"

namespace noclobber {

std::string size_text(const Space& space, PolyId a) {
  if (a == Space::kBad) return "?";
  if (a == 0) return "0";
  std::string out;
  for (const Monomial& m : space.terms(a)) {
    const Product& atoms = space.atoms(m);
    std::string part = atoms.empty() || (m.factor != 1 && m.factor != -1) ? std::to_string(m.factor)
                       : m.factor == -1                                   ? "-"
                                                                          : "";
    for (std::size_t k = 0; k < atoms.size(); ++k) {
      const Atom& atom = space.atom(atoms[k]);
      if (k > 0 || (m.factor != 1 && m.factor != -1)) part += "*";
      if (atom.kind == Atom::Kind::index) part += "i" + std::to_string(atom.position);
      if (atom.kind == Atom::Kind::symbol) part += atom.name;
      if (atom.kind == Atom::Kind::quotient)
        part += "((" + size_text(space, atom.first) + ")//(" + size_text(space, atom.second) + "))";
      if (atom.kind == Atom::Kind::opaque) {
        part += atom.name + "(";
        for (std::size_t n = 0; n < atom.arguments.size(); ++n)
          part += (n ? ", " : "") + size_text(space, atom.arguments[n]);
        part += ")";
      }
    }
    out += out.empty() || part[0] == '-' ? part : "+" + part;
  }
  return out;
}

}  // namespace noclobber
