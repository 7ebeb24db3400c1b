// Batch norm and its derivative. Sums are computed in double precision and rounded once.
#include <algorithm>
#include <cmath>

#include "src/kernels/axes.h"
#include "src/kernels/dense.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

/// The overloads, which differ in their arguments and results.
enum class BatchNorm : std::uint8_t { silent, functional, no_training, no_stats };

struct BatchNormCall {
  Array input, weight, bias, mean, var;  // an absent tensor has rank 0 and no memory
  bool training = false;
  double momentum = 0, eps = 0;
  Axes axes;
  std::int64_t channels = 0, count = 0;
  std::vector<Array> updated;  // targets of the running statistics, if they are written in place
};

bool is_given(const Array& a) { return a.memory.bytes != nullptr; }

bool per_channel(const Array& a, std::int64_t channels) {
  const bool enough = a.at.rank() == 1 && a.at.shape[0] >= channels;
  return !is_given(a) || enough || (a.at.shape.empty() && channels == 1);
}

/// Reduces all dimensions but the second: they are the samples of a channel.
std::optional<Axes> channel_axes(Call& call, const Geometry& g) {
  Extents dims{0};
  for (std::int64_t i = 2; i < g.rank(); ++i) dims.push_back(i);
  if (g.rank() < 2) call.raise("batch norm: a channel dimension is expected");
  return call.ok() ? axes_of(call, g, dims, false) : std::nullopt;
}

std::optional<BatchNormCall> batch_norm_of(Call& call, BatchNorm form) {
  BatchNormCall b;
  b.input = call.tensor(0);
  if (call.has(1)) b.weight = call.tensor(1);
  if (call.has(2)) b.bias = call.tensor(2);
  const bool stats = form != BatchNorm::no_stats;
  if (stats && call.has(3)) b.mean = call.tensor(3);
  if (stats && call.has(4)) b.var = call.tensor(4);
  const std::size_t next = stats ? 5 : 3;
  b.training = form != BatchNorm::no_training && call.boolean(next, false);
  const std::size_t numbers = form == BatchNorm::no_training ? next : next + 1;
  b.momentum = call.real(numbers, 0);
  b.eps = call.real(numbers + 1, 0);
  const auto axes = channel_axes(call, b.input.at);
  if (!axes) return std::nullopt;
  b.axes = *axes;
  b.channels = b.axes.kept.numel();
  b.count = b.axes.reduced.numel();
  for (const Array* a : {&b.weight, &b.bias, &b.mean, &b.var})
    if (!per_channel(*a, b.channels))
      call.raise("batch norm: a parameter does not have one element per channel");
  if (!is_floating(b.input.at.dtype)) call.raise("batch norm is not implemented for this dtype");
  if (!b.training && (!is_given(b.mean) || !is_given(b.var)))
    call.raise("batch norm: running statistics are expected in evaluation");
  const bool writes = form == BatchNorm::functional && (call.targets.size() == 2 || call.targets.size() == 5);
  if (writes) {
    b.updated.assign(call.targets.begin(), call.targets.begin() + 2);
    call.targets.erase(call.targets.begin(), call.targets.begin() + 2);
  }
  return call.ok() ? std::optional(b) : std::nullopt;
}

struct Moments {
  std::vector<double> mean, invstd, squares;
  std::vector<std::uint8_t> defined;
};

Moments batch_moments(Call& call, const BatchNormCall& b) {
  Moments m;
  const Elements kept(b.axes.kept), reduced(b.axes.reduced);
  if (!call.spend({b.channels, std::max<std::int64_t>(b.count, 1), 2})) return m;
  for (std::int64_t c = 0; c < b.channels && call.ok(); ++c) {
    call.begin();
    double sum = 0, squares = 0;
    for (std::int64_t j = 0; j < b.count; ++j) sum += call.load(b.input, kept.at(c) + reduced.at(j)).re;
    const double mean = sum / static_cast<double>(b.count);
    for (std::int64_t j = 0; j < b.count; ++j) {
      const double gap = call.load(b.input, kept.at(c) + reduced.at(j)).re - mean;
      squares += gap * gap;
    }
    m.mean.push_back(mean);
    m.squares.push_back(squares);
    m.invstd.push_back(1 / std::sqrt(squares / static_cast<double>(b.count) + b.eps));
    m.defined.push_back(call.all_defined() ? 1 : 0);
  }
  return m;
}

Moments running_moments(Call& call, const BatchNormCall& b) {
  Moments m;
  const Elements mean(b.mean.at), var(b.var.at);
  for (std::int64_t c = 0; c < b.channels && call.ok(); ++c) {
    call.begin();
    m.mean.push_back(call.load(b.mean, mean.at(c)).as_real());
    m.invstd.push_back(1 / std::sqrt(call.load(b.var, var.at(c)).as_real() + b.eps));
    m.defined.push_back(call.all_defined() ? 1 : 0);
  }
  return m;
}

double parameter(Call& call, const Array& a, std::int64_t c, double fallback) {
  return is_given(a) ? call.load(a, Elements(a.at).at(c)).as_real() : fallback;
}

