// Other orders that a graph's names, edges and streams allow.
#pragma once
#include <vector>

#include "src/interp/replay_guard.h"

namespace noclobber {

/// Steps `first` and `second` (listed so) touch common bytes, one of them writing, or are both impure, and
/// nothing orders them. `order` is a legal order with `second` before `first` that turns few pairs round;
/// steps of one unit stay together.
struct Swap {
  std::uint32_t first = 0, second = 0;
  ValueId shared;  // the value through which `first` touches the bytes; may be invalid
  std::vector<std::uint32_t> order;
};

/// At most `most` swaps, in listed order of `second`. Nothing for graphs of more than 4000 steps.
std::vector<Swap> unordered_conflicts(const OpSet& ops, const Ran& listed, std::size_t most);

}  // namespace noclobber
