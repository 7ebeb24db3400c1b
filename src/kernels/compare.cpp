// Comparisons, logic and bits.
#include "src/kernels/kernels.h"
#include "src/ops/number_math.h"

namespace noclobber {
namespace {

Number truth(bool value) { return Number::of(value ? 1 : 0); }

bool equal_numbers(const Number& a, const Number& b) {
  if (a.kind == Number::Kind::integer && b.kind == Number::Kind::integer) return a.integer == b.integer;
  return a.as_complex() == b.as_complex();
}

bool below(const Number& a, const Number& b, Dtype type) {
  if (a.kind != Number::Kind::integer) return a.as_real() < b.as_real();
  if (type == Dtype::u64)
    return static_cast<std::uint64_t>(a.integer) < static_cast<std::uint64_t>(b.integer);
  return a.integer < b.integer;
}

Number eq_fn(const Number* x, const Extras&) { return truth(equal_numbers(x[0], x[1])); }
Number ne_fn(const Number* x, const Extras&) { return truth(!equal_numbers(x[0], x[1])); }
Number lt_fn(const Number* x, const Extras& e) { return truth(below(x[0], x[1], e.dtype)); }
Number gt_fn(const Number* x, const Extras& e) { return truth(below(x[1], x[0], e.dtype)); }
Number le_fn(const Number* x, const Extras& e) {
  return truth(below(x[0], x[1], e.dtype) || equal_numbers(x[0], x[1]));
}
Number ge_fn(const Number* x, const Extras& e) {
  return truth(below(x[1], x[0], e.dtype) || equal_numbers(x[0], x[1]));
}

Number logical_and_fn(const Number* x, const Extras&) { return truth(x[0].truthy() && x[1].truthy()); }
Number logical_or_fn(const Number* x, const Extras&) { return truth(x[0].truthy() || x[1].truthy()); }
Number logical_xor_fn(const Number* x, const Extras&) { return truth(x[0].truthy() != x[1].truthy()); }
Number logical_not_fn(const Number* x, const Extras&) { return truth(!x[0].truthy()); }

Number bitwise_and_fn(const Number* x, const Extras&) { return Number::of(x[0].integer & x[1].integer); }
Number bitwise_or_fn(const Number* x, const Extras&) { return Number::of(x[0].integer | x[1].integer); }
Number bitwise_xor_fn(const Number* x, const Extras&) { return Number::of(x[0].integer ^ x[1].integer); }
Number bitwise_not_fn(const Number* x, const Extras& e) {
  return Number::of(e.dtype == Dtype::boolean ? 1 - x[0].integer : ~x[0].integer);
}

Number shift_left_fn(const Number* x, const Extras& e) {
  const std::int64_t by = x[1].integer;
  if (by < 0 || by >= bit_width(e.dtype)) return Number::of(0);
  return Number::of(static_cast<std::int64_t>(static_cast<std::uint64_t>(x[0].integer) << by));
}
Number shift_right_fn(const Number* x, const Extras& e) {
  const std::int64_t by = x[1].integer, most = bit_width(e.dtype) - 1;
  const std::int64_t count = by < 0 || by > most ? most : by;
  if (e.dtype != Dtype::u64) return Number::of(x[0].integer >> count);
  return Number::of(static_cast<std::int64_t>(static_cast<std::uint64_t>(x[0].integer) >> count));
}

/// Bitwise operators reject floats.
void run_bitwise(Call& call, const KernelRow& row) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(row.operands); ++i) {
    const Datum& d = call.arg(i);
    const bool floats =
        d.kind == Datum::Kind::real ||
        (d.kind == Datum::Kind::tensor && (is_floating(d.tensor.at.dtype) || is_complex(d.tensor.at.dtype)));
    if (floats) return call.raise(std::string(row.op) + " is not implemented for floating types");
  }
  run_pointwise(call, row);
}

