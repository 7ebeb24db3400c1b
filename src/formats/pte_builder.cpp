#include "src/formats/pte_builder.h"

#include <algorithm>
#include <limits>

namespace noclobber {

namespace {
constexpr std::int32_t kUnsettled = -2;  // by: one of several branches
}  // namespace

/// A dense tensor of these sizes, in the order of dimensions that the program gives `id`.
Type PteBuilder::dense(std::uint32_t id, Dtype dtype, std::vector<SymExpr> shape) const {
  const PteTensor& t = tensor(id);
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

/// The type the program states; nothing where it is only a bound of the sizes and they can be inferred.
std::optional<Type> PteBuilder::type_of(std::uint32_t id) const {
  const PteTensor& t = tensor(id);
  if (t.dynamic && functional_ != nullptr) return std::nullopt;
  return dense(id, t.dtype, {t.sizes.begin(), t.sizes.end()});
}

Arg PteBuilder::sizes_of(std::uint32_t id) const {
  std::vector<Arg> out;
  for (const std::int64_t size : tensor(id).sizes) out.push_back(Arg::of(SymExpr(size)));
  return Arg::of(std::move(out));
}

bool PteBuilder::same_shape(std::uint32_t a, std::uint32_t b) const {
  return tensor(a).dtype == tensor(b).dtype && tensor(a).sizes == tensor(b).sizes &&
         tensor(a).dim_order == tensor(b).dim_order;
}

ValueId PteBuilder::add_value(Value value) {
  graph().values.push_back(std::move(value));
  return ValueId(graph().values.size() - 1);
}

ValueId PteBuilder::emit(std::string op, std::vector<Arg> args, std::optional<Type> type, std::string name) {
  const auto number = static_cast<std::uint32_t>(graph().steps.size());
  const ValueId value = add_value({names_.fresh(name), Value::From::step, number, 0, std::move(type)});
  Step& step = graph().steps.emplace_back();
  step.op = std::move(op);
  step.args = std::move(args);
  step.results = {value};
  return value;
}

std::int32_t PteBuilder::define(std::uint32_t id, ValueId value, std::optional<PteTensor::Place> place) {
  definitions_.push_back({value, id, levels_.size() - 1, place});
  return static_cast<std::int32_t>(definitions_.size() - 1);
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

Diagnostic PteBuilder::no_arena(std::uint32_t id) const {
  return {"byte " + std::to_string(method_.values[id].at), "a tensor in an arena that does not exist"};
}

/// The name of a value of this level in a plan.
std::string PteBuilder::scoped(ValueId value) {
  return (levels_.size() > 1 ? graph().name + "/" : "") + graph().value(value).name;
}

/// `value` now lies where the program put `id`.
std::int32_t PteBuilder::define_placed(std::uint32_t id, ValueId value) {
  const PteTensor& t = tensor(id);
  const std::int32_t made = define(id, value, t.place);
  own_[id] = made;
  used_.insert(id);
  rows_.erase(id);
  unsettled_.erase(id);
  if (!t.place) return made;
  std::int64_t end = 0;
  const std::int64_t bytes = bytes_of(id);
  if (t.place->arena == 0 || t.place->arena >= method_.arenas.size() ||
      __builtin_add_overflow(t.place->offset, bytes, &end)) {
    fault_ = no_arena(id);
    return made;
  }
  memory_.write(t.place->arena, t.place->offset, end, made);
  written_.emplace_back(*t.place, end);
  out_.plan->buffers.push_back(pte_buffer(scoped(value), *t.place, bytes));
  return made;
}

/// A value of level `from` as an input of the body at level `to`, and of every body between.
ValueId PteBuilder::import(ValueId value, std::size_t from, std::size_t to) {
  for (std::size_t level = from + 1; level <= to; ++level) {
    Level& inner = levels_[level];
    const Value& outer = levels_[level - 1].graph.value(value);
    const auto [at, added] = inner.imported.try_emplace(value.index, ValueId(inner.graph.values.size()));
    if (added) {
      const auto number = static_cast<std::uint32_t>(inner.graph.inputs.size());
      inner.graph.values.push_back(
          {names_.fresh(outer.name + "_in"), Value::From::input, number, 0, outer.type});
      inner.graph.inputs.emplace_back().value = at->second;
      inner.operands.push_back(value);
    }
    value = at->second;
  }
  return value;
}

ValueId PteBuilder::here(const Definition& made) {
  return import(made.value, made.level, levels_.size() - 1);
}

ValueId PteBuilder::give_up(const std::string& what) {
  if (stopped_.empty()) stopped_ = what;
  return {};
}

/// What a name means where it is used.
ValueId PteBuilder::read(std::uint32_t id) {
  if (!going()) return {};
  if (unsettled_.contains(id)) return give_up("executorch.read of what one of two branches moved");
  if (bound_[id] >= 0) return as_view(id, bound_[id]);
  used_.insert(id);
  if (const auto rows = rows_.find(id); rows != rows_.end() && rows->second != tensor(id).sizes[0])
    return give_up("executorch.rows that were not stored");
  if (own_[id] >= 0) return as_view(id, own_[id]);
  return tensor(id).place ? from_bytes(id) : undefined(id, false);
}

ValueId PteBuilder::as_view(std::uint32_t id, std::int32_t number) {
  const Definition made = definitions_[static_cast<std::size_t>(number)];
  if (made.id == id || same_shape(made.id, id)) return here(made);
  auto& views = levels_.back().views;
  if (const auto known = views.find({id, number}); known != views.end()) return known->second;
  const PteTensor &from = tensor(made.id), &to = tensor(id);
  const bool plain = std::ranges::is_sorted(from.dim_order) && std::ranges::is_sorted(to.dim_order);
  if (!plain || from.dynamic || to.dynamic || bytes_of(made.id) != bytes_of(id))
    return give_up("executorch.view of another layout");
  ValueId value = here(made);
  const std::string name = "t" + std::to_string(id);
  if (from.dtype != to.dtype) {
    Type flat;
    flat.dtype = from.dtype;
    const std::int64_t bits = std::max(bit_width(from.dtype), 1);
    flat.shape = {SymExpr(bytes_of(made.id) * 8 / bits)};
    value =
        emit("aten.view.default", {Arg::of(value), Arg::of({Arg::of(flat.shape[0])})}, flat, name + "_flat");
    value = emit("aten.view.dtype", {Arg::of(value), Arg::of_dtype(to.dtype)}, std::nullopt, name + "_as");
  }
  value = emit("aten.view.default", {Arg::of(value), sizes_of(id)}, type_of(id), name);
  return views[{id, number}] = value;
}

/// Contents that nothing determines; in its place only where no other tensor's bytes lie.
ValueId PteBuilder::undefined(std::uint32_t id, bool has_place) {
  if (tensor(id).dynamic) return give_up("executorch.read of bytes that nothing wrote");
  const ValueId value =
      emit("aten.empty.memory_format", {sizes_of(id)}, type_of(id), "unwritten" + std::to_string(id));
  graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(tensor(id).dtype)}};
  if (has_place)
    define_placed(id, value);  // a call may write it without an `out`
  else
    own_[id] = define(id, value, std::nullopt);
  return value;
}

/// Bytes of one definition (or of none) as a list of elements; invalid after giving up.
ValueId PteBuilder::part(const Definition& made, const PteMemory::Piece& piece, Dtype dtype) {
  const std::int64_t width = bit_width(dtype) / 8;
  const bool fits = width > 0 && tensor(made.id).dtype == dtype && !tensor(made.id).dynamic &&
                    std::ranges::is_sorted(tensor(made.id).dim_order) && made.place;
  if (!fits || (piece.begin - made.place->offset) % width != 0 || (piece.end - piece.begin) % width != 0)
    return give_up("executorch.read of bytes of several tensors");
  const std::int64_t all = bytes_of(made.id) / width;
  const std::int64_t first = (piece.begin - made.place->offset) / width;
  const std::int64_t last = first + (piece.end - piece.begin) / width;
  const ValueId flat = emit("aten.view.default", {Arg::of(here(made)), Arg::of({Arg::of(SymExpr(all))})},
                            std::nullopt, "flat");
  return emit("aten.slice.Tensor",
              {Arg::of(flat), Arg::of(SymExpr(0)), Arg::of(SymExpr(first)), Arg::of(SymExpr(last))},
              std::nullopt, "part");
}

/// A tensor that no instruction writes under its own name: whatever its bytes hold now.
ValueId PteBuilder::from_bytes(std::uint32_t id) {
  const PteTensor& t = tensor(id);
  const std::int64_t bytes = bytes_of(id), begin = t.place->offset;
  std::int64_t end = 0;
  if (bytes == 0 || __builtin_add_overflow(begin, bytes, &end)) return undefined(id, true);
  const auto pieces = memory_.read(t.place->arena, begin, end);
  if (pieces.size() == 1 && pieces[0].by == PteMemory::kNobody) return undefined(id, true);
  if (made_[id]) return undefined(id, false);  // later: these bytes are not yet its own
  if (std::ranges::any_of(pieces, [](const PteMemory::Piece& p) { return p.by == kUnsettled; }))
    return give_up("executorch.read of bytes that a branch may have written");
  if (functional_ == nullptr && surely_state(id))  // nothing else would tell it from state without a name
    assume("value " + std::to_string(id) +
           ", which is stored into, is no state: it shows what its bytes hold");
  if (pieces.size() == 1) {
    const Definition& made = definitions_[static_cast<std::size_t>(pieces[0].by)];
    if (made.place->offset == begin && bytes_of(made.id) == bytes) return as_view(id, pieces[0].by);
  }
  std::vector<Arg> parts;
  for (const PteMemory::Piece& piece : pieces) {
    const std::int64_t width = std::max(bit_width(t.dtype) / 8, 1);
    if ((piece.end - piece.begin) % width != 0) return give_up("executorch.read of bytes of several tensors");
    if (piece.by == PteMemory::kNobody) {
      const Arg count = Arg::of(SymExpr((piece.end - piece.begin) / width));
      const ValueId hole = emit("aten.empty.memory_format", {Arg::of({count})}, std::nullopt, "unwritten");
      graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(t.dtype)}};
      parts.push_back(Arg::of(hole));
    } else {
      const ValueId value = part(definitions_[static_cast<std::size_t>(piece.by)], piece, t.dtype);
      if (!value.valid()) return value;
      parts.push_back(Arg::of(value));
    }
  }
  const ValueId whole = parts.size() == 1
                            ? parts[0].ref
                            : emit("aten.cat.default", {Arg::of(std::move(parts))}, std::nullopt, "pieces");
  return emit("aten.view.default", {Arg::of(whole), sizes_of(id)}, type_of(id), "t" + std::to_string(id));
}

