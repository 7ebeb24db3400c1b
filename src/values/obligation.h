// What has to be shown of a Trace, or of two Traces that claim one meaning. Enumerated from the Traces
// alone, by code that knows nothing of who will show it.
#pragma once
#include "checker/kernel/certificate.h"
#include "src/values/term.h"

namespace noclobber {

class Sharing;

/// The nouns of the certificate's text: what has to be shown, and what a caller may see.
using checker::Boundary;
using checker::Obligation;

/// The only questions a solver is asked: nothing it says about another kind counts.
bool is_equality(Obligation::Kind kind);

/// All obligations of `after` for `before` (nullptr: of a single graph).
std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary);

/// The Traces, run symbolically once, and the rules that decide obligations without a solver.
class Rules {
 public:
  Rules(Space& space, Terms& terms, const Trace* before, const Trace& after, const Boundary& boundary);
  /// true: shown for all contents, sizes and indices. false: not shown.
  bool shown(const Obligation& obligation);
  /// What a view shows when a step begins.
  struct Side {
    Contents* of = nullptr;
    TraceView view;
    std::uint32_t time = 0;
  };
  /// The two that an equality is about (`before` first), of one shape; nothing where it is no equality.
  std::optional<std::pair<Side, Side>> sides(const Obligation& obligation);
  Contents& of_after() { return after_contents_; }
  /// Those of `before`; of a single graph its own.
  Contents& of_before() { return before_contents_ ? *before_contents_ : after_contents_; }
  int comparisons() const { return equality_.work(); }
  /// Have the Traces more contents than may be looked up?
  bool exhausted() const {
    return after_contents_.exhausted() || (before_contents_ && before_contents_->exhausted());
  }
  /// Their contents at every index; kBad where there are none.
  std::pair<TermId, TermId> contents(const Obligation& obligation);

 private:
  bool equal(const Obligation& obligation);
  static std::pair<TermId, TermId> contents(const std::pair<Side, Side>& both);
  bool same_frame() const;
  bool same_type(std::uint32_t output) const;
  bool defined(std::uint32_t output);
  bool sharing(const Obligation& obligation);
  std::set<std::string> free_undefined(const Obligation& obligation);

  Space& space_;
  Terms& terms_;
  const Trace* before_;
  const Trace& after_;
  Boundary boundary_;
  Contents after_contents_;
  std::optional<Contents> before_contents_;
  std::optional<Trace> renamed_;  // `after` with other names for what is undefined
  std::optional<Contents> renamed_contents_;
  Equality equality_;
  // Undefined storages of `before`, and which equalities show them.
  std::optional<std::map<std::string, std::set<Obligation>>> undefined_uses_;
  std::shared_ptr<Sharing> grown_, shrunk_;  // once they are asked for
};

struct Decision {
  bool proved = false;
  std::uint64_t by_rule = 0, by_solver = 0;
  std::vector<Obligation> open;  // neither
};

/// `by_solver`: obligations that a solver claims; only claims about equalities count. `solver_only`: rules
/// decide no equality. proved iff every obligation is shown or claimed.
Decision decide(Rules& rules, const std::vector<Obligation>& obligations,
                const std::set<Obligation>& by_solver, bool solver_only = false);

}  // namespace noclobber
