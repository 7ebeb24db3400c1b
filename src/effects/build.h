// Builds one Trace by walking one Graph.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

struct Built {
  Trace trace;
  ValueViews views;
  Reached reached;
  Noted noted;
  UsedIdentities identities;
  /// Keys of storages that are read at several element widths and that `lanes` of the request lacks. If there
  /// are any, the Trace is unusable: build again with them.
  std::set<std::string> more_lanes;
  std::uint64_t in_place = 0;
  std::uint64_t unmodelled = 0;  // steps of the graph that were not modelled, or that depend on such a step
};

Built build(const BuildRequest& request, const OpSet& ops, Sizes& sizes);

}  // namespace noclobber::effects