void normalize(Call& call, const BatchNormCall& b, const Moments& m, const Array& out) {
  const auto to = channel_axes(call, out.at);
  if (!to || !call.spend({b.channels, std::max<std::int64_t>(b.count, 1)})) return;
  const Elements kept(b.axes.kept), reduced(b.axes.reduced), out_kept(to->kept), out_reduced(to->reduced);
  for (std::int64_t c = 0; c < b.channels; ++c)
    for (std::int64_t j = 0; j < b.count && call.ok(); ++j) {
      const auto i = static_cast<std::size_t>(c);
      call.begin(m.defined[i] != 0);
      const double x = call.load(b.input, kept.at(c) + reduced.at(j)).re;
      const double scale = m.invstd[i] * parameter(call, b.weight, c, 1);
      const double shift = parameter(call, b.bias, c, 0);
      call.store(out, out_kept.at(c) + out_reduced.at(j), Number::of_real((x - m.mean[i]) * scale + shift));
    }
}

void store_channels(Call& call, const Array& out, const std::vector<double>& values, const Moments& m) {
  const Elements to(out.at);
  for (std::size_t c = 0; c < values.size() && call.ok(); ++c) {
    call.begin(m.defined[c] != 0);
    call.store(out, to.at(static_cast<std::int64_t>(c)), Number::of_real(values[c]));
  }
}

/// Moves running statistics towards those of the batch, with the unbiased variance.
void update_running(Call& call, const BatchNormCall& b, const Moments& m, const Array& from, const Array& to,
                    bool variance) {
  const Elements read(from.at), write(to.at);
  for (std::int64_t c = 0; c < b.channels && call.ok(); ++c) {
    const auto i = static_cast<std::size_t>(c);
    call.begin(!b.training || m.defined[i] != 0);
    double value = call.load(from, read.at(c)).as_real();
    const double batch = variance && b.training ? m.squares[i] / static_cast<double>(b.count - 1) : m.mean[i];
    if (b.training) value = b.momentum * batch + (1 - b.momentum) * value;
    call.store(to, write.at(c), Number::of_real(value));
  }
}

void running_results(Call& call, const BatchNormCall& b, const Moments& m) {
  if (!is_given(b.mean) || !is_given(b.var)) return call.raise("batch norm: running statistics are expected");
  for (const bool variance : {false, true}) {
    const Array& from = variance ? b.var : b.mean;
    Array to;
    if (b.updated.empty())
      to = call.output(from.at.dtype, from.at.shape);
    else
      call.results.push_back(Datum::of(to = b.updated[variance ? 1 : 0]));
    if (call.ok() && (b.training || b.updated.empty())) update_running(call, b, m, from, to, variance);
  }
}

/// variant: a BatchNorm.
void run_batch_norm(Call& call, const KernelRow& row) {
  const auto form = static_cast<BatchNorm>(row.variant);
  const auto b = batch_norm_of(call, form);
  if (!b) return;
  const Extents& shape = b->input.at.shape;
  const Dtype stats = is_given(b->weight) ? b->weight.at.dtype
                      : is_given(b->mean) ? b->mean.at.dtype
                                          : b->input.at.dtype;
  const Array out = call.output(
      b->input.at.dtype, shape,
      prefers_channels_last(b->input.at) ? channels_last_strides(shape) : contiguous_strides(shape));
  const Extents saved{b->training ? b->channels : 0};
  const Array mean = call.output(stats, saved), invstd = call.output(stats, saved);
  if (!call.ok()) return;
  const Moments m = b->training ? batch_moments(call, *b) : running_moments(call, *b);
  if (call.ok()) normalize(call, *b, m, out);
  if (b->training) {
    store_channels(call, mean, m.mean, m);
    store_channels(call, invstd, m.invstd, m);
  }
  if (!call.ok()) return;
  if (form == BatchNorm::functional) return running_results(call, *b, m);
  if (form != BatchNorm::silent || !b->training) return;
  if (is_given(b->mean)) update_running(call, *b, m, b->mean, b->mean, false);
  if (is_given(b->var)) update_running(call, *b, m, b->var, b->var, true);
}

struct BatchNormGradient {
  Array grad, input, weight, mean, second;  // second: inverse deviation in training, else variance
  bool training = false;
  double eps = 0;
  Axes grad_axes, input_axes;
};

struct ChannelGradient {
  double mean = 0, invstd = 0, sum = 0, dot = 0;
  bool defined = true;
};

ChannelGradient channel_gradient(Call& call, const BatchNormGradient& b, std::int64_t c) {
  ChannelGradient g;
  const Elements kept(b.grad_axes.kept), reduced(b.grad_axes.reduced), x_kept(b.input_axes.kept),
      x_reduced(b.input_axes.reduced);
  call.begin();
  g.mean = parameter(call, b.mean, c, 0);
  const double second = parameter(call, b.second, c, 1);
  g.invstd = b.training ? second : 1 / std::sqrt(second + b.eps);
  for (std::int64_t j = 0; j < b.grad_axes.reduced.numel() && call.ok(); ++j) {
    const double dy = call.load(b.grad, kept.at(c) + reduced.at(j)).as_real();
    g.sum += dy;
    g.dot += dy * (call.load(b.input, x_kept.at(c) + x_reduced.at(j)).as_real() - g.mean);
  }
  g.defined = call.all_defined();
  return g;
}

