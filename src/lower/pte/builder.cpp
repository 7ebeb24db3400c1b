#include "src/lower/pte/builder.h"

#include <algorithm>
#include <limits>

#include "src/lower/pte/calls.h"
#include "src/lower/pte/delegates.h"
#include "src/lower/pte/inputs.h"
#include "src/lower/pte/numbers.h"

namespace noclobber {
namespace {

constexpr std::int32_t kUnsettled = -2;  // Piece::by of bytes that one arm of a branch wrote

Diagnostic no_arena(const PteBuilder& p, std::uint32_t id) {
  return {"byte " + std::to_string(p.method.values[id].at), "a tensor in an arena that does not exist"};
}

/// Makes a value of level `from` an input of the body at level `to`, and of every body in between.
ValueId import_value(PteBuilder& p, ValueId value, std::size_t from, std::size_t to) {
  for (std::size_t level = from + 1; level <= to; ++level) {
    PteLevel& inner = p.levels[level];
    const Value& outer = p.levels[level - 1].graph.value(value);
    const auto [at, added] = inner.imported.try_emplace(value.index, ValueId(inner.graph.values.size()));
    if (added) {
      const auto number = static_cast<std::uint32_t>(inner.graph.inputs.size());
      inner.graph.values.push_back(
          {p.names.fresh(outer.name + "_in"), Value::From::input, number, 0, outer.type});
      inner.graph.inputs.emplace_back().value = at->second;
      inner.operands.push_back(value);
    }
    value = at->second;
  }
  return value;
}

/// Undefined contents. They get the place of `id` only if no other tensor's bytes lie there (`has_place`).
ValueId undefined(PteBuilder& p, std::uint32_t id, bool has_place) {
  if (p.tensor(id).dynamic) return p.give_up("executorch.read of bytes that nothing wrote");
  const ValueId value = emit(p, "aten.empty.memory_format", {sizes_of(p, id)}, type_of(p, id),
                             "unwritten" + std::to_string(id));
  p.graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(p.tensor(id).dtype)}};
  if (has_place)
    define_placed(p, id, value);  // a call may write it without an `out`
  else
    p.now.own[id] = p.define(id, value, std::nullopt);
  return value;
}

/// The bytes of a piece as a flat slice of the definition that wrote them; invalid after giving up.
ValueId part(PteBuilder& p, const PteDefinition& made, const PteMemory::Piece& piece, Dtype dtype) {
  const std::int64_t width = bit_width(dtype) / 8;
  const bool fits = width > 0 && p.tensor(made.id).dtype == dtype && !p.tensor(made.id).dynamic &&
                    std::ranges::is_sorted(p.tensor(made.id).dim_order) && made.place;
  if (!fits || (piece.begin - made.place->offset) % width != 0 || (piece.end - piece.begin) % width != 0)
    return p.give_up("executorch.read of bytes of several tensors");
  const std::int64_t all = p.bytes_of(made.id) / width;
  const std::int64_t first = (piece.begin - made.place->offset) / width;
  const std::int64_t last = first + (piece.end - piece.begin) / width;
  const ValueId flat = emit(p, "aten.view.default",
                            {Arg::of(here(p, made)), Arg::of({Arg::of(SymExpr(all))})}, std::nullopt, "flat");
  return emit(p, "aten.slice.Tensor",
              {Arg::of(flat), Arg::of(SymExpr(0)), Arg::of(SymExpr(first)), Arg::of(SymExpr(last))},
              std::nullopt, "part");
}

