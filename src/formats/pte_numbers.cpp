// Whole numbers that a program computes as it runs: counters of loops, sizes, conditions of jumps. Loops run
// as often as they say; where a number is not known, what it decides is not either.
#include <algorithm>
#include <functional>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

using Number = std::optional<SymExpr>;
using Whole = std::optional<std::int64_t>;

Whole whole(const Number& number) {
  return number && number->is_constant() ? Whole(number->constant()) : Whole();
}

Whole sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? Whole() : Whole(out);
}
Whole difference(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? Whole() : Whole(out);
}
Whole product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? Whole() : Whole(out);
}
Whole quotient(std::int64_t a, std::int64_t b) {
  if (b <= 0 || a < 0) return std::nullopt;  // where rounding down and towards zero are the same
  return a / b;
}
Whole rest(std::int64_t a, std::int64_t b) {
  if (b <= 0 || a < 0) return std::nullopt;
  return a % b;
}

template <class Compare>
Whole compared(std::int64_t a, std::int64_t b) {
  return Compare()(a, b) ? 1 : 0;
}

struct PrimRow {
  std::string_view op;
  Whole (*run)(std::int64_t, std::int64_t);
  SymExpr (*run_sizes)(const SymExpr&, const SymExpr&) = nullptr;  // of sizes that are not known
};

constexpr PrimRow kPrims[] = {
    {"executorch_prim.add.Scalar", sum, [](const SymExpr& a, const SymExpr& b) { return a + b; }},
    {"executorch_prim.sub.Scalar", difference, [](const SymExpr& a, const SymExpr& b) { return a - b; }},
    {"executorch_prim.mul.Scalar", product, [](const SymExpr& a, const SymExpr& b) { return a * b; }},
    {"executorch_prim.floordiv.Scalar", quotient},
    {"executorch_prim.mod.Scalar", rest},
    {"executorch_prim.mod.int", rest},
    {"executorch_prim.eq.Scalar", compared<std::equal_to<>>},
    {"executorch_prim.lt.Scalar", compared<std::less<>>},
    {"executorch_prim.le.Scalar", compared<std::less_equal<>>},
    {"executorch_prim.gt.Scalar", compared<std::greater<>>},
    {"executorch_prim.ge.Scalar", compared<std::greater_equal<>>}};

}  // namespace

void PteBuilder::add_numbers() {
  for (const PteValue& value : method_.values) {
    const bool is_whole = value.kind == PteValue::Kind::integer || value.kind == PteValue::Kind::boolean;
    numbers_.push_back(is_whole ? Number(value.integer) : Number());
  }
}

/// Operators that compute numbers; false: not of these.
bool PteBuilder::numeric(const std::string& op, const PteInstruction& instruction) {
  const auto& args = instruction.args;
  const auto holds_number = [&](std::uint32_t id) {
    const PteValue::Kind kind = method_.values[id].kind;
    return kind == PteValue::Kind::integer || kind == PteValue::Kind::boolean;
  };
  if (op == "aten.sym_size.int") {
    const Whole said = args.size() < 3 ? Whole() : whole(numbers_[args[1]]);
    if (!said || !is_tensor(args[0]) || !holds_number(args.back())) return misfit(instruction, op), true;
    const auto rank = static_cast<std::int64_t>(tensor(args[0]).sizes.size());
    const std::int64_t dim = *said + (*said < 0 ? rank : 0);
    if (dim < 0 || dim >= rank) return misfit(instruction, op), true;
    numbers_[args.back()] = size_of(args[0], dim);
    return true;
  }
  if (op == "aten._local_scalar_dense.default") return item(op, instruction), true;
  const auto row = std::ranges::find(kPrims, op, &PrimRow::op);
  if (row == std::end(kPrims)) return false;
  const bool fits = args.size() >= 3 && holds_number(args[0]) && holds_number(args[1]);
  if (!fits || !holds_number(args[2])) return give_up(op), true;  // of floats
  const Number a = numbers_[args[0]], b = numbers_[args[1]];
  if (const Whole x = whole(a), y = whole(b); x && y) {
    numbers_[args[2]] = row->run(*x, *y);
  } else {
    numbers_[args[2]] = a && b && row->run_sizes ? Number(row->run_sizes(*a, *b)) : Number();
  }
  return true;
}

/// Of a tensor with bounds alone: what the functional program calls that size. Without one, what is given has
/// the size of its bound, as is assumed.
std::optional<SymExpr> PteBuilder::size_of(std::uint32_t id, std::int64_t dim) {
  const PteTensor& t = tensor(id);
  const auto k = static_cast<std::size_t>(dim);
  if (!t.dynamic || (functional_ == nullptr && is_input(id))) return t.sizes[k];
  if (functional_ == nullptr) return std::nullopt;
  const ValueId value = read(id);
  if (!value.valid()) return std::nullopt;
  const auto& type = graph().value(value).type;
  return type && type->shape.size() == t.sizes.size() ? Number(type->shape[k]) : Number();
}

