// The payload of an MLX delegate, held against the graph that was lowered to it.
#pragma once
#include <string>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/graph/registers.h"
#include "src/lower/mlx/held.h"

namespace noclobber {

/// Behind what an instruction says of itself: why it stands for no operator of the graph.
inline const std::string kMlxOdd = "; ";

/// The graph that the payload runs, over values instead of registers: an instruction reads what its registers
/// hold then, so a register that was given to another value too early shows as a step of other operands. An
/// instruction stands for the operator of `functional` that it may be and that takes the same values; numbers
/// that it holds are taken for those of that operator, an assumption. Without such a one it computes what its
/// own kind says, or what the next operator of its kind does, or is an operator that nobody knows. What
/// `numbers` says of an instruction is no assumption: one of other numbers stands for another operator.
/// error: the payload takes more tensors than the graph is given; `where` is empty.
Result<Case> case_of_mlx(const RegisterProgram& program, const Graph& functional,
                         const MlxHeldNumbers& numbers = {});

/// The delegated graph in steps that are one instruction each: a product with a weight that is turned first,
/// a convolution with the channels behind everything else. What MLX has no operator of PyTorch for is
/// `mlx.NAME`, a function that mlx_declarations() declares.
void as_mlx_runs(Graph& functional);
/// What a reinplacing pass put in place, as it was before. false: something else is written, or may be seen
/// under two names, and the graph is left alone.
bool without_places(Graph& graph, const std::vector<OpDecl>& ops);
/// What is known of a payload where that is so: an operator that nobody knows makes what `functional` gives
/// back and leaves in its inputs.
Case unread_payload(const RegisterProgram& program, const Graph& functional);
std::vector<OpDecl> mlx_declarations();

}  // namespace noclobber
