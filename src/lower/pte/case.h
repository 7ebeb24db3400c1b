// Lowers the instructions of a method to a graph whose values lie where the program put them.
//
//   kernel call   the pure form of its operator; the result has the place of `out`
//   in-place call unchanged, on the storage that holds the bytes of its target
//   view          a tensor that no instruction writes: a view of the definition its bytes hold when read
//   move, et_view the name refers to another definition from then on
//   user input    with a place: a copy of the caller's tensor, made before everything else
//   state         with a place that is read before it is written
//   branches      one cond, with placed bodies; loops with known conditions are unrolled
// Anything that is not understood ends the graph.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/pte/program.h"
#include "src/graph/case.h"
#include "src/ops/schema.h"

namespace noclobber {

/// `functional` is the program that the method was lowered from, or nullptr if unknown. Inputs then take its
/// names and types; user inputs, state and constants are each matched in order. Without it, state is guessed.
/// error: `where` is "byte N", or empty if the two programs do not fit together.
Result<Case> case_of_pte(const PteMethod& method, const Graph* functional);

/// Rewrites the functional program to the form that the method can have: operators on dimension orders become
/// plain ones, written user inputs that the runtime copies become copies, operands of branches are put in the
/// order of their use.
void as_executorch_means(Graph& functional, std::map<std::string, Graph>& bodies, const PteMethod& method);

/// Rewrites a program saved by torch.export as the functional program that ExecuTorch starts from. Adds its
/// bodies to `bodies`, and drops assertions on `symbols` that their ranges imply.
void as_executorch_lowers(Graph& exported, std::map<std::string, Graph>& bodies,
                          const std::map<std::string, SymbolRange>& symbols = {});

/// `wanted`, or `wanted` with a number appended if a value of the graph has that name.
std::string free_name(const Graph& graph, const std::string& wanted);

/// Rewrites `next`, the next step of `graph`, to operators of core ATen if it has another spelling there. All
/// steps but the last are appended here; the last is `next`.
void respell(Graph& graph, Step& next);

/// Rewrites `next`, the next step of `graph`, to operators of ExecuTorch's dialect. All steps but the last
/// are appended here; the last is `next`.
void decompose(Graph& graph, Step& next);

/// Determines which arguments of delegate calls are results: from their payloads, else guessed from the
/// names.
void split_delegate_calls(PteMethod& method);

/// Adds the state of arenas that methods share to every method. Bound: arenas up to 16.
void share_states(std::vector<PteMethod>& methods);
inline constexpr std::size_t kMostSharedArenas = 17;

/// The methods of a program, with delegate calls split and shared state added. error: as read_pte.
Result<std::vector<PteMethod>> open_pte(std::string_view bytes);

/// Merges constants with equal contents: a .pte stores them once.
void merge_equal_constants(Graph& functional);

/// Removes each quantize-dequantize pair whose operand was dequantized with the same scale and only moved
/// since: in a quantised program that XNNPACK runs, there is nothing between two operators that only move.
void forget_requantised(Graph& functional, const PteMethod& program);
/// True if each element is a dequantized byte of that scale, and was only moved since.
bool stands_for_bytes(const Graph& graph, ValueId value, double scale, std::int64_t zero);
/// True if every byte is unchanged by dequantize and quantize. By the arithmetic of PyTorch, in f32.
bool bytes_return(double scale, std::int64_t zero);

/// Drops the bytes of large constants; their digests distinguish them.
void forget_weights(Graph& graph);

/// Makes both graphs state the contents that either one knows of a constant. Constants that only the program
/// has become inputs of the functional one too, which are not read there.
void know_constants(Graph& functional, Graph& program);

/// Removes trailing and keyword arguments that equal their defaults.
void without_defaults(const Schema& schema, Step& step);

}  // namespace noclobber
