// What calls make: its type, and where the program puts it.
#include <algorithm>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

/// One name for an operator and its copying form, and for those that ExecuTorch writes as one.
std::string same_spelling(std::string op) {
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {
      {"aten.transpose.int", "aten.permute.default"},
      {"aten.t.default", "aten.permute.default"},
      {"aten.contiguous.default", "aten.clone.default"},
      {"aten.squeeze.dim", "aten.squeeze.dims"}};
  if (const std::size_t at = op.find("_copy."); at != std::string::npos) op.erase(at, 5);
  const auto* const row = std::ranges::find(kSame, op, &std::pair<std::string_view, std::string_view>::first);
  return row == std::end(kSame) ? op : std::string(row->second);
}

}  // namespace

/// Of two results, does the operand say which value it is? unknown: nothing is known of it.
enum class PteBuilder::Same : std::uint8_t { yes, no, unknown };

/// What a value of the program is in the functional one, seen through views.
PteBuilder::Same PteBuilder::same_value(ValueId made, ValueId meant) const {
  const auto root = [](const Graph& graph, ValueId id) {
    while (id.valid() && graph.value(id).from == Value::From::step) {
      const Step& step = graph.steps[graph.value(id).at];
      if (same_spelling(step.op) != "aten.view.default" || step.args.empty()) break;
      id = step.args[0].ref;
    }
    return id;
  };
  const auto known = meant_.find(root(levels_.front().graph, made).index);
  if (known == meant_.end()) return Same::unknown;
  return known->second == root(*functional_, meant) ? Same::yes : Same::no;
}

PteBuilder::Same PteBuilder::same_operands(const Step& made, const Step& meant) const {
  Same out = Same::unknown;
  for (std::size_t k = 0; k < made.args.size() && k < meant.args.size(); ++k) {
    const Arg &a = made.args[k], &b = meant.args[k];
    if (a.kind == Arg::Kind::ref && b.kind == Arg::Kind::ref) {
      const Same one = same_value(a.ref, b.ref);
      if (one == Same::no) return Same::no;
      if (one == Same::yes) out = Same::yes;
    } else if (a.kind == Arg::Kind::sym && b.kind == Arg::Kind::sym && a.sym.is_constant() &&
               b.sym.is_constant() && a.sym != b.sym) {
      return Same::no;
    }
  }
  return out;
}

/// Can what the call makes be put where the program puts it?
bool PteBuilder::fit(const Step& meant, const std::vector<std::uint32_t>& outs) const {
  for (std::size_t k = 0; k < outs.size() && k < meant.results.size(); ++k) {
    if (!meant.results[k].valid()) continue;
    const auto& type = functional_->value(meant.results[k]).type;
    if (type && !may_hold(*type, tensor(outs[k]))) return false;
  }
  return true;
}

/// The call of the functional program that a call of the program stands for: of those of its operator that
/// none stands for yet, the first that is given the same values, else the one in its order.
const Step* PteBuilder::meant_by(const Step& made, const std::vector<std::uint32_t>& outs) {
  const std::string wanted = same_spelling(made.op);
  const std::size_t nth = calls_[wanted]++;
  std::size_t count = 0;
  const Step *in_order = nullptr, *first = nullptr;
  for (const Step& step : functional_->steps) {
    if (same_spelling(step.op) != wanted) continue;
    if (count++ == nth) in_order = &step;
    if (stood_for_.contains(&step) || !fit(step, outs)) continue;
    const Same same = same_operands(made, step);
    if (same == Same::yes) return &step;
    if (same == Same::unknown && first == nullptr) first = &step;
  }
  const bool fits = in_order != nullptr && !stood_for_.contains(in_order) && fit(*in_order, outs) &&
                    same_operands(made, *in_order) != Same::no;
  return fits || first == nullptr ? in_order : first;
}

