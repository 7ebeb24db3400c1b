// Instructions of a .pte as steps of a graph.
#include <algorithm>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

constexpr std::size_t kExecuted = 20000;  // instructions

bool is_out_slot(const SchemaSlot& slot) { return slot.written && slot.keyword_only; }

/// Rows first, or channels last. Kernels refuse other orders of what they write, or write rows first for all
/// that.
bool is_usual(std::vector<std::uint8_t> order) {
  if (order.size() > 3)
    std::rotate(order.begin() + 1, order.end() - (order.back() == 1 ? 1 : 0), order.end());
  return std::ranges::is_sorted(order);
}

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

/// PyTorch's number of a dtype.
std::optional<Dtype> dtype_number(std::int64_t number) {
  static constexpr Dtype kTypes[] = {Dtype::u8,    Dtype::i8,  Dtype::i16,  Dtype::i32,
                                     Dtype::i64,   Dtype::f16, Dtype::f32,  Dtype::f64,
                                     Dtype::other, Dtype::c64, Dtype::c128, Dtype::boolean};
  if (number == 15) return Dtype::bf16;
  if (number < 0 || number > 11 || number == 8) return std::nullopt;
  return kTypes[number];
}

}  // namespace

void PteBuilder::run(std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end && going();) {
    const PteInstruction& instruction = method_.instructions[k];
    if (++executed_ > kExecuted) give_up("executorch.loop of many trips");
    if (instruction.kind != PteInstruction::Kind::jump_false) {
      step(instruction);
      ++k;
    } else {
      k = is_tensor(instruction.args[0]) ? branch(k, end) : jump(k, begin, end);
    }
  }
}

void PteBuilder::step(const PteInstruction& instruction) {
  switch (instruction.kind) {
    case PteInstruction::Kind::kernel:
      return kernel(instruction);
    case PteInstruction::Kind::delegate:
      return delegate(instruction);
    case PteInstruction::Kind::move: {
      const std::uint32_t from = instruction.args[0], to = instruction.args[1];
      if (!is_tensor(from) || !is_tensor(to) || !same_shape(from, to)) {
        give_up("executorch.move between values of other kinds");
        return;
      }
      if (!read(from).valid()) return;
      return point_to(to, from);
    }
    case PteInstruction::Kind::release: {
      const std::uint32_t id = instruction.args[0];
      if (is_tensor(id) && tensor(id).place) give_up("executorch.release of planned memory");
      own_[id] = bound_[id] = -1;
      return;
    }
    case PteInstruction::Kind::jump_false:
      return;
  }
}

/// Has a name a meaning of its own, that it loses once it is made another name of something else, also in
/// later calls?
bool PteBuilder::is_elsewhere(std::uint32_t id) const {
  return tensor(id).data != 0 || used_.contains(id) || is_input(id);
}

void PteBuilder::point_to(std::uint32_t to, std::uint32_t from) {
  if (is_elsewhere(to))
    return static_cast<void>(give_up("executorch.name that another call finds elsewhere"));
  bound_[to] = shown(from);
  if (bound_[to] < 0) give_up("executorch.move of bytes that have no name");
  unsettled_.erase(to);
  moves_.emplace_back(to, bound_[to]);
}

/// The runtime stores what a call returns, the target itself, under one more name.
void PteBuilder::name_result(std::uint32_t name, std::uint32_t target) {
  if (name == target || !is_tensor(name)) return;
  if (is_elsewhere(name))
    return static_cast<void>(give_up("executorch.name that another call finds elsewhere"));
  if (shown(target) < 0) return;
  bound_[name] = shown(target);
  moves_.emplace_back(name, bound_[name]);
}

void PteBuilder::misfit(const PteInstruction& instruction, const std::string& op) {
  fault_ = Diagnostic{"byte " + std::to_string(instruction.at),
                      "the arguments of this call do not fit the operator " + op};
}

void PteBuilder::kernel(const PteInstruction& instruction) {
  const std::string& op = method_.operators[instruction.target];
  if (numeric(op, instruction) || special(op, instruction)) return;
  const Schema* schema = find_schema(op);
  if (schema == nullptr) return static_cast<void>(give_up(op));
  if (instruction.args.size() < schema->arguments.size()) return misfit(instruction, op);
  if (std::ranges::none_of(schema->arguments, is_out_slot)) return in_place_call(*schema, instruction);
  const std::string functional = functional_op(op);
  const Schema* pure = functional.empty() ? nullptr : find_schema(functional);
  if (pure == nullptr || pure->writes()) return static_cast<void>(give_up(op));
  pure_call(*schema, *pure, instruction);
}

