// Compares the contents of values of the two graphs, to find the value of `before` that corresponds to a
// value of `after`.
#pragma once
#include <optional>
#include <vector>

#include "src/interp/replay_cause.h"

namespace noclobber {

/// The elements of a value, row-major, at the end of the step that defines it (an input: at entry).
struct Held {
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// By ValueId; an entry is empty if the value is no tensor, or was not wholly defined. The list is empty if
/// the run does not finish.
using HeldValues = std::vector<std::optional<Held>>;

/// The contents of every value in a run with these options; `ran.run` determines which are tensors.
HeldValues held_values(const Scene& scene, const Ran& ran, const RunOptions& options);

/// The contents of `value` of `after` right before step `at`. Empty as in HeldValues.
std::optional<Held> held_before(const Scene& scene, ValueId value, std::uint32_t at,
                                const RunOptions& options);

/// The definition in `before` of a value that agrees with `value` of `after` right before step `at`, in runs
/// on different contents. Prefers the name of `define`, then its operator, then the same shape. Empty if none
/// agrees.
std::optional<Place> counterpart(const Scene& scene, ValueId value, std::uint32_t at, const Place& define);

/// The first step in the slice of the target whose operands all agree with values of `before`, and of which a
/// result agrees with none, though `before` has one of its name. Empty if none is found.
std::optional<std::uint32_t> first_that_differs(const Scene& scene, const Difference& difference);

}  // namespace noclobber