/// Sizes of which the program states bounds alone: those of the same call of the functional program.
void PteBuilder::type_like_functional(const Step& made, const std::vector<std::uint32_t>& outs) {
  if (functional_ == nullptr || levels_.size() > 1) return;
  const Step* meant = meant_by(made, outs);
  if (meant == nullptr) return;
  stood_for_.insert(meant);
  for (std::size_t k = 0; k < made.results.size() && k < meant->results.size(); ++k) {
    if (!meant->results[k].valid()) continue;
    meant_[made.results[k].index] = meant->results[k];
    Value& value = graph().values[made.results[k].index];
    const auto& type = functional_->value(meant->results[k]).type;
    if (value.type || !type) continue;
    if (!may_hold(*type, tensor(outs[k])))
      return static_cast<void>(give_up("executorch.result of another type than its tensor"));
    value.type = dense(outs[k], type->dtype, type->shape);
  }
}

/// Can a value of this type be put into the tensor? Sizes of a dynamic one are bounds: the plan is held to
/// those.
bool PteBuilder::may_hold(const Type& type, const PteTensor& in) {
  const auto fits = [&](const SymExpr& size, std::int64_t own) {
    return in.dynamic || !size.is_constant() || size.constant() == own;
  };
  return type.dtype == in.dtype && std::ranges::equal(type.shape, in.sizes, fits);
}

/// One result per written tensor, each where the program puts it.
void PteBuilder::write_results(Step made, const std::vector<std::uint32_t>& outs) {
  const auto number = static_cast<std::uint32_t>(graph().steps.size());
  for (std::uint32_t k = 0; k < outs.size(); ++k)
    made.results.push_back(add_value(
        {names_.fresh("t" + std::to_string(outs[k])), Value::From::step, number, k, type_of(outs[k])}));
  type_like_functional(made, outs);
  if (!going()) return;
  for (std::size_t k = 0; k < outs.size(); ++k)
    if (const auto& type = graph().value(made.results[k]).type; type && !may_hold(*type, tensor(outs[k])))
      return static_cast<void>(give_up("executorch.result of another type than its tensor"));
  const std::vector<ValueId> values = made.results;
  graph().steps.push_back(std::move(made));
  for (std::size_t k = 0; k < outs.size(); ++k) {
    if (bound_[outs[k]] >= 0) return static_cast<void>(give_up("executorch.write to a name that was moved"));
    const std::int32_t held = own_[outs[k]];
    define_placed(outs[k], values[k]);
    if (needs_place(outs[k])) out_.plan->required.push_back(scoped(values[k]));
    if (held >= 0 && is_given(outs[k])) store_into(held, outs[k], values[k]);
  }
}

/// Behind its arguments a call names what it returns, which the runtime stores there: what it wrote, or a
/// list of it.
bool PteBuilder::names_results(std::uint32_t name, const std::vector<std::uint32_t>& outs) const {
  const PteValue& value = method_.values[name];
  if (value.kind == PteValue::Kind::tensor) return outs.size() == 1 && outs[0] == name;
  return value.kind != PteValue::Kind::tensors || std::ranges::equal(value.items, outs);
}

bool PteBuilder::is_input(std::uint32_t id) const {
  return std::ranges::find(method_.inputs, id) != method_.inputs.end();
}

/// Is its memory that of a constant, or the caller's?
bool PteBuilder::is_given(std::uint32_t id) const {
  return is_constant(id) || (is_input(id) && !tensor(id).place);
}

/// What a kernel makes in memory that the method was given is stored there, whoever looks at it.
void PteBuilder::store_into(std::int32_t held, std::uint32_t id, ValueId made) {
  const ValueId target = here(definitions_[static_cast<std::size_t>(held)]);
  const ValueId stored = emit("aten.copy_.default", {Arg::of(target), Arg::of(made)}, type_of(id), "stored");
  own_[id] = define(id, stored, std::nullopt);
}

/// Whoever calls the method brings memory for what it is given and gives back; nobody does for the rest.
bool PteBuilder::needs_place(std::uint32_t id) const {
  const bool is_output = std::ranges::find(method_.outputs, id) != method_.outputs.end();
  return !tensor(id).place && !is_given(id) && !is_output;
}

}  // namespace noclobber
