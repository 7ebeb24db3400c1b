// What the outputs of a run share, element by element: with inputs, with each other, within one.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/interp/replay_view.h"

namespace noclobber {

/// The views of the outputs and inputs of a run, and the storages that belong to inputs.
struct Shown {
  std::vector<std::optional<Tensor>> outputs;
  std::vector<std::pair<std::string, Tensor>> inputs;
  std::map<std::uint32_t, std::string> owners;  // storage -> the alphabetically first input on it
  friend bool operator==(const Shown&, const Shown&) = default;
};
Shown shown_by(const Graph& graph, const Run& run);

/// An element of `output` and one of `other` (an earlier output or itself; -1: of `input`) share a byte.
struct SharedPlace {
  int output = 0, other = -1;
  std::string input;
  friend auto operator<=>(const SharedPlace&, const SharedPlace&) = default;
};
/// The pairs that share an element in `is` and did not in `was`. Of many that share one byte each is paired
/// with one other. Outputs of other shapes than before, and very large ones, are compared as a whole.
std::set<SharedPlace> new_sharing(const Shown& is, const Shown& was);

}  // namespace noclobber
