// What must run before what: names, control edges and streams of a graph, as lists of predecessors.
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
  /// `edges`: (earlier, later), repeats allowed, ends below `count`. Nothing: they are cyclic.
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

/// "Must `first` run before `second`?", for many pairs at once. Numbers of an OrderGraph, first < second.
struct OrderQuery {
  std::uint32_t first = 0, second = 0;
};
/// Per query. 512 different `second` are followed in one pass over the numbers between the lowest `first`
/// and the highest `second`; queries that reach far are followed apart from the others.
/// Memory: 64 bytes per number in the widest pass.
std::vector<bool> ordered(const OrderGraph& graph, std::span<const OrderQuery> queries);

}  // namespace noclobber
