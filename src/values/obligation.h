// The obligations of a Trace, or of two Traces that are claimed to be equal. They are enumerated from the
// Traces alone, independently of how they are discharged.
#pragma once
#include "checker/kernel/certificate.h"
#include "src/values/term.h"

namespace noclobber {

class Sharing;

/// Types of the certificate's text: an obligation, and what a caller may observe.
using checker::Boundary;
using checker::Obligation;

/// True for the kinds that a solver is asked about: its claims about other kinds do not count.
bool is_equality(Obligation::Kind kind);

/// All obligations for `after` to replace `before`, or for `after` alone if `before` is nullptr.
std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary);

/// The Traces, run symbolically once, and the rules that decide obligations without a solver.
class Rules {
 public:
  Rules(Space& space, Terms& terms, const Trace* before, const Trace& after, const Boundary& boundary);
  /// True if discharged for all contents, sizes and indices. False: not discharged.
  bool shown(const Obligation& obligation);
  /// The contents of a view when step `time` begins.
  struct Side {
    Contents* of = nullptr;
    TraceView view;
    std::uint32_t time = 0;
  };
  /// The sides of an equality (`before` first), of one shape. Empty if it is none, or a side is missing.
  std::optional<std::pair<Side, Side>> sides(const Obligation& obligation);
  Contents& of_after() { return after_contents_; }
  /// The contents of `before`; those of `after` for a single graph.
  Contents& of_before() { return before_contents_ ? *before_contents_ : after_contents_; }
  int comparisons() const { return equality_.work(); }
  /// True if a Trace needs more lookups than the bound of Contents allows.
  bool exhausted() const {
    return after_contents_.exhausted() || (before_contents_ && before_contents_->exhausted());
  }
  /// The contents of both sides at every index; kBad if there are no sides.
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
  std::optional<Trace> renamed_;  // `after` with its undefined storages renamed
  std::optional<Contents> renamed_contents_;
  Equality equality_;
  // Undefined storages of `before` -> the equalities that depend on them; Obligation{}: through an operator.
  std::optional<std::map<std::string, std::set<Obligation>>> undefined_uses_;
  std::shared_ptr<Sharing> grown_, shrunk_;  // built on first use
};

struct Decision {
  bool proved = false;
  std::uint64_t by_rule = 0, by_solver = 0;
  std::vector<Obligation> open;  // discharged by neither
};

/// `by_solver`: obligations that a solver claims; only claims about equalities count. `solver_only`: rules
/// decide no equality. `proved` iff every obligation is discharged or claimed.
Decision decide(Rules& rules, const std::vector<Obligation>& obligations,
                const std::set<Obligation>& by_solver, bool solver_only = false);

}  // namespace noclobber
