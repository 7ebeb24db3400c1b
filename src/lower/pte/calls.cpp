#include "src/lower/pte/calls.h"

#include <algorithm>

#include "src/lower/pte/branches.h"
#include "src/lower/pte/builder.h"
#include "src/lower/pte/delegates.h"
#include "src/lower/pte/numbers.h"
#include "src/lower/pte/results.h"
#include "src/lower/pte/variants.h"
#include "src/ops/schema_reader.h"

namespace noclobber {
namespace {

constexpr std::size_t kExecuted = 20000;  // instructions, counted in every trip of a loop

bool is_out_slot(const SchemaSlot& slot) { return slot.written && slot.keyword_only; }

/// True for row-major and channels-last. Kernels refuse to write other orders, or write row-major anyway.
bool is_usual(std::vector<std::uint8_t> order) {
  if (order.size() > 3)
    std::rotate(order.begin() + 1, order.end() - (order.back() == 1 ? 1 : 0), order.end());
  return std::ranges::is_sorted(order);
}

/// True if the name has contents of its own, here or in later calls, that it would lose by becoming another
/// name for something else.
bool is_elsewhere(const PteBuilder& p, std::uint32_t id) {
  return p.tensor(id).data != 0 || p.now.used.contains(id) || p.is_input(id);
}

void point_to(PteBuilder& p, std::uint32_t to, std::uint32_t from) {
  if (is_elsewhere(p, to))
    return static_cast<void>(p.give_up("executorch.name that another call finds elsewhere"));
  p.now.bound[to] = p.shown(from);
  if (p.now.bound[to] < 0) p.give_up("executorch.move of bytes that have no name");
  p.now.unsettled.erase(to);
  p.moves.emplace_back(to, p.now.bound[to]);
}

/// Checks that a dimension-order argument is the order of the result; None means the order of the operand.
/// False if the argument has another kind.
bool fits_order(PteBuilder& p, std::uint32_t order, std::uint32_t out) {
  const PteValue& said = p.method.values[order];
  if (said.kind == PteValue::Kind::none) return true;
  if (said.kind != PteValue::Kind::integers) return false;
  const std::vector<std::uint8_t>& own = p.tensor(out).dim_order;
  const auto is_own = [&](std::int64_t item, std::uint8_t dim) {
    return p.now.numbers[static_cast<std::size_t>(item)] == SymExpr(dim);
  };
  if (!std::ranges::equal(said.items, own, is_own))
    p.give_up("executorch.order of dimensions of another tensor");
  return true;
}

std::optional<Arg> argument(PteBuilder& p, std::uint32_t id, const SchemaSlot& slot) {
  const PteValue& value = p.method.values[id];
  if (!kernels_take(p, id, slot)) return p.give_up("executorch.argument that kernels refuse"), std::nullopt;
  if (slot.type == SchemaSlot::Type::other) return plain_argument(p, id, slot);
  const bool optional = slot.type_text.ends_with('?');
  if (value.kind == PteValue::Kind::none) return optional ? std::optional(Arg{}) : std::nullopt;
  if (slot.type == SchemaSlot::Type::tensor && value.kind == PteValue::Kind::tensor) {
    const PteTensor& t = value.tensor;
    const bool absent =
        optional && t.dtype == Dtype::u8 && t.sizes == std::vector<std::int64_t>{0} && p.now.own[id] < 0;
    return absent ? Arg{} : Arg::of(read(p, id));
  }
  if (slot.type != SchemaSlot::Type::tensor_list || value.kind != PteValue::Kind::tensors)
    return std::nullopt;
  std::vector<Arg> items;
  for (const std::int64_t item : value.items) {
    const auto k = static_cast<std::uint32_t>(item);
    if (item >= 0 && !p.is_tensor(k)) return std::nullopt;
    items.push_back(item < 0 ? Arg{} : Arg::of(read(p, k)));
  }
  return Arg::of(std::move(items));
}

/// Checks the flag `non_blocking`, which the runtime requires to be false. False if it is no boolean.
bool waits(PteBuilder& p, std::uint32_t flag) {
  if (p.method.values[flag].kind != PteValue::Kind::boolean) return false;
  if (p.now.numbers[flag] != SymExpr(0)) p.give_up("executorch.copy that does not wait");
  return true;
}

/// A tensor with uninitialised contents.
void unwritten(PteBuilder& p, const PteInstruction& instruction, const std::string& op) {
  const auto& args = instruction.args;
  if (args.size() != 4 || !p.is_tensor(args[2]) || !fits_order(p, args[1], args[2]))
    return p.misfit(instruction, op);
  const auto size = argument(p, args[0], find_schema("aten.empty.memory_format")->arguments[0]);
  if (!size || !p.going()) return static_cast<void>(p.give_up(op));
  Step made;
  made.op = "aten.empty.memory_format";
  made.args = {*size};
  made.kwargs = {{"dtype", Arg::of_dtype(p.tensor(args[2]).dtype)}};
  write_results(p, std::move(made), {args[2]});
}

/// Lowers ExecuTorch's own operators that are plain ones under other names. False if `op` is none of these.
bool special(PteBuilder& p, const std::string& op, const PteInstruction& instruction) {
  const auto& args = instruction.args;
  const bool copy = op == "dim_order_ops._to_dim_order_copy.out",
             clone = op == "dim_order_ops._clone_dim_order.out";
  if (copy || clone) {
    if (args.size() != 5 || !p.is_tensor(args[0]) || !p.is_tensor(args[3]) || !waits(p, args[1]) ||
        !fits_order(p, args[2], args[3]))
      return p.misfit(instruction, op), true;
    Step made;
    made.op = copy ? "aten._to_copy.default" : "aten.clone.default";
    made.args = {Arg::of(read(p, args[0]))};
    if (copy) made.kwargs = {{"dtype", Arg::of_dtype(p.tensor(args[3]).dtype)}};
    if (p.going()) write_results(p, std::move(made), {args[3]});
    return true;
  }
  if (op == "dim_order_ops._empty_dim_order.out") return unwritten(p, instruction, op), true;
  if (op == "executorch_prim.et_copy_index.tensor") return store_row(p, instruction), true;
  if (op == "executorch_prim.et_view.default") {
    if (args.size() < 3 || !p.is_tensor(args[0]) || !p.is_tensor(args[2]))
      return p.misfit(instruction, op), true;
    const ValueId base = read(p, args[0]);
    if (!p.going()) return true;
    Arg sizes = sizes_of(p, args[2]);
    if (p.tensor(args[2]).dynamic) {  // these are only bounds; the call's may be -1
      const auto said = argument(p, args[1], find_schema("aten.view.default")->arguments[1]);
      if (!said || !p.going()) return p.give_up(op), true;
      sizes = *said;
    }
    const ValueId value = emit(p, "aten.view.default", {Arg::of(base), std::move(sizes)}, type_of(p, args[2]),
                               "t" + std::to_string(args[2]));
    p.now.bound[args[2]] = p.define(args[2], value, std::nullopt);
    return true;
  }
  return false;
}

/// The runtime also stores the result of a call, which is the target itself, under the name `name`.
void name_result(PteBuilder& p, std::uint32_t name, std::uint32_t target) {
  if (name == target || !p.is_tensor(name)) return;
  if (is_elsewhere(p, name))
    return static_cast<void>(p.give_up("executorch.name that another call finds elsewhere"));
  if (p.shown(target) < 0) return;
  p.now.bound[name] = p.shown(target);
  p.moves.emplace_back(name, p.now.bound[name]);
}

/// A call without `out` writes the storage of its target, under all of its names.
void in_place_call(PteBuilder& p, const Schema& schema, const PteInstruction& instruction) {
  Step made;
  made.op = schema.op;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
    const std::uint32_t id = instruction.args[k];
    const bool written = schema.arguments[k].written;
    if (written && !p.is_tensor(id)) return p.misfit(instruction, schema.op);
    const auto value = argument(p, id, schema.arguments[k]);
    if (!p.going()) return;
    if (!value) return p.misfit(instruction, schema.op);
    const Step* maker = written && value->ref.valid() && p.graph().value(value->ref).from == Value::From::step
                            ? &p.graph().steps[p.graph().value(value->ref).at]
                            : nullptr;
    const bool pieces = maker != nullptr && maker->op == "aten.view.default" && maker->args[0].ref.valid() &&
                        p.graph().value(maker->args[0].ref).name.starts_with("pieces");
    if (pieces) return static_cast<void>(p.give_up("executorch.write to bytes of several tensors"));
    made.args.push_back(*value);
  }
  for (std::size_t k = schema.arguments.size(); k < instruction.args.size(); ++k)
    for (std::size_t j = 0; j < schema.arguments.size(); ++j)
      if (schema.arguments[j].written) name_result(p, instruction.args[k], instruction.args[j]);
  if (!p.going()) return;
  for (const SchemaSlot& slot : schema.returns) {
    if (slot.type != SchemaSlot::Type::tensor)
      return static_cast<void>(p.give_up("executorch.call of " + schema.op));
    const auto number = static_cast<std::uint32_t>(p.graph().steps.size());
    const auto result = static_cast<std::uint32_t>(made.results.size());
    made.results.push_back(
        p.add_value({p.names.fresh("w" + std::to_string(number)), Value::From::step, number, result, {}}));
  }
  p.graph().steps.push_back(std::move(made));
}

/// True for a number that the dtype of `out` may not hold: kernels fail on one. A number that was read out of
/// a tensor may be such a number.
bool may_not_hold(const PteBuilder& p, const SchemaSlot& slot, const Arg& value, std::uint32_t out) {
  const bool number = slot.type_text.starts_with("Scalar") && !slot.type_text.starts_with("ScalarType");
  const Dtype dtype = p.tensor(out).dtype;
  const bool wide =
      dtype == Dtype::i64 || dtype == Dtype::f64 || dtype == Dtype::f32 || dtype == Dtype::boolean;
  return number && !wide && value.kind == Arg::Kind::sym && !value.sym.is_constant();
}

void pure_call(PteBuilder& p, const Schema& schema, const Schema& pure, const PteInstruction& instruction) {
  Step made;
  made.op = pure.op;
  std::vector<std::uint32_t> outs;
  for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
    if (!is_out_slot(schema.arguments[k])) continue;
    const PteValue& value = p.method.values[instruction.args[k]];
    if (value.kind == PteValue::Kind::tensor) outs.push_back(instruction.args[k]);
    if (value.kind == PteValue::Kind::tensors)
      for (const std::int64_t item : value.items)
        if (item >= 0) outs.push_back(static_cast<std::uint32_t>(item));
  }
  if (outs.empty() || std::ranges::any_of(outs, [&](std::uint32_t id) { return !p.is_tensor(id); }))
    return p.misfit(instruction, schema.op);
  if (!std::ranges::all_of(outs, [&](std::uint32_t id) { return is_usual(p.tensor(id).dim_order); }))
    return static_cast<void>(
        p.give_up("executorch.result in an order of dimensions that kernels do not write"));
  for (std::size_t k = schema.arguments.size(); k < instruction.args.size(); ++k)
    if (!names_results(p, instruction.args[k], outs))
      return static_cast<void>(p.give_up("executorch.call whose result gets another name"));
  bool positional = true;
  for (const SchemaSlot& slot : pure.arguments) {
    std::optional<Arg> value;
    bool known = false;
    for (std::size_t k = 0; k < schema.arguments.size(); ++k) {
      if (schema.arguments[k].name != slot.name || is_out_slot(schema.arguments[k])) continue;
      value = argument(p, instruction.args[k], slot);
      if (!p.going()) return;
      if (!value) return p.misfit(instruction, schema.op);
      if (may_not_hold(p, slot, *value, outs[0]))
        return static_cast<void>(p.give_up("executorch.number that the type of a result may not hold"));
      known = true;
    }
    if (value && slot.keyword_only && slot.fallback && *value == *slot.fallback) value.reset();
    if (!known && slot.name == "dtype" && slot.type_text == "ScalarType?")
      value = Arg::of_dtype(p.tensor(outs[0]).dtype);
    positional = positional && value && !slot.keyword_only;
    if (positional) {
      made.args.push_back(*std::move(value));
    } else if (value) {
      made.kwargs.edit().emplace_back(slot.name, *std::move(value));
    }
  }
  without_defaults(pure, made);
  write_results(p, std::move(made), outs);
}

