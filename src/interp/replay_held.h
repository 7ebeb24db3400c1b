// What values of the two graphs hold, compared by contents: which value of `before` is what a value of
// `after` is meant to be.
#pragma once
#include <optional>
#include <vector>

#include "src/interp/replay_cause.h"

namespace noclobber {

/// The elements of a value, row-major, at the end of the step that makes it (an input: at entry).
struct Held {
  Dtype dtype = Dtype::other;
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// By ValueId; nothing for what is no tensor, or was not wholly defined. Empty: the graph does not run
/// through.
using HeldValues = std::vector<std::optional<Held>>;

/// Every value of the graph in a run with these options; `ran.run` says which are tensors.
HeldValues held_values(const Scene& scene, const Ran& ran, const RunOptions& options);

/// What `value` of `after` holds right before step `at`.
std::optional<Held> held_before(const Scene& scene, ValueId value, std::uint32_t at,
                                const RunOptions& options);

/// The place in `before` of a value that agrees with `value` of `after` right before step `at`, in runs with
/// different contents. Of several: of the name of `define`, then of its operator, then of the same shape.
std::optional<Place> counterpart(const Scene& scene, ValueId value, std::uint32_t at, const Place& define);

/// The first step that the target depends on whose result no value of `before` agrees with, all that it is
/// given being right. Nothing where runs do not tell.
std::optional<std::uint32_t> first_that_differs(const Scene& scene, const Difference& difference);

}  // namespace noclobber