/// A flag, which the runtime wants to be off, and an order of dimensions that is that of the result; none
/// means that of the operand.
bool PteBuilder::fits_order(std::uint32_t flag, std::uint32_t order, std::uint32_t out) {
  const PteValue& said = method_.values[order];
  if (method_.values[flag].kind != PteValue::Kind::boolean) return false;
  if (numbers_[flag] != SymExpr(0)) give_up("executorch.copy that does not wait");
  if (said.kind == PteValue::Kind::none) return true;
  if (said.kind != PteValue::Kind::integers) return false;
  const std::vector<std::uint8_t>& own = tensor(out).dim_order;
  const auto is_own = [&](std::int64_t item, std::uint8_t dim) {
    return numbers_[static_cast<std::size_t>(item)] == SymExpr(dim);
  };
  if (!std::ranges::equal(said.items, own, is_own))
    give_up("executorch.order of dimensions of another tensor");
  return true;
}

/// Operators of ExecuTorch's own that are plain ones in other words; false: not of these.
bool PteBuilder::special(const std::string& op, const PteInstruction& instruction) {
  const auto& args = instruction.args;
  const bool copy = op == "dim_order_ops._to_dim_order_copy.out",
             clone = op == "dim_order_ops._clone_dim_order.out";
  if (copy || clone) {
    if (args.size() != 5 || !is_tensor(args[0]) || !is_tensor(args[3]) ||
        !fits_order(args[1], args[2], args[3]))
      return misfit(instruction, op), true;
    Step made;
    made.op = copy ? "aten._to_copy.default" : "aten.clone.default";
    made.args = {Arg::of(read(args[0]))};
    if (copy) made.kwargs = {{"dtype", Arg::of_dtype(tensor(args[3]).dtype)}};
    if (going()) write_results(std::move(made), {args[3]});
    return true;
  }
  if (op == "executorch_prim.et_copy_index.tensor") return store_row(instruction), true;
  if (op == "executorch_prim.et_view.default") {
    if (args.size() < 3 || !is_tensor(args[0]) || !is_tensor(args[2])) return misfit(instruction, op), true;
    const ValueId base = read(args[0]);
    if (!going()) return true;
    Arg sizes = sizes_of(args[2]);
    if (tensor(args[2]).dynamic) {  // those are only bounds: what the call says, which may be -1
      const auto said = argument(args[1], find_schema("aten.view.default")->arguments[1]);
      if (!said || !going()) return give_up(op), true;
      sizes = *said;
    }
    const ValueId value = emit("aten.view.default", {Arg::of(base), std::move(sizes)}, type_of(args[2]),
                               "t" + std::to_string(args[2]));
    bound_[args[2]] = define(args[2], value, std::nullopt);
    return true;
  }
  return false;
}

/// A call without `out` writes the storage of its target, whatever names it has.
void PteBuilder::in_place_call(const Schema& schema, const PteInstruction& instruction) {
  Step made;
  made.op = schema.op;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
    const std::uint32_t id = instruction.args[k];
    const bool written = schema.arguments[k].written;
    if (written && !is_tensor(id)) return misfit(instruction, schema.op);
    const auto value = argument(id, schema.arguments[k]);
    if (!going()) return;
    if (!value) return misfit(instruction, schema.op);
    const Step* maker = written && value->ref.valid() && graph().value(value->ref).from == Value::From::step
                            ? &graph().steps[graph().value(value->ref).at]
                            : nullptr;
    const bool pieces = maker != nullptr && maker->op == "aten.view.default" && maker->args[0].ref.valid() &&
                        graph().value(maker->args[0].ref).name.starts_with("pieces");
    if (pieces) return static_cast<void>(give_up("executorch.write to bytes of several tensors"));
    made.args.push_back(*value);
  }
  for (std::size_t k = schema.arguments.size(); k < instruction.args.size(); ++k)
    for (std::size_t j = 0; j < schema.arguments.size(); ++j)
      if (schema.arguments[j].written) name_result(instruction.args[k], instruction.args[j]);
  if (!going()) return;
  for (const SchemaSlot& slot : schema.returns) {
    if (slot.type != SchemaSlot::Type::tensor)
      return static_cast<void>(give_up("executorch.call of " + schema.op));
    const auto number = static_cast<std::uint32_t>(graph().steps.size());
    const auto result = static_cast<std::uint32_t>(made.results.size());
    made.results.push_back(
        add_value({fresh_name("w" + std::to_string(number)), Value::From::step, number, result, {}}));
  }
  graph().steps.push_back(std::move(made));
}

