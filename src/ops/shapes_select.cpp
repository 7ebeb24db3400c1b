// Shapes of results of indexing, counting, pairwise comparison and collectives.
#include <cmath>
#include <cstdlib>

#include "src/ops/shape_rules.h"

namespace noclobber::shape_rules {
namespace {

std::optional<PolyId> size_named(const ShapeCall& call, const char* name) {
  const Arg* arg = call.argument(name);
  if (arg == nullptr || arg->kind != Arg::Kind::sym) return std::nullopt;
  return call.sizes.of(arg->sym);
}

std::optional<Dtype> dtype_named(const ShapeCall& call, std::optional<Dtype> fallback) {
  const Arg* asked = call.argument("dtype");
  if (asked == nullptr) return call.schema.has(Tag::out) ? std::nullopt : fallback;
  return asked->kind == Arg::Kind::dtype ? std::optional(asked->dtype) : std::nullopt;
}

/// The dimensions that index tensors replace, and the shape that these broadcast to.
struct Indices {
  std::vector<bool> taken;
  Shape shape;
};

/// Empty if one of them is a mask: the shape then depends on data.
std::optional<Indices> indices_of(const ShapeCall& call) {
  const Arg* list = call.argument("indices");
  if (list == nullptr || list->kind != Arg::Kind::list || call.tensors.empty()) return std::nullopt;
  Indices out;
  std::size_t next = 1;
  for (const Arg& item : list->list) {
    out.taken.push_back(item.kind != Arg::Kind::none);
    if (item.kind == Arg::Kind::none) continue;
    if (item.kind != Arg::Kind::ref || next >= call.tensors.size()) return std::nullopt;
    const TensorMeta& index = call.tensors[next++];
    if (type_category(index.dtype) != 1 || index.dtype == Dtype::u8) return std::nullopt;
    auto shape = next == 2 ? index.shape : broadcast(call.sizes.space(), out.shape, index.shape);
    if (!shape) return std::nullopt;
    out.shape = std::move(*shape);
  }
  if (next == 1 || out.taken.size() > call.tensors[0].shape.size()) return std::nullopt;
  out.taken.resize(call.tensors[0].shape.size(), false);
  return out;
}

constexpr std::int64_t kFar = std::int64_t{1} << 40;

std::optional<double> real_number(const ShapeCall& call, std::string_view name, double fallback) {
  const Arg* arg = call.argument(name);
  if (arg == nullptr) return fallback;
  if (arg->kind == Arg::Kind::real) return arg->real;
  const auto whole = call.integer(name, std::nullopt);
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

/// arange with a real argument: the length is computed in f64, whatever the dtype of the result.
std::vector<InferredMeta> real_count_shape(const ShapeCall& call) {
  const auto start = real_number(call, "start", 0), end = real_number(call, "end", NAN),
             step = real_number(call, "step", 1);
  const double count = start && end && step ? std::ceil((*end - *start) / *step) : NAN;
  if (!(count >= 0 && count <= static_cast<double>(kFar))) return {};
  return {{{call.sizes.space().constant(static_cast<std::int64_t>(count))}, dtype_named(call, Dtype::f32)}};
}

}  // namespace

/// The broadcast shape of the indices replaces the indexed dimensions, or comes first if another dimension
/// separates them.
std::vector<InferredMeta> index_shape(const ShapeCall& call) {
  const auto indices = indices_of(call);
  if (!indices) return {};
  Shape rest;
  std::size_t at = 0, runs = 0;
  for (std::size_t k = 0; k < indices->taken.size(); ++k) {
    if (!indices->taken[k]) {
      rest.push_back(call.tensors[0].shape[k]);
    } else if (k == 0 || !indices->taken[k - 1]) {
      at = rest.size();
      ++runs;
    }
  }
  if (runs > 1) at = 0;
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(at), indices->shape.begin(), indices->shape.end());
  return {{std::move(rest), call.tensors[0].dtype}};
}

/// bucketize: the number of a bucket for each element; for a Python number without dimensions.
std::vector<InferredMeta> bucket_shape(const ShapeCall& call) {
  const Arg* narrow = call.argument("out_int32");
  if (narrow == nullptr || narrow->kind != Arg::Kind::boolean || call.tensors.empty()) return {};
  Shape shape;
  if (call.tensors.size() > 1) shape = call.tensors[0].shape;
  return {{std::move(shape), narrow->boolean ? Dtype::i32 : Dtype::i64}};
}

/// arange: from `start` up to but not including `end`. With out= the dtype is open, being that of `out`.
std::vector<InferredMeta> count_shape(const ShapeCall& call) {
  for (const char* name : {"start", "end", "step"})
    if (const Arg* arg = call.argument(name); arg != nullptr && arg->kind == Arg::Kind::real)
      return real_count_shape(call);
  const auto start = call.integer("start", 0), end = call.integer("end", std::nullopt);
  const auto step = call.integer("step", 1);
  const auto is_near = [](std::optional<std::int64_t> n) { return n && *n <= kFar && *n >= -kFar; };
  if (!is_near(start) || !is_near(end) || !is_near(step) || *step == 0) return {};
  const std::int64_t way = *step > 0 ? *end - *start : *start - *end, stride = std::abs(*step);
  if (way < 0) return {};
  return {{{call.sizes.space().constant((way + stride - 1) / stride)}, dtype_named(call, Dtype::i64)}};
}

std::vector<InferredMeta> eye_shape(const ShapeCall& call) {
  const auto rows = size_named(call, "n"), columns = size_named(call, "m");
  if (!rows) return {};
  return {{{*rows, columns.value_or(*rows)}, dtype_named(call, Dtype::f32)}};
}

std::vector<InferredMeta> iota_shape(const ShapeCall& call) {
  const auto length = size_named(call, "length");
  if (!length) return {};
  return {{{*length}, dtype_named(call, std::nullopt)}};
}

/// embedding_dense_backward: a row for each word.
std::vector<InferredMeta> embedding_gradient_shape(const ShapeCall& call) {
  const auto words = size_named(call, "num_weights");
  if (!words || call.tensors.empty() || call.tensors[0].shape.empty()) return {};
  return {{{*words, call.tensors[0].shape.back()}, call.tensors[0].dtype}};
}

/// cdist: each row of one matrix with each of the other.
std::vector<InferredMeta> distance_shape(const ShapeCall& call) {
  if (call.tensors.size() < 2) return {};
  const TensorMeta &a = call.tensors[0], &b = call.tensors[1];
  if (a.shape.size() < 2 || b.shape.size() < 2) return {};
  auto out = broadcast(call.sizes.space(), {a.shape.begin(), a.shape.end() - 2},
                       {b.shape.begin(), b.shape.end() - 2});
  if (!out) return {};
  out->insert(out->end(), {a.shape[a.shape.size() - 2], b.shape[b.shape.size() - 2]});
  return {{std::move(*out), a.dtype == b.dtype ? std::optional(a.dtype) : std::nullopt}};
}

/// pdist: each row with every later one.
std::vector<InferredMeta> row_pairs_shape(const ShapeCall& call) {
  if (call.tensors.empty() || call.tensors[0].shape.size() != 2) return {};
  const auto rows = call.sizes.space().value(call.tensors[0].shape[0]);
  if (!rows || *rows < 0 || *rows > (std::int64_t{1} << 30)) return {};
  return {{{call.sizes.space().constant(*rows * (*rows - 1) / 2)}, call.tensors[0].dtype}};
}

/// all_gather: the parts of all processes, one after the other.
std::vector<InferredMeta> gathered_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  const auto processes = size_named(call, "group_size");
  if (out.empty() || out[0].shape.empty() || !processes) return {};
  out[0].shape[0] = call.sizes.space().mul(out[0].shape[0], *processes);
  return out;
}

/// reduce_scatter: the part of one process.
std::vector<InferredMeta> scattered_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  const auto processes = call.integer("group_size", std::nullopt);
  if (out.empty() || out[0].shape.empty() || !processes || *processes < 1) return {};
  const auto size = call.sizes.space().value(out[0].shape[0]);
  if (!size || *size % *processes != 0) return {};
  out[0].shape[0] = call.sizes.space().constant(*size / *processes);
  return out;
}

/// all_to_all: the parts received from all processes.
std::vector<InferredMeta> exchanged_shape(const ShapeCall& call) {
  auto out = like_shape(call);
  const Arg* sizes = call.argument("output_split_sizes");
  if (out.empty() || sizes == nullptr) return out;
  if (sizes->kind != Arg::Kind::list || sizes->list.empty() || out[0].shape.empty()) return {};
  PolyId sum = call.sizes.space().constant(0);
  for (const Arg& size : sizes->list) {
    if (size.kind != Arg::Kind::sym) return {};
    sum = call.sizes.space().add(sum, call.sizes.of(size.sym));
  }
  out[0].shape[0] = sum;
  return out;
}

}  // namespace noclobber::shape_rules
