// Writes a program call by call, with the layouts that a reader of the call would expect.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "src/fuzz/draft.h"
#include "src/fuzz/layout.h"

namespace noclobber::fuzz {

/// A Draft under construction. The caller must pass calls that fit: `refresh` rejects the program otherwise.
class Sketch {
 public:
  explicit Sketch(Random& random) : random_(random) {}

  int input(const std::string& name, const Ints& shape, Dtype dtype = Dtype::f32, Ints contents = {}) {
    const int v = value({draft_.storages++, dtype, shape, row_major(shape), 0, true});
    draft_.inputs.push_back({v, name, "", std::nullopt, std::move(contents)});
    return v;
  }
  const Shown& of(int v) const { return draft_.shown.at(v); }
  Random& random() { return random_; }
  Draft& draft() { return draft_; }
  /// Appends a call whose result has storage of its own.
  int fresh(std::string op, std::vector<Arg> args, const Ints& shape, Dtype dtype = Dtype::f32) {
    return call(std::move(op), std::move(args), {draft_.storages++, dtype, shape, row_major(shape), 0, true});
  }
  /// Appends a call whose result shares storage with a value and has layout `at`.
  int call(std::string op, std::vector<Arg> args, Shown at) {
    const int out = value(std::move(at));
    draft_.calls.push_back({out, std::move(op), std::move(args), {}});
    return out;
  }
  int unary(const std::string& op, int a) {
    return fresh("aten." + op + ".default", {ref(a)}, of(a).shape, of(a).dtype);
  }
  int binary(const std::string& op, int a, int b) {
    return fresh("aten." + op + ".Tensor", {ref(a), ref(b)}, of(a).shape, of(a).dtype);
  }
  int scaled(int a, double by) { return fresh("aten.mul.Scalar", {ref(a), Arg::of_real(by)}, of(a).shape); }
  /// Writes `b` into `a`.
  int copy(int a, int b) { return call("aten.copy_.default", {ref(a), ref(b)}, of(a)); }
  int slice(int a, std::int64_t dim, std::int64_t start, std::int64_t end) {
    return call("aten.slice.Tensor", {ref(a), number(dim), number(start), number(end)},
                sliced(of(a), {dim, start, end, 1}));
  }
  int transposed(int a) {
    Shown at = of(a);
    std::swap(at.shape[0], at.shape[1]), std::swap(at.stride[0], at.stride[1]);
    return call("aten.permute.default", {ref(a), numbers({1, 0})}, at);
  }
  int product(int a, int b) {
    return fresh("aten.mm.default", {ref(a), ref(b)}, {of(a).shape[0], of(b).shape[1]});
  }
  int any() { return static_cast<int>(random_.below(draft_.values)); }
  /// One of the last four values.
  int recent() { return draft_.values - 1 - static_cast<int>(random_.below(std::min(draft_.values, 4))); }
  bool chance(int percent) { return random_.chance(percent); }

 private:
  int value(Shown at) {
    draft_.shown[draft_.values] = std::move(at);
    return draft_.values++;
  }

  Random& random_;
  Draft draft_;
};

// One function per profile. False: it made no program.
bool sketch_views(Sketch& sketch);
bool sketch_dtype_views(Sketch& sketch);
bool sketch_cache(Sketch& sketch);
bool sketch_optimizer(Sketch& sketch);
bool sketch_write_backs(Sketch& sketch);
bool sketch_custom(Sketch& sketch);
bool sketch_training(Sketch& sketch);
bool sketch_buffers(Sketch& sketch);

}  // namespace noclobber::fuzz
