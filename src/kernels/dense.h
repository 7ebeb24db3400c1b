// All elements of an array at once, for kernels that read each element many times.
#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "src/kernels/runs.h"

namespace noclobber {

/// The elements in row-major order, and whether each is defined.
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

/// Loads `count` elements from `at` on, `stride` elements apart.
template <class T>
void gather_run(const Array& array, std::int64_t at, std::int64_t stride, std::int64_t count, T* to) {
  if constexpr (std::is_same_v<T, double>) return load_reals(array, at, stride, count, to);
  Number numbers[kRunLength];
  load_run(array, at, stride, count, numbers, 1);
  for (std::int64_t i = 0; i < count; ++i) to[i] = dense_value<T>(numbers[i]);
}

/// Reads every element. Stops at a fault.
template <class T>
Dense<T> gather_dense(Call& call, const Array& array) {
  Dense<T> dense;
  const std::int64_t count = array.at.numel();
  if (!call.spend({count})) return dense;
  dense.values.resize(static_cast<std::size_t>(count));
  dense.defined.resize(static_cast<std::size_t>(count), 1);
  std::int64_t k = 0;
  auto one = [&](std::int64_t at) {
    call.begin();
    dense.values[static_cast<std::size_t>(k)] = dense_value<T>(call.load(array, at));
    const bool defined = call.all_defined();
    dense.defined[static_cast<std::size_t>(k++)] = defined ? 1 : 0;
    dense.all_defined = dense.all_defined && defined;
  };
  if (runs_freely(call, array)) {
    const Sweep sweep(array.at.shape, {&array.at});
    const std::int64_t stride = sweep.stride(0);
    sweep.each([&](const Extents& at, std::int64_t n) {
      if (!run_defined(array, at[0], stride, n)) {
        for (std::int64_t i = 0; i < n; ++i) one(at[0] + i * stride);
      } else {
        gather_run(array, at[0], stride, n, dense.values.data() + k);
        k += n;
      }
    });
    return dense;
  }
  const Elements at(array.at);
  while (k < count && call.ok()) one(at.at(k));
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

/// Stores defined values along a stretch.
template <class T>
void store_values(const Array& to, std::int64_t at, std::int64_t stride, std::int64_t count,
                  const T* values) {
  if constexpr (std::is_same_v<T, double>) return store_reals(to, at, stride, count, values, true);
  std::vector<Number> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back(dense_number(values[i]));
  store_run(to, at, stride, count, numbers.data(), true);
}

/// Stores `values`, row-major, into all of `to`.
template <class T>
void scatter_dense(Call& call, const Array& to, const T* values, const std::uint8_t* defined,
                   bool all_defined) {
  std::int64_t k = 0;
  if (all_defined && call.ok() && runs_freely(call, to)) {
    const Sweep sweep(to.at.shape, {&to.at});
    return sweep.each([&](const Extents& at, std::int64_t n) {
      store_values(to, at[0], sweep.stride(0), n, values + k);
      k += n;
    });
  }
  const Elements at(to.at);
  for (const std::int64_t count = to.at.numel(); k < count && call.ok(); ++k)
    store_dense(call, to, at.at(k), values[k], all_defined || defined[k] != 0);
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
