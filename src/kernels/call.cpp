#include <algorithm>
#include <cstring>
#include <map>

#include "src/kernels/runs.h"

namespace noclobber {
namespace {

std::uint64_t scrambled(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::string listed(const Extents& sizes) {
  std::string text = "[";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i ? ", " : "") + std::to_string(sizes[i]);
  return text + "]";
}

template <class T>
bool all_ones(const std::uint8_t* flags, T ones) {
  T value;
  std::memcpy(&value, flags, sizeof value);
  return value == ones;
}

/// Flags are 0 or 1.
bool all_bytes_set(const std::uint8_t* flags, std::int64_t width) {
  if (width == 4) return all_ones(flags, std::uint32_t{0x01010101U});
  if (width == 8) return all_ones(flags, std::uint64_t{0x0101010101010101U});
  return std::memchr(flags, 0, static_cast<std::size_t>(width)) == nullptr;
}

constexpr std::int64_t kGarbagePeriod = 4093;  // elements; prime, so that rows of equal length differ

/// The small values of a dtype that garbage consists of, cached for each thread.
const std::vector<std::uint8_t>& small_values(Dtype dtype, std::uint64_t kinds) {
  thread_local std::map<Dtype, std::vector<std::uint8_t>> known;
  std::vector<std::uint8_t>& values = known[dtype];
  if (!values.empty()) return values;
  const auto width = static_cast<std::size_t>(item_bytes(dtype));
  values.resize(static_cast<std::size_t>(kinds) * width);
  for (std::uint64_t i = 0; i < kinds; ++i) {
    const auto small = static_cast<std::int64_t>(i);
    const Number value =
        kinds == 251 ? Number::of_real(static_cast<double>(small) * 0.5 + 300.25) : Number::of(small);
    store_number(dtype, values.data() + i * width, value);
  }
  return values;
}

/// Fills memory with pseudorandom small values of the dtype.
void fill_with_garbage(std::uint8_t* bytes, std::int64_t count, Dtype dtype, std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(item_bytes(dtype));
  const std::uint64_t kinds = dtype == Dtype::boolean ? 2 : is_integer(dtype) ? 4 : 251;
  const std::vector<std::uint8_t>& values = small_values(dtype, kinds);
  for (std::int64_t i = 0; i < std::min(count, kGarbagePeriod); ++i) {
    const std::uint64_t r = scrambled(seed + static_cast<std::uint64_t>(i));
    const std::uint64_t kind = kinds == 2 ? r >> 63 : (r >> 56) % kinds;
    std::memcpy(bytes + static_cast<std::size_t>(i) * width, values.data() + kind * width, width);
  }
  const auto period = static_cast<std::size_t>(kGarbagePeriod) * width,
             end = static_cast<std::size_t>(count) * width;
  for (std::size_t done = period; done < end; done += period)
    std::memcpy(bytes + done, bytes, std::min(period, end - done));
}

bool inside(const Array& array, std::int64_t at, std::int64_t width) {
  return at >= 0 && at < array.memory.size && at <= array.memory.size / width - 1;
}

}  // namespace

Datum Datum::of(Array value) {
  Datum d;
  d.kind = Kind::tensor;
  d.tensor = std::move(value);
  return d;
}

Datum Datum::of(std::int64_t value) {
  Datum d;
  d.kind = Kind::integer;
  d.integer = value;
  return d;
}

Datum Datum::of_real(double value) {
  Datum d;
  d.kind = Kind::real;
  d.real = value;
  return d;
}

Datum Datum::of_bool(bool value) {
  Datum d;
  d.kind = Kind::boolean;
  d.boolean = value;
  return d;
}

Datum Datum::of_list(std::vector<Datum> value) {
  Datum d;
  d.kind = Kind::list;
  d.list = std::move(value);
  return d;
}

std::optional<Number> Datum::number() const {
  switch (kind) {
    case Kind::integer:
      return Number::of(integer);
    case Kind::real:
      return Number::of_real(real);
    case Kind::boolean:
      return Number::of(boolean ? 1 : 0);
    case Kind::none:
    case Kind::tensor:
    case Kind::text:
    case Kind::dtype:
    case Kind::list:
      break;
  }
  return std::nullopt;
}

void Call::fail(Fault::Kind kind, std::string text) {
  if (!fault) fault = Fault{kind, std::move(text)};
}

bool is_product(std::int64_t whole, std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors)
    if (__builtin_mul_overflow(product, factor, &product)) return false;
  return product == whole;
}