const KernelRow kCompareRows[] = {
    {"eq.Tensor", run_pointwise, eq_fn, Promotion::compare, 2},
    {"eq.Scalar", run_pointwise, eq_fn, Promotion::compare, 2},
    {"ne.Tensor", run_pointwise, ne_fn, Promotion::compare, 2},
    {"ne.Scalar", run_pointwise, ne_fn, Promotion::compare, 2},
    {"lt.Tensor", run_pointwise, lt_fn, Promotion::compare, 2},
    {"lt.Scalar", run_pointwise, lt_fn, Promotion::compare, 2},
    {"le.Tensor", run_pointwise, le_fn, Promotion::compare, 2},
    {"le.Scalar", run_pointwise, le_fn, Promotion::compare, 2},
    {"gt.Tensor", run_pointwise, gt_fn, Promotion::compare, 2},
    {"gt.Scalar", run_pointwise, gt_fn, Promotion::compare, 2},
    {"ge.Tensor", run_pointwise, ge_fn, Promotion::compare, 2},
    {"ge.Scalar", run_pointwise, ge_fn, Promotion::compare, 2},
    {"eq.default", run_pointwise, eq_fn, Promotion::compare, 2},
    {"ne.default", run_pointwise, ne_fn, Promotion::compare, 2},
    {"lt.default", run_pointwise, lt_fn, Promotion::compare, 2},
    {"le.default", run_pointwise, le_fn, Promotion::compare, 2},
    {"gt.default", run_pointwise, gt_fn, Promotion::compare, 2},
    {"ge.default", run_pointwise, ge_fn, Promotion::compare, 2},
    {"logical_and.default", run_pointwise, logical_and_fn, Promotion::to_bool, 2},
    {"logical_or.default", run_pointwise, logical_or_fn, Promotion::to_bool, 2},
    {"logical_xor.default", run_pointwise, logical_xor_fn, Promotion::to_bool, 2},
    {"logical_not.default", run_pointwise, logical_not_fn, Promotion::to_bool, 1},
    {"bitwise_and.Tensor", run_bitwise, bitwise_and_fn, Promotion::same, 2},
    {"bitwise_and.Scalar", run_bitwise, bitwise_and_fn, Promotion::same, 2},
    {"bitwise_and.Scalar_Tensor", run_bitwise, bitwise_and_fn, Promotion::same, 2},
    {"bitwise_or.Tensor", run_bitwise, bitwise_or_fn, Promotion::same, 2},
    {"bitwise_or.Scalar", run_bitwise, bitwise_or_fn, Promotion::same, 2},
    {"bitwise_or.Scalar_Tensor", run_bitwise, bitwise_or_fn, Promotion::same, 2},
    {"bitwise_xor.Tensor", run_bitwise, bitwise_xor_fn, Promotion::same, 2},
    {"bitwise_xor.Scalar", run_bitwise, bitwise_xor_fn, Promotion::same, 2},
    {"bitwise_xor.Scalar_Tensor", run_bitwise, bitwise_xor_fn, Promotion::same, 2},
    {"bitwise_not.default", run_bitwise, bitwise_not_fn, Promotion::same, 1},
    {"bitwise_left_shift.Tensor", run_bitwise, shift_left_fn, Promotion::same, 2},
    {"bitwise_left_shift.Tensor_Scalar", run_bitwise, shift_left_fn, Promotion::same, 2},
    {"bitwise_left_shift.Scalar_Tensor", run_bitwise, shift_left_fn, Promotion::same, 2},
    {"bitwise_right_shift.Tensor", run_bitwise, shift_right_fn, Promotion::same, 2},
    {"bitwise_right_shift.Tensor_Scalar", run_bitwise, shift_right_fn, Promotion::same, 2},
    {"bitwise_right_shift.Scalar_Tensor", run_bitwise, shift_right_fn, Promotion::same, 2},
    {"bitwise_and.default", run_bitwise, bitwise_and_fn, Promotion::same, 2},
    {"bitwise_or.default", run_bitwise, bitwise_or_fn, Promotion::same, 2},
    {"bitwise_xor.default", run_bitwise, bitwise_xor_fn, Promotion::same, 2},
};

}  // namespace

std::span<const KernelRow> compare_kernels() { return kCompareRows; }

}  // namespace noclobber
