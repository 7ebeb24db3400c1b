#include "src/lower/mlx/ops.h"

#include <algorithm>
#include <utility>

#include "src/ops/meaning.h"

namespace noclobber {
namespace {

constexpr MlxOp kMlxOps[] = {
#define NC_MLX_OP(node, op, kin) {node, op, kin},
#include "src/lower/mlx/ops.def"
#undef NC_MLX_OP
};

std::optional<double> number_of(const Arg& arg) {
  if (arg.kind == Arg::Kind::real) return arg.real;
  if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) return static_cast<double>(arg.sym.constant());
  return std::nullopt;
}

/// The operands of a functional step, in order. `plain`: all arguments are tensors, numbers or none.
struct Given {
  std::vector<MlxOperand> operands;
  bool plain = true;
};

void add_given(const Arg& arg, Given& out) {
  if (arg.kind == Arg::Kind::ref) {
    out.operands.push_back({arg.ref, 0});
  } else if (const auto number = number_of(arg)) {
    out.operands.push_back({{}, *number});
  } else if (arg.kind != Arg::Kind::list) {
    out.plain = out.plain && arg.kind == Arg::Kind::none;
  }
  for (const Arg& one : arg.list) add_given(one, out);
}

Given given_to(const Step& step) {
  Given out;
  for (const Arg& arg : step.args) add_given(arg, out);
  for (const auto& [name, arg] : step.kwargs) add_given(arg, out);
  return out;
}

}  // namespace

MlxOp mlx_op_of(std::string_view node) {
  for (const MlxOp& row : kMlxOps)
    if (row.node == node) return row;
  return {node, "", ""};
}

bool is_mlx_kin(const MlxOp& kind, std::string_view op) {
  const std::string_view base = base_name(op);
  const std::string_view name = base.substr(base.rfind('.') + 1);
  for (std::size_t at = 0; at <= kind.kin.size();) {
    const std::size_t end = std::min(kind.kin.find(' ', at), kind.kin.size());
    if (kind.kin.substr(at, end - at) == name) return true;
    at = end + 1;
  }
  return false;
}

std::vector<MlxOperand> mlx_tensors(const Step& meant) {
  std::vector<MlxOperand> out = given_to(meant).operands;
  std::erase_if(out, [](const MlxOperand& one) { return !one.tensor.valid(); });
  return out;
}

std::optional<std::vector<MlxOperand>> mlx_reads_for(const Step& meant, const MlxOp& kind) {
  if (kind.op.empty()) return mlx_tensors(meant);  // the instruction itself holds the numbers
  auto [out, plain] = given_to(meant);
  if (!plain) return std::nullopt;  // such as rounding_mode or a dtype
  const std::string_view op = base_name(meant.op);
  if (op == "aten.relu") out.push_back({{}, 0});
  if (op == "aten.relu6") out.insert(out.end(), {{{}, 0}, {{}, 6}});
  if (op == "aten.rsub") std::ranges::reverse(out);
  if (kind.op == "aten.clamp.Tensor" && out.size() != 3)
    return std::nullopt;  // which of the two bounds is given is not read here
  return out;
}

}  // namespace noclobber