bool Call::spend(std::initializer_list<std::int64_t> factors) {
  std::int64_t cost = 1;
  for (std::int64_t factor : factors)
    if (factor < 0 || __builtin_mul_overflow(cost, factor, &cost)) cost = budget + 1;
  if (!ok()) return false;
  if (cost > budget) {
    fail(Fault::Kind::bound, "more elements than the interpreter's bound");
    return false;
  }
  budget -= cost;
  return true;
}

const Datum& Call::arg(std::size_t i) const {
  static const Datum nothing;
  return i < args.size() ? args[i] : nothing;
}

const Array& Call::tensor(std::size_t i) {
  static const Array nothing{{Dtype::f32, {0}, {1}, 0}, {}};
  if (arg(i).kind == Datum::Kind::tensor) return args[i].tensor;
  decline("argument " + std::to_string(i) + " is no tensor");
  return nothing;
}

std::vector<Array> Call::tensors(std::size_t i) {
  std::vector<Array> result;
  if (arg(i).kind == Datum::Kind::tensor) return {args[i].tensor};
  for (const Datum& d : arg(i).list) {
    if (d.kind == Datum::Kind::tensor)
      result.push_back(d.tensor);
    else
      decline("an element of argument " + std::to_string(i) + " is no tensor");
  }
  return result;
}

Number Call::number(std::size_t i, std::int64_t fallback) {
  const Datum& d = arg(i);
  if (const auto n = d.number()) return *n;
  if (d.kind == Datum::Kind::tensor && d.tensor.at.numel() == 1) return load(d.tensor, d.tensor.at.offset);
  if (d.kind != Datum::Kind::none) decline("argument " + std::to_string(i) + " is no number");
  return Number::of(fallback);
}

std::int64_t Call::integer(std::size_t i, std::int64_t fallback) {
  const Number n = number(i, fallback);
  return n.kind == Number::Kind::integer ? n.integer : convert(n, Dtype::i64).integer;
}

double Call::real(std::size_t i, double fallback) { return has(i) ? number(i, 0).as_real() : fallback; }

bool Call::boolean(std::size_t i, bool fallback) { return number(i, fallback ? 1 : 0).truthy(); }

Extents Call::integers(std::size_t i) {
  const Datum& d = arg(i);
  if (d.kind == Datum::Kind::none) return {};
  if (d.kind != Datum::Kind::list) return {integer(i, 0)};
  Extents result;
  for (const Datum& item : d.list) {
    const auto n = item.number();
    if (!n) decline("an element of argument " + std::to_string(i) + " is no integer");
    result.push_back(n ? convert(*n, Dtype::i64).integer : 0);
  }
  return result;
}

Dtype Call::dtype(std::size_t i, Dtype fallback) const {
  return arg(i).kind == Datum::Kind::dtype ? arg(i).dtype : fallback;
}

std::int64_t Call::wrap_dim(std::int64_t dim, std::int64_t rank) {
  const std::int64_t count = std::max<std::int64_t>(rank, 1);
  if (dim < -count || dim >= count) {
    raise("Dimension out of range (" + std::to_string(dim) + " of " + std::to_string(rank) + ")");
    return 0;
  }
  return dim < 0 ? dim + count : dim;
}

std::int64_t Call::dim(std::size_t i, std::int64_t fallback, std::int64_t rank) {
  return wrap_dim(integer(i, fallback), rank);
}

Array Call::allocate(const Geometry& geometry) {
  Array array{geometry, {}};
  const std::int64_t width = item_bytes(geometry.dtype);
  const auto count = element_count(geometry.shape);
  const auto end = reach(geometry);
  std::int64_t size = 0;
  if (!ok()) return array;
  if (width == 0)
    decline("a dtype without a known width");
  else if (!count || !end)
    raise("not a shape that can be allocated: " + listed(geometry.shape));
  else if (__builtin_mul_overflow(*end, width, &size) || size > memory_left)
    fail(Fault::Kind::bound, "more memory than the interpreter's bound");
  if (!ok()) return array;
  memory_left -= size;
  Buffer& buffer = fresh.emplace_back();
  const auto bytes = static_cast<std::size_t>(size);
  buffer.bytes.resize(bytes);
  buffer.defined.resize(bytes, 0);
  buffer.writer.resize(bytes, -2);
  const auto id = first_id + static_cast<std::uint32_t>(fresh.size() - 1);
  fill_with_garbage(buffer.bytes.data(), *end, geometry.dtype, garbage_seed * 1000003 + id * 8191ULL);
  array.memory = {buffer.bytes.data(), buffer.defined.data(), buffer.writer.data(), size, id, step};
  return array;
}

Array Call::scratch(Dtype dtype, const Extents& shape, const Extents& stride) {
  return allocate({dtype, shape, stride, 0});
}