/// A tensor, or a number and the like as it is at the end.
std::optional<Arg> PteBuilder::output(std::uint32_t id) {
  if (is_tensor(id)) return Arg::of(read(id));
  if (functional_ == nullptr) return Arg{};  // nothing says what it should be
  auto out = plain_argument(id, SchemaSlot{});
  if (!out && going()) give_up("executorch.output that is a list of tensors");
  return out;
}

/// The step that was not understood makes all outputs; numbers are then what they should be, as nothing is
/// said.
std::vector<Arg> PteBuilder::outputs_unknown() {
  std::vector<Arg> out;
  const auto number = static_cast<std::uint32_t>(graph().steps.size());
  Step step;
  step.op = stopped_;
  for (const std::uint32_t id : method_.outputs) {
    if (!is_tensor(id)) {
      const bool meant = functional_ != nullptr && out.size() < functional_->outputs.size() &&
                         functional_->outputs[out.size()].kind != Arg::Kind::ref;
      out.push_back(meant ? functional_->outputs[out.size()] : Arg{});
      continue;
    }
    const auto result = static_cast<std::uint32_t>(step.results.size());
    step.results.push_back(add_value({names_.fresh("out"), Value::From::step, number, result, type_of(id)}));
    out.push_back(Arg::of(step.results.back()));
  }
  graph().steps.push_back(std::move(step));
  return out;
}