void kernel(PteBuilder& p, const PteInstruction& instruction) {
  const std::string& op = p.method.operators[instruction.target];
  if (numeric(p, op, instruction) || special(p, op, instruction)) return;
  const PteOperator& called = operator_of(p, op);
  if (!called.schema) return static_cast<void>(p.give_up(op));
  const Schema& schema = *called.schema;
  if (instruction.args.size() < schema.arguments.size()) return p.misfit(instruction, op);
  if (std::ranges::none_of(schema.arguments, is_out_slot)) return in_place_call(p, schema, instruction);
  if (called.pure == nullptr || called.pure->writes()) return static_cast<void>(p.give_up(op));
  if (called.derived) p.assume(op + " writes what " + called.pure->op + " returns");
  pure_call(p, schema, *called.pure, instruction);
}

void step(PteBuilder& p, const PteInstruction& instruction) {
  switch (instruction.kind) {
    case PteInstruction::Kind::kernel:
      return kernel(p, instruction);
    case PteInstruction::Kind::delegate:
      return delegate(p, instruction);
    case PteInstruction::Kind::move: {
      const std::uint32_t from = instruction.args[0], to = instruction.args[1];
      if (!p.is_tensor(from) || !p.is_tensor(to) || !same_shape(p, from, to)) {
        p.give_up("executorch.move between values of other kinds");
        return;
      }
      if (!read(p, from).valid()) return;
      return point_to(p, to, from);
    }
    case PteInstruction::Kind::release: {
      const std::uint32_t id = instruction.args[0];
      if (p.is_tensor(id) && p.tensor(id).place) p.give_up("executorch.release of planned memory");
      p.now.own[id] = p.now.bound[id] = -1;
      return;
    }
    case PteInstruction::Kind::jump_false:
      return;
  }
}

}  // namespace

