// Functional programs and methods that read values, made by hand and held against each other.
#pragma once
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/lower/pte_made.h"

namespace noclobber {

/// So many numbers of f32, as the file holds them.
inline std::string floats(const std::vector<float>& numbers) {
  std::string out(numbers.size() * sizeof(float), '\0');
  std::memcpy(out.data(), numbers.data(), out.size());
  return out;
}

/// y = -x, beside inputs that are added.
struct Functional : MadeGraph {
  explicit Functional(std::vector<SymExpr> shape = {2}, Dtype dtype = Dtype::f32) {
    input("x", type(std::move(shape), dtype));
  }
  Input& constant(const std::string& name, std::vector<SymExpr> shape = {2}) {
    return input(name, type(std::move(shape)), Input::Kind::constant);
  }
  Input& state(const std::string& name, std::vector<SymExpr> shape = {2}) {
    return input(name, type(std::move(shape)), Input::Kind::buffer);
  }
  const Graph* done() {
    step("y", "aten.neg.default", args({"x"}), graph.value(graph.find("x")).type);
    graph.outputs = args({"y"});
    return &graph;
  }
};

/// -x, and -v for every value that is asked for, without a place.
struct Reading : MadeMethod {
  std::uint32_t x;

  explicit Reading(std::vector<std::int64_t> sizes = {2}, Dtype dtype = Dtype::f32)
      : x(tensor(sizes, 0, dtype)) {
    method.inputs = {x};
  }
  void use(std::uint32_t value) {
    const PteTensor as = of(value);
    const auto out = tensor(as.sizes);
    of(out).dim_order = as.dim_order;
    of(out).dtype = as.dtype;
    negate(value, out);
    method.outputs.push_back(out);
  }
  std::string beside(Functional functional) const { return text(functional.done()); }
};

}  // namespace noclobber
