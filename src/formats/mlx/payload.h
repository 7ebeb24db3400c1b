// Payloads of ExecuTorch's MLX delegate: a header, then the FlatBuffers table of a register program. Facts:
// backends/mlx/serialization/schema.fbs of ExecuTorch.
#pragma once
#include <string_view>

#include "src/base/result.h"
#include "src/formats/mlx/held_numbers.h"
#include "src/graph/registers.h"

namespace noclobber {

bool is_mlx(std::string_view bytes);

/// ensure: register numbers and chains are within their counts. `base`: offset of the payload in its file.
/// `numbers`: if given, receives the operands of instructions besides registers. error: `where` is "byte N"
/// of that file.
Result<RegisterProgram> read_mlx(std::string_view bytes, std::size_t base, MlxHeldNumbers* numbers = nullptr);

}  // namespace noclobber
