// What each storage is touched by, and where in an arena it lies.
#pragma once
#include "checker/kernel/trace.h"

namespace noclobber::checker {

/// One read or write of a step.
struct Touch {
  std::uint32_t origin = 0, step = 0, slot = 0;
  bool writes = false;
  View view;
};
/// Per storage, in listed order.
using Touches = std::vector<std::vector<Touch>>;
Touches touches_of(const Trace& trace);

/// Do they share no byte of an arena, whenever they are alive?
bool bytes_apart(Space& space, const Placement& p, const Placement& q);

}  // namespace noclobber::checker
