#include "src/interp/run_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "src/interp/replay_view.h"
#include "src/interp/run_machine.h"
#include "src/interp/run_values.h"
#include "src/kernels/runs.h"

namespace noclobber {
namespace {

std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// A bound up to which the dtype holds integers exactly.
std::int64_t counting_range(Dtype type) {
  switch (type) {
    case Dtype::f16:
    case Dtype::i16:
    case Dtype::u16:
      return 2048;
    case Dtype::bf16:
      return 256;
    case Dtype::f8e4m3fn:
      return 16;
    case Dtype::f8e5m2:
      return 8;
    case Dtype::i8:
      return 127;
    case Dtype::u8:
      return 255;
    case Dtype::i4:
      return 7;
    case Dtype::u4:
      return 15;
    case Dtype::boolean:
      return 2;
    case Dtype::f64:
    case Dtype::f32:
    case Dtype::i64:
    case Dtype::i32:
    case Dtype::u64:
    case Dtype::u32:
    case Dtype::c64:
    case Dtype::c128:
    case Dtype::other:
      break;
  }
  return std::int64_t{1} << 24;
}

/// Contents that distinguish values (interp.h).
Number telling_element(Dtype type, std::uint64_t seed, std::size_t input, std::int64_t at) {
  const auto number = static_cast<std::int64_t>(input);
  if (type == Dtype::boolean) return Number::of((at + number) % 2);
  if (is_integer(type)) {
    if (seed != kTelling) return Number::of((at * 5 + number + at / 3) % 2);
    const std::int64_t range = counting_range(type), count = 1 + (at * 7 + number * 37) % (range - 1);
    if (range < (std::int64_t{1} << 24)) return Number::of(at % 2 == 0 ? count : -count);
    const bool wide = item_bytes(type) == 8;
    return Number::of((wide ? std::int64_t{1} << 33 : std::int64_t{1} << 25) +
                      (at % 2 == 0 ? count : -count));
  }
  const bool positive = seed == kTellingPositive || seed == kPositive;
  if (!positive && at == (number + 1) % 3) return Number::of_real(-0.0);
  if (seed == kTellingPositive && at % 97 == 5 + number)
    return Number::of_real(std::numeric_limits<double>::quiet_NaN());
  const double step = static_cast<double>((at * 37 + number * 101) % 509) / 32,
               beyond = type == Dtype::f64 || type == Dtype::c128 ? 0x1p-40 : 0x1p-19,
               value = (positive ? step + 0.25 : step - 8) + static_cast<double>(at % 7 + 1) * beyond;
  const double real = at % 5 == 4 ? std::floor(value) + 0.5 : value;
  return is_complex(type) ? Number::of_complex({real, 0.75 - step}) : Number::of_real(real);
}

/// Element `at` of the storage of input number `input`. Seed 0 counts; odd seeds keep integers in {0, 1}.
Number input_element(Dtype type, std::uint64_t seed, std::size_t input, std::int64_t at) {
  const bool floats = is_floating(type) || is_complex(type);
  if (seed == kTelling || seed == kTellingSmall || seed == kTellingPositive || seed == kPositive)
    return telling_element(type, seed, input, at);
  if (seed == 0) {
    const std::int64_t count =
        1 + (at + 1000 * static_cast<std::int64_t>(input)) % (counting_range(type) - 1);
    if (type == Dtype::boolean) return Number::of((at + static_cast<std::int64_t>(input)) % 2);
    if (is_complex(type)) return Number::of_complex({static_cast<double>(count), -0.5});
    return floats ? Number::of_real(static_cast<double>(count)) : Number::of(count);
  }
  const std::uint64_t r = mixed_bits(mixed_bits(seed * 7919 + input) + static_cast<std::uint64_t>(at));
  if (type == Dtype::boolean) return Number::of(static_cast<std::int64_t>(r >> 63));
  if (is_complex(type))
    return Number::of_complex(
        {static_cast<double>(r % 129) / 8 - 8, static_cast<double>((r >> 20) % 65) / 8});
  if (floats) return Number::of_real(static_cast<double>(r % 129) / 8 - 8);
  return Number::of(static_cast<std::int64_t>((r >> 30) % (seed % 2 == 1 ? 2 : 8)));
}

/// Bytes that the storage needs for this input, whose tensor is set. 0 on a fault.
std::int64_t input_bytes(Machine& m, const Frame& frame, const Input& input, Tensor& tensor) {
  const Value& value = frame.graph->value(input.value);
  const auto t = m.concrete(*value.type);
  if (!t) return 0;
  tensor = *t;
  const std::int64_t width = item_bytes(t->dtype);
  std::int64_t numel = *reach({t->dtype, t->shape, t->stride, t->offset}), bytes = 0;
  if (input.storage_numel) {
    const auto given = input.storage_numel->evaluate(m.options.symbols);
    if (!given || *given < numel)
      m.stop("the storage of " + value.name + " is smaller than the tensor in it");
    else
      numel = *given;
  }
  if (__builtin_mul_overflow(numel, width, &bytes) || bytes > std::min(kMemoryBound, m.options.memory)) {
    m.stop("the inputs need more memory than the interpreter's bound");
    return 0;
  }
  return bytes;
}

void fill_input(Machine& m, const Frame& frame, std::size_t number, std::uint32_t storage) {
  const Input& input = frame.graph->inputs[number];
  const Dtype type = frame.graph->value(input.value).type->dtype;
  const std::int64_t width = item_bytes(type);
  std::vector<std::uint8_t>& bytes = m.run.storages[storage].bytes;
  const auto count = static_cast<std::int64_t>(bytes.size()) / width;
  Array all = m.array_of({storage, type, {count}, {1}, 0}, frame);
  all.memory.step = -1;
  std::vector<Number> numbers(kRunLength);
  for (std::int64_t at = 0; at < count; at += kRunLength) {
    const std::int64_t n = std::min(kRunLength, count - at);
    for (std::int64_t i = 0; i < n; ++i)
      numbers[static_cast<std::size_t>(i)] = input_element(type, m.options.contents_seed, number, at + i);
    store_run(all, at, 1, n, numbers.data(), true);
  }
  for (const Input& other : frame.graph->inputs) {
    const Bound& bound = frame.values[other.value.index];
    const auto exact = m.options.contents.find(frame.graph->value(other.value).name);
    if (!bound.tensor || bound.tensor->storage != storage || exact == m.options.contents.end()) continue;
    std::copy_n(exact->second.begin(), std::min(exact->second.size(), bytes.size()), bytes.begin());
  }
}

void fill_constant(Machine& m, const Input& input, const Tensor& tensor) {
  const std::int64_t width = item_bytes(tensor.dtype);
  const Geometry g{tensor.dtype, tensor.shape, tensor.stride, tensor.offset};
  const Elements at(g);
  const auto count = static_cast<std::int64_t>(input.contents->size());
  if (count != 1 && count != g.numel())
    return m.stop("a constant with contents of another length than its type");
  for (std::int64_t k = 0; k < g.numel(); ++k)
    store_number(g.dtype, m.run.storages[tensor.storage].bytes.data() + at.at(k) * width,
                 constant_element((*input.contents)[static_cast<std::size_t>(count == 1 ? 0 : k)]));
}

void resolve_conjugates(Dtype dtype, std::vector<std::uint8_t>& bytes) {
  const auto width = static_cast<std::size_t>(item_bytes(dtype));
  for (std::size_t k = 0; width != 0 && k + width <= bytes.size(); k += width)
    store_number(dtype, bytes.data() + k, conjugate(load_number(dtype, bytes.data() + k)));
}

}  // namespace

/// The tensor of a type under the symbols of this run. Empty, with a diagnostic, if there is none.
std::optional<Tensor> Machine::concrete(const Type& type) {
  Tensor t;
  t.dtype = type.dtype;
  if (item_bytes(type.dtype) == 0) stop("a tensor of a dtype without a known width");
  auto value_of = [&](const SymExpr& e) {
    const auto v = e.evaluate(options.symbols);
    if (!v) stop("no value for " + e.text());
    return v.value_or(0);
  };
  for (const SymExpr& e : type.shape) {
    t.shape.push_back(value_of(e));
    if (t.shape.back() < 0) stop("the size " + e.text() + " is negative");
  }
  for (const SymExpr& e : type.stride) t.stride.push_back(value_of(e));
  if (type.strides != Type::Strides::given || t.stride.size() != t.shape.size())
    t.stride = contiguous_strides(t.shape);
  t.offset = value_of(type.offset);
  if (stopped) return std::nullopt;
  if (!element_count(t.shape) || !reach({t.dtype, t.shape, t.stride, t.offset})) {
    stop("sizes and strides that leave the address space");
    return std::nullopt;
  }
  return t;
}

void make_inputs(Machine& m, Frame& frame) {
  std::map<std::string, std::uint32_t> named;
  std::vector<std::int64_t> sizes;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < frame.graph->inputs.size() && !m.stopped; ++i) {
    const Input& input = frame.graph->inputs[i];
    const Value& value = frame.graph->value(input.value);
    if (!value.type) {  // a symbolic size, or an input without a type
      const auto symbol = m.options.symbols.find(value.name);
      if (symbol != m.options.symbols.end())
        frame.values[input.value.index].scalar = Datum::of(symbol->second);
      continue;
    }
    Tensor tensor;
    const std::int64_t bytes = input_bytes(m, frame, input, tensor);
    const auto next = static_cast<std::uint32_t>(sizes.size());
    const std::uint32_t storage =
        input.storage.empty() ? next : named.emplace(input.storage, next).first->second;
    if (storage == next) {
      sizes.push_back(0);
      first.push_back(i);
    }
    sizes[storage] = std::max(sizes[storage], bytes);
    tensor.storage = storage;
    frame.values[input.value.index].tensor = tensor;
    m.run.input_storage[value.name] = storage;
  }
  for (std::size_t s = 0; s < sizes.size() && !m.stopped; ++s) {
    if (sizes[s] > m.memory_left) return m.stop("the inputs need more memory than the interpreter's bound");
    m.memory_left -= sizes[s];
    const auto bytes = static_cast<std::size_t>(sizes[s]);
    m.run.storages.push_back({std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes, 1),
                              std::vector<std::int32_t>(bytes, -1),
                              frame.graph->value(frame.graph->inputs[first[s]].value).name});
    m.immutable.insert(static_cast<std::uint32_t>(s));
    fill_input(m, frame, first[s], static_cast<std::uint32_t>(s));
  }
  for (const Input& input : frame.graph->inputs) {
    if (m.stopped) return;
    Bound& bound = frame.values[input.value.index];
    if (!bound.tensor) continue;
    const std::string& name = frame.graph->value(input.value).name;
    if (m.may_write.contains(name)) m.immutable.erase(bound.tensor->storage);
    if (input.contents && !m.options.contents.contains(name)) fill_constant(m, input, *bound.tensor);
  }
  for (const Input& input : frame.graph->inputs) {
    Bound& bound = frame.values[input.value.index];
    if (bound.tensor && !m.stopped && m.takes_snapshots())
      bound.snapshot = snapshot_of(m, m.array_of(*bound.tensor, frame));
  }
}

