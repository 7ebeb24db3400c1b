// The ordering constraints of a graph (def-use, control edges, streams) as lists of predecessors.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace noclobber {

/// Steps renumbered so that every predecessor has a smaller number. Cost: linear in steps and edges.
class OrderGraph {
 public:
  /// `edges`: (earlier, later), repeats allowed, ends below `count`. Empty if they are cyclic.
  static std::optional<OrderGraph> of(std::uint32_t count,
                                      std::vector<std::pair<std::uint32_t, std::uint32_t>> edges);
  std::uint32_t size() const { return static_cast<std::uint32_t>(number_.size()); }
  std::uint32_t number(std::uint32_t step) const { return number_[step]; }
  /// Numbers of the direct predecessors of the step with this number.
  std::span<const std::uint32_t> before(std::uint32_t number) const {
    return std::span(before_).subspan(start_[number], start_[number + 1] - start_[number]);
  }

 private:
  std::vector<std::uint32_t> number_, start_, before_;
};

}  // namespace noclobber
