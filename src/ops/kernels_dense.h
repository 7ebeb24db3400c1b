// All elements of an array at once, for kernels that read each element many times.
#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "src/ops/kernels.h"

namespace noclobber {

/// Elements in row-major order, and whether each is defined.
template <class T>
struct Dense {
  std::vector<T> values;
  std::vector<std::uint8_t> defined;
  bool all_defined = true;
};

/// T: double, complex<double>, or uint64_t for integers, whose arithmetic wraps.
template <class T>
T dense_value(const Number& n) {
  if constexpr (std::is_same_v<T, double>)
    return n.as_real();
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return static_cast<std::uint64_t>(n.integer);
  else
    return n.as_complex();
}

template <class T>
Number dense_number(const T& value) {
  if constexpr (std::is_same_v<T, double>)
    return Number::of_real(value);
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return Number::of(static_cast<std::int64_t>(value));
  else
    return Number::of_complex(value);
}

/// Elements that lie one after the other and are all defined, without a look at each. False: not such ones.
template <class F>
bool gather_run(const Array& array, Dense<double>& dense) {
  const std::size_t count = dense.values.size(), width = sizeof(F);
  const auto size = static_cast<std::size_t>(array.memory.size) / width;
  if (count == 0 || array.at.offset < 0 || static_cast<std::size_t>(array.at.offset) > size ||
      count > size - static_cast<std::size_t>(array.at.offset))
    return false;
  const std::size_t from = static_cast<std::size_t>(array.at.offset) * width;
  if (std::memchr(array.memory.defined + from, 0, count * width) != nullptr) return false;
  const std::uint8_t* bytes = array.memory.bytes + from;
  for (double& value : dense.values) {
    F stored;
    std::memcpy(&stored, bytes, width);
    value = static_cast<double>(stored);
    bytes += width;
  }
  std::fill(dense.defined.begin(), dense.defined.end(), std::uint8_t{1});
  return true;
}

/// Reads every element. Nothing is read after a fault.
template <class T>
Dense<T> gather_dense(Call& call, const Array& array) {
  Dense<T> dense;
  const std::int64_t count = array.at.numel();
  if (!call.spend({count})) return dense;
  dense.values.resize(static_cast<std::size_t>(count));
  dense.defined.resize(static_cast<std::size_t>(count));
  if constexpr (std::is_same_v<T, double>) {
    const bool whole = !call.watched && is_contiguous(array.at);
    if (whole && array.at.dtype == Dtype::f32 && gather_run<float>(array, dense)) return dense;
    if (whole && array.at.dtype == Dtype::f64 && gather_run<double>(array, dense)) return dense;
  }
  const Elements at(array.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) {
    call.begin();
    dense.values[static_cast<std::size_t>(k)] = dense_value<T>(call.load(array, at.at(k)));
    const bool defined = call.all_defined();
    dense.defined[static_cast<std::size_t>(k)] = defined ? 1 : 0;
    dense.all_defined = dense.all_defined && defined;
  }
  return dense;
}

/// A sum that remembers whether everything added was defined.
template <class T>
struct DenseSum {
  T value{};
  bool defined = true;
  void add(const Dense<T>& x, std::int64_t i, const Dense<T>& y, std::int64_t j) {
    value += x.values[static_cast<std::size_t>(i)] * y.values[static_cast<std::size_t>(j)];
    if (!x.all_defined || !y.all_defined)
      defined = defined && x.defined[static_cast<std::size_t>(i)] && y.defined[static_cast<std::size_t>(j)];
  }
};

template <class T>
void store_dense(Call& call, const Array& to, std::int64_t at, const T& value, bool defined) {
  call.begin(defined);
  call.store(to, at, dense_number(value));
  call.begin();
}

/// Calls f<T>() with the T that holds elements of `dtype`.
template <class F>
void with_dense_type(Dtype dtype, F f) {
  if (is_complex(dtype)) return f(std::complex<double>{});
  if (is_floating(dtype)) return f(double{});
  return f(std::uint64_t{});
}

inline bool shares_memory(const Array& a, const Array& b) {
  return a.memory.bytes != nullptr && a.memory.bytes == b.memory.bytes;
}

}  // namespace noclobber