void write_finals(Machine& m, Frame& frame) {
  struct Pending {
    Array target;
    Snapshot contents;
    Geometry from;
    std::string name;
  };
  std::vector<Pending> all;
  for (const auto& [input, arg] : frame.graph->finals) {
    const Datum from = resolve(m, frame, arg, true);
    const std::optional<Tensor>& to = frame.values[input.index].tensor;
    if (from.kind != Datum::Kind::tensor || !to) return m.unsupported("final contents that are no tensor");
    all.push_back({m.array_of(*to, frame), snapshot_of(m, from.tensor), from.tensor.at,
                   frame.graph->value(input).name});
    if (!m.going()) return;
  }
  for (Pending& p : all) {
    Array source{{p.from.dtype, p.from.shape, contiguous_strides(p.from.shape), 0}, {}};
    std::vector<std::int32_t> writer(p.contents.bytes.size(), -1);
    source.memory = {p.contents.bytes.data(),
                     p.contents.defined.data(),
                     writer.data(),
                     static_cast<std::int64_t>(p.contents.bytes.size()),
                     0xffffffffU,
                     -1};
    Call call = m.new_call(frame);
    copy_elements(call, source, p.target);
    m.adopt(call);
    if (call.fault && call.fault->kind == Fault::Kind::raised)
      return m.raise(frame, std::string(kLeftMisfit) + p.name + " has shape " + index_text(p.from.shape) +
                                " and must have " + index_text(p.target.at.shape));
    if (call.fault) return m.take_fault(frame, *call.fault);
  }
}

