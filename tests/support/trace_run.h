// Runs a Trace on concrete storages: cells hold 64-bit hashes that stand for contents. Shares no code with
// checker/ but its nouns: maps are followed here anew.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/trace/trace.h"

namespace noclobber::testing {

struct TraceRun {
  bool usable = false;  // every size is a small number, every index inside its storage
  bool stored_into_input = false;
  std::vector<std::optional<std::vector<std::uint64_t>>>
      outputs;                                              // elements in row-major order; nothing: a scalar
  std::map<std::string, std::vector<std::uint64_t>> exits;  // compared storages by key
};

/// `side` tells apart what no contract promises: a step whose accesses meet in a way that it forbids
/// leaves contents that are equal to nothing.
TraceRun run_trace(const Space& space, const Trace& trace, const std::map<std::string, std::int64_t>& symbols,
                   std::uint64_t side);

/// Positions in its storage of all that a view shows; nothing where it leaves the storage.
std::optional<std::vector<std::size_t>> cells_of(const Space& space, const Trace& trace,
                                                 const TraceView& view,
                                                 const std::map<std::string, std::int64_t>& symbols);

/// Does an output hold what nothing has written?
bool any_undefined(const TraceRun& run);

/// Where the boundary of two runs differs, or "". Undefined elements of `before` may be anything.
std::string trace_difference(const TraceRun& before, const TraceRun& after);

}  // namespace noclobber::testing
