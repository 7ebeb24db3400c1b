// Scaled dot product attention as PyTorch's CPU kernel computes it: the output, and the logarithm of each
// row's sum.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/kernels/dense.h"
#include "src/kernels/product.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

struct Attention {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, width = 0, value_width = 0;
  std::int64_t key_heads = 0;  // several query heads may share one key head
  double scale = 1;
  bool causal = false;
  Dense<double> q, k, v;
  Dense<double> mask;  // [batch, head, query, key], or empty
  bool mask_is_bool = false;
};

/// Reads q, k, v from `first` on, and is_causal, attn_mask and scale after dropout_p at `rest`.
std::optional<Attention> attention_of(Call& call, std::size_t first, std::size_t rest, std::size_t mask) {
  const Array q = call.tensor(first), k = call.tensor(first + 1), v = call.tensor(first + 2);
  if (!call.ok()) return std::nullopt;
  const Extents &qs = q.at.shape, &ks = k.at.shape, &vs = v.at.shape;
  const bool fits = qs.size() == 4 && ks.size() == 4 && vs.size() == 4 && qs[0] == ks[0] && ks[0] == vs[0] &&
                    ks[1] == vs[1] && ks[1] > 0 && qs[1] % ks[1] == 0 && ks[2] == vs[2] && qs[3] == ks[3];
  if (!fits) call.decline("attention over other shapes than [batch, head, place, width]");
  if (call.real(rest, 0) != 0) call.raise("attention: dropout is not supported");
  if (!is_floating(q.at.dtype)) call.raise("attention is not implemented for this dtype");
  if (q.at.dtype != k.at.dtype || k.at.dtype != v.at.dtype) call.raise("attention: one dtype is expected");
  if (!call.ok()) return std::nullopt;
  Attention a;
  a.batch = qs[0];
  a.heads = qs[1];
  a.queries = qs[2];
  a.keys = ks[2];
  a.width = qs[3];
  a.value_width = vs[3];
  a.key_heads = ks[1];
  a.causal = call.boolean(rest + 1, false);
  a.scale = call.real(mask + 1, 1 / std::sqrt(static_cast<double>(a.width)));
  if (!call.spend({a.batch, a.heads, a.queries, std::max<std::int64_t>(a.keys, 1), a.width + a.value_width}))
    return std::nullopt;
  a.q = gather_dense<double>(call, q);
  a.k = gather_dense<double>(call, k);
  a.v = gather_dense<double>(call, v);
  if (!call.has(mask)) return call.ok() ? std::optional(a) : std::nullopt;
  Array m = call.tensor(mask);
  const auto both = broadcast_shapes(m.at.shape, {a.batch, a.heads, a.queries, a.keys});
  if (!both || *both != Extents{a.batch, a.heads, a.queries, a.keys})
    call.raise("attention: the mask does not broadcast");
  if (!call.ok()) return std::nullopt;
  a.mask_is_bool = m.at.dtype == Dtype::boolean;
  m.at = shown_in(std::move(m.at), *both);
  a.mask = gather_dense<double>(call, m);
  return call.ok() ? std::optional(a) : std::nullopt;
}

bool all_set(const std::vector<std::uint8_t>& flags) {
  return std::find(flags.begin(), flags.end(), 0) == flags.end();
}

/// The index [batch, key head] of the keys and values of a row of queries.
std::int64_t key_head(const Attention& a, std::int64_t row) {
  const std::int64_t head = row / a.queries;
  return head / a.heads * a.key_heads + head % a.heads / (a.heads / a.key_heads);
}

/// The weights of some queries of one head, and the logarithms of their sums.
struct AttentionBlock {
  std::vector<double> weights;  // [row, key]; scores at first
  std::vector<double> log_sums;
  std::vector<std::uint8_t> defined;  // by row
};
constexpr std::int64_t kBlockQueries = 128;

/// Applies the mask and causality to a row of scores, and clears `defined` if one is made of undefined
/// numbers.
void admit_keys(const Attention& a, std::int64_t row, double* scores, std::uint8_t& defined) {
  const bool all = a.q.all_defined && a.k.all_defined && a.mask.all_defined;
  const std::int64_t key = key_head(a, row) * a.keys, last = a.causal ? row % a.queries : a.keys;
  auto undefined = [&](const Dense<double>& of, std::int64_t at, std::int64_t count) {
    return std::memchr(of.defined.data() + at, 0, static_cast<std::size_t>(count)) != nullptr;
  };
  if (!all && last >= 0 && undefined(a.q, row * a.width, a.width)) defined = 0;
  for (std::int64_t j = 0; j < a.keys; ++j) {
    scores[j] *= a.scale;
    if (!a.mask.values.empty()) {
      const auto at = static_cast<std::size_t>(row * a.keys + j);
      if (!a.mask_is_bool)
        scores[j] += a.mask.values[at];
      else if (a.mask.values[at] == 0)
        scores[j] = -INFINITY;
      if (j <= last && !a.mask.defined[at]) defined = 0;
    }
    if (j > last) scores[j] = -INFINITY;
    if (!all && j <= last && undefined(a.k, (key + j) * a.width, a.width)) defined = 0;
  }
}

