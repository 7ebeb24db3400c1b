// Builds the graph that a payload of MLX runs. Internal to the reader of payloads.
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

/// What a register holds.
struct MlxHeld {
  enum class Kind : std::uint8_t { nothing, value, number };
  Kind kind = Kind::nothing;
  ValueId value;
  double number = 0;
  Dtype dtype = Dtype::other;  // of a number
  friend bool operator==(const MlxHeld&, const MlxHeld&) = default;
};

/// An instruction that ran, on what, and the values that it made.
struct MlxRan {
  const RegisterStep* step = nullptr;
  std::vector<MlxHeld> read;
  std::vector<ValueId> made;
};

/// A register that got another array while a later instruction still means the one that it held: instruction
/// `writer` of the main chain took the place of what the value of the functional graph was in.
struct MlxOverwritten {
  std::size_t writer = 0;
  std::uint32_t at = 0, meant = 0;  // the register, the value
  std::size_t reader = 0;           // the count of instructions: what is returned
  friend auto operator<=>(const MlxOverwritten&, const MlxOverwritten&) = default;
};

/// Which instruction stored in a register what value of the functional graph, if it is one.
using MlxHistory = std::vector<std::pair<std::size_t, std::optional<std::uint32_t>>>;

/// What the instruction reads.
std::vector<MlxHeld> mlx_read_by(const RegisterStep& step, const std::vector<MlxHeld>& held);
/// Is a number among what it reads another one in half precision, while arrays of `graph` have more?
bool mlx_rounds_number(const std::vector<MlxHeld>& read, const Graph& graph);

/// Of the first result of a step whose operands are of known sizes; nothing where no rule tells.
SharedType mlx_result_type(const Graph& graph, const Step& step);
/// Of a product with a matrix, and a row that is added to each; nothing where they do not fit. `bias`:
/// nothing for none.
SharedType mlx_product_type(const SharedType& a, const SharedType& b, const SharedType& bias);

/// `other` where the payload does not say which a register has.
Dtype mlx_dtype_in(const MlxHeldNumbers& numbers, std::uint32_t at);
/// Are the results of the operator those of the instruction, but for some that nobody uses?
bool mlx_may_give(const Graph& functional, const Step& meant, const RegisterStep& step);
/// Do the numbers that an instruction holds say that it is that operator?
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

  /// What instructions read too late, beyond what the case was made with.
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
  std::size_t number_ = 0;                      // of the instruction
  std::map<std::size_t, std::string> refused_;  // which instructions of the main chain stop, and why
  std::vector<MlxHeld> held_;
  std::vector<MlxHistory> history_;  // per register
  std::vector<MlxRan> ran_;
  std::vector<bool> matched_;                           // per step of the functional graph
  std::map<std::uint32_t, std::uint32_t> same_;         // values of the functional graph that are values here
  std::map<std::uint32_t, std::uint32_t> register_of_;  // of inputs that last
  Graph graph_;
  UniqueNames names_;
  std::set<std::pair<std::size_t, std::uint32_t>> written_over_;  // by which instruction, which register
  std::vector<std::string> assumed_;
};

}  // namespace noclobber
