#include "src/prover/smt.h"

namespace noclobber {

namespace {
constexpr int kDepth = 1000;  // nesting of terms; a deeper question is not asked
}

std::string SmtPrinter::declare(const std::string& kind, const std::string& key, std::size_t integers,
                                std::size_t values) {
  const auto [at, is_new] = functions_.emplace(kind + "|" + key + "|" + std::to_string(integers), "");
  if (!is_new) return at->second;
  at->second = kind + std::to_string(functions_.size());
  head_ += "(declare-fun " + at->second + " (";
  for (std::size_t k = 0; k < integers; ++k) head_ += "Int ";
  for (std::size_t k = 0; k < values; ++k) head_ += "V ";
  head_ += ") V)\n";
  return at->second;
}

std::string SmtPrinter::apply(const std::string& function, std::span<const PolyId> index,
                              const std::vector<std::string>& values) {
  if (index.empty() && values.empty()) return function;
  std::string out = "(" + function;
  for (PolyId p : index) out += " " + poly(p);
  for (const std::string& v : values) out += " " + v;
  return out + ")";
}

void SmtPrinter::range(const std::string& name, const Atom& atom) {
  if (atom.bounded_below) facts_ += "(assert (>= " + name + " " + std::to_string(atom.least) + "))\n";
  if (atom.most) facts_ += "(assert (<= " + name + " " + std::to_string(*atom.most) + "))\n";
}

std::string SmtPrinter::atom(AtomId id) {
  if (const auto at = atoms_.find(id); at != atoms_.end()) return at->second;
  const Atom& a = space_.atom(id);
  std::string name = "a" + std::to_string(atoms_.size());
  if (a.kind == Atom::Kind::quotient)
    return atoms_[id] = "(div " + poly(a.first) + " " + poly(a.second) + ")";
  if (a.kind == Atom::Kind::opaque) {
    const auto [at, is_new] = functions_.emplace("int|" + a.name, "f" + std::to_string(functions_.size()));
    if (is_new) {
      head_ += "(declare-fun " + at->second + " (";
      for (std::size_t k = 0; k < a.arguments.size(); ++k) head_ += "Int ";
      head_ += ") Int)\n";
    }
    return atoms_[id] = apply(at->second, a.arguments, {});
  }
  name = (a.kind == Atom::Kind::symbol ? "s" : "i") + std::to_string(atoms_.size());
  atoms_[id] = name;
  head_ += "(declare-const " + name + " Int)\n";
  if (a.kind == Atom::Kind::symbol) {
    symbols_[name] = a.name;
    range(name, a);
  } else {
    facts_ += "(assert (and (>= " + name + " 0) (< " + name + " " + poly(a.first) + ")))\n";
  }
  return name;
}

std::string SmtPrinter::poly(PolyId id) {
  const auto number = [](std::int64_t v) {
    return v < 0 ? "(- " + std::to_string(v).substr(1) + ")" : std::to_string(v);
  };
  if (id == 0) return "0";
  const Polynomial terms = space_.terms(id);
  std::string out;
  for (const Monomial& m : terms) {
    const Product& atoms = space_.atoms(m);
    std::string part = m.factor != 1 || atoms.empty() ? number(m.factor) : "";
    for (AtomId a : atoms) part += (part.empty() ? "" : " ") + atom(a);
    const bool product = atoms.size() + (m.factor != 1 ? 1 : 0) > 1;
    out += (out.empty() ? "" : " ") + (product ? "(* " + part + ")" : part);
  }
  return terms.size() > 1 ? "(+ " + out + ")" : out;
}

std::string SmtPrinter::choice(const Term& t) {
  std::string when = "(and";
  for (const Condition& c : t.conditions) when += (c.zero ? " (= 0 " : " (<= 0 ") + poly(c.poly) + ")";
  const std::string yes = term(t.terms[0]), no = term(t.terms[1]);
  return "(ite " + when + ") " + yes + " " + no + ")";
}

std::string SmtPrinter::branch(const Term& t) {
  const std::string is = term(t.terms[0]), here = term(t.terms[1]), old = term(t.terms[2]);
  const std::string truth = declare("c", "true of a branch", 0, 0);
  return "(ite (= " + is + " " + truth + ") " + (t.number == 1 ? here + " " + old : old + " " + here) + ")";
}

std::string SmtPrinter::term(TermId id) {
  if (const auto at = done_.find(id); at != done_.end()) return at->second;
  if (depth_ > kDepth || failed_) {
    failed_ = true;
    return "?";
  }
  ++depth_;
  const Term t = terms_[id];
  std::string out;
  switch (t.kind) {
    case Term::Kind::start:
    case Term::Kind::undefined:
      out = apply(declare(t.kind == Term::Kind::start ? "x" : "u", terms_.text(t.text), t.index.size(), 0),
                  t.index, {});
      break;
    case Term::Kind::scalar:
      out = declare("c", terms_.text(t.text), 0, 0);
      break;
    case Term::Kind::result: {
      const auto same = same_calls_.find(t.terms[0]);
      const TermId call = same == same_calls_.end() ? t.terms[0] : same->second;
      const std::string name =
          std::to_string(call) + "." + std::to_string(t.number) + ":" + terms_.text(t.text);
      out = apply(declare("r", name, t.index.size(), 0), t.index, {});
      break;
    }
    case Term::Kind::cast:
      out = apply(declare("cast", terms_.text(t.text), 0, 1), {}, {term(t.terms[0])});
      break;
    case Term::Kind::each: {
      std::vector<std::string> values;
      for (TermId k : t.terms) values.push_back(term(k));
      out = apply(declare("e", terms_.text(t.text), 0, values.size()), {}, values);
      break;
    }
    case Term::Kind::byte:
      out = apply(declare("byte", "", 1, 1), t.index, {term(t.terms[0])});
      break;
    case Term::Kind::choose:
      out = choice(t);
      break;
    case Term::Kind::when:
      out = branch(t);
      break;
    case Term::Kind::bad:
    case Term::Kind::call:
    case Term::Kind::pack:
      failed_ = true;
      out = "?";
      break;
  }
  --depth_;
  const std::string name = "t" + std::to_string(id);
  body_ += "(define-fun " + name + " () V " + out + ")\n";
  return done_[id] = name;
}

std::string SmtPrinter::facts() {
  for (PolyId fact : space_.facts()) facts_ += "(assert (<= 0 " + poly(fact) + "))\n";
  return head_ + facts_;
}

std::string SmtPrinter::differ(TermId a, TermId b) {
  const std::string x = term(a), y = term(b);
  for (PolyId fact : space_.facts()) facts_ += "(assert (<= 0 " + poly(fact) + "))\n";
  if (failed_) return "";
  return "(declare-sort V 0)\n" + head_ + facts_ + body_ + "(assert (not (= " + x + " " + y + ")))\n";
}

}  // namespace noclobber
