// Reads the payload of an MLX delegate against the graph that was lowered to it.
#pragma once
#include <string>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/graph/registers.h"
#include "src/lower/mlx/held.h"

namespace noclobber {

/// Separates the text of an instruction from the reason why it stands for no operator of the graph.
inline const std::string kMlxOdd = "; ";

/// The graph that the payload runs, over values instead of registers. An instruction reads the current values
/// of its registers, so a register that is overwritten too early appears as a step with other operands. An
/// instruction stands for the operator of its kind in `functional` that takes the same values. The numbers
/// that it holds are then assumed to be those of the operator, unless `numbers` has them: an instruction with
/// other numbers stands for another operator. Without such an operator, it computes what its kind or its
/// numbers determine, else what a similar operator computes, else it is an unknown operator.
/// error: the payload takes more tensors than the graph is given; `where` is empty.
Result<Case> case_of_mlx(const RegisterProgram& program, const Graph& functional,
                         const MlxHeldNumbers& numbers = {});

/// Rewrites the delegated graph into steps of one instruction each: a product whose weight is transposed
/// first, a convolution in channels-last order. An instruction without an equivalent PyTorch operator is
/// `mlx.NAME`, which mlx_declarations() declares.
void as_mlx_runs(Graph& functional);
/// Undoes a reinplacing pass: in-place steps become functional. False, with the graph unchanged, if a step
/// writes anything else, or if a step may return an alias of an operand.
bool without_places(Graph& graph, const std::vector<OpDecl>& ops);
/// Models the payload if without_places() is false: one unknown operator makes the outputs of `functional`
/// and the final contents of its inputs.
Case unread_payload(const RegisterProgram& program, const Graph& functional);
std::vector<OpDecl> mlx_declarations();

}  // namespace noclobber
