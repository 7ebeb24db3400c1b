// What has to be shown of a Trace, or of two Traces that claim one meaning. Enumerated from the Traces
// alone, by code that knows nothing of who will show it.
#pragma once
#include "src/values/term.h"

namespace noclobber {

struct Obligation {
  enum class Kind : std::uint8_t {
    modelled,  // everything of the graph was understood                          a: number in Trace::unknown
    claim,     // the dump's metadata agree with the operator table               a: number in Trace::claims
    frame,     // both graphs have the same inputs and equally many outputs
    type,      // output a: shape, element type, scalar, strides are those of `before`
    value,     // output a: the same content at every index
    exit,      // storage a (of `after`): the same content at exit
    store,     // step a of `after` writes only what may be written
    clean,     // step a of `after`: its accesses do not disturb each other
    sharing,   // output a shares no storage with input b that it did not share before
    together,  // output a shares no storage with output b that it did not share before
    current,   // read b of step a finds what its name means (names are values)
    current_output,
    defined,  // output a of a single graph depends on nothing that was never written
    order,    // conflicting steps are ordered in every order that may run
    placed,   // placement a lies in its arena, lives long enough, and shares no byte meanwhile
  };
  Kind kind = Kind::frame;
  bool of_before = false;
  std::uint32_t a = 0, b = 0;
  friend auto operator<=>(const Obligation&, const Obligation&) = default;
};

struct Boundary {
  bool compare_strides = false;
  bool sharing_may_grow = false;
  std::set<std::pair<std::uint32_t, std::uint32_t>>
      may_share;  // (output, input): the caller makes it anew, so it may show this
};

/// The only questions a solver is asked: nothing it says about another kind counts.
bool is_equality(Obligation::Kind kind);
/// The two views in `trace` that an obligation of a kind `sharing` or `together` is about; nullptr: none.
std::pair<const TraceView*, const TraceView*> both_views(const Trace& trace, const Obligation& obligation);

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
  /// Their contents at every index; kBad where there are none.
  std::pair<TermId, TermId> contents(const Obligation& obligation);

 private:
  bool equal(const Obligation& obligation);
  static std::pair<TermId, TermId> contents(const std::pair<Side, Side>& both);
  bool same_frame() const;
  bool same_type(std::uint32_t output) const;
  bool defined(std::uint32_t output);
  bool seen(const TraceView& view);
  bool sharing(const Obligation& obligation);
  std::set<std::string> free_undefined(const Obligation& obligation);
  bool same_input(std::uint32_t output);

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
  std::optional<std::vector<bool>> placed_;
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