/// Kernels stop at flags that are set, and at any order of dimensions but the one that is there (0, or 1: as
/// is).
bool PteBuilder::kernels_take(std::uint32_t id, const SchemaSlot& slot) const {
  const bool flag = slot.name == "implicit" || slot.name == "non_blocking";
  if (!flag && slot.name != "memory_format") return true;
  const Whole said = whole(numbers_[id]);
  return !said || *said == 0 || (!flag && *said == 1);
}

/// Values keep their numbers from call to call: one that is read before it is computed, as counters of loops
/// are, must hold at the end what the file says.
bool PteBuilder::numbers_return() const {
  std::vector<bool> made(method_.values.size(), false), kept(method_.values.size(), false);
  const auto read = [&](std::uint32_t id) { kept[id] = kept[id] || !made[id]; };
  for (const PteInstruction& step : method_.instructions) {
    const std::size_t outs = step.kind == PteInstruction::Kind::kernel && !step.args.empty() ? 1 : 0;
    for (std::size_t k = 0; k + outs < step.args.size(); ++k) {
      read(step.args[k]);
      const PteValue& value = method_.values[step.args[k]];
      for (const std::int64_t item : value.items)
        if (value.kind == PteValue::Kind::integers) read(static_cast<std::uint32_t>(item));
    }
    if (outs > 0) made[step.args.back()] = true;
  }
  for (std::size_t id = 0; id < kept.size(); ++id) {
    const PteValue::Kind kind = method_.values[id].kind;
    const bool is_whole = kind == PteValue::Kind::integer || kind == PteValue::Kind::boolean;
    if (is_whole && kept[id] && numbers_[id] != SymExpr(method_.values[id].integer)) return false;
  }
  return true;
}

/// Where a jump on a number leads.
std::size_t PteBuilder::jump(std::size_t at, std::size_t begin, std::size_t end) {
  const PteInstruction& instruction = method_.instructions[at];
  const Whole condition = whole(numbers_[instruction.args[0]]);
  if (!condition) return give_up("executorch.loop"), end;
  if (*condition != 0) return at + 1;
  if (instruction.target < begin || instruction.target > end) return give_up("executorch.jump"), end;
  return instruction.target;
}

/// et_copy_index: row `index` of a tensor that grows as rows are stored; the first one begins a new value.
void PteBuilder::store_row(const PteInstruction& instruction) {
  const auto& args = instruction.args;
  if (args.size() < 3 || !is_tensor(args[0]) || !is_tensor(args[1]) ||
      method_.values[args[2]].kind != PteValue::Kind::integer)
    return misfit(instruction, "executorch_prim.et_copy_index.tensor");
  const std::uint32_t id = args[0];
  const PteTensor& t = tensor(id);
  const Whole row = whole(numbers_[args[2]]);
  if (!row || *row < 0 || t.sizes.empty() || *row >= t.sizes[0] || bound_[id] >= 0)
    return static_cast<void>(give_up("executorch.row outside of its tensor"));
  if (!std::ranges::is_sorted(t.dim_order))
    return static_cast<void>(give_up("executorch.rows of another order of dimensions"));
  const ValueId from = read(args[1]);
  if (!going()) return;
  if (*row == 0) {
    Type type;
    type.dtype = t.dtype;
    type.shape.assign(t.sizes.begin(), t.sizes.end());
    const ValueId whole =
        emit("aten.empty.memory_format", {sizes_of(id)}, std::move(type), "t" + std::to_string(id));
    graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(t.dtype)}};
    define_placed(id, whole);
  }
  const bool next = own_[id] >= 0 && (*row == 0 || rows_[id] == *row);
  if (!next || definitions_[static_cast<std::size_t>(own_[id])].level + 1 != levels_.size())
    return static_cast<void>(give_up("executorch.row of another value"));
  const ValueId whole = definitions_[static_cast<std::size_t>(own_[id])].value;
  const ValueId place =
      emit("aten.select.int", {Arg::of(whole), Arg::of(SymExpr(0)), Arg::of(SymExpr(*row))}, {}, "row");
  emit("aten.copy_.default", {Arg::of(place), Arg::of(from)}, {}, "stored");
  rows_[id] = *row + 1;
  const std::int64_t width = bytes_of(id) / t.sizes[0];
  if (t.place)
    memory_.write(t.place->arena, t.place->offset + *row * width, t.place->offset + (*row + 1) * width,
                  own_[id]);
}

}  // namespace noclobber