void input_gradient(Call& call, const BatchNormGradient& b, std::int64_t c, const ChannelGradient& g,
                    const Array& out) {
  const auto to = channel_axes(call, out.at);
  if (!to) return;
  const Elements kept(b.grad_axes.kept), reduced(b.grad_axes.reduced), x_kept(b.input_axes.kept),
      x_reduced(b.input_axes.reduced), out_kept(to->kept), out_reduced(to->reduced);
  const std::int64_t count = b.grad_axes.reduced.numel();
  const double n = static_cast<double>(count);
  for (std::int64_t j = 0; j < count && call.ok(); ++j) {
    call.begin(g.defined);
    const double dy = call.load(b.grad, kept.at(c) + reduced.at(j)).as_real();
    const double x = call.load(b.input, x_kept.at(c) + x_reduced.at(j)).as_real();
    const double scale = g.invstd * parameter(call, b.weight, c, 1);
    const double centred = b.training ? dy - g.sum / n - (x - g.mean) * g.invstd * g.invstd * g.dot / n : dy;
    call.store(out, out_kept.at(c) + out_reduced.at(j), Number::of_real(centred * scale));
  }
}

std::optional<BatchNormGradient> batch_norm_gradient(Call& call) {
  BatchNormGradient b;
  b.grad = call.tensor(0);
  b.input = call.tensor(1);
  if (call.has(2)) b.weight = call.tensor(2);
  b.training = call.boolean(7, false);
  b.eps = call.real(8, 0);
  const std::size_t from = b.training ? 5 : 3;
  if (call.has(from)) b.mean = call.tensor(from);
  if (call.has(from + 1)) b.second = call.tensor(from + 1);
  if (call.ok() && b.grad.at.shape != b.input.at.shape) call.raise("batch norm: grad_out has another shape");
  if (call.ok() && (!is_given(b.mean) || !is_given(b.second)))
    call.raise("batch norm: statistics are missing");
  const auto grad = channel_axes(call, b.grad.at), input = channel_axes(call, b.input.at);
  if (!grad || !input) return std::nullopt;
  b.grad_axes = *grad;
  b.input_axes = *input;
  for (const Array* a : {&b.weight, &b.mean, &b.second})
    if (!per_channel(*a, b.grad_axes.kept.numel()))
      call.raise("batch norm: a parameter does not have one element per channel");
  return call.ok() ? std::optional(b) : std::nullopt;
}

void run_batch_norm_backward(Call& call, const KernelRow&) {
  const auto b = batch_norm_gradient(call);
  std::vector<bool> mask;
  for (const Datum& d : call.arg(9).list) mask.push_back(d.boolean || d.integer != 0);
  if (call.ok() && mask.size() != 3) call.raise("native_batch_norm_backward: output_mask has three items");
  if (!b || !call.ok()) return;
  const std::int64_t channels = b->grad_axes.kept.numel();
  const Extents& shape = b->input.at.shape;
  const Dtype stats = is_given(b->weight) ? b->weight.at.dtype : b->input.at.dtype;
  std::vector<Array> outs(3);
  for (std::size_t i = 0; i < 3; ++i) {
    const bool wanted = mask[i];
    const Extents strides =
        prefers_channels_last(b->input.at) ? channels_last_strides(shape) : contiguous_strides(shape);
    if (!wanted)
      call.results.emplace_back();
    else
      outs[i] = i == 0 ? call.output(b->input.at.dtype, shape, strides) : call.output(stats, {channels});
  }
  if (!call.ok() || !call.spend({std::max<std::int64_t>(b->input.at.numel(), 1), 3})) return;
  for (std::int64_t c = 0; c < channels && call.ok(); ++c) {
    const ChannelGradient g = channel_gradient(call, *b, c);
    if (mask[0]) input_gradient(call, *b, c, g, outs[0]);
    call.begin(g.defined);
    if (mask[1]) call.store(outs[1], outs[1].at.offset + c, Number::of_real(g.dot * g.invstd));
    if (mask[2]) call.store(outs[2], outs[2].at.offset + c, Number::of_real(g.sum));
  }
}

constexpr KernelRow batch_norm_row(std::string_view op, BatchNorm form) {
  return {op, run_batch_norm, nullptr, Promotion::same, 1, static_cast<int>(form)};
}

const KernelRow kBatchNormRows[] = {
    batch_norm_row("native_batch_norm.default", BatchNorm::silent),
    batch_norm_row("_native_batch_norm_legit_functional.default", BatchNorm::functional),
    batch_norm_row("_native_batch_norm_legit_no_training.default", BatchNorm::no_training),
    batch_norm_row("_native_batch_norm_legit.no_stats", BatchNorm::no_stats),
    {"native_batch_norm_backward.default", run_batch_norm_backward},
};

}  // namespace

std::span<const KernelRow> batch_norm_kernels() { return kBatchNormRows; }

}  // namespace noclobber
