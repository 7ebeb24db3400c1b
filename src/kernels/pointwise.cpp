// Broadcasting operators: element k of the result is a function of element k of each operand.
#include <algorithm>

#include "src/kernels/runs.h"

namespace noclobber {
namespace {

struct PointwiseOperand {
  bool is_tensor = false;
  Array array;
  Number number;
};

std::vector<PointwiseOperand> pointwise_operands(Call& call, const KernelRow& row) {
  std::vector<PointwiseOperand> result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(row.operands); ++i) {
    PointwiseOperand& p = result.emplace_back();
    p.is_tensor = call.arg(i).kind == Datum::Kind::tensor;
    if (p.is_tensor)
      p.array = call.arg(i).tensor;
    else if (const auto n = call.arg(i).number())
      p.number = *n;
    else
      call.decline("operand " + std::to_string(i) + " is neither tensor nor number");
  }
  return result;
}

Promoted promoted(const PointwiseOperand& p, const Datum& datum) {
  if (p.is_tensor)
    return {p.array.at.shape.empty() ? Promoted::Rank::zero_dim : Promoted::Rank::dimensioned,
            p.array.at.dtype};
  Dtype type = Dtype::i64;
  if (datum.kind == Datum::Kind::boolean) type = Dtype::boolean;
  if (datum.kind == Datum::Kind::real) type = Dtype::f32;
  return {Promoted::Rank::wrapped, type};
}

Dtype common_dtype(const Call& call, const KernelRow& row, const std::vector<PointwiseOperand>& operands) {
  std::vector<Promoted> inputs;
  for (std::size_t i = row.promotion == Promotion::first_is_condition ? 1 : 0; i < operands.size(); ++i)
    inputs.push_back(promoted(operands[i], call.arg(i)));
  const Dtype type = result_type(inputs);
  if (row.promotion == Promotion::bool_to_integer && type == Dtype::boolean) return Dtype::i64;
  const bool integral = !is_floating(type) && !is_complex(type);
  return row.promotion == Promotion::to_float && integral ? Dtype::f32 : type;
}

bool gives_bool(Promotion promotion) {
  return promotion == Promotion::compare || promotion == Promotion::to_bool;
}

Dtype pointwise_result(Promotion promotion, Dtype common) {
  if (gives_bool(promotion)) return Dtype::boolean;
  if (promotion == Promotion::to_real && is_complex(common))
    return common == Dtype::c64 ? Dtype::f32 : Dtype::f64;
  return common;
}

/// The shape of the result; empty if PyTorch raises.
std::optional<Extents> pointwise_shape(Call& call, const std::vector<PointwiseOperand>& operands) {
  Extents shape;
  for (const PointwiseOperand& p : operands) {
    const auto both = broadcast_shapes(shape, p.array.at.shape);
    if (!both) {
      call.raise("the sizes of the operands do not broadcast");
      return std::nullopt;
    }
    shape = *both;
  }
  return shape;
}

/// Strides of the result. variant 1: the second operand decides before the first; 2: always contiguous; 3:
/// the first alone decides; 5: as empty_like of the first. An operand of another dtype than `common` has been
/// converted, and is dense since.
Extents pointwise_strides(const std::vector<PointwiseOperand>& operands, const Extents& shape, int variant,
                          Dtype common) {
  if (variant == 2) return contiguous_strides(shape);
  if (variant == 5 && operands[0].array.at.shape == shape) return preserved_strides(operands[0].array.at);
  std::vector<Geometry> inputs;
  for (const PointwiseOperand& p : operands) {
    Geometry g = p.is_tensor ? p.array.at : Geometry{Dtype::f32, {}, {}, 0};
    if (p.is_tensor && g.dtype != common) g.stride = preserved_strides(g);
    inputs.push_back(std::move(g));
  }
  if (variant == 3 && !inputs.empty()) inputs.resize(1);
  if (variant == 1) std::reverse(inputs.begin(), inputs.end());
  return iterator_strides(inputs, shape);
}

/// One call of a pointwise operator whose result is allocated.
struct PointwiseLoop {
  Call& call;
  const KernelRow& row;
  const std::vector<PointwiseOperand>& operands;
  const Array& out;
  Dtype common, result;
  std::vector<Dtype> computed;  // operand j is converted to this dtype; other: it is not
  Extras extras;
};

PointwiseLoop make_loop(Call& call, const KernelRow& row, const std::vector<PointwiseOperand>& operands,
                        const Array& out, Dtype common) {
  PointwiseLoop loop{call,     row,
                     operands, out,
                     common,   pointwise_result(row.promotion, common),
                     {},       {&call, operands.size(), common, {}}};
  for (std::size_t i = 0; i < loop.extras.numbers.size(); ++i)
    loop.extras.numbers[i] = call.arg(operands.size() + i).number();
  const bool reduced = common == Dtype::f16 || common == Dtype::bf16;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    const bool kept = j == 0 && row.promotion == Promotion::first_is_condition;
    const bool wide = reduced && row.variant == 4 && j == 1 && operands[1].array.at.shape.empty();
    const bool converts = !kept && row.promotion != Promotion::to_bool;
    loop.computed.push_back(converts ? wide ? Dtype::f32 : common : Dtype::other);
  }
  return loop;
}

/// Computes one element: at[0] is its position in the result, at[1 + j] in operand j.
void pointwise_element(const PointwiseLoop& loop, const Extents& at, Number* x) {
  loop.call.begin();
  for (std::size_t j = 0; j < loop.operands.size(); ++j) {
    const PointwiseOperand& p = loop.operands[j];
    x[j] = p.is_tensor ? loop.call.load(p.array, at[j + 1]) : p.number;
    if (loop.computed[j] != Dtype::other) x[j] = convert(x[j], loop.computed[j]);
  }
  const Number y = loop.row.pointwise(x, loop.extras);
  loop.call.store(loop.out, at[0], gives_bool(loop.row.promotion) ? y : convert(y, loop.result));
}

