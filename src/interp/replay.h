// From a suspicion to a witness: runs both graphs until a difference is seen, then explains and shrinks it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
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

/// What `value` held right before step `at`, kept for every later read of it.
struct KeptValue {
  ValueId value;
  std::uint32_t at = 0;
  friend bool operator==(const KeptValue&, const KeptValue&) = default;
};

/// A step of a body that a step at fault runs.
struct InnerPlace {
  enum class Role : std::uint8_t { define, clobber, read, differs };
  Role role = Role::differs;
  std::string body;  // its name, as the step gives it
  Place place;
};

/// The contents of an input in numbers, row-major.
struct InputNumbers {
  std::string name;
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

/// What happens to one storage in a run: every name that shows it, from the step that makes the name to the
/// last that uses it, and the steps that read and write its bytes. Steps of `after`; their number: the
/// return.
struct StorageLane {
  struct Shown {
    std::string name;
    std::uint32_t begin = Place::kEntry, end = 0;  // kEntry: there at entry
    std::int64_t first_byte = 0, last_byte = 0;    // half-open
    std::string of;  // the name that it is a view of, or was written through; ""
    Dtype dtype = Dtype::other;
    std::vector<std::int64_t> shape;  // in this run
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  std::string storage;
  std::int64_t bytes = 0;
  std::vector<Shown> values;
  std::vector<std::uint32_t> reads, writes;
};

/// A replayed refutation: a run in which `after` differs from what is meant.
struct Witness {
  static constexpr std::size_t kItself = SIZE_MAX;
  std::string rule;      // "NC001"
  std::string property;  // "stale-read"
  std::string aspect;    // of the ways to break the rule, which: "dtype" of NC020, "input" of NC005; or ""
  std::optional<Place> define, clobber, read;
  /// NC001: what makes in `before` what the value that is read was to be; NC006: the write of `before` that
  /// is gone. Nothing where no value of `before` agrees.
  std::optional<Place> before;
  std::vector<InnerPlace> inside;         // where the step at fault runs bodies
  std::size_t follows = kItself;          // the witness of the same result that names the cause of this one
  std::vector<StorageLane> lanes;         // of the storages at fault
  std::vector<InputNumbers> numbers;      // of inputs that are small enough
  std::vector<std::string> reaches;       // what else at the boundary is wrong because of it: "output 1"
  std::optional<KeptValue> kept;          // NC001: repairs it
  std::shared_ptr<const Graph> repaired;  // `after` with this fault repaired, where one edit does it
  std::string storage;                    // input or value whose storage is at fault
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
  std::int64_t work = 40'000'000;          // elements that all runs together may visit
  bool inner = false;                      // of bodies: what their own steps run is not looked into again
  std::size_t trials = 48;                 // sizes and contents that are tried, at most
  bool one_order = false;                  // of orders that break, the first is enough
  std::optional<std::uint64_t> seed = {};  // these contents and the first of `symbols`: one run, no search
};

struct ReplayResult {
  std::vector<Witness> witnesses;  // of one cause together, the cause first; empty: nothing was shown
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
