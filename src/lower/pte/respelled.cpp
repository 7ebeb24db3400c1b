// Operators of exported programs that core ATen spells differently, as PyTorch decomposes them: one rule
// each. Source: torch/_decomp and the composite kernels of PyTorch 2.15.
#include <algorithm>
#include <array>
#include <cmath>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

class Respelling : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  void convolution() { convolve(false, {3, 4, 5}, 6); }
  void transposed_convolution() { convolve(true, {3, 4, 7}, 6); }

  void batch_norm() {
    if (given(5) != Arg::of_bool(false)) return;
    become("aten._native_batch_norm_legit_no_training.default",
           {given(0), given(1), given(2), given(3), given(4), given(6), given(7)}, 3);
    keep_nothing(1), keep_nothing(2);
  }

  void layer_norm() {
    become("aten.native_layer_norm.default", {given(0), given(1), given(2), given(3), given(4)}, 3);
  }

  void group_norm() {
    const Type* x = type_of(0);
    if (x == nullptr || x->shape.size() < 2) return;
    SymExpr rest = 1;
    for (std::size_t k = 2; k < x->shape.size(); ++k) rest = rest * x->shape[k];
    become("aten.native_group_norm.default",
           {given(0), given(2), given(3), Arg::of(x->shape[0]), Arg::of(x->shape[1]), Arg::of(rest), given(1),
            given(4)},
           3);
  }

  void max_pool2d() {
    become("aten.max_pool2d_with_indices.default",
           {given(0), given(1), given(2), given(3), given(4), given(5)}, 2);
  }

  void argsort() { become("aten.sort.default", {given(0), given(1), given(2)}, 2, 1); }

  void pad() {
    if (given(2) != Arg::of_text("constant")) return;
    const Arg value = given(3);
    become("aten.constant_pad_nd.default",
           {given(0), given(1), value.kind == Arg::Kind::none ? number(0) : value});
  }

  void adaptive_avg_pool2d() {
    if (given(1) == sizes({1, 1}))
      return become("aten.mean.dim", {given(0), sizes({-1, -2}), Arg::of_bool(true)});
    become("aten._adaptive_avg_pool2d.default", {given(0), given(1)});
  }

  void silu() { become("aten.mul.Tensor", {given(0), emit("aten.sigmoid.default", {given(0)})}); }

  void glu() {
    const Type* x = type_of(0);
    const Arg at = given(1);
    if (x == nullptr || at.kind != Arg::Kind::sym || !at.sym.is_constant()) return;
    const auto rank = static_cast<std::int64_t>(x->shape.size());
    const std::int64_t dim = at.sym.constant() < 0 ? at.sym.constant() + rank : at.sym.constant();
    if (dim < 0 || dim >= rank || !x->shape[static_cast<std::size_t>(dim)].is_constant()) return;
    const std::int64_t half = x->shape[static_cast<std::size_t>(dim)].constant() / 2;
    const auto part = [&](std::int64_t begin) {
      return emit("aten.slice_copy.Tensor",
                  {given(0), number(dim), number(begin), number(begin + half), number(1)});
    };
    const Arg first = part(0), second = part(half);
    become("aten.mul.Tensor", {first, emit("aten.sigmoid.default", {second})});
  }

  /// A true or missing `unbiased` of .dim is a correction of 1, and so is a missing correction of
  /// .correction.
  void variance() { become_variance(step_); }
  void deviation() {
    Step inner = step_;
    become_variance(inner);
    become("aten.sqrt.default", {emit(inner.op->c_str(), std::move(inner.args), std::move(inner.kwargs))});
  }

  void norm() {
    const Arg order = given(1);
    if ((order != number(2) && order != Arg::of_real(2)) || given(4).kind != Arg::Kind::none) return;
    const Arg square = emit("aten.pow.Tensor_Scalar", {given(0), number(2)});
    const Arg sum = emit("aten.sum.dim_IntList", {square, given(2), given(3)});
    become("aten.pow.Tensor_Scalar", {sum, Arg::of_real(0.5)});
  }

  void clamp_min() { become("aten.clamp.default", {given(0), given(1)}); }

  void masked_fill_tensor() { become("aten.where.self", {given(1), given(2), given(0)}); }
  void masked_fill() {
    const Type* x = type_of(0);
    if (x == nullptr) return;
    const Arg value =
        emit("aten.full.default", {Arg::of(PteArgs{}), given(2)}, {{"dtype", Arg::of_dtype(x->dtype)}});
    become("aten.where.self", {given(1), value, given(0)});
  }

  void arange() { arange(number(0), given(0)); }
  void arange_from() { arange(given(0), given(1)); }

  void pixel_shuffle() {
    const Type* x = type_of(0);
    const Arg by = given(1);
    if (x == nullptr || x->shape.size() != 4 || by.kind != Arg::Kind::sym || !by.sym.is_constant() ||
        !x->shape[1].is_constant() || by.sym.constant() < 1 || by.sym.constant() > 1 << 15)
      return;
    const std::int64_t r = by.sym.constant(), channels = x->shape[1].constant() / (r * r);
    const SymExpr n = x->shape[0], h = x->shape[2], w = x->shape[3];
    const Arg apart = emit("aten.view_copy.default", {given(0), sizes({n, channels, r, r, h, w})});
    const Arg turned = emit("aten.permute_copy.default", {apart, sizes({0, 1, 4, 2, 5, 3})});
    become("aten.view_copy.default", {turned, sizes({n, channels, h * SymExpr(r), w * SymExpr(r)})});
  }

  void rms_norm() {
    const Type* x = type_of(0);
    const Arg over = given(1), weight = given(2), eps = given(3);
    if (x == nullptr || over.kind != Arg::Kind::list) return;
    PteArgs dims;
    for (std::size_t k = 1; k <= over.list.size(); ++k) dims.push_back(number(-static_cast<std::int64_t>(k)));
    const Arg square = emit("aten.pow.Tensor_Scalar", {given(0), number(2)});
    const Arg mean = emit("aten.mean.dim", {square, Arg::of(std::move(dims)), Arg::of_bool(true)});
    const double epsilon = x->dtype == Dtype::f32 ? 0x1p-23 : 0x1p-52;
    const Arg least = eps.kind == Arg::Kind::none ? Arg::of_real(epsilon) : eps;
    const Arg scale = emit("aten.rsqrt.default", {emit("aten.add.Scalar", {mean, least})});
    if (weight.kind == Arg::Kind::none) return become("aten.mul.Tensor", {given(0), scale});
    become("aten.mul.Tensor", {emit("aten.mul.Tensor", {given(0), scale}), weight});
  }

  /// scaled_dot_product_attention, with an additive, boolean or causal mask or none. Rows that are masked
  /// entirely are zero.
  void attention() {
    const Type *q = type_of(0), *k = type_of(1), *v = type_of(2);
    const bool plain = q && k && v && q->shape.size() == 4 && k->shape.size() == 4 && v->shape.size() == 4 &&
                       (given(4) == number(0) || given(4) == Arg::of_real(0)) &&
                       given(7) == Arg::of_bool(false) && q->shape[3].is_constant() &&
                       q->shape[0] == k->shape[0] && q->shape[1] == k->shape[1] &&
                       k->shape[0] == v->shape[0] && k->shape[1] == v->shape[1];
    const Type* mask = type_of(3);
    const bool masked = given(3).kind != Arg::Kind::none, looks_back = given(5) == Arg::of_bool(true);
    const bool by_truth = mask != nullptr && mask->dtype == Dtype::boolean;
    if (!plain || (masked && (looks_back || mask == nullptr || (!by_truth && mask->dtype != q->dtype))))
      return;
    const Dtype dtype = q->dtype;
    const Arg said = given(6);
    const double scale = said.kind == Arg::Kind::real
                             ? said.real
                             : 1.0 / std::sqrt(static_cast<double>(q->shape[3].constant()));
    if (said.kind != Arg::Kind::none && (said.kind != Arg::Kind::real || said.real < 0)) return;
    const PteSizes of_q = q->shape, of_k = k->shape, of_v = v->shape;
    const Arg root = Arg::of_real(std::sqrt(scale));
    const Arg left = emit("aten.mul.Scalar", {given(0), root});
    const Arg turned = emit("aten.permute_copy.default", {given(1), sizes({0, 1, 3, 2})});
    Arg scores =
        product(left, of_q, emit("aten.mul.Scalar", {turned, root}), {of_k[0], of_k[1], of_k[3], of_k[2]});
    if (by_truth || looks_back)
      scores =
          emit("aten.add.Tensor", {scores, added(looks_back ? causal(of_q[2], of_k[2]) : given(3), dtype)});
    else if (masked)
      scores = emit("aten.add.Tensor", {scores, given(3)});
    const PteSizes square = {of_q[0], of_q[1], of_q[2], of_k[2]};
    const Arg weights = safe_softmax(scores);
    const Arg made = product(weights, square, given(2), of_v);
    const Arg rows = emit("aten.permute_copy.default", {made, sizes({2, 0, 1, 3})});
    become("aten.permute_copy.default", {emit("aten.clone.default", {rows}), sizes({1, 2, 0, 3})});
  }

 private:
  /// The additive form of a boolean mask: 0 where it is true, -inf elsewhere.
  Arg added(const Arg& mask, Dtype dtype) {
    const auto tensor = [&](double value) {
      return emit("aten.scalar_tensor.default", {Arg::of_real(value)}, {{"dtype", Arg::of_dtype(dtype)}});
    };
    const Arg hidden = tensor(-HUGE_VAL), nothing = tensor(0);
    return emit("aten.where.self", {mask, nothing, hidden});
  }
  /// The causal mask: each position attends to itself and to those before it.
  Arg causal(const SymExpr& rows, const SymExpr& columns) {
    const PteKeywords truth{{"dtype", Arg::of_dtype(Dtype::boolean)}};
    const Arg all = emit("aten.full.default", {sizes({rows, columns}), Arg::of_bool(true)}, truth);
    const auto count = [&](const SymExpr& to, std::int64_t at) {
      const Arg numbers = emit("aten.arange.start_step", {number(0), Arg::of(to), number(1)},
                               {{"dtype", Arg::of_dtype(Dtype::i64)}});
      return emit("aten.unsqueeze_copy.default", {numbers, number(at)});
    };
    const Arg across = count(columns, -2), down = count(rows, -1);
    const Arg late = emit("aten.le.Scalar", {emit("aten.sub.Tensor", {across, down}), number(0)});
    return emit("aten.logical_and.default", {late, all});
  }

  /// The argument as a list of `count` integers; a single integer is repeated.
  static Arg spread(const Arg& arg, std::size_t count) {
    PteArgs out = arg.kind == Arg::Kind::list ? *arg.list : PteArgs{arg};
    if (out.size() == 1) out.resize(count, out[0]);
    return Arg::of(std::move(out));
  }

  /// `at`: the positions of stride, padding and dilation. A transposed convolution has its output padding at
  /// 5.
  void convolve(bool is_transposed, const std::array<std::size_t, 3>& at, std::size_t groups) {
    const Type *x = type_of(0), *weight = type_of(1);
    if (x == nullptr || weight == nullptr || x->shape.size() != weight->shape.size() || x->shape.size() < 3)
      return;
    const std::size_t count = x->shape.size() - 2;
    const Arg behind = is_transposed ? given(5) : number(0);
    become("aten.convolution.default",
           {given(0), given(1), given(2), spread(given(at[0]), count), spread(given(at[1]), count),
            spread(given(at[2]), count), Arg::of_bool(is_transposed), spread(behind, count), given(groups)});
  }

  void become_variance(Step& step) {
    const bool flagged = step_.op->ends_with(".dim");
    const Arg said = given(2);
    Arg correction = said;
    if (said.kind == Arg::Kind::none) correction = number(1);
    if (flagged) correction = number(said == Arg::of_bool(false) ? 0 : 1);
    const Arg keep = given(3);
    step.args = {given(0), given(1)};
    step.kwargs = {{"correction", correction}};
    if (keep != Arg::of_bool(false)) step.kwargs.edit().emplace_back("keepdim", keep);
    step.op = "aten.var.correction";
  }

  void arange(const Arg& begin, const Arg& end) {
    const auto& type = graph_.value(step_.results[0]).type;
    if (!type) return;
    become("aten.arange.start_step", {begin, end, number(1)});
    step_.kwargs = {{"dtype", Arg::of_dtype(type->dtype)}};
  }

  /// The product of matrices with two leading dimensions, which are flattened to one batch.
  Arg product(const Arg& x, const PteSizes& of_x, const Arg& y, const PteSizes& of_y) {
    const auto flat = [&](const Arg& side, const PteSizes& shape) {
      const Arg whole = emit("aten.expand_copy.default", {side, sizes(shape)});
      return emit("aten.view_copy.default", {whole, sizes({shape[0] * shape[1], shape[2], shape[3]})});
    };
    const Arg left = flat(x, of_x), right = flat(y, of_y);
    return emit("aten.view_copy.default",
                {emit("aten.bmm.default", {left, right}), sizes({of_x[0], of_x[1], of_x[2], of_y[3]})});
  }

  Arg safe_softmax(const Arg& scores) {
    const Arg weights = emit("aten._softmax.default", {scores, number(-1), Arg::of_bool(false)});
    const Arg hidden = emit("aten.eq.Scalar", {scores, Arg::of_real(-HUGE_VAL)});
    const Arg any =
        emit("aten.any.dim", {emit("aten.logical_not.default", {hidden}), number(-1), Arg::of_bool(true)});
    const Arg none = emit("aten.logical_not.default", {any});
    const Arg zeros = emit("aten.full_like.default", {scores, number(0)});
    return emit("aten.where.self", {none, zeros, weights});
  }

  /// Makes result `which` empty: on the CPU, batch norm saves no statistics when it does not train.
  void keep_nothing(std::uint32_t which) {
    const Type* x = type_of(0);
    if (x == nullptr) return;
    Type none;
    none.dtype = x->dtype;
    none.shape = {0};
    none.device = x->device;
    step_.results[which] = ValueId(graph_.values.size());
    graph_.values.push_back({free_name(graph_, "respelled"), Value::From::step, 0, which, std::move(none)});
  }
};