void PteBuilder::pure_call(const Schema& schema, const Schema& pure, const PteInstruction& instruction) {
  Step made;
  made.op = pure.op;
  std::vector<std::uint32_t> outs;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
    if (!is_out_slot(schema.arguments[k])) continue;
    const PteValue& value = method_.values[instruction.args[k]];
    if (value.kind == PteValue::Kind::tensor) outs.push_back(instruction.args[k]);
    if (value.kind == PteValue::Kind::tensors)
      for (const std::int64_t item : value.items)
        if (item >= 0) outs.push_back(static_cast<std::uint32_t>(item));
  }
  if (outs.empty() || std::ranges::any_of(outs, [&](std::uint32_t id) { return !is_tensor(id); }))
    return misfit(instruction, schema.op);
  if (!std::ranges::all_of(outs, [&](std::uint32_t id) { return is_usual(tensor(id).dim_order); }))
    return static_cast<void>(
        give_up("executorch.result in an order of dimensions that kernels do not write"));
  bool positional = true;
  for (const SchemaSlot& slot : pure.arguments) {
    std::optional<Arg> value;
    bool known = false;
    for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
      if (schema.arguments[k].name != slot.name || is_out_slot(schema.arguments[k])) continue;
      value = argument(instruction.args[k], slot);
      if (!going()) return;
      if (!value) return misfit(instruction, schema.op);
      known = true;
    }
    if (value && slot.keyword_only && slot.fallback && *value == *slot.fallback) value.reset();
    if (!known && slot.name == "dtype" && slot.type_text == "ScalarType?")
      value = Arg::of_dtype(tensor(outs[0]).dtype);
    positional = positional && value && !slot.keyword_only;
    if (positional) {
      made.args.push_back(*std::move(value));
    } else if (value) {
      made.kwargs.emplace_back(slot.name, *std::move(value));
    }
  }
  without_defaults(pure, made);
  write_results(std::move(made), outs);
}

/// Sizes of which the program states bounds alone: those of the same call of the functional program. Calls of
/// one operator come in the same order there.
void PteBuilder::type_like_functional(const Step& made) {
  const std::string wanted = same_spelling(made.op);
  const std::size_t nth = calls_[wanted]++;
  if (functional_ == nullptr || levels_.size() > 1) return;
  std::size_t count = 0;
  for (const Step& step : functional_->steps) {
    if (same_spelling(step.op) != wanted || count++ != nth) continue;
    for (std::size_t k = 0; k < made.results.size() && k < step.results.size(); ++k) {
      Value& value = graph().values[made.results[k].index];
      if (!value.type && step.results[k].valid()) value.type = functional_->value(step.results[k]).type;
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
        {fresh_name("t" + std::to_string(outs[k])), Value::From::step, number, k, type_of(outs[k])}));
  type_like_functional(made);
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

std::optional<Arg> PteBuilder::argument(std::uint32_t id, const SchemaSlot& slot) {
  const PteValue& value = method_.values[id];
  if (slot.type == SchemaSlot::Type::other) return plain_argument(id, slot);
  const bool optional = slot.type_text.ends_with('?');
  if (value.kind == PteValue::Kind::none) return optional ? std::optional(Arg{}) : std::nullopt;
  if (slot.type == SchemaSlot::Type::tensor && value.kind == PteValue::Kind::tensor) {
    const PteTensor& t = value.tensor;
    const bool absent =
        optional && t.dtype == Dtype::u8 && t.sizes == std::vector<std::int64_t>{0} && own_[id] < 0;
    return absent ? Arg{} : Arg::of(read(id));
  }
  if (slot.type != SchemaSlot::Type::tensor_list || value.kind != PteValue::Kind::tensors)
    return std::nullopt;
  std::vector<Arg> items;
  for (const std::int64_t item : value.items) {
    const auto k = static_cast<std::uint32_t>(item);
    if (item >= 0 && !is_tensor(k)) return std::nullopt;
    items.push_back(item < 0 ? Arg{} : Arg::of(read(k)));
  }
  return Arg::of(std::move(items));
}

std::optional<Arg> PteBuilder::plain_argument(std::uint32_t id, const SchemaSlot& slot) {
  const PteValue& value = method_.values[id];
  std::vector<Arg> items;
  switch (value.kind) {
    case PteValue::Kind::none:
      return Arg{};
    case PteValue::Kind::integer:
      if (!numbers_[id]) return give_up("executorch.number that is not known"), std::nullopt;
      if (slot.type_text.starts_with("ScalarType")) {
        if (!numbers_[id]->is_constant()) return std::nullopt;
        const auto dtype = dtype_number(numbers_[id]->constant());
        return dtype ? std::optional(Arg::of_dtype(*dtype)) : std::nullopt;
      }
      return Arg::of(*numbers_[id]);
    case PteValue::Kind::boolean:
      if (!numbers_[id]) return give_up("executorch.number that is not known"), std::nullopt;
      return Arg::of_bool(*numbers_[id] != SymExpr(0));
    case PteValue::Kind::real:
      return Arg::of_real(value.real);
    case PteValue::Kind::text:
      return Arg::of_text(value.text);
    case PteValue::Kind::integers:
      for (const std::int64_t item : value.items) {
        if (method_.values[static_cast<std::size_t>(item)].kind != PteValue::Kind::integer)
          return std::nullopt;
        const auto& number = numbers_[static_cast<std::size_t>(item)];
        if (!number) return give_up("executorch.number that is not known"), std::nullopt;
        items.push_back(Arg::of(*number));
      }
      return Arg::of(std::move(items));
    case PteValue::Kind::booleans:
      for (const std::int64_t item : value.items) items.push_back(Arg::of_bool(item != 0));
      return Arg::of(std::move(items));
    case PteValue::Kind::reals:
      for (const double item : value.reals) items.push_back(Arg::of_real(item));
      return Arg::of(std::move(items));
    case PteValue::Kind::tensor:
    case PteValue::Kind::tensors:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace noclobber