/// Computes `count` elements from `at` on. `x`: room for the operands of kRunLength elements.
void pointwise_run(const PointwiseLoop& loop, const Sweep& sweep, Extents at, std::int64_t count, Number* x) {
  const std::size_t width = loop.operands.size();
  bool defined = true;
  for (std::size_t j = 0; j < width && defined; ++j)
    if (loop.operands[j].is_tensor)
      defined = run_defined(loop.operands[j].array, at[j + 1], sweep.stride(j + 1), count);
  for (std::int64_t i = 0; !defined && i < count && loop.call.ok(); ++i) {
    pointwise_element(loop, at, x);
    for (std::size_t j = 0; j < at.size(); ++j) at[j] += sweep.stride(j);
  }
  if (!defined) return;
  for (std::size_t j = 0; j < width; ++j) {
    const PointwiseOperand& p = loop.operands[j];
    const auto end = static_cast<std::size_t>(count) * width;
    const bool converts = loop.computed[j] != Dtype::other;
    if (p.is_tensor) load_run(p.array, at[j + 1], sweep.stride(j + 1), count, x + j, width);
    const Number number = converts ? convert(p.number, loop.computed[j]) : p.number;
    for (std::size_t i = j; !p.is_tensor && i < end; i += width) x[i] = number;
    if (!converts || !p.is_tensor || p.array.at.dtype == loop.computed[j]) continue;
    for (std::size_t i = j; i < end; i += width) x[i] = convert(x[i], loop.computed[j]);
  }
  Number y[kRunLength];
  std::int64_t done = 0;
  const bool rounds = !gives_bool(loop.row.promotion) && loop.out.at.dtype != loop.result;
  for (; done < count && loop.call.ok(); ++done) {
    const Number value = loop.row.pointwise(x + static_cast<std::size_t>(done) * width, loop.extras);
    y[done] = rounds ? convert(value, loop.result) : value;
  }
  if (!loop.call.ok()) --done;  // the one that raised
  store_run(loop.out, at[0], sweep.stride(0), done, y, true);
}

void pointwise_loop(const PointwiseLoop& loop) {
  const std::int64_t count = loop.out.at.numel();
  if (!loop.call.spend({count})) return;
  bool free = runs_freely(loop.call, loop.out);
  std::vector<const Geometry*> places{&loop.out.at};
  std::vector<Elements> each{Elements(loop.out.at)};
  for (const PointwiseOperand& p : loop.operands) {
    places.push_back(&p.array.at);
    each.emplace_back(p.array.at, loop.out.at.shape);
    free = free && (!p.is_tensor || (runs_freely(loop.call, p.array) && keeps_step(p.array, loop.out)));
  }
  std::vector<Number> x(loop.operands.size() * (free ? kRunLength : 1));
  if (free) {
    const Sweep sweep(loop.out.at.shape, places);
    sweep.each([&](const Extents& at, std::int64_t n) {
      if (loop.call.ok()) pointwise_run(loop, sweep, at, n, x.data());
    });
    return;
  }
  Extents at(each.size());
  for (std::int64_t i = 0; i < count && loop.call.ok(); ++i) {
    for (std::size_t j = 0; j < at.size(); ++j) at[j] = each[j].at(loop.call.backwards ? count - 1 - i : i);
    pointwise_element(loop, at, x.data());
  }
}

}  // namespace

void run_pointwise(Call& call, const KernelRow& row) {
  const auto operands = pointwise_operands(call, row);
  const auto shape = pointwise_shape(call, operands);
  if (!call.ok() || !shape) return;
  const Dtype common = common_dtype(call, row, operands);
  const Array out = call.output(pointwise_result(row.promotion, common), *shape,
                                pointwise_strides(operands, *shape, row.variant, common));
  if (call.ok()) pointwise_loop(make_loop(call, row, operands, out, common));
}

void copy_elements(Call& call, const Array& from, const Array& to) {
  const auto both = broadcast_shapes(from.at.shape, to.at.shape);
  if (!both || *both != to.at.shape)
    return call.raise("the source does not broadcast to the target of a copy");
  const std::int64_t count = to.at.numel();
  if (!call.spend({count})) return;
  const bool plain = from.at.dtype == to.at.dtype && runs_freely(call, from) && runs_freely(call, to);
  if (plain && keeps_step(from, to)) {
    const Sweep sweep(to.at.shape, {&from.at, &to.at});
    return sweep.each([&](const Extents& at, std::int64_t n) {
      move_run(from, at[0], sweep.stride(0), to, at[1], sweep.stride(1), n);
    });
  }
  const Elements source(from.at, to.at.shape), target(to.at);
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    call.move(from, source.at(k), to, target.at(k));
  }
}

void fill_elements(Call& call, const Array& to, const Number& value) {
  const std::int64_t count = to.at.numel();
  if (!call.spend({count})) return;
  if (runs_freely(call, to)) {
    const std::vector<Number> run(kRunLength, value);
    const Sweep sweep(to.at.shape, {&to.at});
    return sweep.each([&](const Extents& at, std::int64_t n) {
      store_run(to, at[0], sweep.stride(0), n, run.data(), call.all_defined());
    });
  }
  const Elements target(to.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) call.store(to, target.at(k), value);
}

}  // namespace noclobber
