#include "src/interp/run_values.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/interp/run_machine.h"

namespace noclobber {
namespace {

/// The value of an expression, which may be a relation: 1 where it holds, else 0.
std::optional<std::int64_t> evaluated(const SymExpr& value, const Symbols& symbols) {
  if (const auto known = value.evaluate(symbols)) return known;
  const std::string text = value.text();
  for (const auto& [name, relation] :
       {std::pair{"eq(", "Eq("}, {"ne(", "Ne("}, {"lt(", "Lt("}, {"le(", "Le("}}) {
    if (!text.starts_with(name)) continue;
    const auto told = parse_relation(relation + text.substr(3));
    if (told && told->left.evaluate(symbols) && told->right.evaluate(symbols)) return holds(*told, symbols);
  }
  return std::nullopt;
}

/// The snapshot as a tensor of its own, with the strides of the original if these are dense.
Array as_array(Machine& m, const Snapshot& snapshot, const Tensor& like) {
  Geometry g{like.dtype, like.shape, like.stride, 0, like.conjugated};
  if (!is_dense(g)) g.stride = contiguous_strides(g.shape);
  Buffer& buffer = m.temporaries.emplace_back();
  buffer.bytes.resize(snapshot.bytes.size());
  buffer.defined.resize(snapshot.bytes.size());
  buffer.writer.resize(snapshot.bytes.size(), -1);
  const std::int64_t width = item_bytes(g.dtype), count = g.numel();
  const Elements to(g);
  for (std::int64_t k = 0; k < count; ++k) {
    std::memcpy(buffer.bytes.data() + to.at(k) * width, snapshot.bytes.data() + k * width,
                static_cast<std::size_t>(width));
    std::memcpy(buffer.defined.data() + to.at(k) * width, snapshot.defined.data() + k * width,
                static_cast<std::size_t>(width));
  }
  return {g,
          {buffer.bytes.data(), buffer.defined.data(), buffer.writer.data(),
           static_cast<std::int64_t>(buffer.bytes.size()), 0xffffffffU, -1}};
}

void check_stale(Machine& m, Frame& frame, ValueId id, const Array& live) {
  const auto element = stale_element(m, frame.values[id.index].snapshot, live);
  if (!element) return;
  const std::int64_t width = item_bytes(live.at.dtype);
  const std::int64_t at = Elements(live.at).at(*element) * width;
  std::vector<std::int64_t> index(live.at.shape.size(), 0);
  std::int64_t rest = *element;
  for (std::size_t i = index.size(); i-- > 0;) {
    index[i] = rest % live.at.shape[i];
    rest /= live.at.shape[i];
  }
  std::int32_t writer = -2;
  for (std::int64_t b = 0; b < width; ++b) writer = std::max(writer, live.memory.writer[at + b]);
  for (const Run::Stale& known : m.run.stale)
    if (known.step == frame.at && known.value == id) return;
  m.run.stale.push_back({frame.at, id, static_cast<std::uint32_t>(writer), std::move(index)});
}

/// The snapshot of a view of a base whose storage has changed since the base's snapshot was taken.
Snapshot view_of_snapshot(Machine& m, const Snapshot& base_snapshot, const Array& base, const Array& view) {
  Buffer& image = m.temporaries.emplace_back();  // the storage, with the base's snapshot in it
  const auto size = static_cast<std::size_t>(base.memory.size);
  image.bytes.assign(base.memory.bytes, base.memory.bytes + size);
  image.defined.assign(base.memory.defined, base.memory.defined + size);
  image.writer.resize(size);
  const std::int64_t width = item_bytes(base.at.dtype), count = base.at.numel();
  const Elements at(base.at);
  for (std::int64_t k = 0; k < count; ++k) {
    std::memcpy(image.bytes.data() + at.at(k) * width, base_snapshot.bytes.data() + k * width,
                static_cast<std::size_t>(width));
    std::memcpy(image.defined.data() + at.at(k) * width, base_snapshot.defined.data() + k * width,
                static_cast<std::size_t>(width));
  }
  Array shown = view;
  shown.memory.bytes = image.bytes.data();
  shown.memory.defined = image.defined.data();
  shown.memory.writer = image.writer.data();
  return snapshot_of(m, shown);
}

}  // namespace

Array Machine::array_of(const Tensor& tensor, const Frame& frame) {
  Storage& storage = run.storages[tensor.storage];
  Memory memory{storage.bytes.data(),  storage.defined.data(),
                storage.writer.data(), static_cast<std::int64_t>(storage.bytes.size()),
                tensor.storage,        static_cast<std::int32_t>(frame.at)};
  return {{tensor.dtype, tensor.shape, tensor.stride, tensor.offset, tensor.conjugated}, memory};
}

Tensor tensor_of(const Array& array) {
  return {array.memory.id, array.at.dtype,  array.at.shape,
          array.at.stride, array.at.offset, array.at.conjugated};
}

Snapshot snapshot_of(Machine& m, const Array& array) {
  Snapshot result;
  result.taken = true;
  const std::int64_t width = item_bytes(array.at.dtype), count = array.at.numel();
  if (count > m.work_left || width * count > std::min(kMemoryBound, m.options.memory)) {
    m.stop("names mean values of more elements than the interpreter's bound");
    return result;
  }
  m.work_left -= count;
  const Elements from(array.at);
  if (count > 0 && is_contiguous(array.at)) {
    const std::int64_t begin = array.at.offset * width;
    result.bytes.assign(array.memory.bytes + begin, array.memory.bytes + begin + width * count);
    result.defined.assign(array.memory.defined + begin, array.memory.defined + begin + width * count);
    return result;
  }
  result.bytes.resize(static_cast<std::size_t>(width * count));
  result.defined.resize(result.bytes.size());
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t at = from.at(k);
    std::memcpy(result.bytes.data() + k * width, array.memory.bytes + at * width,
                static_cast<std::size_t>(width));
    std::memcpy(result.defined.data() + k * width, array.memory.defined + at * width,
                static_cast<std::size_t>(width));
  }
  return result;
}

