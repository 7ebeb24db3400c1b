// Contents where conditions hold: what cannot be chosen there is left out.
#include <algorithm>

#include "src/values/term.h"

namespace noclobber {
namespace {

constexpr std::size_t kLookedInto = 20'000;  // terms, for all questions of a check together
constexpr std::size_t kInVain = 48;          // conditions that they do not settle
constexpr std::size_t kForOne = 32;          // and for one of them
constexpr int kFollowedUnder = 600;          // one within the other

}  // namespace

TermId Terms::where(TermId of, const std::vector<Condition>& conditions) {
  if (!all_[of].open) return of;
  most_looked_into_ = std::min(looked_into_ + kForOne, kLookedInto);
  return under(of, with_facts({}, conditions));
}

TermId Terms::under(TermId of, const std::vector<PolyId>& facts) {
  // What is defined everywhere has no names of its own: which way it goes is asked when it is compared.
  if (!all_[of].open || depth_ > kFollowedUnder) return of;
  const auto known = under_.find({of, facts});
  if (known != under_.end()) return known->second;
  if (looked_into_ >= most_looked_into_) return of;
  ++looked_into_;
  ++depth_;
  const TermId out = parts_under(all_[of], facts);
  --depth_;
  return under_[{of, facts}] = out;
}

TermId Terms::parts_under(Term term, std::vector<PolyId> facts) {
  using enum Term::Kind;
  if (term.kind == choose) return choice_under(std::move(term), facts);
  if (term.kind == pack)  // binds the running byte: what is known of that byte outside is not known here
    std::erase_if(facts, [&](PolyId f) { return space_.has_lane(f); });
  // Operands of whole steps are read at every index, wherever the step is used.
  if (term.kind != call && term.kind != result)
    for (TermId& t : term.terms) t = under(t, facts);
  return intern(std::move(term));
}

/// Conditions that hold are dropped; where one cannot hold there is no choice. Only choices between what is
/// known and what nobody wrote are settled: others have no names that the graphs do not share.
TermId Terms::choice_under(Term choice, const std::vector<PolyId>& facts) {
  const auto unwritten = [&](TermId t) { return all_[t].kind == Term::Kind::undefined; };
  const bool asked = in_vain_ < kInVain && (unwritten(choice.terms[0]) || unwritten(choice.terms[1]));
  std::vector<Condition> open;
  for (const Condition& c : choice.conditions) {
    const Truth truth = asked ? holds(space_, c, facts) : Truth::unknown;
    if (truth == Truth::no) return under(choice.terms[1], facts);
    in_vain_ += asked && truth == Truth::unknown ? 1 : 0;
    if (truth == Truth::unknown) open.push_back(c);
  }
  if (open.empty()) return under(choice.terms[0], facts);
  choice.terms[0] = under(choice.terms[0], with_facts(facts, open));
  choice.terms[1] = under(choice.terms[1], facts);
  choice.conditions = std::move(open);
  return intern(std::move(choice));
}

/// The facts, and what conditions say where all of them hold.
std::vector<PolyId> Terms::with_facts(std::vector<PolyId> facts, const std::vector<Condition>& conditions) {
  for (const Condition& c : conditions) {
    facts.push_back(c.poly);
    if (c.zero) facts.push_back(space_.scale(c.poly, -1));
  }
  std::erase(facts, Space::kBad);
  return facts;
}

}  // namespace noclobber
