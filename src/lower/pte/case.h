// From the instructions of a method to a graph whose values lie where the program put them.
//
//   kernel call   the pure form of its operator; the result lies where `out` lies
//   in-place call as it is, on the storage that holds the bytes of its target
//   view          a tensor that no instruction writes: a view of what its bytes hold when it is read
//   move, et_view the name stands for another place from now on
//   user input    with a place: a copy of what the caller gives, made before everything else
//   state         with a place, read before anything wrote there
//   branches      one cond, its bodies placed as well; loops and what else is not understood end the graph
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/formats/pte/program.h"
#include "src/graph/case.h"
#include "src/ops/schema.h"

namespace noclobber {

/// `functional`: the program that the method was made from, if it is known. Inputs then have its names and
/// types, user inputs, state and constants each in its order; without it, state is guessed.
/// error: `where` is "byte N", or empty where the two do not fit together.
Result<Case> case_of_pte(const PteMethod& method, const Graph* functional);

/// The functional program as the method can mean it: operators on dimension orders as the plain ones they
/// are, written user inputs that the runtime copies as copies, operands of branches in the order of their
/// use.
void as_executorch_means(Graph& functional, std::map<std::string, Graph>& bodies, const PteMethod& method);

/// A program that torch.export saved, as the functional program that ExecuTorch begins with. Its bodies are
/// added to `bodies`; what it asserts of `symbols` that their ranges say is left out.
void as_executorch_lowers(Graph& exported, std::map<std::string, Graph>& bodies,
                          const std::map<std::string, SymbolRange>& symbols = {});

/// `wanted`, or that with a number, as no value of the graph is called.
std::string free_name(const Graph& graph, const std::string& wanted);

/// `next`, the next step of `graph`, in the words of the core of ATen, if it is spelled otherwise; all but
/// the last step are appended here.
void respell(Graph& graph, Step& next);

/// `next`, the next step of `graph`, as steps of ExecuTorch's dialect: all but the last are appended here.
void decompose(Graph& graph, Step& next);

/// Which arguments of calls of delegates are results: what their payloads say, else a guess from the names.
void split_delegate_calls(PteMethod& method);

/// Tells every method of all state in arenas that it shares with others. Bound: arenas up to 16.
void share_states(std::vector<PteMethod>& methods);
inline constexpr std::size_t kMostSharedArenas = 17;

/// The methods of a program as they are lowered: who writes what is known of each. error: as read_pte.
Result<std::vector<PteMethod>> open_pte(std::string_view bytes);

/// Constants that hold the same are one: a .pte has one place for them.
void merge_equal_constants(Graph& functional);

/// Numbers that were made of bytes, moved, made bytes again and numbers again are those that were moved: in a
/// quantised program that XNNPACK runs, nothing comes between two operators that only move.
void forget_requantised(Graph& functional, const PteMethod& program);
/// Is each element what some byte of that scale stands for, and only moved since?
bool stands_for_bytes(const Graph& graph, ValueId value, double scale, std::int64_t zero);
/// Is each byte the one that is made of the number that it stands for? By the arithmetic of PyTorch, in f32.
bool bytes_return(double scale, std::int64_t zero);

/// Bytes of large constants are let go: digests tell them apart.
void forget_weights(Graph& graph);

/// What either graph says of a constant's contents both say; constants that only the program has are inputs
/// of the functional one too, which nothing there reads.
void know_constants(Graph& functional, Graph& program);

/// Leaves out trailing and keyword arguments that say what holds anyway.
void without_defaults(const Schema& schema, Step& step);

}  // namespace noclobber