/// The runtime finds the memory of every tensor before the first call, also of those that none uses.
void PteBuilder::add_outside() {
  for (std::uint32_t id = 0; id < method_.values.size(); ++id) {
    if (!is_tensor(id) || !tensor(id).place || used_.contains(id)) continue;
    const PteTensor::Place place = *tensor(id).place;
    if (place.arena == 0 || place.arena >= method_.arenas.size()) return fault_ = no_arena(id), void();
    std::int64_t end = 0;
    if (!__builtin_add_overflow(place.offset, bytes_of(id), &end) && end <= method_.arenas[place.arena])
      continue;
    PlanBuffer& buffer = out_.plan->buffers.emplace_back(
        pte_buffer(names_.fresh("value" + std::to_string(id)), place, bytes_of(id)));
    buffer.is_value = false;
    buffer.lower = buffer.upper = 0;
  }
}

Result<Case> PteBuilder::build() {
  out_.plan.emplace();
  out_.portable_kernels = true;
  for (std::size_t k = 1; k < method_.arenas.size(); ++k)
    out_.plan->arenas.push_back({std::to_string(k), SymExpr(method_.arenas[k]), 1});
  own_.assign(method_.values.size(), -1);
  bound_.assign(method_.values.size(), -1);
  add_numbers();
  made_.assign(method_.values.size(), false);
  for (const Touch& touch : touches())
    if (touch.kind == Touch::Kind::made) made_[touch.id] = true;
  levels_.emplace_back().graph.name = "after";
  pair_delegates();
  add_inputs();
  if (going()) run(0, method_.instructions.size());
  if (going() && !numbers_return()) give_up("executorch.number that another call begins with");
  if (!fault_) add_outside();
  std::vector<Arg> outputs;
  for (const std::uint32_t id : method_.outputs)
    if (going()) outputs.push_back(output(id).value_or(Arg{}));
  if (fault_) return *fault_;
  graph().outputs = stopped_.empty() ? std::move(outputs) : outputs_unknown();
  out_.name = method_.name;
  out_.after = std::move(levels_.front().graph);
  return std::move(out_);
}

Result<Case> case_of_pte(const PteMethod& method, const Graph* functional) {
  return PteBuilder(method, functional).build();
}

}  // namespace noclobber
