// Searches for a witness: runs both graphs until they differ, then explains the difference and shrinks it.
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

/// The place of a fault. `step` == number of steps: the return. `step` == kEntry: the contents at entry of
/// the input `name`. `name`: the first result of the step, or if it has none its id or operator.
struct Place {
  static constexpr std::uint32_t kEntry = 0xffffffffU;
  std::uint32_t step = 0;
  std::string name;
  std::string loc;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A repair: every later read of `value` sees its contents from right before step `at`.
struct KeptValue {
  ValueId value;
  std::uint32_t at = 0;
  friend bool operator==(const KeptValue&, const KeptValue&) = default;
};

/// A step at fault in a body that is run by a step at fault of the graph.
struct InnerPlace {
  enum class Role : std::uint8_t { define, clobber, read, differs };
  Role role = Role::differs;
  std::string body;  // the name by which the step refers to it
  Place place;
};

/// The contents of an input at entry as numbers, row-major.
struct InputNumbers {
  std::string name;
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

/// The history of one storage in a run of `after`: the live range of every view of it, from definition to
/// last use, and the steps that read and write its bytes. A step equal to the number of steps is the return.
struct StorageLane {
  struct Shown {
    std::string name;
    std::uint32_t begin = Place::kEntry, end = 0;  // kEntry: defined at entry
    std::int64_t first_byte = 0, last_byte = 0;    // half-open range of bytes
    std::string of;  // the operand on the same storage from which it is made; "" if none
    Dtype dtype = Dtype::other;
    std::vector<std::int64_t> shape;  // in this run
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  std::string storage;
  std::int64_t bytes = 0;
  std::vector<Shown> values;
  std::vector<std::uint32_t> reads, writes;
};

/// A replayed refutation: a run in which `after` differs from the expected result.
struct Witness {
  static constexpr std::size_t kItself = SIZE_MAX;
  std::string rule;      // "NC001"
  std::string property;  // "stale-read"
  std::string aspect;    // how the rule is broken: "dtype" of NC020, "input" of NC005; or ""
  std::optional<Place> define, clobber, read;
  /// NC001: the definition in `before` of the value that the read should see. NC006: the write of `before`
  /// that is missing. Empty if no value of `before` agrees.
  std::optional<Place> before;
  std::vector<InnerPlace> inside;         // steps at fault inside the bodies of the step at fault
  std::size_t follows = kItself;          // index of the witness that is the cause; kItself: none
  std::vector<StorageLane> lanes;         // one per storage at fault
  std::vector<InputNumbers> numbers;      // of inputs with few elements
  std::vector<std::string> reaches;       // other boundary places that it makes wrong: "output 1"
  std::optional<KeptValue> kept;          // NC001: the repair
  std::shared_ptr<const Graph> repaired;  // `after` with this fault repaired; null unless one edit does it
  std::string storage;                    // input or value whose storage is at fault
  std::int64_t first_byte = 0, last_byte = 0;  // half-open, in that storage
  Symbols symbols;
  std::vector<std::pair<std::string, std::string>> inputs;  // name -> short description ("arange(24)")
  std::string where;  // "output 0", "arg1_1 at exit", "read of v by step r"
  std::vector<std::int64_t> index;
  std::string expected, actual;
  std::string message;  // one sentence
  RunOptions options;   // reproduce the run
};

/// Input of a search. `symbols`: values from a solver's models; small ones are tried first.
struct ReplayHint {
  std::vector<Symbols> symbols;
  std::int64_t work = 40'000'000;          // bound on the elements visited by all runs together
  bool inner = false;                      // search within a body: bodies of its steps are not searched again
  std::size_t trials = 48;                 // bound on trials (sizes and contents) of a single graph
  bool one_order = false;                  // stop at the first order that breaks a single graph
  std::optional<std::uint64_t> seed = {};  // if set, the only trial: these contents, the first of `symbols`
};

struct ReplayResult {
  std::vector<Witness> witnesses;  // grouped by cause, the cause first; empty if no difference counts
  bool approximated = false;       // differences may exist, but only through operators without a congruent
                                   // partner in the other graph, or within a rounding bound
  std::vector<std::string> names;  // the operators (or constants) behind `approximated`, or unsupported ones
  bool unsupported = false;        // a run met an operator that is not supported
};

/// Writes of `after` behind its return. Empty unless the case requires the return to be last
/// (`return_is_last`) and `before` has no such writes.
std::vector<std::uint32_t> misplaced_writes(const OpSet& ops, const Case& value);

/// Searches over sizes (tiny first), contents, undefined bytes and directions, within a fixed bound of runs.
/// With `before`: outputs (values, metadata, sharing), final contents of inputs, effects, immutable writes.
/// Without it: stale reads if names are values; uninitialised reads; immutable writes; overlaps; orders.
ReplayResult replay(const Case& value, const ReplayHint& hint);

}  // namespace noclobber
