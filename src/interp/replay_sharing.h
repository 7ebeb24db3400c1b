// What the tensors that leave a run share, place by place: with inputs, with each other, within one.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/interp/replay_view.h"

namespace noclobber {

/// Where the outputs of a run lie, and which storages are inputs'.
struct Shown {
  std::vector<std::optional<Tensor>> outputs;
  std::vector<std::pair<std::string, Tensor>> inputs;
  std::map<std::uint32_t, std::string> owners;  // storage -> the first name of an input that lives there
  friend bool operator==(const Shown&, const Shown&) = default;
};
Shown shown_by(const Graph& graph, const Run& run);

/// A place of `output` and one of `other` (an earlier output or itself; -1: of `input`) that lie on one byte.
struct SharedPlace {
  int output = 0, other = -1;
  std::string input;
  friend auto operator<=>(const SharedPlace&, const SharedPlace&) = default;
};
/// Who shares a place in `is` that he did not share in `was`. Of many that meet in one byte each is named
/// with one other. Outputs of other shapes than before, and very large ones, are compared as a whole.
std::set<SharedPlace> new_sharing(const Shown& is, const Shown& was);

}  // namespace noclobber
