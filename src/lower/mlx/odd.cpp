// MLX instructions that stand for no operator of the graph. What they compute follows from their kind, from
// their numbers, or from a similar operator of the graph.
#include <algorithm>
#include <utility>

#include "src/lower/mlx/values.h"
#include "src/ops/infer.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

bool compares(std::string_view op) {
  constexpr std::string_view kOps[] = {"aten.lt.Tensor", "aten.le.Tensor", "aten.gt.Tensor",
                                       "aten.ge.Tensor", "aten.eq.Tensor", "aten.ne.Tensor"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

Step times(Arg x, double by) {
  Step out;
  out.op = "aten.mul.Tensor";
  out.args = {std::move(x), Arg::of_real(by)};
  return out;
}

bool is_called(const Graph& functional, std::string_view op) {
  return std::ranges::any_of(functional.steps, [&](const Step& step) { return base_name(step.op) == op; });
}

/// True if the number is exact in its dtype. All dtypes but those of half precision count as exact.
bool mlx_holds(const MlxHeld& number) {
  return number.dtype == Dtype::f32 || holds_exactly(number.dtype, number.number);
}

bool takes_any_order(std::string_view op) {
  constexpr std::string_view kAll[] = {"aten.add.Tensor", "aten.mul.Tensor", "aten.maximum.default",
                                       "aten.minimum.default"};
  return std::ranges::find(kAll, op) != std::end(kAll);
}

}  // namespace

Dtype mlx_dtype_in(const MlxHeldNumbers& numbers, std::uint32_t at) {
  const auto found = numbers.dtypes.find(at);
  return found == numbers.dtypes.end() ? Dtype::other : found->second;
}

/// The value, converted to `wanted` if that is known and another dtype than its own.
ValueId MlxCase::of_dtype(ValueId value, Dtype wanted) {
  const SharedType type = graph_.value(value).type;
  if (wanted == Dtype::other || !type || type->dtype == wanted) return value;
  Type made = *type;
  made.dtype = wanted;
  Step copy;
  copy.op = "aten._to_copy.default";
  copy.args = {Arg::of(value)};
  copy.kwargs = {{"dtype", Arg::of_dtype(wanted)}};
  copy.results = {
      add_value(graph_.value(value).name + "_as_" + std::string(name(wanted)), std::move(made), 0)};
  graph_.steps.push_back(copy);
  return copy.results[0];
}

/// MLX numbers are arrays whose dtype takes part in promotion. Returns the promoted dtype of all operands if
/// it differs from that of the tensors alone.
std::optional<Dtype> MlxCase::widened(const RegisterStep& step) const {
  std::optional<Dtype> tensors, all;
  for (const std::uint32_t at : step.reads) {
    const MlxHeld& held = held_[at];
    const bool value = held.kind == MlxHeld::Kind::value;
    if (value && !graph_.value(held.value).type) return std::nullopt;
    const Dtype own = value ? graph_.value(held.value).type->dtype : held.dtype;
    if (own == Dtype::other) continue;
    all = all ? promoted(*all, own) : own;
    if (value) tensors = tensors ? promoted(*tensors, own) : own;
  }
  return tensors && all != tensors ? all : std::nullopt;
}

bool mlx_rounds_number(const std::vector<MlxHeld>& read, const Graph& graph) {
  return std::ranges::any_of(read, [&](const MlxHeld& number) {
    if (number.kind != MlxHeld::Kind::number || mlx_holds(number)) return false;
    return std::ranges::any_of(read, [&](const MlxHeld& other) {
      const bool value = other.kind == MlxHeld::Kind::value;
      const SharedType type = value ? graph.value(other.value).type : SharedType();
      return value && (!type || type->dtype != number.dtype);
    });
  });
}

/// The values that the instruction reads, with numbers as tensors of one element. Fewer than it reads if a
/// register is empty or the dtype of a number is unknown.
std::vector<ValueId> MlxCase::values_of(const RegisterStep& step) {
  std::vector<ValueId> out;
  for (const std::uint32_t at : step.reads) {
    MlxHeld& held = held_[at];
    if (held.kind == MlxHeld::Kind::value) out.push_back(held.value);
    if (held.kind != MlxHeld::Kind::number || held.dtype == Dtype::other) continue;
    Step made;
    made.op = "aten.full.default";
    made.args = {Arg::of(std::vector<Arg>{}), Arg::of_real(held.number)};
    made.kwargs = {{"dtype", Arg::of_dtype(held.dtype)}};
    Type type;
    type.dtype = held.dtype;
    made.results = {add_value("number", std::move(type), 0)};
    graph_.steps.push_back(made);
    out.push_back(made.results[0]);
  }
  return out;
}

/// Emits the operator that the instruction's own numbers determine, on the values in its registers.
bool MlxCase::by_own_numbers(const RegisterStep& step) {
  const auto at = numbers_.steps.find(step.at);
  const auto own = at == numbers_.steps.end() ? std::nullopt : own_operator(step.op, at->second);
  const std::vector<ValueId> values = own ? values_of(step) : std::vector<ValueId>();
  if (!own || values.size() != step.reads.size()) return false;
  Step made;
  made.op = own->op;
  for (const ValueId id : values) made.args.push_back(Arg::of(id));
  if (own->list) made.args = {Arg::of(std::move(made.args))};
  if (made.op == "aten.rms_norm.default") {
    const SharedType type = graph_.value(values[0]).type;
    if (!type || type->shape.empty()) return false;
    made.args.insert(made.args.begin() + 1, Arg::of({Arg::of(type->shape.back())}));
  }
  made.args.insert(made.args.end(), own->args.begin(), own->args.end());
  made.kwargs = own->kwargs;
  push(std::move(made), step, nullptr);
  return true;
}

/// The operands, converted to their promoted dtype, as MLX does and products of PyTorch do not.
std::vector<ValueId> MlxCase::promoted_values(const RegisterStep& step) {
  std::vector<ValueId> out = values_of(step);
  Dtype all = Dtype::other;
  for (const ValueId id : out) {
    const SharedType type = graph_.value(id).type;
    if (!type || type->dtype == Dtype::other) return out;
    all = all == Dtype::other ? type->dtype : promoted(all, type->dtype);
  }
  for (ValueId& id : out) id = of_dtype(id, all);
  return out;
}

/// Emits mlx.addmm for a matrix that fits, else aten.matmul. A bias that does not fit is added separately.
bool MlxCase::product(const RegisterStep& step) {
  const auto at = numbers_.steps.find(step.at);
  if (step.op != "AddmmNode") return false;
  const std::vector<ValueId> values = promoted_values(step);
  if (at == numbers_.steps.end() || at->second.size() < 6 || values.size() < 2) return false;
  if (std::ranges::any_of(values, [&](ValueId id) { return !graph_.value(id).type; })) return false;
  const auto type = [&](std::size_t k) {
    return k < values.size() ? graph_.value(values[k]).type : SharedType();
  };
  const auto factor = [&](std::size_t k) { return at->second[k] ? (*at->second[k])[0] : 1; };
  const auto part = [&](Step one, SharedType known) {
    if (!known) known = mlx_result_type(graph_, one);
    one.results = {add_value("slot" + std::to_string(step.writes[0]) + "_part", std::move(known), 0)};
    graph_.steps.push_back(std::move(one));
    return Arg::of(graph_.steps.back().results[0]);
  };
  const bool adds = values.size() > 2;
  const double alpha = factor(4), beta = adds ? factor(5) : 1;
  const SharedType alone = mlx_product_type(type(0), type(1), {});
  const SharedType whole = alone && adds ? mlx_product_type(type(0), type(1), type(2)) : alone;
  Step made;
  made.op = alone ? "mlx.addmm.default" : "aten.matmul.default";
  made.args = {Arg::of(values[0]), Arg::of(values[1])};
  if (whole && adds) made.args.push_back(Arg::of(values[2]));
  if (alone && alpha != 1) made.kwargs.edit().emplace_back("alpha", Arg::of_real(alpha));
  if (whole && beta != 1) made.kwargs.edit().emplace_back("beta", Arg::of_real(beta));
  if (!alone && alpha != 1) made = times(part(std::move(made), {}), alpha);
  if (!whole && adds) {
    const Arg product = part(std::move(made), alone);
    const Arg row = beta != 1 ? part(times(Arg::of(values[2]), beta), {}) : Arg::of(values[2]);
    made = {};
    made.op = "aten.add.Tensor";
    made.args = {product, row};
  }
  const std::size_t number = graph_.steps.size();
  push(std::move(made), step, nullptr);
  if (whole) graph_.values[graph_.steps[number].results[0].index].type = whole;
  return true;
}

/// Emits a copy of a functional operator that has the same numbers and operands of the same types.
/// `loosely`: operands of any type, for which the instruction may fail or give a result of another type.
bool MlxCase::like_another(const RegisterStep& step, const MlxOp& kind, bool loosely) {
  const std::vector<ValueId> values = loosely ? values_of(step) : values_read(step);
  if (values.empty() || values.size() != step.reads.size()) return false;
  const auto alike = [&](const MlxOperand& one, ValueId value) {
    const SharedType meant = functional_.value(one.tensor).type, own = graph_.value(value).type;
    return loosely || (meant && own && meant->shape == own->shape && meant->dtype == own->dtype);
  };
  for (const Step& meant : functional_.steps) {
    if (!is_mlx_kin(kind, meant.op) || !mlx_may_give(functional_, meant, step) ||
        mlx_says(numbers_, functional_, step, meant) != MlxSays::same ||
        !std::ranges::equal(mlx_tensors(meant), values, alike))
      continue;
    const std::size_t at = graph_.steps.size();
    push(of_values(step, meant, values, kind), step, nullptr);
    for (std::size_t k = 0; !loosely && k < graph_.steps[at].results.size(); ++k)
      if (meant.results[k].valid())
        graph_.values[graph_.steps[at].results[k].index].type = functional_.value(meant.results[k]).type;
    return true;
  }
  return false;
}

/// Emits the operator `op` of the instruction's kind. `op` is "" if the instruction holds numbers.
bool MlxCase::compute(const RegisterStep& step, std::string_view op) {
  if (op.empty() || step.writes.size() != 1 || step.reads.empty()) return false;
  Step made;
  made.op = op;
  std::size_t numbers = 0;
  const std::optional<Dtype> wide = widened(step);
  for (const std::uint32_t at : step.reads) {
    const MlxHeld& held = held_[at];
    if (held.kind == MlxHeld::Kind::nothing) return false;
    const bool number = held.kind == MlxHeld::Kind::number;
    numbers += number ? 1 : 0;
    made.args.push_back(number ? Arg::of_real(held.number)
                               : Arg::of(wide ? of_dtype(held.value, *wide) : held.value));
  }
  if (made.args.size() == 2 && made.args[0].kind != Arg::Kind::ref && takes_any_order(made.op))
    std::swap(made.args[0], made.args[1]);
  if (made.args[0].kind != Arg::Kind::ref) return false;
  const bool clamps = made.op == "aten.clamp.Tensor";
  if (clamps && made.args.size() == 2) {
    const auto at = numbers_.steps.find(step.at);
    const auto given = [&](std::size_t k) {
      return at != numbers_.steps.end() && k < at->second.size() && at->second[k] && (*at->second[k])[0] == 1;
    };
    if (given(2) == given(3)) return false;
    if (given(3)) made.args.insert(made.args.begin() + 1, Arg());
  } else if (clamps && (made.args.size() != 3 || numbers == 1)) {
    return false;
  }
  const bool second = numbers > 0 && made.args.size() == 2 && made.args[1].kind == Arg::Kind::real;
  if (second && compares(made.op)) made.op.edit().replace(made.op->rfind('.'), std::string::npos, ".Scalar");
  if (second && made.op == "aten.maximum.default" && made.args[1].real == 0 &&
      is_called(functional_, "aten.relu"))
    made.op = "aten.relu.default", made.args.pop_back();
  if (numbers > 0 && made.op == "aten.maximum.default") made.op = "aten.clamp_min.default";
  if (numbers > 0 && made.op == "aten.minimum.default") made.op = "aten.clamp_max.default";
  if (numbers > 0 && made.op == "aten.pow.Tensor_Tensor") made.op = "aten.pow.Tensor_Scalar";
  if (numbers > 0 && clamps) made.op = "aten.clamp.default";
  push(std::move(made), step, nullptr);
  return true;
}

/// Emits the next unmatched operator of the kind on the values in the registers, which differ from its
/// operands. Only if the graph has as many operators of the kind as there are instructions.
bool MlxCase::next_of_kind(const RegisterStep& step, const MlxOp& kind) {
  std::size_t instructions = 0, operators = 0;
  const Step* next = nullptr;
  for (const RegisterStep& one : program_.chains[program_.main]) instructions += one.op == step.op ? 1 : 0;
  const std::vector<ValueId> values = values_read(step);
  for (std::size_t k = 0; k < functional_.steps.size(); ++k) {
    if (!is_mlx_kin(kind, functional_.steps[k].op)) continue;
    ++operators;
    if (next != nullptr || matched_[k] ||
        mlx_says(numbers_, functional_, step, functional_.steps[k]) == MlxSays::other)
      continue;
    next = &functional_.steps[k];
    if (mlx_tensors(*next).size() != values.size() || !mlx_may_give(functional_, *next, step)) return false;
  }
  if (instructions != operators || next == nullptr || values.size() != step.reads.size()) return false;
  push(of_values(step, *next, values, kind), step, nullptr);
  matched_[static_cast<std::size_t>(next - functional_.steps.data())] = true;
  return true;
}

/// Emits an unknown operator.
void MlxCase::opaque(const RegisterStep& step) {
  Step made;
  made.op = "mlx." + (step.op.empty() ? "unknown" : step.op) + ".default";
  for (const ValueId id : values_read(step)) made.args.push_back(Arg::of(id));
  push(std::move(made), step, nullptr);
}

/// The name of a result of no known operator: "slot5_for_b" if its register should hold b, the result of the
/// first unmatched operator of the kind, else "slot5".
std::string MlxCase::odd_name(const RegisterStep& step, std::size_t result) const {
  const std::string name = "slot" + std::to_string(step.writes[result]);
  const MlxOp kind = mlx_op_of(step.op);
  for (std::size_t k = 0; k < functional_.steps.size(); ++k) {
    const Step& meant = functional_.steps[k];
    if (matched_[k] || !is_mlx_kin(kind, meant.op) || result >= meant.results.size()) continue;
    return meant.results[result].valid() ? name + "_for_" + functional_.value(meant.results[result]).name
                                         : name;
  }
  return name;
}

}  // namespace noclobber
