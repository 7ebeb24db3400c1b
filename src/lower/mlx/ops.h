// The operators that MLX instructions stand for.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// A row of lower/mlx/ops.def.
struct MlxOp {
  std::string_view node, op, kin;
};

/// The row of an instruction; without `op` and `kin` if it is not listed.
MlxOp mlx_op_of(std::string_view node);
/// True if the instruction may stand for this functional operator.
bool is_mlx_kin(const MlxOp& kind, std::string_view op);

/// A tensor or a number that an operator takes.
struct MlxOperand {
  ValueId tensor;  // invalid: a number
  double number = 0;
};

std::vector<MlxOperand> mlx_tensors(const Step& meant);
/// The operands that an instruction of the kind reads if it stands for this call; empty if it cannot.
std::optional<std::vector<MlxOperand>> mlx_reads_for(const Step& meant, const MlxOp& kind);

}  // namespace noclobber
