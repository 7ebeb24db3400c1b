// Activations that ExecuTorch's dialect lacks, as PyTorch decomposes them: several steps of arithmetic, for
// f32 and f64 only unless stated otherwise. Source: torch/_decomp of PyTorch 2.15.
#include <algorithm>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

class Activation : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  void relu6() { become("aten.hardtanh.default", {given(0), number(0), number(6)}); }
  void hardsigmoid() {
    if (const auto x = as_wide()) divided_by_six(within_six(*x));
  }
  void hardswish() {
    if (const auto x = as_wide()) divided_by_six(emit("aten.mul.Tensor", {*x, within_six(*x)}));
  }

  /// For beta 1 and threshold 20 only. Above the threshold, the result is the operand itself.
  void softplus() {
    if ((given(1) != number(1) && given(1) != Arg::of_real(1)) ||
        (given(2) != number(20) && given(2) != Arg::of_real(20)))
      return;
    become("aten.where.self", soft_where());
  }
  void mish() {
    const Arg soft = emit("aten.where.self", soft_where());
    become("aten.mul.Tensor", {given(0), emit("aten.tanh.default", {soft})});
  }

  void prelu() {
    const Type *x = type_of(0), *slope = type_of(1);
    if (x == nullptr || slope == nullptr || x->shape.empty() || slope->shape.size() != 1 ||
        slope->dtype != x->dtype)
      return;
    Arg by = given(1);
    if (x->shape.size() > 1) {
      PteSizes spread_out(x->shape.size(), SymExpr(1));
      spread_out[1] = slope->shape[0];
      by = emit("aten.view_copy.default", {by, sizes(spread_out)});
    }
    const Arg is_positive = emit("aten.gt.Scalar", {given(0), number(0)});
    become("aten.where.self", {is_positive, given(0), emit("aten.mul.Tensor", {by, given(0)})});
  }

 private:
  static bool is_narrow(Dtype dtype) { return dtype == Dtype::f16 || dtype == Dtype::bf16; }
  /// The operand, with f16 and bf16 converted to f32. Empty for a dtype that is no float.
  std::optional<Arg> as_wide() {
    if (is_narrow(dtype())) return converted(given(0), Dtype::f32);
    return dtype() == Dtype::f32 || dtype() == Dtype::f64 ? std::optional(given(0)) : std::nullopt;
  }
  void divided_by_six(const Arg& of) {
    if (!is_narrow(dtype())) return become("aten.div.Tensor", {of, real_tensor(6)});
    become("aten._to_copy.default", {emit("aten.div.Tensor", {of, real_tensor(6)})});
    step_.kwargs = {{"dtype", Arg::of_dtype(dtype())}};
  }
  /// min(max(x + 3, 0), 6).
  Arg within_six(const Arg& x) {
    const Arg more = emit("aten.add.Tensor", {x, real_tensor(3)});
    const Arg least = emit("aten.clamp.default", {more, number(0)});
    return emit("aten.clamp.default", {least, Arg{}, number(6)});
  }
  /// An integer as an operand, in the dtype of the computation.
  Arg real_tensor(std::int64_t value) {
    return converted(lifted(number(value)), is_narrow(dtype()) ? Dtype::f32 : dtype());
  }
  PteArgs soft_where() {
    const Arg soft = emit("aten.log1p.default", {emit("aten.exp.default", {given(0)})});
    return {emit("aten.gt.Scalar", {given(0), number(20)}), given(0), soft};
  }
};

constexpr PteSpellingRow<Activation> kActivations[] = {
    {"aten.relu6.default", &Activation::relu6, PteAsked::wide},
    {"aten.hardsigmoid.default", &Activation::hardsigmoid, PteAsked::type},
    {"aten.hardswish.default", &Activation::hardswish, PteAsked::type},
    {"aten.softplus.default", &Activation::softplus, PteAsked::wide},
    {"aten.mish.default", &Activation::mish, PteAsked::wide},
    {"aten.prelu.default", &Activation::prelu, PteAsked::wide}};

}  // namespace

bool is_respelled_activation(std::string_view op) {
  return std::ranges::find(kActivations, op, &PteSpellingRow<Activation>::op) != std::end(kActivations);
}

bool respell_activation(Graph& graph, Step& next) {
  return respell_by<Activation>(kActivations, graph, next);
}

}  // namespace noclobber
