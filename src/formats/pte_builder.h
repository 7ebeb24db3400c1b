// Builds the graph of one method. Internal to the .pte reader.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/unique_names.h"
#include "src/formats/pte_case.h"
#include "src/formats/pte_memory.h"
#include "src/ops/schema.h"

namespace noclobber {

/// Neither given by the caller nor ever written.
inline bool is_constant_input(const Input& input) {
  return input.kind != Input::Kind::user && !input.may_write.value_or(false);
}

/// Of a value that lies there.
PlanBuffer pte_buffer(std::string name, const PteTensor::Place& place, std::int64_t bytes);

class PteBuilder {
 public:
  PteBuilder(const PteMethod& method, const Graph* functional) : method_(method), functional_(functional) {}
  Result<Case> build();

 private:
  /// A tensor that something made, by its name in the graph of level `level`.
  struct Definition {
    ValueId value;
    std::uint32_t id = 0;  // the value of the program that was written
    std::size_t level = 0;
    std::optional<PteTensor::Place> place;
  };
  /// A graph under construction: the method's, or a body inside it.
  struct Level {
    Graph graph;
    std::map<std::uint32_t, ValueId> imported;  // values of the level below, by index
    std::vector<ValueId> operands;              // of the level below, in the order of their first use
    std::map<std::pair<std::uint32_t, std::int32_t>, ValueId> views;  // of (value, definition)
  };

  // pte_inputs.cpp
  std::vector<std::uint32_t> tensor_inputs() const;
  void add_inputs();
  void match_functional();
  std::optional<std::uint32_t> state_of(const Input& input, std::vector<std::uint32_t>& held);
  void assume(const std::string& what);

  // pte_constants.cpp
  std::vector<std::optional<std::uint32_t>> match_contents(std::vector<std::uint32_t>& constant);
  bool may_be(const Input& input, std::uint32_t id) const;
  void add_unmatched(const std::vector<std::uint32_t>& constant);
  void add_of_file_alone(std::uint32_t id);
  void add_lifted(std::vector<std::uint32_t>& constant, std::size_t wanted);
  std::vector<std::uint32_t> constants() const;
  bool is_constant(std::uint32_t id) const;
  bool is_input(std::uint32_t id) const;

  // pte_inputs.cpp
  bool is_written_back(std::uint32_t id) const;
  void guess_inputs();
  void add_shared();
  bool is_named_state(std::uint32_t id) const;
  bool surely_state(std::uint32_t id) const;
  bool begins_empty(std::uint32_t id) const;
  struct Touch {
    enum class Kind : std::uint8_t { read, given, made, moved };
    std::uint32_t id = 0;
    Kind kind = Kind::read;
  };
  std::vector<Touch> touches() const;
  std::vector<std::uint32_t> states() const;
  std::uint32_t eldest_at(std::uint32_t id, const std::vector<bool>& written) const;
  void add_input(const Input& like, std::string name, Type type, std::optional<std::uint32_t> id);
  void place_user_input(std::uint32_t id, ValueId value);
  bool same_size(const Graph& functional, const Input& input, std::uint32_t id) const;
  void same_layout(const Type& type, std::uint32_t id);

  // pte_builder.cpp: names and definitions
  Graph& graph() { return levels_.back().graph; }
  const PteTensor& tensor(std::uint32_t id) const { return method_.values[id].tensor; }
  bool going() const { return stopped_.empty() && !fault_; }
  bool is_tensor(std::uint32_t id) const { return method_.values[id].kind == PteValue::Kind::tensor; }
  bool same_shape(std::uint32_t a, std::uint32_t b) const;
  Type dense(std::uint32_t id, Dtype dtype, std::vector<SymExpr> shape) const;
  std::optional<Type> type_of(std::uint32_t id) const;
  Arg sizes_of(std::uint32_t id) const;
  std::int64_t bytes_of(std::uint32_t id) const { return pte_bytes(tensor(id)).value_or(0); }
  ValueId add_value(Value value);
  ValueId emit(std::string op, std::vector<Arg> args, std::optional<Type> type, std::string name);
  std::int32_t define(std::uint32_t id, ValueId value, std::optional<PteTensor::Place> place);
  Diagnostic no_arena(std::uint32_t id) const;
  std::int32_t shown(std::uint32_t id) const { return bound_[id] >= 0 ? bound_[id] : own_[id]; }
  void add_outside();
  std::string scoped(ValueId value);
  std::int32_t define_placed(std::uint32_t id, ValueId value);
  ValueId here(const Definition& made);
  ValueId import(ValueId value, std::size_t from, std::size_t to);
  ValueId read(std::uint32_t id);
  ValueId as_view(std::uint32_t id, std::int32_t definition);
  ValueId from_bytes(std::uint32_t id);
  ValueId part(const Definition& made, const PteMemory::Piece& piece, Dtype dtype);
  ValueId undefined(std::uint32_t id, bool has_place);
  std::optional<Arg> output(std::uint32_t id);
  std::vector<Arg> outputs_unknown();
  ValueId give_up(const std::string& what);

