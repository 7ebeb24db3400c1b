// What instructions of MLX hold besides registers: axes, shapes, bounds.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// By field of the instruction: its numbers, of a text its letters, of a register that may be left out
/// whether it is there. Nothing: a register, or a number out of one.
using MlxFields = std::vector<std::optional<std::vector<double>>>;
struct MlxHeldNumbers {
  std::map<std::size_t, MlxFields> steps;                     // by the byte at which an instruction lies
  std::map<std::uint32_t, Dtype> dtypes;                      // of tensor registers that are no temporaries
  std::map<std::uint32_t, std::vector<std::int64_t>> shapes;  // likewise; -1: any size
};

/// By PyTorch's number; `other` for those that MLX has none of.
Dtype mlx_dtype(int number);
/// Has MLX arrays of it?
bool is_of_mlx(Dtype dtype);

}  // namespace noclobber