/// Turns scores into weights and returns the logarithm of their sum. A row without an admitted key attends to
/// nothing.
double soften(double* scores, std::int64_t count) {
  double most = -INFINITY, sum = 0;
  for (std::int64_t j = 0; j < count && !std::isnan(most); ++j)
    most = std::isnan(scores[j]) ? scores[j] : std::fmax(most, scores[j]);
  const bool nothing = std::isinf(most) && most < 0;
  for (std::int64_t j = 0; j < count; ++j) {
    scores[j] = nothing ? 0 : std::exp(scores[j] - most);
    sum += scores[j];
  }
  for (std::int64_t j = 0; j < count; ++j) scores[j] = sum == 0 ? 0 : scores[j] / sum;
  return nothing ? -INFINITY : most + std::log(sum);
}

/// Turns scores into weights, given the logarithm of their sum.
void weigh(double* scores, std::int64_t count, double log_sum) {
  for (std::int64_t j = 0; j < count; ++j)
    scores[j] = std::isinf(scores[j]) && scores[j] < 0 ? 0 : std::exp(scores[j] - log_sum);
}

/// Computes `count` queries from `row` on; `row` counts [batch, head, query]. `log_sums`: of all rows, if
/// they are given.
AttentionBlock attention_block(const Attention& a, std::int64_t row, std::int64_t count,
                               const double* log_sums = nullptr) {
  AttentionBlock block;
  const double* const keys = a.k.values.data() + key_head(a, row) * a.keys * a.width;
  block.weights.resize(static_cast<std::size_t>(count * a.keys));
  block.defined.resize(static_cast<std::size_t>(count), 1);
  dense_product(a.q.values.data() + row * a.width, keys, block.weights.data(),
                static_cast<std::size_t>(count), static_cast<std::size_t>(a.width),
                static_cast<std::size_t>(a.keys), true);
  for (std::int64_t i = 0; i < count; ++i) {
    double* const scores = block.weights.data() + i * a.keys;
    admit_keys(a, row + i, scores, block.defined[static_cast<std::size_t>(i)]);
    if (log_sums != nullptr)
      weigh(scores, a.keys, log_sums[row + i]);
    else
      block.log_sums.push_back(soften(scores, a.keys));
  }
  return block;
}

/// Calls f(row, count) for blocks of queries that share a head.
template <class F>
void attention_blocks(const Attention& a, F f) {
  for (std::int64_t row = 0, count = 0; row < a.batch * a.heads * a.queries; row += count) {
    count = std::min(kBlockQueries, a.queries - row % a.queries);
    f(row, count);
  }
}

/// Whether each element of the output is defined.
std::vector<std::uint8_t> defined_values(const Attention& a, std::int64_t row, const AttentionBlock& block) {
  const std::int64_t e = a.value_width;
  std::vector<std::uint8_t> defined;
  for (const std::uint8_t flag : block.defined)
    defined.insert(defined.end(), static_cast<std::size_t>(e), flag);
  for (std::size_t i = 0; !a.v.all_defined && i < defined.size(); ++i)
    for (std::int64_t j = 0; j < a.keys; ++j)
      if (!a.v.defined[static_cast<std::size_t>((key_head(a, row) * a.keys + j) * e) +
                       i % static_cast<std::size_t>(e)])
        defined[i] = 0;
  return defined;
}

void run_attention(Call& call, const KernelRow&) {
  const auto a = attention_of(call, 0, 3, 5);
  if (!a) return;
  const Dtype dtype = call.tensor(0).at.dtype;
  const Extents rows{a->batch, a->heads, a->queries};
  const std::int64_t h = a->heads, q = a->queries, e = a->value_width;
  const Array out = call.output(dtype, {a->batch, h, q, e}, preserved_strides(call.tensor(0).at));
  const Array logs = call.output(dtype == Dtype::f64 ? Dtype::f64 : Dtype::f32, rows, {q * h, 1, h});
  if (!call.ok()) return;
  std::vector<double> values(static_cast<std::size_t>(out.at.numel())), log_sums;
  std::vector<std::uint8_t> defined, rows_defined;
  attention_blocks(*a, [&](std::int64_t row, std::int64_t count) {
    const AttentionBlock block = attention_block(*a, row, count);
    dense_product(block.weights.data(), a->v.values.data() + key_head(*a, row) * a->keys * e,
                  values.data() + row * e, static_cast<std::size_t>(count), static_cast<std::size_t>(a->keys),
                  static_cast<std::size_t>(e));
    const std::vector<std::uint8_t> flags = defined_values(*a, row, block);
    defined.insert(defined.end(), flags.begin(), flags.end());
    log_sums.insert(log_sums.end(), block.log_sums.begin(), block.log_sums.end());
    rows_defined.insert(rows_defined.end(), block.defined.begin(), block.defined.end());
  });
  scatter_dense(call, out, values.data(), defined.data(), all_set(defined));
  scatter_dense(call, logs, log_sums.data(), rows_defined.data(), all_set(rows_defined));
}