void run(PteBuilder& p, std::size_t begin, std::size_t end) {
  for (std::size_t k = begin; k < end && p.going();) {
    const PteInstruction& instruction = p.method.instructions[k];
    if (++p.executed > kExecuted) p.give_up("executorch.loop of many trips");
    if (instruction.kind != PteInstruction::Kind::jump_false) {
      step(p, instruction);
      ++k;
    } else {
      k = p.is_tensor(instruction.args[0]) ? branch(p, k, end) : jump(p, k, begin, end);
    }
  }
}

void PteBuilder::misfit(const PteInstruction& instruction, const std::string& op) {
  fault = Diagnostic{"byte " + std::to_string(instruction.at),
                     "the arguments of this call do not fit the operator " + op};
}

std::optional<Arg> plain_argument(PteBuilder& p, std::uint32_t id, const SchemaSlot& slot) {
  const PteValue& value = p.method.values[id];
  std::vector<Arg> items;
  switch (value.kind) {
    case PteValue::Kind::none:
      return Arg{};
    case PteValue::Kind::integer:
      if (!p.now.numbers[id]) return p.give_up("executorch.number that is not known"), std::nullopt;
      if (slot.type_text.starts_with("ScalarType")) {
        if (!p.now.numbers[id]->is_constant()) return std::nullopt;
        const auto dtype = dtype_of_code(p.now.numbers[id]->constant());
        return dtype ? std::optional(Arg::of_dtype(*dtype)) : std::nullopt;
      }
      return Arg::of(*p.now.numbers[id]);
    case PteValue::Kind::boolean:
      if (!p.now.numbers[id]) return p.give_up("executorch.number that is not known"), std::nullopt;
      return Arg::of_bool(*p.now.numbers[id] != SymExpr(0));
    case PteValue::Kind::real:
      return Arg::of_real(value.real);
    case PteValue::Kind::text:
      return Arg::of_text(value.text);
    case PteValue::Kind::integers:
      for (const std::int64_t item : value.items) {
        if (p.method.values[static_cast<std::size_t>(item)].kind != PteValue::Kind::integer)
          return std::nullopt;
        const auto& number = p.now.numbers[static_cast<std::size_t>(item)];
        if (!number) return p.give_up("executorch.number that is not known"), std::nullopt;
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