Array Call::output(Dtype dtype, const Extents& shape, const Extents& stride) {
  const std::size_t at = results.size();
  if (at >= targets.size()) {
    Array array = allocate({dtype, shape, stride, 0});
    results.push_back(Datum::of(array));
    return array;
  }
  Array target = targets[at];
  if (ok() && !can_cast(dtype, target.at.dtype))
    raise("result type " + std::string(name(dtype)) + " can't be cast to the desired output type " +
          std::string(name(target.at.dtype)));
  if (ok() && target.at.shape != shape && resizes)
    fail(Fault::Kind::bound, "an out= that takes another size");
  if (ok() && target.at.shape != shape)
    raise("output with shape " + listed(target.at.shape) + " doesn't match the broadcast shape " +
          listed(shape));
  results.push_back(Datum::of(target));
  return target;
}

Array Call::output_copy(const Array& source, const Extents& stride) {
  Array out = output(source.at.dtype, source.at.shape, stride);
  const bool shown = out.memory.bytes == source.memory.bytes && out.at == source.at;
  if (ok() && !shown) copy_elements(*this, source, out);
  begin();
  return out;
}

Array Call::output_clone(const Array& source) {
  bool repeats = false;
  for (std::size_t i = 0; i < source.at.shape.size(); ++i)
    repeats = repeats || (source.at.stride[i] == 0 && source.at.shape[i] > 1);
  if (repeats || results.size() < targets.size()) return output_copy(source, preserved_strides(source.at));
  Geometry stored = source.at;
  stored.conjugated = false;
  const Array out = allocate(stored);
  results.push_back(Datum::of(out));
  const std::int64_t width = item_bytes(source.at.dtype), end = width == 0 ? 0 : out.memory.size / width;
  if (!spend({end})) return out;
  const bool plain =
      !source.at.conjugated && !watched && end <= source.memory.size / std::max<std::int64_t>(width, 1);
  if (plain) move_run(source, 0, 1, out, 0, 1, end);
  for (std::int64_t at = 0; !plain && at < end && ok(); ++at) move(source, at, out, at);
  return out;
}

void Call::alias(const Array& base, Geometry view) {
  const auto end = reach(view);
  const std::int64_t width = item_bytes(view.dtype);
  if (ok() && (!end || width == 0 || *end > base.memory.size / width))
    raise("a view " + listed(view.shape) + " with strides " + listed(view.stride) + " and offset " +
          std::to_string(view.offset) + " is out of bounds for its storage");
  view.conjugated = base.at.conjugated && is_complex(view.dtype);
  results.push_back(Datum::of(Array{std::move(view), base.memory}));
}

Number Call::load(const Array& array, std::int64_t at) {
  const std::int64_t width = item_bytes(array.at.dtype);
  if (width == 0 || !inside(array, at, width)) {
    raise("an element outside its storage is read");
    return {};
  }
  if (defined_) defined_ = all_bytes_set(array.memory.defined + at * width, width);
  touch(false, array, at, width);
  const Number value = load_number(array.at.dtype, array.memory.bytes + at * width);
  return array.at.conjugated ? conjugate(value) : value;
}

void Call::store(const Array& array, std::int64_t at, const Number& value) {
  const std::int64_t width = item_bytes(array.at.dtype);
  if (width == 0 || !inside(array, at, width)) return raise("an element outside its storage is written");
  if (!ok()) return;
  touch(true, array, at, width);
  const Number stored = array.at.conjugated ? conjugate(convert(value, array.at.dtype)) : value;
  store_number(array.at.dtype, array.memory.bytes + at * width, stored);
  std::fill_n(array.memory.defined + at * width, width, defined_ ? 1 : 0);
  std::fill_n(array.memory.writer + at * width, width, array.memory.step);
}

void Call::move(const Array& from, std::int64_t from_at, const Array& to, std::int64_t to_at) {
  const std::int64_t width = item_bytes(to.at.dtype);
  if (from.at.dtype != to.at.dtype || from.at.conjugated != to.at.conjugated) {
    begin();
    const Number value = load(from, from_at);
    return store(to, to_at, value);
  }
  if (width == 0 || !inside(from, from_at, width) || !inside(to, to_at, width))
    return raise("an element outside its storage is moved");
  touch(false, from, from_at, width);
  touch(true, to, to_at, width);
  std::memmove(to.memory.bytes + to_at * width, from.memory.bytes + from_at * width,
               static_cast<std::size_t>(width));
  std::memmove(to.memory.defined + to_at * width, from.memory.defined + from_at * width,
               static_cast<std::size_t>(width));
  std::fill_n(to.memory.writer + to_at * width, width, to.memory.step);
}

}  // namespace noclobber
