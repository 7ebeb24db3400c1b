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

/// True if the caller does not give the input and it is not known to be written.
inline bool is_constant_input(const Input& input) {
  return input.kind != Input::Kind::user && !input.may_write.value_or(false);
}

/// The plan buffer of a value of `bytes` bytes at `place`.
PlanBuffer pte_buffer(std::string name, const PteTensor::Place& place, std::int64_t bytes);

/// A definition of a tensor: its value in the graph of level `level`.
struct PteDefinition {
  ValueId value;
  std::uint32_t id = 0;  // the program's value that it defines
  std::size_t level = 0;
  std::optional<PteTensor::Place> place;
};

/// A graph under construction: the method's, or a body inside it.
struct PteLevel {
  Graph graph;
  std::map<std::uint32_t, ValueId> imported;  // inputs for values of the level below, by their index
  std::vector<ValueId> operands;              // values of the level below, in the order of their first use
  std::map<std::pair<std::uint32_t, std::int32_t>, ValueId> views;  // by (value, definition)
};

struct PteOperator {
  std::optional<Schema> schema;
  const Schema* pure = nullptr;  // of the functional operator; nullptr if there is none
  bool derived = false;          // the schema was derived from the name alone
};

/// The state of the program's values at the current instruction.
struct PteNow {
  std::vector<bool> made;                       // per value: some call of the method writes all of it
  std::vector<std::int32_t> own;                // per value: last definition under its own name, or -1
  std::vector<std::int32_t> bound;              // per value: definition bound by a move or view, or -1
  std::vector<std::optional<SymExpr>> numbers;  // per value: the number it holds now, if known
  std::map<std::uint32_t, std::int64_t> rows;   // number of rows stored, of tensors stored row by row
  std::set<std::uint32_t> unsettled;            // moved by only one arm of a branch, not written since
  std::set<std::uint32_t> used;                 // read or written under their own names
};

/// The part of the functional program that has been matched so far.
struct PteMeant {
  std::map<std::string, std::size_t> calls;        // number of calls so far, by operator
  std::map<std::uint32_t, ValueId> values;         // functional values, by value of the method's graph
  std::set<const Step*> stood_for;                 // functional calls that are matched
  std::map<std::uint32_t, std::string> delegates;  // schemas of the delegates called so far, by number
  std::map<std::uint32_t, const Step*> paired;     // first functional call of a delegate, by its number
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
  std::vector<std::pair<std::uint32_t, std::int32_t>> moves;       // of the arm under construction
  std::vector<std::pair<PteTensor::Place, std::int64_t>> written;  // places and ends, in order
  std::size_t executed = 0;  // instructions, counted in every trip of a loop
  std::size_t conds = 0;
  UniqueNames names;
  std::optional<Diagnostic> fault;
  std::string stopped;  // what was not understood; the rest of the graph is omitted
  mutable std::map<std::string, PteOperator> operators;  // cache of operator_of
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