/// Reads a tensor that has no definition under its own name: its value is whatever its bytes hold now.
ValueId from_bytes(PteBuilder& p, std::uint32_t id) {
  const PteTensor& t = p.tensor(id);
  const std::int64_t bytes = p.bytes_of(id), begin = t.place->offset;
  std::int64_t end = 0;
  if (bytes == 0 || __builtin_add_overflow(begin, bytes, &end)) return undefined(p, id, true);
  const auto pieces = p.memory.read(t.place->arena, begin, end);
  if (pieces.size() == 1 && pieces[0].by == PteMemory::kNobody) return undefined(p, id, true);
  if (p.now.made[id]) return undefined(p, id, false);  // written only later: these bytes are not yet its own
  if (std::ranges::any_of(pieces, [](const PteMemory::Piece& piece) { return piece.by == kUnsettled; }))
    return p.give_up("executorch.read of bytes that a branch may have written");
  if (p.functional == nullptr && surely_state(p, id))  // otherwise it looks like unnamed state
    p.assume("value " + std::to_string(id) +
             ", which is stored into, is no state: it shows what its bytes hold");
  if (pieces.size() == 1) {
    const PteDefinition& made = p.definitions[static_cast<std::size_t>(pieces[0].by)];
    if (made.place->offset == begin && p.bytes_of(made.id) == bytes) return as_view(p, id, pieces[0].by);
  }
  std::vector<Arg> parts;
  for (const PteMemory::Piece& piece : pieces) {
    const std::int64_t width = std::max(bit_width(t.dtype) / 8, 1);
    if ((piece.end - piece.begin) % width != 0)
      return p.give_up("executorch.read of bytes of several tensors");
    if (piece.by == PteMemory::kNobody) {
      const Arg count = Arg::of(SymExpr((piece.end - piece.begin) / width));
      const ValueId hole = emit(p, "aten.empty.memory_format", {Arg::of({count})}, std::nullopt, "unwritten");
      p.graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(t.dtype)}};
      parts.push_back(Arg::of(hole));
    } else {
      const ValueId value = part(p, p.definitions[static_cast<std::size_t>(piece.by)], piece, t.dtype);
      if (!value.valid()) return value;
      parts.push_back(Arg::of(value));
    }
  }
  const ValueId whole =
      parts.size() == 1 ? parts[0].ref
                        : emit(p, "aten.cat.default", {Arg::of(std::move(parts))}, std::nullopt, "pieces");
  return emit(p, "aten.view.default", {Arg::of(whole), sizes_of(p, id)}, type_of(p, id),
              "t" + std::to_string(id));
}

/// An output: a tensor, or a number or the like with its final value. Empty after giving up.
std::optional<Arg> output(PteBuilder& p, std::uint32_t id) {
  if (p.is_tensor(id)) return Arg::of(read(p, id));
  if (p.functional == nullptr) return Arg{};  // no expected value is known
  auto out = plain_argument(p, id, SchemaSlot{});
  if (!out && p.going()) p.give_up("executorch.output that is a list of tensors");
  return out;
}

/// A step named after what was not understood makes all tensor outputs. Other outputs are taken from the
/// functional program, because no claim is made about them.
std::vector<Arg> outputs_unknown(PteBuilder& p) {
  std::vector<Arg> out;
  const auto number = static_cast<std::uint32_t>(p.graph().steps.size());
  Step step;
  step.op = p.stopped;
  for (const std::uint32_t id : p.method.outputs) {
    if (!p.is_tensor(id)) {
      const bool meant = p.functional != nullptr && out.size() < p.functional->outputs.size() &&
                         p.functional->outputs[out.size()].kind != Arg::Kind::ref;
      out.push_back(meant ? p.functional->outputs[out.size()] : Arg{});
      continue;
    }
    const auto result = static_cast<std::uint32_t>(step.results.size());
    step.results.push_back(
        p.add_value({p.names.fresh("out"), Value::From::step, number, result, type_of(p, id)}));
    out.push_back(Arg::of(step.results.back()));
  }
  p.graph().steps.push_back(std::move(step));
  return out;
}

/// Adds a buffer for each unused tensor that ends beyond its arena: the runtime resolves the memory of every
/// tensor, used or not, before the first call.
void add_outside(PteBuilder& p) {
  for (std::uint32_t id = 0; id < p.method.values.size(); ++id) {
    if (!p.is_tensor(id) || !p.tensor(id).place || p.now.used.contains(id)) continue;
    const PteTensor::Place place = *p.tensor(id).place;
    if (place.arena == 0 || place.arena >= p.method.arenas.size()) return p.fault = no_arena(p, id), void();
    std::int64_t end = 0;
    if (!__builtin_add_overflow(place.offset, p.bytes_of(id), &end) && end <= p.method.arenas[place.arena])
      continue;
    PlanBuffer& buffer = p.out.plan->buffers.emplace_back(
        pte_buffer(p.names.fresh("value" + std::to_string(id)), place, p.bytes_of(id)));
    buffer.is_value = false;
    buffer.lower = buffer.upper = 0;
  }
}

