// The operands of MLX instructions besides registers: axes, shapes, bounds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// Per field of the instruction: its numbers, for a text its characters, for an optional register whether it
/// is present. Empty for a register, or a number that is read from one.
using MlxFields = std::vector<std::optional<std::vector<double>>>;
struct MlxHeldNumbers {
  std::map<std::size_t, MlxFields> steps;                     // by byte offset of the instruction
  std::map<std::uint32_t, Dtype> dtypes;                      // of tensor registers other than temporaries
  std::map<std::uint32_t, std::vector<std::int64_t>> shapes;  // likewise; -1: any size
};

/// The dtype of PyTorch's dtype number; `other` if MLX has no arrays of it.
Dtype mlx_dtype(int number);
/// True if MLX has arrays of this dtype.
bool is_of_mlx(Dtype dtype);

}  // namespace noclobber
