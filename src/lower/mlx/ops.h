// What instructions of MLX stand for.
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

/// The row of an instruction; one without `op` and `kin` where nobody knows it.
MlxOp mlx_op_of(std::string_view node);
/// May the instruction stand for this functional operator?
bool is_mlx_kin(const MlxOp& kind, std::string_view op);

/// One thing that an operator is given.
struct MlxOperand {
  ValueId tensor;  // invalid: a number
  double number = 0;
};

std::vector<MlxOperand> mlx_tensors(const Step& meant);
/// What an instruction of the kind reads if it stands for this call; nothing where it cannot.
std::optional<std::vector<MlxOperand>> mlx_reads_for(const Step& meant, const MlxOp& kind);

}  // namespace noclobber
