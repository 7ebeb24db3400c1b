// From a suspicion to a witness: runs both graphs until a difference is seen, then explains and shrinks it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/interp/interp.h"
#include "src/ops/decl.h"

namespace noclobber {

/// Where a fault took place. `step` == number of steps: the return. `name`: result, or op of a nameless step.
/// `step` == kEntry: the contents at entry of the input `name`.
struct Place {
  static constexpr std::uint32_t kEntry = 0xffffffffU;
  std::uint32_t step = 0;
  std::string name;
  std::string loc;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A replayed refutation: a run in which `after` differs from what is meant.
struct Witness {
  std::string rule;      // "NC001"
  std::string property;  // "stale-read"
  std::optional<Place> define, clobber, read;
  std::string storage;                         // input or value whose storage is at fault
  std::int64_t first_byte = 0, last_byte = 0;  // half-open, in that storage
  Symbols symbols;
  std::vector<std::pair<std::string, std::string>> inputs;  // name -> short description ("arange(24)")
  std::string where;  // "output 0", "arg1_1 at exit", "read of v by step r"
  std::vector<std::int64_t> index;
  std::string expected, actual;
  std::string message;  // one sentence
  RunOptions options;   // runs it again
};

/// What is known before searching: values of symbols from a solver's models, small ones tried first.
struct ReplayHint {
  std::vector<Symbols> symbols;
  std::int64_t work = 40'000'000;  // elements that all runs together may visit
};

struct ReplayResult {
  std::vector<Witness> witnesses;  // one per cause, the plainest first; empty: nothing was shown
  bool approximated = false;       // differences were seen, but only through operators without a congruent
                                   // partner in the other graph, or within a rounding bound
  std::vector<std::string> names;  // the operators that made it so, or unsupported ones
  bool unsupported = false;        // a run could not be made at all
};

/// Writes of `after` behind its return, where its system lets none stand and `before` has none.
std::vector<std::uint32_t> misplaced_writes(const OpSet& ops, const Case& value);

/// Searches sizes (tiny first), contents, garbage and directions, within a fixed bound of runs.
/// With `before`: outputs (values, metadata, sharing), final contents of inputs, effects, immutable writes.
/// Without it: stale reads if names are values; uninitialised reads; immutable writes; overlaps.
ReplayResult replay(const Case& value, const ReplayHint& hint);

}  // namespace noclobber