/// The results of the forward pass, and the gradient of its output.
struct AttentionResult {
  Dense<double> grad, out, log_sums;
  bool all_defined() const { return grad.all_defined && out.all_defined && log_sums.all_defined; }
};

/// The gradients of query, key and value. The weights are recomputed from the logarithms of their sums.
struct AttentionGradient {
  std::vector<double> q, k, v;
  bool defined = true;
};

void add_row_gradient(const Attention& a, const AttentionResult& r, std::int64_t row, const double* weights,
                      AttentionGradient& g) {
  const std::int64_t head = key_head(a, row), w = a.width, e = a.value_width;
  std::vector<double> weight_grad(static_cast<std::size_t>(a.keys), 0);
  double dot = 0;
  auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t d = 0; d < e; ++d) dot += r.grad.values[at(row * e + d)] * r.out.values[at(row * e + d)];
  for (std::int64_t j = 0; j < a.keys; ++j) {
    const std::int64_t v0 = (head * a.keys + j) * e;
    for (std::int64_t d = 0; d < e; ++d) {
      weight_grad[at(j)] += r.grad.values[at(row * e + d)] * a.v.values[at(v0 + d)];
      g.v[at(v0 + d)] += weights[j] * r.grad.values[at(row * e + d)];
    }
  }
  for (std::int64_t j = 0; j < a.keys; ++j) {
    const double score = weights[j] * (weight_grad[at(j)] - dot) * a.scale;
    for (std::int64_t d = 0; d < w; ++d) {
      g.q[at(row * w + d)] += score * a.k.values[at((head * a.keys + j) * w + d)];
      g.k[at((head * a.keys + j) * w + d)] += score * a.q.values[at(row * w + d)];
    }
  }
}

void run_attention_backward(Call& call, const KernelRow&) {
  const auto a = attention_of(call, 1, 6, 8);
  const Array grad = call.tensor(0), result = call.tensor(4), log_sums = call.tensor(5);
  if (!a || !call.ok()) return;
  const Extents shape{a->batch, a->heads, a->queries, a->value_width};
  if (grad.at.shape != shape || result.at.shape != shape)
    return call.raise("attention: grad_out or out has another shape");
  if (log_sums.at.shape != Extents{a->batch, a->heads, a->queries})
    return call.raise("attention: logsumexp has another shape");
  const AttentionResult r{gather_dense<double>(call, grad), gather_dense<double>(call, result),
                          gather_dense<double>(call, log_sums)};
  AttentionGradient g;
  g.q.resize(a->q.values.size(), 0);
  g.k.resize(a->k.values.size(), 0);
  g.v.resize(a->v.values.size(), 0);
  g.defined = r.all_defined() && a->q.all_defined && a->k.all_defined && a->v.all_defined;
  if (!call.ok()) return;
  attention_blocks(*a, [&](std::int64_t row, std::int64_t count) {
    const AttentionBlock block = attention_block(*a, row, count, r.log_sums.values.data());
    for (std::int64_t i = 0; i < count; ++i)
      add_row_gradient(*a, r, row + i, block.weights.data() + i * a->keys, g);
    g.defined = g.defined && all_set(block.defined);
  });
  for (std::size_t i = 0; i < 3; ++i) {
    const Extents& s = call.tensor(1 + i).at.shape;
    const Array out = call.output(call.tensor(1 + i).at.dtype, s, {s[1] * s[2] * s[3], s[3], s[1] * s[3], 1});
    const std::vector<double>& values = i == 0 ? g.q : i == 1 ? g.k : g.v;
    const std::vector<std::uint8_t> defined(values.size(), g.defined ? 1 : 0);
    scatter_dense(call, out, values.data(), defined.data(), g.defined);
  }
}

const KernelRow kAttentionRows[] = {
    {"_scaled_dot_product_flash_attention_for_cpu.default", run_attention},
    {"_scaled_dot_product_flash_attention_for_cpu_backward.default", run_attention_backward},
};

}  // namespace

std::span<const KernelRow> attention_kernels() { return kAttentionRows; }

}  // namespace noclobber
