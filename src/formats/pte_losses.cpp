// Losses, and other functions of a few steps of arithmetic, as PyTorch decomposes them for the core of ATen:
// one rule each. Facts: torch/_decomp and torch/_refs of PyTorch 2.15.
#include <cmath>

#include "src/formats/pte_spelling.h"

namespace noclobber {
namespace {

class LossRules : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  void absolute() {
    const Arg apart = apart_of();
    reduced(given(2), emit("aten.abs.default", {apart}));
  }

  void smooth() {
    const auto beta = real_of(given(3));
    if (!beta || *beta <= 0) return;
    const Arg far = emit("aten.abs.default", {apart_of()});
    const Arg is_near = emit("aten.lt.Scalar", {far, Arg::of_real(*beta)});
    const Arg square = emit("aten.pow.Tensor_Scalar", {far, number(2)});
    const Arg half = emit("aten.mul.Tensor", {square, real(0.5)});
    const Arg inside = emit("aten.div.Tensor", {half, real(*beta)});
    const Arg outside = emit("aten.sub.Tensor", {far, real(0.5 * *beta)});
    reduced(given(2), emit("aten.where.self", {is_near, inside, outside}));
  }

  void huber() {
    const auto delta = real_of(given(3));
    if (!delta || *delta <= 0) return;
    const Arg far = emit("aten.abs.default", {apart_of()});
    const Arg is_near = emit("aten.lt.Scalar", {far, Arg::of_real(*delta)});
    const Arg inside = emit("aten.mul.Tensor", {emit("aten.mul.Tensor", {far, real(0.5)}), far});
    const Arg moved = emit("aten.sub.Tensor", {far, real(0.5 * *delta)});
    const Arg outside = emit("aten.mul.Tensor", {moved, real(*delta)});
    reduced(given(2), emit("aten.where.self", {is_near, inside, outside}));
  }

  void cross_entropy_of_two() {
    if (given(2).kind != Arg::Kind::none) return;
    const Arg no = emit("aten.sub.Tensor", {given(1), operand(number(1))});
    const Arg low = emit("aten.log1p.default", {emit("aten.neg.default", {given(0)})});
    const Arg left = emit("aten.mul.Tensor", {no, at_least_100(low)});
    const Arg high = at_least_100(emit("aten.log.default", {given(0)}));
    const Arg right = emit("aten.mul.Tensor", {given(1), high});
    reduced(given(3), emit("aten.sub.Tensor", {left, right}));
  }

  void cross_entropy_of_logits() {
    if (given(2).kind != Arg::Kind::none || given(3).kind != Arg::Kind::none) return;
    const Arg no = emit("aten.sub.Tensor", {operand(number(1)), given(1)});
    const Arg left = emit("aten.mul.Tensor", {no, given(0)});
    const Arg least = emit("aten.minimum.default", {filled(number(0)), given(0)});
    const Arg size = emit("aten.neg.default", {emit("aten.abs.default", {given(0)})});
    const Arg tail = emit("aten.log1p.default", {emit("aten.exp.default", {size})});
    const Arg right = emit("aten.sub.Tensor", {least, tail});
    reduced(given(4), emit("aten.sub.Tensor", {left, right}));
  }

  void cosine() {
    const Type *x = type_of(0), *y = type_of(1);
    if (x == nullptr || y == nullptr || x->shape != y->shape || x->dtype != y->dtype) return;
    const Arg dims = Arg::of(PteArgs{given(2)}), least = scalar(given(3));
    const auto length = [&](const Arg& of) {
      const Arg square = emit("aten.pow.Tensor_Scalar", {of, number(2)});
      const Arg sum = emit("aten.sum.dim_IntList", {square, dims, Arg::of_bool(true)});
      return emit("aten.pow.Tensor_Scalar", {sum, Arg::of_real(0.5)});
    };
    const auto of_length_one = [&](const Arg& of) {
      return emit("aten.div.Tensor", {of, emit("aten.clamp.Tensor", {length(of), least})});
    };
    const Arg left = of_length_one(given(0)), right = of_length_one(given(1));
    become("aten.sum.dim_IntList", {emit("aten.mul.Tensor", {left, right}), dims});
  }

  void logit() {
    const Arg eps = given(1);
    const auto known = eps.kind == Arg::Kind::none ? std::optional(-1.0) : real_of(eps);
    if (!known) return;
    const double low = *known, high = 1 - *known;
    const Arg below = emit("aten.lt.Scalar", {given(0), Arg::of_real(low)});
    const Arg above = emit("aten.gt.Scalar", {given(0), Arg::of_real(high)});
    const Arg cut = emit("aten.where.self", {above, scalar(Arg::of_real(high)), given(0)});
    const Arg within = emit("aten.where.self", {below, scalar(Arg::of_real(low)), cut});
    const Arg rest = emit("aten.sub.Tensor", {operand(number(1)), within});
    become("aten.log.default", {emit("aten.div.Tensor", {within, rest})});
  }

