#include "src/lower/pte/numbers.h"

#include <algorithm>
#include <functional>

#include "src/lower/pte/builder.h"
#include "src/lower/pte/items.h"

namespace noclobber {
namespace {

using KnownSize = std::optional<SymExpr>;

using Whole = std::optional<std::int64_t>;

Whole whole(const KnownSize& number) {
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
  if (b <= 0 || a < 0) return std::nullopt;  // else rounding down and towards zero differ
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
  SymExpr (*run_sizes)(const SymExpr&, const SymExpr&) = nullptr;  // for symbolic operands
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

/// A size of a tensor. If the program states only a bound: the size in the functional program. Without one,
/// an input is assumed to have its bound as size, and other sizes are unknown.
std::optional<SymExpr> size_of(PteBuilder& p, std::uint32_t id, std::int64_t dim) {
  const PteTensor& t = p.tensor(id);
  const auto k = static_cast<std::size_t>(dim);
  if (!t.dynamic || (p.functional == nullptr && p.is_input(id))) return t.sizes[k];
  if (p.functional == nullptr) return std::nullopt;
  const ValueId value = read(p, id);
  if (!value.valid()) return std::nullopt;
  const auto& type = p.graph().value(value).type;
  return type && type->shape.size() == t.sizes.size() ? KnownSize(type->shape[k]) : KnownSize();
}

}  // namespace

void add_numbers(PteBuilder& p) {
  for (const PteValue& value : p.method.values) {
    const bool is_whole = value.kind == PteValue::Kind::integer || value.kind == PteValue::Kind::boolean;
    p.now.numbers.push_back(is_whole ? KnownSize(value.integer) : KnownSize());
  }
}

/// Runs an operator that computes numbers. False if `op` is none of these.
bool numeric(PteBuilder& p, const std::string& op, const PteInstruction& instruction) {
  const auto& args = instruction.args;
  const auto holds_number = [&](std::uint32_t id) {
    const PteValue::Kind kind = p.method.values[id].kind;
    return kind == PteValue::Kind::integer || kind == PteValue::Kind::boolean;
  };
  if (op == "aten.sym_size.int") {
    const Whole said = args.size() < 3 ? Whole() : whole(p.now.numbers[args[1]]);
    if (!said || !p.is_tensor(args[0]) || !holds_number(args.back())) return p.misfit(instruction, op), true;
    const auto rank = static_cast<std::int64_t>(p.tensor(args[0]).sizes.size());
    const std::int64_t dim = *said + (*said < 0 ? rank : 0);
    if (dim < 0 || dim >= rank) return p.misfit(instruction, op), true;
    p.now.numbers[args.back()] = size_of(p, args[0], dim);
    return true;
  }
  if (op == "aten._local_scalar_dense.default") return item(p, op, instruction), true;
  const auto row = std::ranges::find(kPrims, op, &PrimRow::op);
  if (row == std::end(kPrims)) return false;
  const bool fits = args.size() >= 3 && holds_number(args[0]) && holds_number(args[1]);
  if (!fits || !holds_number(args[2])) return p.give_up(op), true;  // arithmetic on floats
  const KnownSize a = p.now.numbers[args[0]], b = p.now.numbers[args[1]];
  if (const Whole x = whole(a), y = whole(b); x && y) {
    p.now.numbers[args[2]] = row->run(*x, *y);
  } else {
    p.now.numbers[args[2]] = a && b && row->run_sizes ? KnownSize(row->run_sizes(*a, *b)) : KnownSize();
  }
  return true;
}

/// False if kernels refuse the argument: a flag that is set, or a memory format other than 0 (contiguous) and
/// 1 (preserve).
bool kernels_take(const PteBuilder& p, std::uint32_t id, const SchemaSlot& slot) {
  const bool flag = slot.name == "implicit" || slot.name == "non_blocking";
  if (!flag && slot.name != "memory_format") return true;
  const Whole said = whole(p.now.numbers[id]);
  return !said || *said == 0 || (!flag && *said == 1);
}

/// Values keep their numbers between calls: a number that is read before it is computed, such as a loop
/// counter, must end with the value that the file states.
bool numbers_return(const PteBuilder& p) {
  std::vector<bool> made(p.method.values.size(), false), kept(p.method.values.size(), false);
  const auto read = [&](std::uint32_t id) { kept[id] = kept[id] || !made[id]; };
  for (const PteInstruction& step : p.method.instructions) {
    const std::size_t outs = step.kind == PteInstruction::Kind::kernel && !step.args.empty() ? 1 : 0;
    for (std::size_t k = 0; k + outs < step.args.size(); ++k) {
      read(step.args[k]);
      const PteValue& value = p.method.values[step.args[k]];
      for (const std::int64_t item : value.items)
        if (value.kind == PteValue::Kind::integers) read(static_cast<std::uint32_t>(item));
    }
    if (outs > 0) made[step.args.back()] = true;
  }
  for (std::size_t id = 0; id < kept.size(); ++id) {
    const PteValue::Kind kind = p.method.values[id].kind;
    const bool is_whole = kind == PteValue::Kind::integer || kind == PteValue::Kind::boolean;
    if (is_whole && kept[id] && p.now.numbers[id] != SymExpr(p.method.values[id].integer)) return false;
  }
  return true;
}

/// The instruction after a jump on a number; `end` after giving up.
std::size_t jump(PteBuilder& p, std::size_t at, std::size_t begin, std::size_t end) {
  const PteInstruction& instruction = p.method.instructions[at];
  const Whole condition = whole(p.now.numbers[instruction.args[0]]);
  if (!condition) return p.give_up("executorch.loop"), end;
  if (*condition != 0) return at + 1;
  if (instruction.target < begin || instruction.target > end) return p.give_up("executorch.jump"), end;
  return instruction.target;
}

/// Lowers et_copy_index: stores row `index` of a tensor that grows row by row. Row 0 begins a new value.
void store_row(PteBuilder& p, const PteInstruction& instruction) {
  const auto& args = instruction.args;
  if (args.size() < 3 || !p.is_tensor(args[0]) || !p.is_tensor(args[1]) ||
      p.method.values[args[2]].kind != PteValue::Kind::integer)
    return p.misfit(instruction, "executorch_prim.et_copy_index.tensor");
  const std::uint32_t id = args[0];
  const PteTensor& t = p.tensor(id);
  const Whole row = whole(p.now.numbers[args[2]]);
  if (!row || *row < 0 || t.sizes.empty() || *row >= t.sizes[0] || p.now.bound[id] >= 0)
    return static_cast<void>(p.give_up("executorch.row outside of its tensor"));
  if (!std::ranges::is_sorted(t.dim_order))
    return static_cast<void>(p.give_up("executorch.rows of another order of dimensions"));
  const ValueId from = read(p, args[1]);
  if (!p.going()) return;
  if (*row == 0) {
    Type type;
    type.dtype = t.dtype;
    type.shape.assign(t.sizes.begin(), t.sizes.end());
    const ValueId whole =
        emit(p, "aten.empty.memory_format", {sizes_of(p, id)}, std::move(type), "t" + std::to_string(id));
    p.graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(t.dtype)}};
    define_placed(p, id, whole);
  }
  const bool next = p.now.own[id] >= 0 && (*row == 0 || p.now.rows[id] == *row);
  if (!next || p.definitions[static_cast<std::size_t>(p.now.own[id])].level + 1 != p.levels.size())
    return static_cast<void>(p.give_up("executorch.row of another value"));
  const ValueId whole = p.definitions[static_cast<std::size_t>(p.now.own[id])].value;
  const ValueId place =
      emit(p, "aten.select.int", {Arg::of(whole), Arg::of(SymExpr(0)), Arg::of(SymExpr(*row))}, {}, "row");
  emit(p, "aten.copy_.default", {Arg::of(place), Arg::of(from)}, {}, "stored");
  p.now.rows[id] = *row + 1;
  const std::int64_t width = p.bytes_of(id) / t.sizes[0];
  if (t.place)
    p.memory.write(t.place->arena, t.place->offset + *row * width, t.place->offset + (*row + 1) * width,
                   p.now.own[id]);
}

}  // namespace noclobber
