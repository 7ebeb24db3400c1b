#include "src/second/direct_formula.h"

#include <algorithm>
#include <iterator>

namespace noclobber {
namespace {

constexpr std::size_t kMostProducts = 2000;  // of one sum; a larger one is bad

std::size_t formula_hash(const Formula& f) {
  std::size_t h = static_cast<std::size_t>(f.op) * 1000003 + std::hash<std::string>{}(f.text);
  const auto put = [&h](std::uint64_t v) { h = (h ^ (v + 0x9e3779b97f4a7c15ULL)) * 1099511628211ULL; };
  for (FormulaId a : f.args) put(a);
  for (const FormulaProduct& p : f.products) {
    put(static_cast<std::uint64_t>(p.factor));
    for (FormulaId a : p.atoms) put(a);
  }
  return h;
}

bool product_before(const FormulaProduct& a, const FormulaProduct& b) { return a.atoms < b.atoms; }

std::int64_t floored(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a % b < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace

Formulas::Formulas(bool glances) : glances_(glances) {
  all_.resize(1);
  for (Formula::Op op : {Formula::Op::no, Formula::Op::yes}) {
    Formula f;
    f.op = op;
    intern(std::move(f));
  }
}

FormulaId Formulas::intern(Formula formula) {
  if (std::find(formula.args.begin(), formula.args.end(), kBad) != formula.args.end()) return kBad;
  const std::size_t h = formula_hash(formula);
  const auto [from, to] = ids_.equal_range(h);
  for (auto it = from; it != to; ++it)
    if (all_[it->second] == formula) return it->second;
  const auto id = static_cast<FormulaId>(all_.size());
  all_.push_back(std::move(formula));
  ids_.emplace(h, id);
  return id;
}

/// Sorts, joins equal products and drops those of factor 0.
FormulaId Formulas::sum(std::vector<FormulaProduct> products) {
  std::sort(products.begin(), products.end(), product_before);
  Formula out;
  out.op = Formula::Op::sum;
  for (FormulaProduct& p : products) {
    if (!out.products.empty() && out.products.back().atoms == p.atoms) {
      std::int64_t& factor = out.products.back().factor;
      if (__builtin_add_overflow(factor, p.factor, &factor)) return kBad;
      if (factor == 0) out.products.pop_back();
    } else if (p.factor != 0) {
      out.products.push_back(std::move(p));
    }
  }
  return out.products.size() > kMostProducts ? kBad : intern(std::move(out));
}

FormulaId Formulas::number(std::int64_t value) { return sum({{{}, value}}); }

FormulaId Formulas::variable(const std::string& name, std::optional<std::int64_t> least,
                             std::optional<std::int64_t> most) {
  Formula f;
  f.op = Formula::Op::variable;
  f.text = name;
  f.least = least;
  f.most = most;
  return of_atom(intern(std::move(f)));
}

FormulaId Formulas::index(const std::string& name, FormulaId extent) {
  if (extent == kBad) return kBad;
  if (value(extent) == 1) return number(0);
  Formula f;
  f.op = Formula::Op::variable;
  f.text = name;
  f.args = {extent};
  return of_atom(intern(std::move(f)));
}

FormulaId Formulas::number_call(const std::string& function, const std::vector<FormulaId>& args) {
  Formula f;
  f.op = Formula::Op::number_call;
  f.text = function;
  f.args = args;
  const FormulaId id = intern(std::move(f));
  return id == kBad ? kBad : of_atom(id);
}

FormulaId Formulas::add(FormulaId a, FormulaId b) {
  if (a == kBad || b == kBad) return kBad;
  std::vector<FormulaProduct> products = all_[a].products;
  products.insert(products.end(), all_[b].products.begin(), all_[b].products.end());
  return sum(std::move(products));
}

FormulaId Formulas::multiply(FormulaId a, FormulaId b) {
  if (a == kBad || b == kBad) return kBad;
  if (all_[a].products.size() * all_[b].products.size() > kMostProducts) return kBad;
  std::vector<FormulaProduct> products;
  for (const FormulaProduct& x : all_[a].products)
    for (const FormulaProduct& y : all_[b].products) {
      FormulaProduct p;
      if (__builtin_mul_overflow(x.factor, y.factor, &p.factor)) return kBad;
      std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(), std::back_inserter(p.atoms));
      products.push_back(std::move(p));
    }
  return sum(std::move(products));
}

std::optional<std::int64_t> Formulas::value(FormulaId a) const {
  const Formula& f = all_[a];
  if (f.op != Formula::Op::sum || f.products.size() > 1) return std::nullopt;
  if (f.products.empty()) return 0;
  return f.products[0].atoms.empty() ? std::optional(f.products[0].factor) : std::nullopt;
}

/// floor((b * whole + rest) / b) = whole + floor(rest / b), for b of one product.
FormulaId Formulas::quotient(FormulaId a, FormulaId b) {
  if (a == kBad || b == kBad || value(b) == 0) return kBad;
  if (value(b) == 1 || value(a) == 0) return a;
  if (const auto x = value(a), y = value(b); x && y) return *y < 0 ? kBad : number(floored(*x, *y));
  std::vector<FormulaProduct> whole, rest;
  for (const FormulaProduct& p : all_[a].products) {
    const auto& by = all_[b].products;
    const bool divides =
        by.size() == 1 && p.factor % by[0].factor == 0 &&
        std::includes(p.atoms.begin(), p.atoms.end(), by[0].atoms.begin(), by[0].atoms.end());
    if (!divides) {
      rest.push_back(p);
      continue;
    }
    FormulaProduct part;
    part.factor = p.factor / by[0].factor;
    std::set_difference(p.atoms.begin(), p.atoms.end(), by[0].atoms.begin(), by[0].atoms.end(),
                        std::back_inserter(part.atoms));
    whole.push_back(std::move(part));
  }
  const FormulaId left = sum(std::move(rest));
  FormulaId out = sum(std::move(whole));
  if (left == kBad || out == kBad) return kBad;
  if (surely_nonnegative(left) && surely_nonnegative(subtract(subtract(b, left), number(1)))) return out;
  Formula f;
  f.op = Formula::Op::quotient;
  f.args = {left, b};
  const FormulaId id = intern(std::move(f));
  return id == kBad ? kBad : add(out, of_atom(id));
}

FormulaId Formulas::zero(FormulaId a) {
  if (a == kBad) return kBad;
  if (const auto known = value(a)) return truth(*known == 0);
  const FormulaId minus = multiply(a, number(-1));
  if (surely_nonnegative(subtract(a, number(1))) || surely_nonnegative(subtract(minus, number(1))))
    return truth(false);
  Formula f;
  f.op = Formula::Op::is_zero;
  f.args = {all_[a].products[0].factor < 0 && minus != kBad ? minus : a};
  return intern(std::move(f));
}

FormulaId Formulas::at_least_zero(FormulaId a) {
  if (a == kBad) return kBad;
  if (const auto known = value(a)) return truth(*known >= 0);
  if (surely_nonnegative(a)) return truth(true);
  if (surely_nonnegative(subtract(multiply(a, number(-1)), number(1)))) return truth(false);
  Formula f;
  f.op = Formula::Op::at_least;
  f.args = {a};
  return intern(std::move(f));
}

FormulaId Formulas::within(FormulaId a, FormulaId extent) {
  return all({at_least_zero(a), at_least_zero(subtract(subtract(extent, a), number(1)))});
}

FormulaId Formulas::all(std::vector<FormulaId> parts) {
  Formula f;
  f.op = Formula::Op::all;
  for (FormulaId p : parts) {
    if (p == kBad) return kBad;
    if (p == truth(true)) continue;
    if (all_[p].op == Formula::Op::all) {
      f.args.insert(f.args.end(), all_[p].args.begin(), all_[p].args.end());
    } else {
      f.args.push_back(p);
    }
  }
  std::sort(f.args.begin(), f.args.end());
  f.args.erase(std::unique(f.args.begin(), f.args.end()), f.args.end());
  if (std::find(f.args.begin(), f.args.end(), truth(false)) != f.args.end()) return truth(false);
  if (f.args.empty()) return truth(true);
  return f.args.size() == 1 ? f.args[0] : intern(std::move(f));
}

FormulaId Formulas::any(std::vector<FormulaId> parts) {
  for (FormulaId& p : parts) p = inverted(p);
  return inverted(all(std::move(parts)));
}

FormulaId Formulas::inverted(FormulaId a) {
  if (a == kBad) return kBad;
  if (a == truth(true) || a == truth(false)) return truth(a == truth(false));
  if (all_[a].op == Formula::Op::inverted) return all_[a].args[0];
  Formula f;
  f.op = Formula::Op::inverted;
  f.args = {a};
  return intern(std::move(f));
}

FormulaId Formulas::call(const std::string& function, std::vector<FormulaId> args) {
  Formula f;
  f.op = Formula::Op::call;
  f.text = function;
  f.args = std::move(args);
  return intern(std::move(f));
}

FormulaId Formulas::choose(FormulaId when, FormulaId yes, FormulaId no) {
  if (when == kBad || (yes == kBad && no == kBad)) return kBad;
  if (when == truth(true) || yes == no) return yes;
  if (when == truth(false)) return no;
  Formula f;
  f.op = Formula::Op::choose;
  f.args = {when, yes, no};
  return intern(std::move(f));
}

FormulaId Formulas::same(FormulaId a, FormulaId b) {
  if (a == kBad || b == kBad) return kBad;
  if (a == b) return truth(true);
  Formula f;
  f.op = Formula::Op::same;
  f.args = {std::min(a, b), std::max(a, b)};
  return intern(std::move(f));
}

}  // namespace noclobber