  void lerp_by_number() {
    if (real_of(given(2))) lerp(filled(given(2)));
  }
  void lerp_by_tensor() { lerp(given(2)); }

  /// A number less a tensor.
  void subtracted() {
    const Type* x = type_of(0);
    const Arg from = given(1), times = given(2);
    const bool once = times == number(1) || times == Arg::of_real(1);
    const bool half = dtype() == Dtype::f16 || dtype() == Dtype::bf16;
    if (x == nullptr || x->dtype != dtype() || !once || !real_of(from) || half) return;
    become("aten.sub.Tensor", {operand(from), given(0)});
  }

  void one_hot() {
    const auto classes = whole(given(1));
    if (!classes || *classes < 1 || dtype() != Dtype::i64) return;
    const Arg column = emit("aten.unsqueeze_copy.default", {given(0), number(-1)});
    const Arg row = emit("aten.arange.start_step", {number(0), number(*classes), number(1)},
                         {{"dtype", Arg::of_dtype(Dtype::i64)}});
    const Arg same = emit("aten.eq.Tensor", {column, row});
    become("aten._to_copy.default", {same});
    step_.kwargs = {{"dtype", Arg::of_dtype(Dtype::i64)}};
  }

  void prelu() {
    const Type *x = type_of(0), *w = type_of(1);
    if (x == nullptr || w == nullptr || w->shape.size() != 1 || w->dtype != x->dtype) return;
    Arg slope = given(1);
    if (x->shape.size() > 1) {
      PteSizes shape(x->shape.size(), SymExpr(1));
      shape[1] = w->shape[0];
      slope = emit("aten.view_copy.default", {slope, sizes(shape)});
    }
    const Arg passes = emit("aten.gt.Scalar", {given(0), number(0)});
    become("aten.where.self", {passes, given(0), emit("aten.mul.Tensor", {slope, given(0)})});
  }

 private:
  static std::optional<double> real_of(const Arg& arg) {
    if (arg.kind == Arg::Kind::real) return arg.real;
    const auto number = whole(arg);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  }

  Arg apart_of() { return emit("aten.sub.Tensor", {given(0), given(1)}); }

  void reduced(const Arg& how, const Arg& all) {
    if (how == number(1)) return become("aten.mean.default", {all});
    if (how == number(2)) return become("aten.sum.dim_IntList", {all, Arg::of(PteArgs{})});
    become("aten.clone.default", {all});
  }

  void lerp(const Arg& weight) {
    const Arg far = emit("aten.ge.Scalar", {emit("aten.abs.default", {weight}), Arg::of_real(0.5)});
    const Arg back = emit("aten.sub.Tensor", {weight, operand(number(1))});
    const Arg by = emit("aten.where.self", {far, back, weight});
    const Arg from = emit("aten.where.self", {far, given(1), given(0)});
    const Arg way = emit("aten.sub.Tensor", {given(1), given(0)});
    become("aten.add.Tensor", {emit("aten.mul.Tensor", {by, way}), from});
  }

  Arg at_least_100(const Arg& of) { return emit("aten.maximum.default", {of, filled(number(-100))}); }
  Arg filled(const Arg& value) {
    return emit("aten.full.default", {Arg::of(PteArgs{}), value}, {{"dtype", Arg::of_dtype(dtype())}});
  }
  Arg real(double value) { return operand(Arg::of_real(value)); }

  /// A number that is an operand, in the dtype of the result.
  Arg operand(const Arg& value) {
    const Arg made = lifted(value);
    if (lifted_dtype(value) == dtype()) return made;
    return emit("aten._to_copy.default", {made}, {{"dtype", Arg::of_dtype(dtype())}});
  }
};

constexpr PteAsked kLossTyped = PteAsked::type, kLossWide = PteAsked::wide;

constexpr PteSpellingRow<LossRules> kLossRules[] = {
    {"aten.l1_loss.default", &LossRules::absolute, kLossWide},
    {"aten.smooth_l1_loss.default", &LossRules::smooth, kLossWide},
    {"aten.huber_loss.default", &LossRules::huber, kLossWide},
    {"aten.binary_cross_entropy.default", &LossRules::cross_entropy_of_two, kLossWide},
    {"aten.binary_cross_entropy_with_logits.default", &LossRules::cross_entropy_of_logits, kLossWide},
    {"aten.cosine_similarity.default", &LossRules::cosine, kLossWide},
    {"aten.logit.default", &LossRules::logit, kLossWide},
    {"aten.lerp.Scalar", &LossRules::lerp_by_number, kLossWide},
    {"aten.lerp.Tensor", &LossRules::lerp_by_tensor, kLossWide},
    {"aten.rsub.Scalar", &LossRules::subtracted, kLossTyped},
    {"aten.one_hot.default", &LossRules::one_hot, kLossTyped},
    {"aten.prelu.default", &LossRules::prelu, kLossWide}};

}  // namespace

bool respell_loss(Graph& graph, Step& next) { return respell_by<LossRules>(kLossRules, graph, next); }

}  // namespace noclobber