Result<Case> build_pte(PteBuilder& p) {
  p.out.plan.emplace();
  p.out.portable_kernels = true;
  for (std::size_t k = 1; k < p.method.arenas.size(); ++k)
    p.out.plan->arenas.push_back({std::to_string(k), SymExpr(p.method.arenas[k]), 1});
  p.now.own.assign(p.method.values.size(), -1);
  p.now.bound.assign(p.method.values.size(), -1);
  add_numbers(p);
  p.now.made.assign(p.method.values.size(), false);
  for (const PteTouch& touch : touches(p))
    if (touch.kind == PteTouch::Kind::made) p.now.made[touch.id] = true;
  p.levels.emplace_back().graph.name = "after";
  pair_delegates(p);
  add_inputs(p);
  if (p.going()) run(p, 0, p.method.instructions.size());
  if (p.going() && !numbers_return(p)) p.give_up("executorch.number that another call begins with");
  if (!p.fault) add_outside(p);
  std::vector<Arg> outputs;
  for (const std::uint32_t id : p.method.outputs)
    if (p.going()) outputs.push_back(output(p, id).value_or(Arg{}));
  if (p.fault) return *p.fault;
  p.graph().outputs = p.stopped.empty() ? std::move(outputs) : outputs_unknown(p);
  p.out.name = p.method.name;
  p.out.after = std::move(p.levels.front().graph);
  return std::move(p.out);
}

}  // namespace

/// The type of a dense tensor of this shape, in the dimension order that the program gives `id`.
Type dense(const PteBuilder& p, std::uint32_t id, Dtype dtype, std::vector<SymExpr> shape) {
  const PteTensor& t = p.tensor(id);
  Type out;
  out.dtype = dtype;
  if (!std::ranges::is_sorted(t.dim_order)) {
    out.strides = Type::Strides::given;
    out.stride.assign(shape.size(), 1);
    SymExpr stride = 1;
    for (std::size_t k = t.dim_order.size(); k-- > 0;) {
      out.stride[t.dim_order[k]] = stride;
      if (t.sizes[t.dim_order[k]] != 0) stride = stride * shape[t.dim_order[k]];
    }
  }
  out.shape = std::move(shape);
  return out;
}

/// The type that the program states. Empty if its sizes are only bounds and can be inferred.
std::optional<Type> type_of(const PteBuilder& p, std::uint32_t id) {
  const PteTensor& t = p.tensor(id);
  if (t.dynamic && p.functional != nullptr) return std::nullopt;
  return dense(p, id, t.dtype, {t.sizes.begin(), t.sizes.end()});
}

Arg sizes_of(const PteBuilder& p, std::uint32_t id) {
  std::vector<Arg> out;
  for (const std::int64_t size : p.tensor(id).sizes) out.push_back(Arg::of(SymExpr(size)));
  return Arg::of(std::move(out));
}

bool same_shape(const PteBuilder& p, std::uint32_t a, std::uint32_t b) {
  return p.tensor(a).dtype == p.tensor(b).dtype && p.tensor(a).sizes == p.tensor(b).sizes &&
         p.tensor(a).dim_order == p.tensor(b).dim_order;
}

ValueId PteBuilder::add_value(Value value) {
  graph().values.push_back(std::move(value));
  return ValueId(graph().values.size() - 1);
}

ValueId emit(PteBuilder& p, std::string op, std::vector<Arg> args, std::optional<Type> type,
             std::string name) {
  const auto number = static_cast<std::uint32_t>(p.graph().steps.size());
  const ValueId value = p.add_value({p.names.fresh(name), Value::From::step, number, 0, std::move(type)});
  Step& step = p.graph().steps.emplace_back();
  step.op = std::move(op);
  step.args = std::move(args);
  step.results = {value};
  return value;
}

std::int32_t PteBuilder::define(std::uint32_t id, ValueId value, std::optional<PteTensor::Place> place) {
  definitions.push_back({value, id, levels.size() - 1, place});
  return static_cast<std::int32_t>(definitions.size() - 1);
}

