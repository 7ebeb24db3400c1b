// Checks a memory plan: every buffer lies in its arena, is large enough and agrees with its aliases, and no
// two storages overlap in bytes while both are live.
//
//   time       step i takes [i, i + 1), inputs are live from 0, leaving the graph is step n, and what must
//              survive it lives to n + 1
//   storage    of the Trace: an in-place result or a view belongs to the storage of its operand
//   in place   a result may take the place of an operand that dies there: element by element on the same
//              bytes, or if all reads precede the first write
//
// The claims of the plan itself (live ranges, declared aliases) are compared with the above, never used. A
// fault is reported with numbers: values of the symbols, bytes, times, and the steps at which a live value is
// lost. This only proposes: placements and neighbours are evidence that can be checked again in linear time.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/effects/effects.h"
#include "src/graph/case.h"
#include "src/plan/sweep.h"

namespace noclobber {

/// A fault of a plan, in one run with these values of the symbols.
struct PlanFault {
  enum class Kind : std::uint8_t {
    overlap,    // NC030
    bounds,     // NC031
    lifetime,   // NC032
    metadata,   // NC020: a view or an in-place result is not at the offset of its operand
    size_fit,   // NC021
    refused,    // NC023: a kernel of the runtime rejects these arguments
    undefined,  // NC002: a register is read before any write
    immutable,  // NC003: a constant is written
    signature,  // NC022: a register listed as input, output or state is of another kind
  };
  Kind kind = Kind::bounds;
  std::string first, second;                                   // names of buffers; `second` may be ""
  std::optional<std::pair<std::int64_t, std::int64_t>> bytes;  // in the arena
  std::string arena;
  std::optional<std::uint32_t> define, clobber, read;  // steps; number of steps: the return
  std::map<std::string, std::int64_t> symbols;
  std::string expected, actual;
  std::string message;
  std::string aspect;  // the kind of fault, without names and numbers: "ends-behind"
};

/// A place with the name of its buffer.
struct NamedPlace {
  std::string name;
  Placement at;
};

struct PlanAnswer {
  std::vector<PlanFault> faults;
  std::vector<std::pair<std::string, std::string>> open;  // reason of cli.md, name: not proved, not refuted
  std::vector<std::string> outside;  // values that steps make, that have bytes and no place
  std::uint64_t obligations = 0;
  std::vector<Placement> placements;   // at one assignment of the symbols
  std::vector<std::uint32_t> below;    // per placement: evidence, see sweep.h
  std::size_t empty = 0;               // placements without bytes
  std::vector<NamedPlace> drawn;       // if there is a fault: all places, in that run
  std::vector<PolyId> arenas;          // bytes
  std::vector<TracePlacement> stated;  // the placements for all symbols, for a certificate
  std::vector<Trace> ways;             // Traces with placements, if there are branches
};

/// require: value.plan. `traced`: the Trace of `value`, over the space of `sizes`. `branches`: the branches
/// of `value` were decided in other Traces.
PlanAnswer check_plan(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes, bool branches);

/// Sets Access::elementwise where a kernel of the runtime reads each place for the last time before it writes
/// it.
void run_by_rows(Trace& trace, const Case& value);

/// Appends kPortableSoftmax to `assumed` if a softmax lies over its operand and the plan names no kernel
/// library.
void assume_portable_softmax(Case& value);

/// Appends kIndicesNotNegative to `assumed` if a portable index_put_ has indices that are known only at run
/// time.
void assume_indices_not_negative(Case& value);

}  // namespace noclobber
