// Writes the trips of a loop into a graph, step by step: the parts that all such rewrites share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/bodies.h"
#include "src/graph/value_names.h"

namespace noclobber {

/// For each value of a body, its counterpart in the outer graph.
using Standing = std::vector<Arg>;

/// Sets `out` to the items of argument k, and leaves it if there is no such argument. False if the argument
/// is not a list of tensors.
bool take_tensors(const Step& step, std::size_t k, std::vector<Arg>& out);

/// The extent of the first dimension, which all items must share, at least 1. Empty if it is unknown or they
/// differ.
std::optional<std::int64_t> length_of_items(const Graph& graph, const std::vector<Arg>& items);

class TripsWriter {
 public:
  /// The ids of the values of `top` stay valid.
  TripsWriter(const Case& value, const Graph& top);

  std::uint32_t number() const { return static_cast<std::uint32_t>(written.steps.size()); }
  /// Appends a step of the graph itself.
  void keep(const Step& step);
  /// Appends a step with one new value, and returns that value.
  Arg emit(const Step& of, std::string op, std::vector<Arg> args, const std::string& name);
  /// Appends a step of a body, for one trip. `places` maps its operands, and then also its results.
  Step& copy(const Graph& body, const Step& step, Standing& places, std::int64_t trip);
  /// Appends the step that defines result k of the loop, under its own name.
  Step& name_result(const Step& loop, std::size_t k, std::string op, std::vector<Arg> args);

  static Arg placed(const Arg& arg, const Standing& places);

  Graph written;

 private:
  const Case& case_;
  UniqueNames names_;
};

}  // namespace noclobber