constexpr PteAsked kSpelledWide = PteAsked::wide;  // several steps of arithmetic

constexpr PteSpellingRow<Respelling> kSpellings[] = {
    {"aten.conv1d.default", &Respelling::convolution},
    {"aten.conv2d.default", &Respelling::convolution},
    {"aten.conv3d.default", &Respelling::convolution},
    {"aten.conv_transpose1d.default", &Respelling::transposed_convolution},
    {"aten.conv_transpose2d.input", &Respelling::transposed_convolution},
    {"aten.conv_transpose3d.input", &Respelling::transposed_convolution},
    {"aten.batch_norm.default", &Respelling::batch_norm},
    {"aten.layer_norm.default", &Respelling::layer_norm},
    {"aten.group_norm.default", &Respelling::group_norm},
    {"aten.rms_norm.default", &Respelling::rms_norm, kSpelledWide},
    {"aten.max_pool2d.default", &Respelling::max_pool2d},
    {"aten.adaptive_avg_pool2d.default", &Respelling::adaptive_avg_pool2d},
    {"aten.argsort.default", &Respelling::argsort},
    {"aten.pad.default", &Respelling::pad},
    {"aten.silu.default", &Respelling::silu, kSpelledWide},
    {"aten.glu.default", &Respelling::glu, kSpelledWide},
    {"aten.var.dim", &Respelling::variance},
    {"aten.std.dim", &Respelling::deviation, kSpelledWide},
    {"aten.std.correction", &Respelling::deviation, kSpelledWide},
    {"aten.linalg_vector_norm.default", &Respelling::norm, kSpelledWide},
    {"aten.masked_fill.Scalar", &Respelling::masked_fill},
    {"aten.masked_fill.Tensor", &Respelling::masked_fill_tensor},
    {"aten.clamp_min.default", &Respelling::clamp_min},
    {"aten.arange.default", &Respelling::arange},
    {"aten.arange.start", &Respelling::arange_from},
    {"aten.pixel_shuffle.default", &Respelling::pixel_shuffle},
    {"aten.scaled_dot_product_attention.default", &Respelling::attention, kSpelledWide}};

