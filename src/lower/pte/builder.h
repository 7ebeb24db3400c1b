// Builds the graph of one method. Internal to the .pte reader.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/unique_names.h"
#include "src/lower/pte/case.h"
#include "src/lower/pte/memory.h"
#include "src/ops/schema.h"

namespace noclobber {

/// Neither given by the caller nor ever written.
inline bool is_constant_input(const Input& input) {
  return input.kind != Input::Kind::user && !input.may_write.value_or(false);
}

/// Of a value that lies there.
PlanBuffer pte_buffer(std::string name, const PteTensor::Place& place, std::int64_t bytes);

/// A tensor that something made, by its name in the graph of level `level`.
struct PteDefinition {
  ValueId value;
  std::uint32_t id = 0;  // the value of the program that was written
  std::size_t level = 0;
  std::optional<PteTensor::Place> place;
};

/// A graph under construction: the method's, or a body inside it.
struct PteLevel {
  Graph graph;
  std::map<std::uint32_t, ValueId> imported;  // values of the level below, by index
  std::vector<ValueId> operands;              // of the level below, in the order of their first use
  std::map<std::pair<std::uint32_t, std::int32_t>, ValueId> views;  // of (value, definition)
};

struct PteOperator {
  std::optional<Schema> schema;
  const Schema* pure = nullptr;  // of the functional operator, where there is one
  bool derived = false;          // by its name alone
};

/// What the values of the program stand for at the instruction that is read.
struct PteNow {
  std::vector<bool> made;                       // per value: a call makes all of it, somewhere
  std::vector<std::int32_t> own;                // per value: what an instruction wrote under its name last
  std::vector<std::int32_t> bound;              // per value: what a move or view made it stand for
  std::vector<std::optional<SymExpr>> numbers;  // per value: the number it holds now, if that is known
  std::map<std::uint32_t, std::int64_t> rows;   // of tensors stored row by row: how many there are
  std::set<std::uint32_t> unsettled;            // moved by one arm of a branch, and not written since
  std::set<std::uint32_t> used;                 // read or written under their own names
};

/// How much of the functional program has been found again.
struct PteMeant {
  std::map<std::string, std::size_t> calls;        // so far, by operator
  std::map<std::uint32_t, ValueId> values;         // by value of the method's graph
  std::set<const Step*> stood_for;                 // its calls
  std::map<std::uint32_t, std::string> delegates;  // those called so far, with their schemas
  std::map<std::uint32_t, const Step*> paired;     // its first call of the same, by number
};

/// The graph of one method while its instructions are read: each kind of instruction is a function of it.
struct PteBuilder {
  PteBuilder(const PteMethod& of, const Graph* means) : method(of), functional(means) {}

  Graph& graph() { return levels.back().graph; }
  const PteTensor& tensor(std::uint32_t id) const { return method.values[id].tensor; }
  bool is_tensor(std::uint32_t id) const { return method.values[id].kind == PteValue::Kind::tensor; }
  bool is_constant(std::uint32_t id) const;
  bool is_input(std::uint32_t id) const;
  std::int64_t bytes_of(std::uint32_t id) const { return pte_bytes(tensor(id)).value_or(0); }
  std::int32_t shown(std::uint32_t id) const { return now.bound[id] >= 0 ? now.bound[id] : now.own[id]; }
  ValueId add_value(Value value);
  std::int32_t define(std::uint32_t id, ValueId value, std::optional<PteTensor::Place> place);
  void assume(const std::string& what);
  bool going() const { return stopped.empty() && !fault; }
  ValueId give_up(const std::string& what);
  void misfit(const PteInstruction& instruction, const std::string& op);

  const PteMethod& method;
  const Graph* functional;
  Case out;
  std::vector<PteLevel> levels;
  std::vector<PteDefinition> definitions;
  PteNow now;
  PteMeant meant;
  PteMemory memory;
  std::vector<std::pair<std::uint32_t, std::int32_t>> moves;       // of the arm that is being built
  std::vector<std::pair<PteTensor::Place, std::int64_t>> written;  // places and ends, in order
  std::size_t executed = 0;  // instructions, with those of every trip of loops
  std::size_t conds = 0;
  UniqueNames names;
  std::optional<Diagnostic> fault;
  std::string stopped;  // what was not understood: the rest of the graph is left out
  mutable std::map<std::string, PteOperator> operators;  // those that were asked for
};

Type dense(const PteBuilder& p, std::uint32_t id, Dtype dtype, std::vector<SymExpr> shape);
std::optional<Type> type_of(const PteBuilder& p, std::uint32_t id);
Arg sizes_of(const PteBuilder& p, std::uint32_t id);
bool same_shape(const PteBuilder& p, std::uint32_t a, std::uint32_t b);
ValueId emit(PteBuilder& p, std::string op, std::vector<Arg> args, std::optional<Type> type,
             std::string name);
std::string scoped(PteBuilder& p, ValueId value);
std::int32_t define_placed(PteBuilder& p, std::uint32_t id, ValueId value);
ValueId here(PteBuilder& p, const PteDefinition& made);
ValueId read(PteBuilder& p, std::uint32_t id);
ValueId as_view(PteBuilder& p, std::uint32_t id, std::int32_t definition);

}  // namespace noclobber
