// The reads and writes of each storage, and its bytes in an arena.
#pragma once
#include "checker/kernel/trace.h"

namespace noclobber::checker {

/// One read or write of a step.
struct Touch {
  std::uint32_t origin = 0, step = 0, slot = 0;
  bool writes = false;
  View view;
};
/// Per storage, in the order of the steps.
using Touches = std::vector<std::vector<Touch>>;
Touches touches_of(const Trace& trace);

/// True if the two are shown to have no byte of an arena in common, whatever their live ranges are.
bool bytes_apart(Space& space, const Placement& p, const Placement& q);

}  // namespace noclobber::checker
