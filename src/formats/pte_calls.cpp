// Instructions of a .pte as steps of a graph.
#include <algorithm>

#include "src/formats/pte_builder.h"
#include "src/ops/schema_reader.h"

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
  const Operator& called = operator_of(op);
  if (!called.schema) return static_cast<void>(give_up(op));
  const Schema& schema = *called.schema;
  if (instruction.args.size() < schema.arguments.size()) return misfit(instruction, op);
  if (std::ranges::none_of(schema.arguments, is_out_slot)) return in_place_call(schema, instruction);
  if (called.pure == nullptr || called.pure->writes()) return static_cast<void>(give_up(op));
  if (called.derived) assume(op + " writes what " + called.pure->op + " returns");
  pure_call(schema, *called.pure, instruction);
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
        add_value({names_.fresh("w" + std::to_string(number)), Value::From::step, number, result, {}}));
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
  for (std::size_t k = schema.arguments.size(); k < instruction.args.size(); ++k)
    if (!names_results(instruction.args[k], outs))
      return static_cast<void>(give_up("executorch.call whose result gets another name"));
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

std::optional<Arg> PteBuilder::argument(std::uint32_t id, const SchemaSlot& slot) {
  const PteValue& value = method_.values[id];
  if (!kernels_take(id, slot)) return give_up("executorch.argument that kernels refuse"), std::nullopt;
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
        const auto dtype = dtype_of_code(numbers_[id]->constant());
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
