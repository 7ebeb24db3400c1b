// Losses and other functions of a few steps of arithmetic, as PyTorch decomposes them for core ATen: one rule
// each. Source: torch/_decomp and torch/_refs of PyTorch 2.15.
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/lower/pte/spelling.h"

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

  /// rsub: a number minus a tensor.
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

  /// kl_div: the logarithm of the target is given (`log_target`) or computed here.
  void divergence() {
    const bool is_log = given(3) == Arg::of_bool(true);
    if (type_of(1) == nullptr || type_of(1)->dtype != dtype()) return;
    if (is_log) {
      const Arg share = emit("aten.exp.default", {given(1)});
      const Arg apart = emit("aten.sub.Tensor", {given(1), given(0)});
      return reduced(given(2), emit("aten.mul.Tensor", {share, apart}));
    }
    const Arg own = emit("aten.mul.Tensor", {given(1), emit("aten.log.default", {given(1)})});
    const Arg none = emit("aten.eq.Scalar", {given(1), number(0)});
    const Arg some = emit("aten.where.self", {none, scalar(number(0)), own});
    const Arg broken = emit("aten.isnan.default", {given(1)});
    const Arg nan = scalar(Arg::of_real(std::numeric_limits<double>::quiet_NaN()));
    const Arg kept = emit("aten.where.self", {broken, nan, some});
    reduced(given(2), emit("aten.sub.Tensor", {kept, emit("aten.mul.Tensor", {given(1), given(0)})}));
  }

  /// nll_loss: the entry at the target class of each sample. Samples with the ignored index do not count.
  void likelihood() { likelihood(given(0), given(2), given(3), given(4)); }
  void cross_entropy() {
    const Type* x = type_of(0);
    const bool smooth = given(5) != Arg::of_real(0) && given(5) != number(0);
    if (x == nullptr || smooth || !has_classes(given(2))) return;
    const std::int64_t axis = x->shape.size() < 2 ? 0 : 1;
    const Arg logs = emit("aten._log_softmax.default", {given(0), number(axis), Arg::of_bool(false)});
    likelihood(logs, given(2), given(3), given(4));
  }

  /// isclose: equal, or finite and within the tolerances.
  void is_near() {
    const Type *x = type_of(0), *y = type_of(1);
    const auto by = real_of(given(2)), least = real_of(given(3));
    if (x == nullptr || y == nullptr || x->dtype != y->dtype || !by || !least ||
        given(4) != Arg::of_bool(false) || (x->dtype != Dtype::f32 && x->dtype != Dtype::f64))
      return;
    if (*by == 0 && *least == 0) return become("aten.eq.Tensor", {given(0), given(1)});
    const Arg same = emit("aten.eq.Tensor", {given(0), given(1)});
    const Arg share = emit("aten.abs.default", {emit("aten.mul.Scalar", {given(1), Arg::of_real(*by)})});
    const Arg allowed = emit("aten.add.Scalar", {share, Arg::of_real(*least)});
    const Arg far = emit("aten.abs.default", {apart_of()});
    const Arg bounded = emit("aten.ne.Scalar", {emit("aten.abs.default", {far}), Arg::of_real(HUGE_VAL)});
    const Arg finite = emit("aten.mul.Tensor", {emit("aten.eq.Tensor", {far, far}), bounded});
    const Arg within = emit("aten.le.Tensor", {far, allowed});
    become("aten.bitwise_or.Tensor", {same, emit("aten.bitwise_and.Tensor", {finite, within})});
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

  /// True if the target has class indices of a fitting rank, and there is one weight per class or none.
  bool has_classes(const Arg& weight) const {
    const Type *x = type_of(0), *target = type_of(1), *w = type_of(weight);
    const bool known = x != nullptr && target != nullptr && target->dtype == Dtype::i64;
    if (!known || x->shape.empty() || x->shape.size() > 4) return false;
    const bool rows = x->shape.size() == 3;  // handled as pictures of height 1, if not empty
    if (rows && !std::ranges::all_of(
                    x->shape, [](const SymExpr& size) { return size.is_constant() && size.constant() > 0; }))
      return false;
    if (target->shape.size() + 1 != x->shape.size()) return false;
    return weight.kind == Arg::Kind::none || (w != nullptr && w->shape.size() == 1 && w->dtype == x->dtype);
  }
  void likelihood(Arg logs, const Arg& weight, const Arg& how, const Arg& ignored) {
    if (!has_classes(weight) || !whole(ignored)) return;
    PteSizes shape = type_of(0)->shape;
    const bool rows = shape.size() == 3;
    Arg target = given(1);
    if (rows) {
      shape = {shape[0], shape[1], 1, shape[2]};
      logs = emit("aten.view_copy.default", {logs, sizes(shape)});
      target = emit("aten.view_copy.default", {target, sizes({shape[0], 1, shape[3]})});
    }
    const std::size_t rank = shape.size(), axis = rank < 2 ? 0 : 1;
    const Arg dim = number(static_cast<std::int64_t>(axis));
    Arg w = weight;
    if (w.kind != Arg::Kind::none) {
      PteSizes along(rank, SymExpr(1));
      along[axis] = type_of(weight)->shape[0];
      if (rank > 1) w = emit("aten.view_copy.default", {w, sizes(along)});
      logs = emit("aten.mul.Tensor", {logs, w});
    }
    const Arg counts = emit("aten.ne.Scalar", {target, ignored});
    const Arg first = emit("aten.scalar_tensor.default", {number(0)}, {{"dtype", Arg::of_dtype(Dtype::i64)}});
    const Arg safe = emit("aten.where.self", {counts, target, first});
    const Arg place = emit("aten.unsqueeze_copy.default", {safe, dim});
    const auto chosen = [&](const Arg& from, bool negated) {
      Arg made = emit("aten.squeeze_copy.dims",
                      {emit("aten.gather.default", {from, dim, place}), Arg::of(PteArgs{dim})});
      if (negated) made = emit("aten.neg.default", {made});
      return emit("aten.where.self", {counts, made, scalar(number(0))});
    };
    const Arg each = chosen(logs, true);
    const auto sum = [&](const Arg& of) { return emit("aten.sum.dim_IntList", {of, Arg::of(PteArgs{})}); };
    if (how == number(2)) return become("aten.sum.dim_IntList", {each, Arg::of(PteArgs{})});
    if (how != number(1) && rows)
      return become("aten.view_copy.default", {each, sizes({shape[0], shape[3]})});
    if (how != number(1)) return become("aten.clone.default", {each});
    Arg total;
    if (w.kind == Arg::Kind::none)
      total = converted(sum(counts), dtype());
    else
      total = sum(chosen(emit("aten.expand_copy.default", {w, sizes(shape)}), false));
    become("aten.div.Tensor", {sum(each), total});
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
    {"aten.kl_div.default", &LossRules::divergence, kLossWide},
    {"aten.nll_loss_nd.default", &LossRules::likelihood, kLossWide},
    {"aten.cross_entropy_loss.default", &LossRules::cross_entropy, kLossWide},
    {"aten.isclose.default", &LossRules::is_near, kLossTyped}};

}  // namespace

bool respell_loss(Graph& graph, Step& next) { return respell_by<LossRules>(kLossRules, graph, next); }

}  // namespace noclobber