/// The name in the plan of a value of this level.
std::string scoped(PteBuilder& p, ValueId value) {
  return (p.levels.size() > 1 ? p.graph().name + "/" : "") + p.graph().value(value).name;
}

/// Defines `id` as `value`, at the place that the program gives `id`.
std::int32_t define_placed(PteBuilder& p, std::uint32_t id, ValueId value) {
  const PteTensor& t = p.tensor(id);
  const std::int32_t made = p.define(id, value, t.place);
  p.now.own[id] = made;
  p.now.used.insert(id);
  p.now.rows.erase(id);
  p.now.unsettled.erase(id);
  if (!t.place) return made;
  std::int64_t end = 0;
  const std::int64_t bytes = p.bytes_of(id);
  if (t.place->arena == 0 || t.place->arena >= p.method.arenas.size() ||
      __builtin_add_overflow(t.place->offset, bytes, &end)) {
    p.fault = no_arena(p, id);
    return made;
  }
  p.memory.write(t.place->arena, t.place->offset, end, made);
  p.written.emplace_back(*t.place, end);
  p.out.plan->buffers.push_back(pte_buffer(scoped(p, value), *t.place, bytes));
  return made;
}

ValueId here(PteBuilder& p, const PteDefinition& made) {
  return import_value(p, made.value, made.level, p.levels.size() - 1);
}

ValueId PteBuilder::give_up(const std::string& what) {
  if (stopped.empty()) stopped = what;
  return {};
}

/// The value that a name refers to at the current instruction; invalid after giving up.
ValueId read(PteBuilder& p, std::uint32_t id) {
  if (!p.going()) return {};
  if (p.now.unsettled.contains(id)) return p.give_up("executorch.read of what one of two branches moved");
  if (p.now.bound[id] >= 0) return as_view(p, id, p.now.bound[id]);
  p.now.used.insert(id);
  if (const auto rows = p.now.rows.find(id);
      rows != p.now.rows.end() && rows->second != p.tensor(id).sizes[0])
    return p.give_up("executorch.rows that were not stored");
  if (p.now.own[id] >= 0) return as_view(p, id, p.now.own[id]);
  return p.tensor(id).place ? from_bytes(p, id) : undefined(p, id, false);
}

ValueId as_view(PteBuilder& p, std::uint32_t id, std::int32_t number) {
  const PteDefinition made = p.definitions[static_cast<std::size_t>(number)];
  if (made.id == id || same_shape(p, made.id, id)) return here(p, made);
  auto& views = p.levels.back().views;
  if (const auto known = views.find({id, number}); known != views.end()) return known->second;
  const PteTensor &from = p.tensor(made.id), &to = p.tensor(id);
  const bool plain = std::ranges::is_sorted(from.dim_order) && std::ranges::is_sorted(to.dim_order);
  if (!plain || from.dynamic || to.dynamic || p.bytes_of(made.id) != p.bytes_of(id))
    return p.give_up("executorch.view of another layout");
  ValueId value = here(p, made);
  const std::string name = "t" + std::to_string(id);
  if (from.dtype != to.dtype) {
    Type flat;
    flat.dtype = from.dtype;
    const std::int64_t bits = std::max(bit_width(from.dtype), 1);
    flat.shape = {SymExpr(p.bytes_of(made.id) * 8 / bits)};
    value = emit(p, "aten.view.default", {Arg::of(value), Arg::of({Arg::of(flat.shape[0])})}, flat,
                 name + "_flat");
    value = emit(p, "aten.view.dtype", {Arg::of(value), Arg::of_dtype(to.dtype)}, std::nullopt, name + "_as");
  }
  value = emit(p, "aten.view.default", {Arg::of(value), sizes_of(p, id)}, type_of(p, id), name);
  return views[{id, number}] = value;
}

PlanBuffer pte_buffer(std::string name, const PteTensor::Place& place, std::int64_t bytes) {
  PlanBuffer out;
  out.name = std::move(name);
  out.is_value = true;
  out.arena = place.arena - 1;
  out.offset = place.offset;
  out.size = bytes;
  return out;
}

Result<Case> case_of_pte(const PteMethod& method, const Graph* functional) {
  PteBuilder builder(method, functional);
  return build_pte(builder);
}

}  // namespace noclobber
