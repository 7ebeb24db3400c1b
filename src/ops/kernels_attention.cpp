// Scaled dot product attention as PyTorch's CPU kernel gives it: the output, and the logarithm of each row's
// sum.
#include <cmath>

#include "src/ops/kernels_dense.h"
#include "src/ops/kernels_math.h"

namespace noclobber {
namespace {

struct Attention {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, width = 0, value_width = 0;
  std::int64_t key_heads = 0;  // several heads of queries may share one of keys
  double scale = 1;
  bool causal = false;
  Dense<double> q, k, v, mask;
  std::vector<std::int64_t> mask_at;  // of [batch, head, query, key] in `mask`; empty: no mask
  bool mask_is_bool = false;
};

/// Arguments q, k, v at `first`; is_causal, attn_mask and scale after dropout_p at `rest`.
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
  const Elements at({m.at.dtype, m.at.shape, contiguous_strides(m.at.shape), 0}, *both);
  for (std::int64_t i = 0; i < a.batch * a.heads * a.queries * a.keys; ++i) a.mask_at.push_back(at.at(i));
  a.mask = gather_dense<double>(call, m);
  return call.ok() ? std::optional(a) : std::nullopt;
}

/// Where the keys and values of a row of queries begin: counts [batch, head of keys].
std::int64_t key_head(const Attention& a, std::int64_t row) {
  const std::int64_t head = row / a.queries;
  return head / a.heads * a.key_heads + head % a.heads / (a.heads / a.key_heads);
}

/// Scores of one query; `row` counts [batch, head, query].
void attention_scores(const Attention& a, std::int64_t row, std::vector<DenseSum<double>>& scores) {
  const std::int64_t head = key_head(a, row), query = row % a.queries;
  scores.assign(static_cast<std::size_t>(a.keys), {});
  for (std::int64_t j = 0; j < a.keys; ++j) {
    DenseSum<double>& s = scores[static_cast<std::size_t>(j)];
    for (std::int64_t d = 0; d < a.width; ++d)
      s.add(a.q, row * a.width + d, a.k, (head * a.keys + j) * a.width + d);
    s.value *= a.scale;
    if (!a.mask_at.empty()) {
      const auto at = static_cast<std::size_t>(a.mask_at[static_cast<std::size_t>(row * a.keys + j)]);
      s.defined = s.defined && a.mask.defined[at];
      if (!a.mask_is_bool)
        s.value += a.mask.values[at];
      else if (a.mask.values[at] == 0)
        s.value = -INFINITY;
    }
    if (a.causal && j > query) s = {-INFINITY, true};
  }
}

struct AttentionRow {
  std::vector<double> weights;
  double log_sum = 0;
  bool defined = true;
};

/// A row without an admitted key attends to nothing.
AttentionRow attention_row(const Attention& a, std::int64_t row) {
  std::vector<DenseSum<double>> scores;
  attention_scores(a, row, scores);
  AttentionRow result;
  double most = -INFINITY, sum = 0;
  for (const auto& s : scores) {
    most = std::isnan(s.value) ? s.value : std::fmax(most, s.value);
    result.defined = result.defined && s.defined;
    if (std::isnan(most)) break;
  }
  for (const auto& s : scores) {
    const double e = std::isinf(most) && most < 0 ? 0 : std::exp(s.value - most);
    result.weights.push_back(e);
    sum += e;
  }
  for (double& w : result.weights) w = sum == 0 ? 0 : w / sum;
  result.log_sum = std::isinf(most) && most < 0 ? -INFINITY : most + std::log(sum);
  return result;
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
  const Elements to(out.at), to_logs(logs.at);
  for (std::int64_t row = 0; row < a->batch * h * q && call.ok(); ++row) {
    const AttentionRow r = attention_row(*a, row);
    for (std::int64_t d = 0; d < e; ++d) {
      double sum = 0;
      bool defined = r.defined;
      for (std::int64_t j = 0; j < a->keys; ++j) {
        const auto at = static_cast<std::size_t>((key_head(*a, row) * a->keys + j) * e + d);
        const double w = r.weights[static_cast<std::size_t>(j)];
        if (w != 0 || !std::isfinite(a->v.values[at])) sum += w * a->v.values[at];
        defined = defined && a->v.defined[at];
      }
      store_dense(call, out, to.at(row * e + d), sum, defined);
    }
    store_dense(call, logs, to_logs.at(row), r.log_sum, r.defined);
  }
}

/// Gradients of query, key and value; the softmax is computed anew.
struct AttentionGradient {
  std::vector<double> q, k, v;
  bool defined = true;
};

void add_row_gradient(const Attention& a, const Dense<double>& grad, std::int64_t row, AttentionGradient& g) {
  const AttentionRow r = attention_row(a, row);
  const std::int64_t head = key_head(a, row), w = a.width, e = a.value_width;
  std::vector<double> weight_grad(static_cast<std::size_t>(a.keys), 0);
  double dot = 0;
  auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
  for (std::int64_t j = 0; j < a.keys; ++j) {
    const std::int64_t v0 = (head * a.keys + j) * e;
    for (std::int64_t d = 0; d < e; ++d) {
      weight_grad[at(j)] += grad.values[at(row * e + d)] * a.v.values[at(v0 + d)];
      g.v[at(v0 + d)] += r.weights[at(j)] * grad.values[at(row * e + d)];
    }
    dot += r.weights[at(j)] * weight_grad[at(j)];
  }
  for (std::int64_t j = 0; j < a.keys; ++j) {
    const double score = r.weights[at(j)] * (weight_grad[at(j)] - dot) * a.scale;
    for (std::int64_t d = 0; d < w; ++d) {
      g.q[at(row * w + d)] += score * a.k.values[at((head * a.keys + j) * w + d)];
      g.k[at((head * a.keys + j) * w + d)] += score * a.q.values[at(row * w + d)];
    }
  }
  g.defined = g.defined && r.defined;
}

void run_attention_backward(Call& call, const KernelRow&) {
  const auto a = attention_of(call, 1, 6, 8);
  const Array grad_in = call.tensor(0);
  if (!a || !call.ok()) return;
  if (grad_in.at.shape != Extents{a->batch, a->heads, a->queries, a->value_width})
    return call.raise("attention: grad_out has another shape");
  const Dense<double> grad = gather_dense<double>(call, grad_in);
  AttentionGradient g;
  g.q.resize(a->q.values.size(), 0);
  g.k.resize(a->k.values.size(), 0);
  g.v.resize(a->v.values.size(), 0);
  g.defined = grad.all_defined && a->q.all_defined && a->k.all_defined && a->v.all_defined;
  if (!call.ok()) return;
  for (std::int64_t row = 0; row < a->batch * a->heads * a->queries; ++row)
    add_row_gradient(*a, grad, row, g);
  for (std::size_t i = 0; i < 3; ++i) {
    const Extents& s = call.tensor(1 + i).at.shape;
    const Array out = call.output(call.tensor(1 + i).at.dtype, s, {s[1] * s[2] * s[3], s[3], s[1] * s[3], 1});
    const Elements to(out.at);
    const std::vector<double>& values = i == 0 ? g.q : i == 1 ? g.k : g.v;
    for (std::size_t k = 0; k < values.size() && call.ok(); ++k)
      store_dense(call, out, to.at(static_cast<std::int64_t>(k)), values[k], g.defined);
  }
}

const KernelRow kAttentionRows[] = {
    {"aten._scaled_dot_product_flash_attention_for_cpu.default", run_attention},
    {"aten._scaled_dot_product_flash_attention_for_cpu_backward.default", run_attention_backward},
};

}  // namespace

std::span<const KernelRow> attention_kernels() { return kAttentionRows; }

}  // namespace noclobber
