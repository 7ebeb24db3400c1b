// What rules say of a call, from the types and sizes of its tensors and from its other arguments.
#pragma once
#include "src/ops/row.h"
#include "tests/catch.h"

namespace noclobber::testing {

using Extents = std::vector<std::int64_t>;

inline Arg to(int tensor) { return Arg::of(ValueId(static_cast<std::uint32_t>(tensor))); }
inline Arg n(std::int64_t value) { return Arg::of(SymExpr(value)); }
inline Arg ns(const Extents& values) {
  std::vector<Arg> out;
  for (const std::int64_t value : values) out.push_back(n(value));
  return Arg::of(std::move(out));
}

/// Arguments in schema order; those behind them have their defaults.
struct Said {
  const char* op;
  std::vector<std::pair<Dtype, Extents>> tensors;
  std::vector<Arg> arguments;
  const char* result;
};

inline std::string results_of(const Said& row) {
  Space space;
  Sizes sizes(space);
  const Schema* schema = find_schema(row.op);
  REQUIRE(schema != nullptr);
  std::vector<TensorMeta> metas;
  for (const auto& [dtype, shape] : row.tensors) {
    metas.push_back({{}, dtype});
    for (const std::int64_t extent : shape) metas.back().shape.push_back(space.constant(extent));
  }
  std::vector<Arg> arguments = row.arguments;
  for (std::size_t k = arguments.size(); k < schema->arguments.size(); ++k)
    arguments.push_back(schema->arguments[k].fallback.value_or(Arg{}));
  std::string out;
  for (const InferredMeta& meta : infer_meta({sizes, base_name(row.op), *schema, arguments, metas})) {
    out += (out.empty() ? "" : ", ") + std::string(meta.dtype ? name(*meta.dtype) : "open");
    for (const PolyId extent : meta.shape) out += " " + std::to_string(space.value(extent).value_or(-1));
  }
  return out;
}

inline void check_all(const std::vector<Said>& rows) {
  for (const Said& row : rows) {
    std::string given;
    for (const auto& [dtype, shape] : row.tensors) given += " " + std::to_string(shape.size()) + "d";
    INFO(row.op << given);
    CHECK(results_of(row) == row.result);
  }
}

constexpr Dtype kF16 = Dtype::f16, kF32 = Dtype::f32, kF64 = Dtype::f64, kI64 = Dtype::i64;

}  // namespace noclobber::testing
