// A certificate: the Traces of one verdict and the evidence for it.
#pragma once
#include "checker/kernel/trace.h"

namespace noclobber::checker {

/// The answer to a certificate.
struct Answer {
  enum class Said : std::uint8_t { proved, refuted, not_proved, unreadable };
  Said said = Said::not_proved;
  std::string why;  // unreadable: where, and what was expected there
  std::size_t obligations = 0, by_rule = 0, derivations = 0, by_identity = 0, by_solver = 0;
  std::vector<std::vector<bool>> used;  // [check][lemma]: true if an obligation rests on it
  std::vector<std::pair<std::string, std::string>> inputs;  // sha256, name
  std::vector<std::string> assumptions;
  std::string about, what;  // the name of the check; "pair", "single graph" or "plan"
};

/// Why nothing is proved: more evidence than is needed, and nothing else is wrong; or a lemma is not shown.
constexpr const char *kSurplus = "surplus evidence", *kNotShown = "a lemma is not shown: ";

/// What has to be shown. Steps, outputs, storages and placements are numbered as in `after`.
struct Obligation {
  enum class Kind : std::uint8_t {
    modelled,        // nothing of the graph is left unmodelled
    claim,           // claim a: the dump's metadata agree with the operator table
    frame,           // both graphs have the same inputs and equally many outputs
    type,            // output a: shape, element type, scalar, strides are those of `before`
    value,           // output a: the same content at every index
    exit,            // storage a: the same content at exit
    store,           // step a writes only what may be written
    clean,           // step a: its accesses do not disturb each other
    sharing,         // output a: shares no element with the caller's storages that it did not share before
    together,        // output a: no two places of it and earlier outputs are one that were not before
    current,         // read b of step a sees its reaching definition (names are values)
    current_output,  // output a sees its reaching definition
    defined,         // output a of a single graph depends on nothing that was never written
    order,           // conflicting steps are ordered in every order that may run
    placed,          // placement a lies in its arena, lives long enough, and shares no byte while it lives
  };
  Kind kind = Kind::frame;
  bool of_before = false;
  std::uint32_t a = 0, b = 0;
  friend auto operator<=>(const Obligation&, const Obligation&) = default;
};

struct Boundary {
  bool compare_strides = false;
  bool sharing_may_grow = false, sharing_may_shrink = true;
  std::set<Places> may_share;  // (output, input): the caller makes the output anew, so it may share
};

/// Evidence: what is equal in `before` and `after`. Each lemma is shown by those before it.
struct Lemma {
  enum class Kind : std::uint8_t {
    calls,     // steps a and c: the same operator of the same operands
    contents,  // storage a after its write b and storage c after its write d, at every index
    writes,    // as `contents`: equal before the latest writes, which put the same in the same places
    identity   // step a is an instance of `row` by its argument b; c: of `after`
  };
  Kind kind = Kind::calls;
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  /// Empty for most. `writes`: for each write of a the one of c that it is; `identity`: `row`.
  using Rest = std::pair<std::vector<std::uint32_t>, Text>;
  std::forward_list<Rest> rest = {};
  std::vector<std::uint32_t> order() const { return rest.empty() ? Rest().first : rest.front().first; }
  Text row() const { return rest.empty() ? Text() : rest.front().second; }
  friend bool operator==(const Lemma&, const Lemma&) = default;
};

/// One pair of Traces, or one Trace. Opaque steps of later checks may run the pair as their body `key`.
struct Check {
  Text key;
  std::optional<Trace> before;
  Trace after;
  Boundary boundary;
  std::set<Obligation> claimed;  // by a solver
  std::vector<Lemma> lemmas;
};

/// A witness that the last check breaks, for the symbols' values of the certificate.
struct Refutation {
  Obligation about;
  std::vector<std::int64_t> index, other;  // elements of the views that the obligation is about
  std::vector<std::pair<std::uint32_t, std::vector<std::int64_t>>> path;  // (operand, its element), to a leaf
  std::vector<std::uint32_t> order;                                       // of graph steps; empty: as listed
};

struct Certificate {
  Answer answer;                                // inputs and assumptions
  std::map<std::string, std::int64_t> symbols;  // values that satisfy ranges and facts
  std::vector<PolyId> numbers;                  // as they stand in the text
  std::set<PolyId> divisors;                    // must be positive for numbers to be defined
  std::vector<ViewForm> views;
  std::vector<StorageForm> storages;
  std::vector<StepForm> steps;
  std::vector<Derivation> evidence;
  std::vector<Check> checks;  // the last one is the verdict's
  std::optional<Refutation> refutation;
};

}  // namespace noclobber::checker
