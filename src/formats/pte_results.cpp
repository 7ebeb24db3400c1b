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

/// Sizes of which the program states bounds alone: those of the same call of the functional program. Calls of
/// one operator come in the same order there.
void PteBuilder::type_like_functional(const Step& made, const std::vector<std::uint32_t>& outs) {
  const std::string wanted = same_spelling(made.op);
  const std::size_t nth = calls_[wanted]++;
  if (functional_ == nullptr || levels_.size() > 1) return;
  std::size_t count = 0;
  for (const Step& step : functional_->steps) {
    if (same_spelling(step.op) != wanted || count++ != nth) continue;
    for (std::size_t k = 0; k < made.results.size() && k < step.results.size(); ++k) {
      Value& value = graph().values[made.results[k].index];
      if (value.type || !step.results[k].valid()) continue;
      const auto& meant = functional_->value(step.results[k]).type;
      if (!meant) continue;
      if (!may_hold(*meant, tensor(outs[k])))
        return static_cast<void>(give_up("executorch.result of another type than its tensor"));
      value.type = dense(outs[k], meant->dtype, meant->shape);
    }
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
