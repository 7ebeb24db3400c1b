#include "src/second/direct_print.h"

#include <algorithm>

namespace noclobber {
namespace {

using Op = Formula::Op;

std::string number_text(std::int64_t value) {
  return value < 0 ? "(- " + std::to_string(value).substr(1) + ")" : std::to_string(value);
}

/// All direct parts of a formula.
std::vector<FormulaId> parts_of(const Formula& f) {
  std::vector<FormulaId> out = f.args;
  for (const FormulaProduct& p : f.products) out.insert(out.end(), p.atoms.begin(), p.atoms.end());
  return out;
}

bool is_content(const Formula& f) { return f.op == Op::call || f.op == Op::choose; }
bool is_integer(const Formula& f) { return f.op <= Op::sum; }

}  // namespace

void DirectScript::require(FormulaId truth) {
  define(truth);
  asserts_ += "(assert " + name(truth) + ")\n";
}

/// Defines parts before the whole, without recursion: contents may be thousands of choices deep.
void DirectScript::define(FormulaId root) {
  std::vector<std::pair<FormulaId, bool>> open{{root, false}};
  while (!open.empty()) {
    const auto [id, parts_done] = open.back();
    open.pop_back();
    if (done_.contains(id)) continue;
    if (parts_done) {
      done_.insert(id);
      declare(id);
      continue;
    }
    open.emplace_back(id, true);
    for (FormulaId part : parts_of(formulas_[id])) open.emplace_back(part, false);
  }
}

void DirectScript::declare(FormulaId id) {
  const Formula& f = formulas_[id];
  const std::string number = std::to_string(id);
  switch (f.op) {
    case Op::bad:
      bad_ = true;
      return;
    case Op::variable:
      names_[id] = (f.args.empty() ? "s" : "i") + number;
      variables_[names_[id]] = f.text;
      head_ += "(declare-const " + names_[id] + " Int)\n";
      return range(id);
    case Op::number_call:
      return declare_function(f, "n", "Int");
    case Op::call:
      contents_ = true;
      declare_function(f, "f", "V");
      break;
    case Op::choose:
      contents_ = true;
      break;
    case Op::quotient:
    case Op::is_zero:
    case Op::at_least:
    case Op::all:
    case Op::inverted:
    case Op::same:
      break;
    case Op::sum:
    case Op::yes:
    case Op::no:
      return;
  }
  const char* sort = is_content(f) ? "V" : is_integer(f) ? "Int" : "Bool";
  const std::string text = body(id);
  if (f.args.empty()) {
    names_[id] = text;
    return;
  }
  names_[id] = "d" + number;
  body_ += "(define-fun d" + number + " () " + sort + " " + text + ")\n";
}

void DirectScript::declare_function(const Formula& f, const std::string& prefix, const char* result) {
  std::string sorts;
  for (FormulaId a : f.args) sorts += is_content(formulas_[a]) ? "V " : "Int ";
  const auto [at, is_new] = functions_.emplace(sorts + ">" + result + f.text, "");
  if (!is_new) return;
  at->second = prefix + std::to_string(functions_.size());
  head_ += "(declare-fun " + at->second + " (" + sorts + ") " + result + ")\n";
}

void DirectScript::range(FormulaId id) {
  const Formula& f = formulas_[id];
  const std::string& x = names_[id];
  if (!f.args.empty()) asserts_ += "(assert (and (<= 0 " + x + ") (< " + x + " " + name(f.args[0]) + ")))\n";
  if (f.least) asserts_ += "(assert (<= " + number_text(*f.least) + " " + x + "))\n";
  if (f.most) asserts_ += "(assert (<= " + x + " " + number_text(*f.most) + "))\n";
}

std::string DirectScript::name(FormulaId id) const {
  const Formula& f = formulas_[id];
  if (f.op == Op::yes) return "true";
  if (f.op == Op::no) return "false";
  if (f.op == Op::sum) return sum(f);
  if (f.op == Op::number_call) return application(f);
  const auto at = names_.find(id);
  return at == names_.end() ? "bad" : at->second;
}

std::string DirectScript::sum(const Formula& f) const {
  if (f.products.empty()) return "0";
  std::string out;
  for (const FormulaProduct& p : f.products) {
    std::string part = p.factor != 1 || p.atoms.empty() ? number_text(p.factor) : "";
    for (FormulaId a : p.atoms) part += (part.empty() ? "" : " ") + name(a);
    const bool several = p.atoms.size() + (p.factor != 1 ? 1 : 0) > 1;
    out += (out.empty() ? "" : " ") + (several ? "(* " + part + ")" : part);
  }
  return f.products.size() > 1 ? "(+ " + out + ")" : out;
}

std::string DirectScript::application(const Formula& f) const {
  std::string sorts, args;
  for (FormulaId a : f.args) {
    sorts += is_content(formulas_[a]) ? "V " : "Int ";
    args += " " + name(a);
  }
  const auto at = functions_.find(sorts + (f.op == Op::call ? ">V" : ">Int") + f.text);
  if (at == functions_.end()) return "bad";
  return f.args.empty() ? at->second : "(" + at->second + args + ")";
}

std::string DirectScript::body(FormulaId id) const {
  const Formula& f = formulas_[id];
  const auto of_args = [&](const char* op) {
    std::string out = std::string("(") + op;
    for (FormulaId a : f.args) out += " " + name(a);
    return out + ")";
  };
  switch (f.op) {
    case Op::quotient:
      return of_args("div");
    case Op::is_zero:
      return of_args("= 0");
    case Op::at_least:
      return of_args("<= 0");
    case Op::all:
      return of_args("and");
    case Op::inverted:
      return of_args("not");
    case Op::same:
      return of_args("=");
    case Op::choose:
      return of_args("ite");
    case Op::call:
      return application(f);
    case Op::bad:
    case Op::variable:
    case Op::number_call:
    case Op::sum:
    case Op::yes:
    case Op::no:
      break;
  }
  return "bad";
}

std::string DirectScript::text() const {
  if (bad_) return "";
  return (contents_ ? "(declare-sort V 0)\n" : "") + head_ + body_ + asserts_;
}

}  // namespace noclobber
