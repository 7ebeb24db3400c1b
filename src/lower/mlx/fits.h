// Shape checks and shape inference of MLX instructions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/lower/mlx/held.h"

namespace noclobber {

using MlxExtents = std::vector<std::int64_t>;

/// `made`: the shape of the first result; empty if no rule gives it. `refusal`: why the handler of the
/// instruction fails; "" if no failure is known.
struct MlxFit {
  std::optional<MlxExtents> made;
  std::string refusal;
};

/// `of`: the shapes of the operands, in the order in which they are read. A number has no axes.
MlxFit mlx_fit(std::string_view node, const MlxFields& fields, const std::vector<MlxExtents>& of);

}  // namespace noclobber
