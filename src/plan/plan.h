// Does a memory plan hold? Everything is in its arena, large enough, where its aliases are, and no two
// storages meet in bytes while both are alive.
//
//   time       step i takes [i, i + 1), inputs are there from 0, leaving the graph is step n, and what must
//              survive it lives to n + 1
//   storage    of the Trace: in-place results and views are the storage of what they change or show
//   in place   a result may take the slot of an operand that dies there, element by element on the same
//              bytes, or where all is read before anything is written
//
// The plan's own claims (live ranges, what lies on what) are compared with that, never used. A fault is
// reported with numbers: values of the symbols, bytes, times, and the steps at which a live value is lost.
// Proposes only: placements and neighbours are evidence that can be checked again in linear time.
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

/// What is wrong with a plan, in one run with these values of the symbols.
struct PlanFault {
  enum class Kind : std::uint8_t {
    overlap,    // NC030
    bounds,     // NC031
    lifetime,   // NC032
    metadata,   // NC020: a view or in-place result is not where what it is of is
    size_fit,   // NC021
    refused,    // NC023: a kernel of the runtime does not take these arguments
    undefined,  // NC002: a register is read that nothing wrote
    immutable,  // NC003: a constant is written
    signature,  // NC022: an input, output or state is listed that is none
  };
  Kind kind = Kind::bounds;
  std::string first, second;                                   // names of buffers; `second` may be ""
  std::optional<std::pair<std::int64_t, std::int64_t>> bytes;  // in the arena
  std::string arena;
  std::optional<std::uint32_t> define, clobber, read;  // steps; number of steps: the return
  std::map<std::string, std::int64_t> symbols;
  std::string expected, actual;
  std::string message;
  std::string aspect;  // which of the ways to be wrong, without names and numbers: "ends-behind"
};

/// A place with the name of what lies there.
struct NamedPlace {
  std::string name;
  Placement at;
};

struct PlanAnswer {
  std::vector<PlanFault> faults;
  std::vector<std::pair<std::string, std::string>> open;  // reason of cli.md, name: neither shown nor refuted
  std::vector<std::string> outside;  // values that are made, have bytes and have no place
  std::uint64_t obligations = 0;
  std::vector<Placement> placements;   // at one value of the symbols
  std::vector<std::uint32_t> below;    // per placement: evidence, see sweep.h
  std::size_t empty = 0;               // placements without bytes
  std::vector<NamedPlace> drawn;       // where something is wrong: all places, in that run
  std::vector<PolyId> arenas;          // bytes
  std::vector<TracePlacement> stated;  // the same for all symbols, for a certificate
  std::vector<Trace> ways;             // with placements, where what runs has branches
};

/// require: value.plan. `traced`: of `value`, over the space of `sizes`. `branches`: its branches were
/// decided in other Traces.
PlanAnswer check_plan(const Case& value, const OpSet& ops, const Traced& traced, Sizes& sizes, bool branches);

/// Where a kernel of the runtime reads each place for the last time before it writes it, its steps say so.
void run_by_rows(Trace& trace, const Case& value);

/// Names the kernel that a softmax in place of its operand rests on, where the plan does not say which it is.
void assume_portable_softmax(Case& value);

/// Names what a portable kernel asks of indices that are known only when it runs.
void assume_indices_not_negative(Case& value);

}  // namespace noclobber