/// The first row-major element whose bytes differ from the snapshot. Elements that are undefined in it do not
/// count.
std::optional<std::int64_t> stale_element(Machine& m, const Snapshot& snapshot, const Array& live) {
  const std::int64_t width = item_bytes(live.at.dtype), count = live.at.numel();
  const Elements from(live.at);
  if (count > m.work_left) {
    m.stop("names mean values of more elements than the interpreter's bound");
    return std::nullopt;
  }
  m.work_left -= count;
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint8_t* then = snapshot.bytes.data() + k * width;
    const std::uint8_t* now = live.memory.bytes + from.at(k) * width;
    if (snapshot.defined[static_cast<std::size_t>(k * width)] == 0) continue;
    if (std::memcmp(then, now, static_cast<std::size_t>(width)) != 0) return k;
  }
  return std::nullopt;
}

/// The operand `id` of the current step: live, or its snapshot if the options ask for that.
Datum read_value(Machine& m, Frame& frame, ValueId id) {
  const Bound& bound = frame.values[id.index];
  if (bound.scalar) return *bound.scalar;
  if (!bound.tensor) return {};
  const Array live = m.array_of(*bound.tensor, frame);
  if (!frame.top || !bound.snapshot.taken) return Datum::of(live);
  if (m.options.value_semantics) check_stale(m, frame, id, live);
  const bool meant = m.options.value_semantics || m.options.repaired.contains({frame.at, id});
  return Datum::of(meant ? as_array(m, bound.snapshot, *bound.tensor) : live);
}

Datum resolve(Machine& m, Frame& frame, const Arg& arg, bool reading) {
  Datum d;
  switch (arg.kind) {
    case Arg::Kind::none:
    case Arg::Kind::graph:
      return d;
    case Arg::Kind::ref:
      if (!arg.ref.valid() || arg.ref.index >= frame.values.size()) return d;
      if (reading) return read_value(m, frame, arg.ref);
      if (const Bound& b = frame.values[arg.ref.index]; b.tensor)
        return Datum::of(m.array_of(*b.tensor, frame));
      else
        return b.scalar.value_or(d);
    case Arg::Kind::sym: {
      const auto v = evaluated(arg.sym, m.options.symbols);
      if (!v) m.stop("no value for " + arg.sym.text());
      return Datum::of(v.value_or(0));
    }
    case Arg::Kind::real:
      return Datum::of_real(arg.real);
    case Arg::Kind::boolean:
      return Datum::of_bool(arg.boolean);
    case Arg::Kind::text:
    case Arg::Kind::device:
      d.kind = Datum::Kind::text;
      d.text = arg.text;
      return d;
    case Arg::Kind::dtype:
      d.kind = Datum::Kind::dtype;
      d.dtype = arg.dtype;
      return d;
    case Arg::Kind::list:
      d.kind = Datum::Kind::list;
      for (const Arg& item : arg.list) d.list.push_back(resolve(m, frame, item, reading));
      return d;
  }
  return d;
}

void bind_value(Machine& m, Frame& frame, ValueId id, const Datum& datum, const Datum* viewed_from,
                ValueId base) {
  if (!id.valid() || id.index >= frame.values.size()) return;
  Bound& bound = frame.values[id.index];
  bound = {};
  if (datum.kind != Datum::Kind::tensor) {
    if (datum.kind != Datum::Kind::none) bound.scalar = datum;
    return;
  }
  bound.tensor = tensor_of(datum.tensor);
  if (!frame.top || !m.takes_snapshots()) return;
  const bool from_name = viewed_from && base.valid() && frame.values[base.index].snapshot.taken && base != id;
  if (from_name && stale_element(m, frame.values[base.index].snapshot, viewed_from->tensor))
    bound.snapshot =
        view_of_snapshot(m, frame.values[base.index].snapshot, viewed_from->tensor, datum.tensor);
  else
    bound.snapshot = snapshot_of(m, datum.tensor);
}

/// Moves fresh storages of a call into the run, whose ids were assigned in order.
void Machine::adopt(Call& call) {
  work_left = call.budget;
  memory_left = call.memory_left;
  for (Buffer& buffer : call.fresh)
    run.storages.push_back(
        {std::move(buffer.bytes), std::move(buffer.defined), std::move(buffer.writer), ""});
}

void Machine::note_writes(const Frame& frame, std::span<const Array> targets) {
  for (const Array& target : targets) {
    run.written.insert(target.memory.id);
    if (target.at.numel() == 0) continue;
    if (!immutable.contains(target.memory.id)) continue;
    if (run.immutable_writes.empty()) run.immutable_storage = target.memory.id;
    if (run.immutable_writes.empty() || run.immutable_writes.back() != frame.at)
      run.immutable_writes.push_back(frame.at);
  }
}

}  // namespace noclobber
