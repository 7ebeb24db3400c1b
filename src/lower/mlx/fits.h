// Shapes that instructions of MLX take and make.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/lower/mlx/held.h"

namespace noclobber {

using MlxExtents = std::vector<std::int64_t>;

/// `made`: of the first result, nothing where no rule tells. `refusal`: why the handler stops; "" where
/// nothing tells.
struct MlxFit {
  std::optional<MlxExtents> made;
  std::string refusal;
};

/// `of`: the arrays that the instruction reads, in order; a number has no axes.
MlxFit mlx_fit(std::string_view node, const MlxFields& fields, const std::vector<MlxExtents>& of);

}  // namespace noclobber
