// Builds the graph that an MLX payload runs. Internal to the reader of payloads.
#pragma once
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/base/unique_names.h"
#include "src/graph/case.h"
#include "src/graph/registers.h"
#include "src/lower/mlx/fits.h"
#include "src/lower/mlx/held.h"
#include "src/lower/mlx/ops.h"

namespace noclobber {

/// The contents of a register.
struct MlxHeld {
  enum class Kind : std::uint8_t { nothing, value, number };
  Kind kind = Kind::nothing;
  ValueId value;
  double number = 0;
  Dtype dtype = Dtype::other;  // of a number
  friend bool operator==(const MlxHeld&, const MlxHeld&) = default;
};

/// An executed instruction, the register contents that it read, and the values that it defined.
struct MlxRan {
  const RegisterStep* step = nullptr;
  std::vector<MlxHeld> read;
  std::vector<ValueId> made;
};

/// A register that is overwritten while a later instruction still needs the previous value: instruction
/// `writer` of the main chain replaced the value `meant` of the functional graph in register `at`.
struct MlxOverwritten {
  std::size_t writer = 0;
  std::uint32_t at = 0, meant = 0;  // the register, the value
  std::size_t reader = 0;           // an instruction; their count stands for an output
  friend auto operator<=>(const MlxOverwritten&, const MlxOverwritten&) = default;
};

/// The writes to one register: the instruction and the value of the functional graph, if it is one.
using MlxHistory = std::vector<std::pair<std::size_t, std::optional<std::uint32_t>>>;

/// The contents of the registers that the instruction reads.
std::vector<MlxHeld> mlx_read_by(const RegisterStep& step, const std::vector<MlxHeld>& held);
/// True if a number among the operands is not exact in its half-precision dtype and another operand has
/// another dtype, or an unknown one.
bool mlx_rounds_number(const std::vector<MlxHeld>& read, const Graph& graph);

/// The type of the first result of a step with operands of constant sizes; empty if no rule gives it.
SharedType mlx_result_type(const Graph& graph, const Step& step);
/// The type of a product with a matrix, plus a row `bias`; empty if they do not fit. An empty `bias` is no
/// bias.
SharedType mlx_product_type(const SharedType& a, const SharedType& b, const SharedType& bias);

/// The dtype of a register; `other` if the payload does not state it.
Dtype mlx_dtype_in(const MlxHeldNumbers& numbers, std::uint32_t at);
/// True if the operator has all results of the instruction and its further results are unused.
bool mlx_may_give(const Graph& functional, const Step& meant, const RegisterStep& step);
/// Compares the numbers that an instruction holds with the arguments of the operator.
MlxSays mlx_says(const MlxHeldNumbers& numbers, const Graph& functional, const RegisterStep& step,
                 const Step& meant);

class MlxCase {
 public:
  MlxCase(const RegisterProgram& program, const Graph& functional, const MlxHeldNumbers& numbers,
          const std::set<MlxOverwritten>& overwritten)
      : program_(program),
        functional_(functional),
        numbers_(numbers),
        overwritten_(overwritten),
        held_(std::accumulate(program.counts.begin(), program.counts.end(), std::size_t{0})),
        history_(held_.size()),
        matched_(functional.steps.size()) {}

  Result<Case> read();

  /// Registers that are read after they were overwritten, as read() found. case_of_mlx() adds them to the
  /// set that it constructs the next MlxCase with.
  const std::set<MlxOverwritten>& found() const { return found_; }

 private:
  std::optional<Diagnostic> inputs();
  void constant(std::uint32_t at, const std::string& name);
  void turned_constant(std::uint32_t at, std::string_view weight);
  ValueId of_dtype(ValueId value, Dtype wanted);
  std::optional<Dtype> widened(const RegisterStep& step) const;
  ValueId add_value(std::string name, SharedType type, std::uint32_t result);
  void unknown_chain(const std::vector<RegisterStep>& chain);
  void instruction(const RegisterStep& step);
  void run(const RegisterStep& step);
  bool is_held(std::uint32_t at, const MlxOperand& one) const;
  void find_returned_late();
  std::string odd_reason(const RegisterStep& step) const;
  void find_overwritten(const RegisterStep& step, const MlxOp& kind);
  bool may_write_over(std::uint32_t at, ValueId made) const;
  ValueId write_over(std::uint32_t at, ValueId made, const std::string& name);
  std::vector<std::pair<std::uint32_t, MlxHeld>> as_meant(std::size_t reader);
  bool reads_just(const RegisterStep& step, const std::vector<MlxOperand>& operands) const;
  void assume(const std::string& what);
  Step of_values(const RegisterStep& step, const Step& meant, const std::vector<ValueId>& values,
                 const MlxOp& kind);
  bool could_be(const RegisterStep& step, const MlxOp& kind, std::size_t meant) const;
  bool repeats(const RegisterStep& step);
  bool by_own_numbers(const RegisterStep& step);
  bool product(const RegisterStep& step);
  bool like_another(const RegisterStep& step, const MlxOp& kind, bool loosely);
  std::vector<ValueId> values_of(const RegisterStep& step);
  std::vector<ValueId> promoted_values(const RegisterStep& step);
  bool stand_for(const RegisterStep& step, const MlxOp& kind);
  bool compute(const RegisterStep& step, std::string_view op);
  bool next_of_kind(const RegisterStep& step, const MlxOp& kind);
  MlxFit fit_of(const RegisterStep& step) const;
  bool is_shaped(std::uint32_t at, const SharedType& type) const;
  SharedType odd_type(const RegisterStep& step, const Step& made) const;
  void opaque(const RegisterStep& step);
  std::string odd_name(const RegisterStep& step, std::size_t result) const;
  void push(Step made, const RegisterStep& step, const Step* meant);
  std::vector<ValueId> values_read(const RegisterStep& step) const;
  void outputs();

  const RegisterProgram& program_;
  const Graph& functional_;
  const MlxHeldNumbers& numbers_;
  const std::set<MlxOverwritten>& overwritten_;
  std::set<MlxOverwritten> found_;
  std::size_t number_ = 0;                      // of the current instruction
  std::map<std::size_t, std::string> refused_;  // instruction of the main chain -> why it fails
  std::vector<MlxHeld> held_;
  std::vector<MlxHistory> history_;  // per register
  std::vector<MlxRan> ran_;
  std::vector<bool> matched_;                           // per step of the functional graph
  std::map<std::uint32_t, std::uint32_t> same_;         // value of the functional graph -> value of `graph_`
  std::map<std::uint32_t, std::uint32_t> register_of_;  // of state inputs
  Graph graph_;
  UniqueNames names_;
  std::set<std::pair<std::size_t, std::uint32_t>> written_over_;  // (instruction, register)
  std::vector<std::string> assumed_;
};

}  // namespace noclobber
