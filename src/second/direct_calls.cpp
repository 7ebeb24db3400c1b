// Which opaque steps are one call, and which contents depend on something never written.
#include <algorithm>
#include <set>

#include "src/second/direct_contents.h"

namespace noclobber {

namespace {

constexpr std::size_t kCandidates = 4;  // calls of `before` compared with one of `after`

/// The index of the call that `result:<call>.<slot>:<type>` names.
std::optional<std::size_t> result_of(const Formula& f) {
  if (f.op != Formula::Op::call || !f.text.starts_with("result:")) return std::nullopt;
  return std::stoul(f.text.substr(7));
}

bool is_undefined(const Formula& f) {
  return f.op == Formula::Op::call && f.text.starts_with(DirectContents::kUndefined);
}

}  // namespace

bool DirectContents::same_call(const Call& a, const Call& b) {
  for (std::size_t k = 0; k < a.operands.size(); ++k)
    if (!ask_.equal(a.operands[k], b.operands[k])) return false;
  return true;
}

/// Steps of one operator on equal shapes are one call if every operand has equal contents at every index. Ids
/// are compared first. The solver compares a step of `after` only with steps of `before`, those at a similar
/// position first.
std::optional<std::size_t> DirectContents::call_of(DirectSide side, const TraceStep& step,
                                                   std::size_t number) {
  Call call{side, std::to_string(step.key->size()) + ":" + *step.key, {}, {}};
  for (const TraceView& read : step.reads) {
    call.signature += ";" + std::to_string(read.type->size()) + ":" + *read.type;
    for (FormulaId extent : sizes_.of(read.shape)) call.signature += "," + std::to_string(extent);
    call.operands.push_back(at(side, read, any_index(sizes_, read, "i"), number));
    if (call.operands.back() == Formulas::kBad) return std::nullopt;
  }
  std::vector<std::size_t>& like = calls_by_signature_[call.signature];
  for (std::size_t c : like)
    if (calls_[c].operands == call.operands) return c;
  std::vector<std::size_t> others;
  for (std::size_t c : like)
    if (side == DirectSide::after && calls_[c].side == DirectSide::before) others.push_back(c);
  const auto own = static_cast<std::ptrdiff_t>(like.size() - others.size());
  std::stable_sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
    const auto place = [&](std::size_t c) {
      return std::abs(std::find(like.begin(), like.end(), c) - like.begin() - own);
    };
    return place(a) < place(b);
  });
  if (others.size() > kCandidates) others.resize(kCandidates);
  for (std::size_t c : others)
    if (same_call(calls_[c], call)) return c;
  like.push_back(calls_.size());
  calls_.push_back(std::move(call));
  return calls_.size() - 1;
}

/// The formulas that a content is made of, parts before wholes.
std::vector<FormulaId> DirectContents::parts_below(FormulaId content, bool into_calls) const {
  std::vector<FormulaId> open{content};
  std::set<FormulaId> seen{content};
  while (!open.empty()) {
    const Formula& f = f_[open.back()];
    open.pop_back();
    std::vector<FormulaId> next;
    if (f.op == Formula::Op::choose) next = {f.args[1], f.args[2]};
    if (f.op == Formula::Op::call && into_calls)
      for (FormulaId a : f.args)
        if (f_[a].op == Formula::Op::call || f_[a].op == Formula::Op::choose) next.push_back(a);
    if (const auto call = result_of(f); call && into_calls)
      next.insert(next.end(), calls_[*call].operands.begin(), calls_[*call].operands.end());
    for (FormulaId part : next)
      if (seen.insert(part).second) open.push_back(part);
  }
  return {seen.begin(), seen.end()};
}

DirectContents::Undefined DirectContents::undefined(FormulaId content) {
  Undefined out;
  const std::vector<FormulaId> top = parts_below(content, false);
  std::set<FormulaId> below;
  for (FormulaId part : top) {
    if (is_undefined(f_[part])) {
      out.plain.push_back(part);
      continue;
    }
    if (f_[part].op != Formula::Op::call) continue;
    for (FormulaId inner : parts_below(part, true))
      if (is_undefined(f_[inner])) below.insert(inner);
  }
  out.nested = {below.begin(), below.end()};
  return out;
}

/// Operands of a call are results of earlier calls only, so visiting calls in order needs no recursion.
bool DirectContents::tainted(std::size_t number) {
  for (std::size_t k = 0; k <= number; ++k) {
    if (calls_[k].tainted) continue;
    bool out = false;
    for (FormulaId operand : std::vector<FormulaId>(calls_[k].operands))
      out = out || !ask_.never(undefined_where(operand), DirectAsk::About::equality);
    calls_[k].tainted = out;
  }
  return *calls_[number].tainted;
}

FormulaId DirectContents::undefined_where(FormulaId content) {
  if (content == Formulas::kBad) return content;
  std::vector<FormulaId> open{content};
  std::set<FormulaId> parts{content};  // the id of a part is smaller than that of its whole
  const auto is_content = [&](FormulaId a) {
    return f_[a].op == Formula::Op::call || f_[a].op == Formula::Op::choose;
  };
  while (!open.empty()) {
    const Formula& f = f_[open.back()];
    open.pop_back();
    for (FormulaId a : f.args)
      if (is_content(a) && parts.insert(a).second) open.push_back(a);
  }
  std::unordered_map<FormulaId, FormulaId> where;
  for (FormulaId part : parts) {
    const Formula f = f_[part];
    FormulaId out = f_.truth(is_undefined(f));
    if (const auto call = result_of(f)) out = f_.truth(tainted(*call));
    if (f.op == Formula::Op::choose) {
      out =
          f_.any({f_.all({f.args[0], where[f.args[1]]}), f_.all({f_.inverted(f.args[0]), where[f.args[2]]})});
    } else {
      for (FormulaId a : f.args)
        if (is_content(a)) out = f_.any({out, where[a]});
    }
    where[part] = out;
  }
  return where[content];
}

}  // namespace noclobber
