#include "src/lower/pte/results.h"

#include <algorithm>

#include "src/lower/pte/builder.h"

namespace noclobber {
namespace {

/// One name for an operator and its copying form, and for operators that ExecuTorch writes as one.
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

/// Whether two values are the same. unknown: the value has no known counterpart.
enum class PteSame : std::uint8_t { yes, no, unknown };

/// Compares a value of the program with one of the functional program, looking through views.
PteSame same_value(const PteBuilder& p, ValueId made, ValueId meant) {
  const auto root = [](const Graph& graph, ValueId id) {
    while (id.valid() && graph.value(id).from == Value::From::step) {
      const Step& step = graph.steps[graph.value(id).at];
      if (same_spelling(step.op) != "aten.view.default" || step.args.empty()) break;
      id = step.args[0].ref;
    }
    return id;
  };
  const auto known = p.meant.values.find(root(p.levels.front().graph, made).index);
  if (known == p.meant.values.end()) return PteSame::unknown;
  return known->second == root(*p.functional, meant) ? PteSame::yes : PteSame::no;
}

PteSame same_operands(const PteBuilder& p, const Step& made, const Step& meant) {
  PteSame out = PteSame::unknown;
  for (std::size_t k = 0; k < made.args.size() && k < meant.args.size(); ++k) {
    const Arg &a = made.args[k], &b = meant.args[k];
    if (a.kind == Arg::Kind::ref && b.kind == Arg::Kind::ref) {
      const PteSame one = same_value(p, a.ref, b.ref);
      if (one == PteSame::no) return PteSame::no;
      if (one == PteSame::yes) out = PteSame::yes;
    } else if (a.kind == Arg::Kind::sym && b.kind == Arg::Kind::sym && a.sym.is_constant() &&
               b.sym.is_constant() && a.sym != b.sym) {
      return PteSame::no;
    }
  }
  return out;
}

/// True if the results of the functional call fit into the tensors that the program writes.
bool fit(const PteBuilder& p, const Step& meant, const std::vector<std::uint32_t>& outs) {
  for (std::size_t k = 0; k < outs.size() && k < meant.results.size(); ++k) {
    if (!meant.results[k].valid()) continue;
    const auto& type = p.functional->value(meant.results[k]).type;
    if (type && !may_hold(*type, p.tensor(outs[k]))) return false;
  }
  return true;
}

/// The functional call that a call of the program stands for: of the unmatched calls of its operator that
/// fit, the first with the same operands, else the one at the same position in order, else the first that may
/// have them.
const Step* meant_by(PteBuilder& p, const Step& made, const std::vector<std::uint32_t>& outs) {
  const std::string wanted = same_spelling(made.op);
  const std::size_t nth = p.meant.calls[wanted]++;
  std::size_t count = 0;
  const Step *in_order = nullptr, *first = nullptr;
  for (const Step& step : p.functional->steps) {
    if (same_spelling(step.op) != wanted) continue;
    if (count++ == nth) in_order = &step;
    if (p.meant.stood_for.contains(&step) || !fit(p, step, outs)) continue;
    const PteSame same = same_operands(p, made, step);
    if (same == PteSame::yes) return &step;
    if (same == PteSame::unknown && first == nullptr) first = &step;
  }
  const bool fits = in_order != nullptr && !p.meant.stood_for.contains(in_order) && fit(p, *in_order, outs) &&
                    same_operands(p, made, *in_order) != PteSame::no;
  return fits || first == nullptr ? in_order : first;
}

/// Matches the call with its functional one, and takes from there the types that the program states only as
/// bounds.
void type_like_functional(PteBuilder& p, const Step& made, const std::vector<std::uint32_t>& outs) {
  if (p.functional == nullptr || p.levels.size() > 1) return;
  const Step* meant = meant_by(p, made, outs);
  if (meant == nullptr) return;
  p.meant.stood_for.insert(meant);
  for (std::size_t k = 0; k < made.results.size() && k < meant->results.size(); ++k) {
    if (!meant->results[k].valid()) continue;
    p.meant.values[made.results[k].index] = meant->results[k];
    Value& value = p.graph().values[made.results[k].index];
    const auto& type = p.functional->value(meant->results[k]).type;
    if (value.type || !type) continue;
    if (!may_hold(*type, p.tensor(outs[k])))
      return static_cast<void>(p.give_up("executorch.result of another type than its tensor"));
    value.type = dense(p, outs[k], type->dtype, type->shape);
  }
}

/// True if its memory is that of a constant, or the caller's.
bool is_given(const PteBuilder& p, std::uint32_t id) {
  return p.is_constant(id) || (p.is_input(id) && !p.tensor(id).place);
}

/// Stores a result in memory that the method was given with `copy_`, so that every alias sees it.
void store_into(PteBuilder& p, std::int32_t held, std::uint32_t id, ValueId made) {
  const ValueId target = here(p, p.definitions[static_cast<std::size_t>(held)]);
  const ValueId stored =
      emit(p, "aten.copy_.default", {Arg::of(target), Arg::of(made)}, type_of(p, id), "stored");
  p.now.own[id] = p.define(id, stored, std::nullopt);
}

/// True if the tensor lacks a place that it needs: the caller provides memory for inputs and outputs only.
bool needs_place(const PteBuilder& p, std::uint32_t id) {
  const bool is_output = std::ranges::find(p.method.outputs, id) != p.method.outputs.end();
  return !p.tensor(id).place && !is_given(p, id) && !is_output;
}

}  // namespace

/// True if the tensor can hold a value of this type. Sizes of a dynamic tensor are bounds, and the plan is
/// checked with those.
bool may_hold(const Type& type, const PteTensor& in) {
  const auto fits = [&](const SymExpr& size, std::int64_t own) {
    return in.dynamic || !size.is_constant() || size.constant() == own;
  };
  return type.dtype == in.dtype && std::ranges::equal(type.shape, in.sizes, fits);
}

/// Appends the step with one result per written tensor, each at the place that the program gives it.
void write_results(PteBuilder& p, Step made, const std::vector<std::uint32_t>& outs) {
  const auto number = static_cast<std::uint32_t>(p.graph().steps.size());
  for (std::uint32_t k = 0; k < outs.size(); ++k)
    made.results.push_back(p.add_value(
        {p.names.fresh("t" + std::to_string(outs[k])), Value::From::step, number, k, type_of(p, outs[k])}));
  type_like_functional(p, made, outs);
  if (!p.going()) return;
  for (std::size_t k = 0; k < outs.size(); ++k)
    if (const auto& type = p.graph().value(made.results[k]).type; type && !may_hold(*type, p.tensor(outs[k])))
      return static_cast<void>(p.give_up("executorch.result of another type than its tensor"));
  const Few<ValueId> values = made.results;
  p.graph().steps.push_back(std::move(made));
  for (std::size_t k = 0; k < outs.size(); ++k) {
    if (p.now.bound[outs[k]] >= 0)
      return static_cast<void>(p.give_up("executorch.write to a name that was moved"));
    const std::int32_t held = p.now.own[outs[k]];
    define_placed(p, outs[k], values[k]);
    if (needs_place(p, outs[k])) p.out.plan->required.push_back(scoped(p, values[k]));
    if (held >= 0 && is_given(p, outs[k])) store_into(p, held, outs[k], values[k]);
  }
}

/// After its arguments, a call names the value where the runtime stores its result. True if that is what the
/// call wrote, a list of it, or no tensor.
bool names_results(const PteBuilder& p, std::uint32_t name, const std::vector<std::uint32_t>& outs) {
  const PteValue& value = p.method.values[name];
  if (value.kind == PteValue::Kind::tensor) return outs.size() == 1 && outs[0] == name;
  return value.kind != PteValue::Kind::tensors || std::ranges::equal(value.items, outs);
}

bool PteBuilder::is_input(std::uint32_t id) const {
  return std::ranges::find(method.inputs, id) != method.inputs.end();
}

}  // namespace noclobber
