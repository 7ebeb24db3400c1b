// Contents of `before` that were never written may be anything: such an element may be chosen to equal the
// content of `after`, if no call and no other output or exit depends on it.
#include <algorithm>

#include "src/second/direct_judge.h"

namespace noclobber {

namespace {

/// True if the integer takes different values for different values of one running index, at any fixed values
/// of the others.
bool tells_apart(const Formulas& f, FormulaId integer, FormulaId index, const DirectIndex& running) {
  if (f[integer].op != Formula::Op::sum) return false;
  const FormulaId own = f[index].products[0].atoms[0];
  bool alone = false;
  for (const FormulaProduct& p : f[integer].products) {
    for (FormulaId a : p.atoms) {
      if (a == own && p.atoms.size() == 1) continue;
      if (f[a].op != Formula::Op::variable) return false;
      for (FormulaId i : running)
        if (f.value(i) != 0 && f[i].products[0].atoms[0] == a) return false;
    }
    alone = alone || (p.atoms.size() == 1 && p.atoms[0] == own);
  }
  return alone;
}

}  // namespace

FormulaId DirectJudge::content_before(const Obligation& o) {
  if (o.kind == Obligation::Kind::value) {
    const TraceView* view = view_before(o.a);
    if (view == nullptr) return Formulas::kBad;
    return contents_.at(DirectSide::before, *view, any_index(sizes_, *view, "i"), before_->steps.size());
  }
  const TraceStorage* s = partner_of(*before_, after_.storages[o.a]);
  if (s == nullptr) return Formulas::kBad;
  const auto id = static_cast<StorageId>(s - before_->storages.data());
  const TraceView all{id, {}, s->shape, "", s->lanes};
  return contents_.element(DirectSide::before, id, any_place(sizes_, all, "i"), before_->steps.size());
}

/// The undefined elements that only this obligation depends on, each at one place: every running index is
/// determined by the place.
std::set<FormulaId> DirectJudge::free_undefined(const Obligation& wanted, const DirectIndex& running) {
  if (!counted_) {
    counted_ = true;
    for (const Obligation& o : enumerate(before_, after_, boundary_)) {
      if (o.kind != Obligation::Kind::value && o.kind != Obligation::Kind::exit) continue;
      const auto parts = contents_.undefined(content_before(o));
      for (FormulaId part : parts.plain) uses_[f_[part].text].insert(o);
      for (FormulaId part : parts.nested) nested_.insert(f_[part].text);
    }
  }
  std::map<std::string, std::set<FormulaId>> places;
  for (FormulaId part : contents_.undefined(content_before(wanted)).plain) places[f_[part].text].insert(part);
  std::set<FormulaId> out;
  for (const auto& [function, at] : places) {
    if (at.size() != 1 || nested_.contains(function) || uses_[function].size() != 1) continue;
    const std::vector<FormulaId>& place = f_[*at.begin()].args;
    const bool own = std::all_of(running.begin(), running.end(), [&](FormulaId i) {
      const auto tells = [&](FormulaId integer) { return tells_apart(f_, integer, i, running); };
      return f_.value(i) == 0 || std::any_of(place.begin(), place.end(), tells);
    });
    if (own) out.insert(*at.begin());
  }
  return out;
}

/// The contents are equal, or the choices of `before` lead to an element that may be chosen.
FormulaId DirectJudge::agreeing(FormulaId before, FormulaId after, const std::set<FormulaId>& free) {
  std::vector<FormulaId> open{before};
  std::set<FormulaId> parts{before};
  while (!open.empty()) {
    const Formula& f = f_[open.back()];
    open.pop_back();
    if (f.op != Formula::Op::choose) continue;
    for (FormulaId part : {f.args[1], f.args[2]})
      if (parts.insert(part).second) open.push_back(part);
  }
  std::map<FormulaId, FormulaId> agrees;
  for (FormulaId part : parts) {  // parts before wholes, since ids grow
    const Formula f = f_[part];
    if (f.op == Formula::Op::choose) {
      agrees[part] = f_.any(
          {f_.all({f.args[0], agrees[f.args[1]]}), f_.all({f_.inverted(f.args[0]), agrees[f.args[2]]})});
    } else {
      agrees[part] = free.contains(part) ? f_.truth(true) : f_.same(part, after);
    }
  }
  return agrees[before];
}

}  // namespace noclobber