bool has_other_spelling(std::string_view op) {
  return is_respelled_activation(op) ||
         std::ranges::find(kSpellings, op, &PteSpellingRow<Respelling>::op) != std::end(kSpellings);
}

/// An in-place operator becomes its respelled functional form and a copy into the operand. Dropout that does
/// not train becomes the functional operator, which returns its operand.
void respell_in_place(Graph& graph, Step& next) {
  const Schema* schema = find_schema(next.op);
  if (schema == nullptr || !schema->writes() || next.results.size() != 1 || !next.results[0].valid()) return;
  const std::string pure = functional_op(next.op);
  if (pure == "aten.dropout.default" && next.args.size() == 3 && next.args[2] == Arg::of_bool(false)) {
    next.op = pure;
    return;
  }
  if (!has_other_spelling(pure) || next.args.empty()) return;
  Step made = next;
  made.op = pure;
  graph.values.push_back(
      {free_name(graph, "respelled"), Value::From::step, 0, 0, graph.value(next.results[0]).type});
  const ValueId id(graph.values.size() - 1);
  made.results = {id};
  respell(graph, made);
  graph.values[id.index].at = static_cast<std::uint32_t>(graph.steps.size());
  graph.steps.push_back(std::move(made));
  next.op = "aten.copy_.default";
  next.args = {next.args[0], Arg::of(id)};
  next.kwargs.clear();
}

}  // namespace

void respell(Graph& graph, Step& next) {
  if (unroll(graph, next) || respell_activation(graph, next) || rearrange(graph, next) ||
      respell_loss(graph, next) || respell_product(graph, next) || respell_places(graph, next) ||
      respell_grid(graph, next) || respell_by<Respelling>(kSpellings, graph, next))
    return;
  respell_in_place(graph, next);
}

}  // namespace noclobber