  // pte_calls.cpp
  void run(std::size_t begin, std::size_t end);
  void step(const PteInstruction& instruction);
  void kernel(const PteInstruction& instruction);
  bool special(const std::string& op, const PteInstruction& instruction);
  bool fits_order(std::uint32_t flag, std::uint32_t order, std::uint32_t out);
  void in_place_call(const Schema& schema, const PteInstruction& instruction);
  void pure_call(const Schema& schema, const Schema& pure, const PteInstruction& instruction);
  bool is_elsewhere(std::uint32_t id) const;
  void point_to(std::uint32_t to, std::uint32_t from);
  void name_result(std::uint32_t name, std::uint32_t target);
  void stand_for(std::uint32_t id, ValueId value);
  std::optional<Arg> argument(std::uint32_t id, const SchemaSlot& slot);
  std::optional<Arg> plain_argument(std::uint32_t id, const SchemaSlot& slot);
  void misfit(const PteInstruction& instruction, const std::string& op);

  // pte_variants.cpp
  struct Operator {
    std::optional<Schema> schema;
    const Schema* pure = nullptr;  // of the functional operator, where there is one
    bool derived = false;          // by its name alone
  };
  const Operator& operator_of(const std::string& op) const;
  const Schema* schema_of(const PteInstruction& step) const;

  // pte_results.cpp
  static bool may_hold(const Type& type, const PteTensor& in);
  enum class Same : std::uint8_t;
  Same same_value(ValueId made, ValueId meant) const;
  Same same_operands(const Step& made, const Step& meant) const;
  bool fit(const Step& meant, const std::vector<std::uint32_t>& outs) const;
  const Step* meant_by(const Step& made, const std::vector<std::uint32_t>& outs);
  void type_like_functional(const Step& made, const std::vector<std::uint32_t>& outs);
  void write_results(Step step, const std::vector<std::uint32_t>& outs);
  bool needs_place(std::uint32_t id) const;
  bool names_results(std::uint32_t name, const std::vector<std::uint32_t>& outs) const;
  bool is_given(std::uint32_t id) const;
  void store_into(std::int32_t held, std::uint32_t id, ValueId made);

  // pte_numbers.cpp
  void add_numbers();
  bool numeric(const std::string& op, const PteInstruction& instruction);
  void item(const std::string& op, const PteInstruction& instruction);
  std::string told_by(std::size_t nth, const std::string& op);
  std::optional<SymExpr> size_of(std::uint32_t id, std::int64_t dim);
  bool kernels_take(std::uint32_t id, const SchemaSlot& slot) const;
  bool numbers_return() const;
  std::size_t jump(std::size_t at, std::size_t begin, std::size_t end);
  void store_row(const PteInstruction& instruction);

  // pte_delegates.cpp
  void delegate(const PteInstruction& instruction);
  void pair_delegates();
  std::string contents_of(std::uint32_t number) const;
  std::string name_of(std::uint32_t number) const;
  std::string declare_delegate(const PteInstruction& call);
  void add_dropped_results(std::size_t step, const Step& meant);

  // pte_branches.cpp
  struct Arm {
    Level level;
    std::vector<std::pair<std::uint32_t, std::int32_t>> moves;  // value -> definition, in order
  };
  std::size_t branch(std::size_t at, std::size_t end);
  Arm run_arm(const std::string& name, std::size_t begin, std::size_t end);
  void common_moves(std::vector<Arm>& arms);
  void join(ValueId condition, std::vector<Arm> arms);
  void share_operands(std::vector<Arm>& arms);

  const PteMethod& method_;
  const Graph* functional_;
  Case out_;
  std::vector<Level> levels_;
  std::vector<Definition> definitions_;
  std::vector<bool> made_;                       // per value: a call makes all of it, somewhere
  std::vector<std::int32_t> own_;                // per value: what an instruction wrote under its name last
  std::vector<std::int32_t> bound_;              // per value: what a move or view made it stand for
  std::vector<std::optional<SymExpr>> numbers_;  // per value: the number it holds now, if that is known
  std::map<std::uint32_t, std::int64_t> rows_;   // of tensors stored row by row: how many there are
  std::size_t executed_ = 0;                     // instructions, with those of every trip of loops
  PteMemory memory_;
  std::vector<std::pair<std::uint32_t, std::int32_t>> moves_;       // of the arm that is being built
  std::vector<std::pair<PteTensor::Place, std::int64_t>> written_;  // places and ends, in order
  std::set<std::uint32_t> unsettled_;  // moved by one arm of a branch, and not written since
  std::set<std::uint32_t> used_;       // read or written under their own names
  UniqueNames names_;
  std::optional<Diagnostic> fault_;
  std::string stopped_;  // what was not understood: the rest of the graph is left out
  std::size_t conds_ = 0;
  std::map<std::string, std::size_t> calls_;  // so far, by operator
  std::map<std::uint32_t, ValueId> meant_;    // of the functional program, by value of the method's graph
  std::set<const Step*> stood_for_;           // calls of the functional program
  mutable std::map<std::string, Operator> operators_;  // those that were asked for
  std::map<std::uint32_t, std::string> delegates_;     // those called so far, with their schemas
  std::map<std::uint32_t, const Step*> paired_;  // the functional program's first call of the same, by number
};

}  // namespace noclobber
