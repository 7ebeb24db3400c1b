// A graph in which trips of a loop are written out, step by step: what all who do so have in common.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/bodies.h"
#include "src/graph/value_names.h"

namespace noclobber {

/// Per value of a body: what stands for it outside.
using Standing = std::vector<Arg>;

/// Items of argument k, all of which must be tensors; none where there is no such argument.
bool take_tensors(const Step& step, std::size_t k, std::vector<Arg>& out);

/// The length that the first dimension of all items has, at least 1; nothing where it is not told, or not the
/// same.
std::optional<std::int64_t> length_of_items(const Graph& graph, const std::vector<Arg>& items);

class TripsWriter {
 public:
  /// Ids of values stay what they are in `top`.
  TripsWriter(const Case& value, const Graph& top);

  std::uint32_t number() const { return static_cast<std::uint32_t>(written.steps.size()); }
  /// A step of the graph itself.
  void keep(const Step& step);
  /// A step of one new value.
  Arg emit(const Step& of, std::string op, std::vector<Arg> args, const std::string& name);
  /// A step of a body in one trip. `places` has what its arguments mean, and then its results.
  Step& copy(const Graph& body, const Step& step, Standing& places, std::int64_t trip);
  /// The step that gives the loop's result k, under its own name.
  Step& name_result(const Step& loop, std::size_t k, std::string op, std::vector<Arg> args);

  static Arg placed(const Arg& arg, const Standing& places);

  Graph written;

 private:
  const Case& case_;
  UniqueNames names_;
};

}  // namespace noclobber