void make_outputs(Machine& m, Frame& frame) {
  for (const Arg& arg : frame.graph->outputs) {
    Run::Output output;
    const Datum d = resolve(m, frame, arg, true);
    if (d.kind == Datum::Kind::tensor) {
      Snapshot s = snapshot_of(m, d.tensor);
      const auto width = static_cast<std::size_t>(item_bytes(d.tensor.at.dtype));
      output.bytes = std::move(s.bytes);
      if (d.tensor.at.conjugated) resolve_conjugates(d.tensor.at.dtype, output.bytes);
      const bool all = std::find(s.defined.begin(), s.defined.end(), 0) == s.defined.end();
      if (all) output.defined.assign(output.bytes.size() / width, 1);
      for (std::size_t k = 0; !all && k < output.bytes.size(); k += width)
        output.defined.push_back(
            static_cast<std::uint8_t>(std::all_of(s.defined.begin() + static_cast<std::ptrdiff_t>(k),
                                                  s.defined.begin() + static_cast<std::ptrdiff_t>(k + width),
                                                  [](std::uint8_t byte) { return byte != 0; })));
      output.tensor = arg.kind == Arg::Kind::ref ? frame.values[arg.ref.index].tensor : tensor_of(d.tensor);
    } else if (const auto n = d.number()) {
      output.scalar = d.kind == Datum::Kind::real ? std::to_string(n->re) : std::to_string(n->integer);
    } else {
      output.scalar = d.kind == Datum::Kind::none ? "None" : d.text;
    }
    m.run.outputs.push_back(std::move(output));
  }
}

Number constant_element(const Arg& arg) {
  if (arg.kind == Arg::Kind::boolean) return Number::of(arg.boolean ? 1 : 0);
  if (arg.kind == Arg::Kind::sym && arg.sym.is_constant()) return Number::of(arg.sym.constant());
  return Number::of_real(arg.real);
}

}  // namespace noclobber
