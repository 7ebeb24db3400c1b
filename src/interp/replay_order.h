// Orders of the steps that dependences by name, edges and streams allow, besides the listed one.
#pragma once
#include <vector>

#include "src/interp/replay_guard.h"

namespace noclobber {

/// A hazard: steps `first` and `second` (in listed order) access common bytes and one writes, or both have
/// side effects, or one writes and the other returns, and nothing orders them. `order` is a legal order with
/// `second` before `first` that reverses few pairs; steps of one unit stay together.
struct Swap {
  std::uint32_t first = 0, second = 0;
  ValueId shared;  // the value through which `first` accesses the bytes; invalid if none
  std::vector<std::uint32_t> order;
};

/// At most `most` swaps, in listed order of `second`. Empty for graphs of more than 4000 steps.
std::vector<Swap> unordered_conflicts(const OpSet& ops, const Ran& listed, std::size_t most);

}  // namespace noclobber
