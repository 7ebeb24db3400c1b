// Case -> Traces: who reads and writes which view of which storage, meaning which value. Trusted.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/obligation.h"
#include "src/ops/decl.h"
#include "src/ops/sizes.h"

namespace noclobber {

/// How the index space of a storage lies in memory: index k is `strides` times k elements from its start.
struct StorageLayout {
  std::optional<std::vector<PolyId>> strides;  // absent: not known
  Dtype dtype = Dtype::other;
};

/// Which view of which storage each value of a graph names, by ValueId; nothing where that is not known.
struct ValueViews {
  std::vector<std::optional<TraceView>> values;
  std::vector<StorageLayout> layouts;  // per storage of the Trace
};

/// The Traces of a Case, over one Space.
struct Traced {
  std::optional<Trace> before;
  Trace after;
  ValueViews views;            // of `after`
  std::uint64_t in_place = 0;  // steps of `after` that write storage that existed before them
};

/// What cannot be modelled is in Trace::unknown, with a reason of cli.md and a name.
Traced trace_case(const Case& value, const OpSet& ops, Sizes& sizes);

}  // namespace noclobber
