#include "src/prover/prover.h"

#include <algorithm>
#include <utility>

#include "src/prover/smt.h"
#include "src/prover/solver.h"

namespace noclobber {
namespace {

constexpr std::uint64_t kEffort = 5'000'000;
constexpr int kQuestions = 200;     // per check
constexpr int kNestedProof = 1000;  // nesting of operators in the search for a difference
constexpr std::size_t kCompared = 100'000;
constexpr std::size_t kPairs = 1'000'000;  // of calls that are compared

/// The equality questions of one check.
class Asking {
 public:
  Asking(const Space& space, const Terms& terms, Questions& to) : space_(space), terms_(terms), to_(to) {}

  bool equal(TermId a, TermId b) {
    if (terms_.same(a, b)) return true;
    if (a == Terms::kBad || b == Terms::kBad || depth_ > 40) return false;
    const auto [at, is_new] = known_.emplace(std::pair{a, b}, false);
    if (!is_new) return at->second;
    ++depth_;
    pair_calls(a, b);
    --depth_;
    return known_[{a, b}] = asked(a, b);
  }

  /// True if for some contents at entry and some meaning of the operators `a` and `b` differ wherever they
  /// have an element: they apply different operators, or one operator to operands that differ, and no
  /// condition stands in between.
  bool differ(TermId a, TermId b, int depth = 0) {
    if (a == b || a == Terms::kBad || b == Terms::kBad || depth > kNestedProof) return false;
    if (compared_.size() > kCompared || !compared_.emplace(a, b).second) return false;
    const Term &x = terms_[a], &y = terms_[b];
    if (!is_free(x) || !is_free(y)) return false;
    if (x.kind != y.kind || x.text != y.text || x.terms.size() != y.terms.size()) return true;
    for (std::size_t k = 0; k < x.terms.size(); ++k)
      if (differ(x.terms[k], y.terms[k], depth + 1)) return true;
    return false;
  }

  std::vector<std::map<std::string, std::int64_t>> models;

 private:
  /// True for a term whose value a solver may choose freely as a function of its operands.
  static bool is_free(const Term& term) {
    using enum Term::Kind;
    return term.kind == start || term.kind == result || term.kind == call || term.kind == each;
  }

  /// The calls in a term, without those below other calls.
  std::set<TermId> calls_of(TermId whole) const {
    std::vector<TermId> open{whole};
    std::set<TermId> seen{whole}, out;
    while (!open.empty()) {
      const Term& term = terms_[open.back()];
      open.pop_back();
      for (TermId t : term.terms) {
        if (term.kind == Term::Kind::result) {
          out.insert(t);
        } else if (seen.insert(t).second) {
          open.push_back(t);
        }
      }
    }
    return out;
  }

  /// Merges calls of `b` into calls of `a` whose operands are equal at every index.
  void pair_calls(TermId a, TermId b) {
    const std::set<TermId> ours = calls_of(a), theirs = calls_of(b);
    for (TermId y : theirs) {
      if (ours.contains(y) || same_.contains(y)) continue;
      for (TermId x : ours)
        if (++pairs_ <= kPairs && same_call(x, y)) {
          same_[y] = x;
          break;
        }
    }
  }

  bool same_call(TermId a, TermId b) {
    const Term& x = terms_[a];
    const Term& y = terms_[b];
    if (x.text != y.text || x.index != y.index || x.terms.size() != y.terms.size()) return false;
    for (std::size_t k = 0; k < x.terms.size(); ++k)
      if (!equal(x.terms[k], y.terms[k])) return false;
    return true;
  }

  bool asked(TermId a, TermId b) {
    if (++questions_ > kQuestions) {
      to_.limit();
      return false;
    }
    SmtPrinter printer(space_, terms_, same_);
    const std::string script = printer.differ(a, b);
    const SolverAnswer answer = to_.ask(script, kEffort);
    if (answer.kind == SolverAnswer::Kind::sat) {
      std::map<std::string, std::int64_t> model;
      for (const auto& [name, symbol] : printer.symbols())
        if (const auto at = answer.model.find(name); at != answer.model.end()) model[symbol] = at->second;
      if (!model.empty()) models.push_back(std::move(model));
    }
    return answer.kind == SolverAnswer::Kind::unsat;
  }

  const Space& space_;
  const Terms& terms_;
  Questions& to_;
  std::map<std::pair<TermId, TermId>, bool> known_;
  std::set<std::pair<TermId, TermId>> compared_;  // that were not found to differ
  std::map<TermId, TermId> same_;
  int questions_ = 0;
  int depth_ = 0;
  std::size_t pairs_ = 0;
};

constexpr int kMostRaised = 64;

/// Raises symbols on the right side of relations that do not hold until all relations hold. False if raising
/// cannot make them hold.
bool raise_until_all_hold(const Case& value, std::map<std::string, std::int64_t>& at) {
  for (int round = 0; round < kMostRaised; ++round) {
    bool all = true;
    for (const SymRelation& r : value.assume) {
      if (holds(r, at)) continue;
      all = false;
      const auto left = r.left.evaluate(at);
      const auto range = value.symbols.find(r.right.text());
      if (!left || r.kind == SymRelation::Kind::ne || range == value.symbols.end()) return false;
      const std::int64_t unit = range->second.multiple_of,
                         least = *left + (r.kind == SymRelation::Kind::lt ? 1 : 0);
      std::int64_t& raised = at[range->first];
      if (least <= raised) return false;
      raised += (least - raised + unit - 1) / unit * unit;
      if (range->second.max && raised > *range->second.max) return false;
    }
    if (all) return true;
  }
  return false;
}

}  // namespace

std::map<std::string, std::int64_t> sample(const Case& value) {
  std::map<std::string, std::int64_t> at;
  for (std::int64_t step = 0; step < 4; ++step) {
    for (const auto& [name, range] : value.symbols) {
      const std::int64_t least = std::max<std::int64_t>(range.min, -1000) + step * range.multiple_of;
      at[name] = step == 0 && range.hint ? *range.hint : range.max ? std::min(least, *range.max) : least;
    }
    if (raise_until_all_hold(value, at)) return at;
  }
  return {};
}

bool satisfiable(Space& space, const Case& value, Questions& questions) {
  if (value.assume.empty() || !sample(value).empty()) return true;
  const std::map<TermId, TermId> none;
  const Terms terms(space);
  return questions.ask(SmtPrinter(space, terms, none).facts(), kEffort).kind != SolverAnswer::Kind::unsat;
}

Solved solve(Space& space, Terms& terms, Rules& rules, const std::vector<Obligation>& open,
             Questions& questions) {
  Solved out;
  Asking asking(space, terms, questions);
  for (const Obligation& o : open) {
    const auto [a, b] = rules.contents(o);
    const bool hopeless = asking.differ(a, b);
    out.hopeless = out.hopeless || hopeless;
    if (!hopeless && a != Terms::kBad && b != Terms::kBad && asking.equal(a, b)) out.shown.insert(o);
  }
  out.models = std::move(asking.models);
  out.engine = out.shown.empty() ? "" : solver_version();
  return out;
}

}  // namespace noclobber
