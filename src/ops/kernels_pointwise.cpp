// Broadcasting operators: element k of the result is a function of element k of each operand.
#include <algorithm>

#include "src/ops/kernels.h"

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

/// Rank and strides of the result; false: raised.
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

/// variant 1: the second operand decides before the first; 2: always contiguous; 3: the first alone decides;
/// 5: as empty_like of the first.
/// Operands of another dtype than `common` have been converted, and are dense since.
Extents pointwise_strides(const std::vector<PointwiseOperand>& operands, const Extents& shape, int variant,
                          Dtype common) {
  if (variant == 2) return contiguous_strides(shape);
  if (variant == 5) return preserved_strides(operands[0].array.at);
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

void pointwise_loop(Call& call, const KernelRow& row, const std::vector<PointwiseOperand>& operands,
                    const Array& out, Dtype common) {
  const Extras extras{&call, operands.size(), common};
  const std::int64_t count = out.at.numel();
  if (!call.spend({count})) return;
  const Dtype result = pointwise_result(row.promotion, common);
  const Elements to(out.at);
  std::vector<Elements> from;
  for (const PointwiseOperand& p : operands) from.emplace_back(p.array.at, out.at.shape);
  std::vector<Number> x(operands.size());
  const bool reduced = common == Dtype::f16 || common == Dtype::bf16;
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    call.begin();
    for (std::size_t j = 0; j < operands.size(); ++j) {
      x[j] = operands[j].is_tensor ? call.load(operands[j].array, from[j].at(k)) : operands[j].number;
      const bool kept = j == 0 && row.promotion == Promotion::first_is_condition;
      const bool wide = reduced && row.variant == 4 && j == 1 && operands[1].array.at.shape.empty();
      if (!kept && row.promotion != Promotion::to_bool) x[j] = convert(x[j], wide ? Dtype::f32 : common);
    }
    const Number y = row.pointwise(x.data(), extras);
    call.store(out, to.at(k), gives_bool(row.promotion) ? y : convert(y, result));
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
  if (call.ok()) pointwise_loop(call, row, operands, out, common);
}

void copy_elements(Call& call, const Array& from, const Array& to) {
  const auto both = broadcast_shapes(from.at.shape, to.at.shape);
  if (!both || *both != to.at.shape)
    return call.raise("the source does not broadcast to the target of a copy");
  const std::int64_t count = to.at.numel();
  if (!call.spend({count})) return;
  const Elements source(from.at, to.at.shape), target(to.at);
  for (std::int64_t i = 0; i < count && call.ok(); ++i) {
    const std::int64_t k = call.backwards ? count - 1 - i : i;
    call.move(from, source.at(k), to, target.at(k));
  }
}

void fill_elements(Call& call, const Array& to, const Number& value) {
  const std::int64_t count = to.at.numel();
  if (!call.spend({count})) return;
  const Elements target(to.at);
  for (std::int64_t k = 0; k < count && call.ok(); ++k) call.store(to, target.at(k), value);
}

}  // namespace noclobber
