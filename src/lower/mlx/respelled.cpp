// Rewrites operators of a delegated graph that need several MLX instructions into one step per instruction.
// Each operator has a rule.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "src/graph/rewritten.h"
#include "src/graph/uses.h"
#include "src/lower/mlx/case.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

using MlxArgs = std::vector<Arg>;
using MlxSizes = std::vector<SymExpr>;

constexpr const char* kMlxSchemas[] = {
    "mlx::addmm(Tensor mat1, Tensor mat2, Tensor? bias=None, *, float alpha=1.0, float beta=1.0) -> Tensor",
    "mlx::conv(Tensor x, Tensor w, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor",
    ("mlx::conv_transpose(Tensor x, Tensor w, int[] stride, int[] padding, int[] dilation, "
     "int[] output_padding, int groups) -> Tensor"),
};

Arg mlx_ints(const MlxSizes& all) {
  MlxArgs out;
  for (const SymExpr& one : all) out.push_back(Arg::of(one));
  return Arg::of(std::move(out));
}

Type mlx_type(Dtype dtype, MlxSizes shape) {
  Type out;
  out.dtype = dtype;
  out.shape = std::move(shape);
  return out;
}

/// The permutations that move the channels from behind the batch to the end, and back.
MlxSizes channels_last(std::size_t rank) {
  MlxSizes out{SymExpr(0)};
  for (std::size_t k = 2; k < rank; ++k) out.emplace_back(static_cast<std::int64_t>(k));
  out.emplace_back(1);
  return out;
}
MlxSizes channels_first(std::size_t rank) {
  MlxSizes out{SymExpr(0), SymExpr(static_cast<std::int64_t>(rank) - 1)};
  for (std::size_t k = 1; k + 1 < rank; ++k) out.emplace_back(static_cast<std::int64_t>(k));
  return out;
}

/// The used results of all steps, other than first results.
std::set<std::uint32_t> used_behind_the_first(const Graph& graph) {
  std::set<std::uint32_t> out;
  for (const Step& step : graph.steps)
    for (std::size_t k = 1; k < step.results.size(); ++k)
      if (step.results[k].valid() && is_used(graph, step.results[k])) out.insert(step.results[k].index);
  return out;
}

/// Rewrites a graph step by step.
class MlxRespelling {
 public:
  explicit MlxRespelling(Graph& graph) : used_(used_behind_the_first(graph)), rewriter_(graph) {}

  void run() {
    for (Step& step : rewriter_.take_old()) {
      step_ = &step;
      respell_step();
      rewriter_.append(std::move(step));
    }
  }

 private:
  void respell_step() {
    using Rule = void (MlxRespelling::*)();
    static constexpr std::pair<std::string_view, Rule> kRules[] = {
        {"aten.linear", &MlxRespelling::linear},
        {"aten.addmm", &MlxRespelling::addmm},
        {"aten.add", &MlxRespelling::scaled},
        {"aten.sub", &MlxRespelling::scaled},
        {"aten.copy", &MlxRespelling::copied},
        {"aten.conv1d", &MlxRespelling::convolution},
        {"aten.conv2d", &MlxRespelling::convolution},
        {"aten.leaky_relu", &MlxRespelling::leaky_relu},
        {"aten.conv_transpose2d", &MlxRespelling::transposed_convolution},
        {"aten.max_pool2d_with_indices", &MlxRespelling::max_pool},
        {"aten.avg_pool2d", &MlxRespelling::avg_pool},
        {"dim_order_ops._clone_dim_order", &MlxRespelling::cloned},
        {"aten._native_batch_norm_legit_no_training", &MlxRespelling::batch_norm},
    };
    const auto rule = std::ranges::find(kRules, base_name(step_->op), [](const auto& r) { return r.first; });
    for (std::size_t k = 1; k < step_->results.size(); ++k)
      if (used_.contains(step_->results[k].index)) return;
    if (rule != std::end(kRules) && !step_->results.empty() && type_of_result()) (this->*rule->second)();
  }

  void linear() {
    const Type* w = type_of(1);
    if (w == nullptr || w->shape.size() != 2 || !step_->kwargs.empty()) return;
    const Arg turned = emit("aten.permute_copy.default", {arg(1), mlx_ints({1, 0})},
                            mlx_type(w->dtype, {w->shape[1], w->shape[0]}));
    become("mlx.addmm.default", {arg(0), turned, arg(2)});
  }

  void addmm() {
    if (step_->kwargs.empty() && step_->args.size() == 3)
      become("mlx.addmm.default", {arg(1), arg(2), arg(0)});
  }

  /// x + alpha * y.
  void scaled() {
    const auto alpha = std::ranges::find(step_->kwargs, "alpha", [](const auto& one) { return one.first; });
    const Type* other = type_of(1);
    if (alpha == step_->kwargs.end() || other == nullptr) return;
    if (alpha->second != Arg::of(SymExpr(1)) && alpha->second != Arg::of_real(1))
      step_->args[1] = emit("aten.mul.Tensor", {arg(1), alpha->second}, *other);
    step_->kwargs.edit().erase(alpha);
  }

  /// A copy between two tensors of one type is a clone of the second.
  void copied() {
    const Type *target = type_of(0), *source = type_of(1);
    if (target != nullptr && source != nullptr && target->shape == source->shape &&
        target->dtype == source->dtype)
      become("aten.clone.default", {arg(1)});
  }

  void convolution() {
    const Type *x = type_of(0), *w = type_of(1);
    if (x == nullptr || w == nullptr || x->shape.size() < 3 || w->shape.size() != x->shape.size()) return;
    const Type result = *type_of_result();
    const std::size_t rank = x->shape.size();
    const Arg weight = turned(arg(1), *w, channels_last(rank)),
              given = turned(arg(0), *x, channels_last(rank));
    const Type last = permuted(result, channels_last(rank));
    const auto each = [&](std::size_t k, std::int64_t otherwise) {
      return arg(k).kind == Arg::Kind::none ? mlx_ints(MlxSizes(rank - 2, SymExpr(otherwise))) : arg(k);
    };
    const Arg groups = arg(6).kind == Arg::Kind::none ? Arg::of(SymExpr(1)) : arg(6);
    const Arg made =
        emit("mlx.conv.default", {given, weight, each(3, 1), each(4, 0), each(5, 1), groups}, last);
    become("aten.permute_copy.default", {with_bias(made, last), mlx_ints(channels_first(rank))});
  }

  void leaky_relu() {
    const Type* x = type_of(0);
    if (x == nullptr || !is_floating(x->dtype)) return;
    const Type whole = *x;
    const Arg slope = arg(1).kind == Arg::Kind::none ? Arg::of_real(0.01) : arg(1);
    const Arg passes =
        emit("aten.ge.Scalar", {arg(0), Arg::of(SymExpr(0))}, mlx_type(Dtype::boolean, whole.shape));
    become("aten.where.self", {passes, arg(0), emit("aten.mul.Tensor", {slope, arg(0)}, whole)});
  }

  /// For one group only. MLX takes the weight with output channels first and input channels last.
  void transposed_convolution() {
    const Type *x = type_of(0), *w = type_of(1);
    if (x == nullptr || w == nullptr || x->shape.size() != 4 || w->shape.size() != 4) return;
    const auto stride = two_numbers(3, 1), padding = two_numbers(4, 0), behind = two_numbers(5, 0),
               dilation = two_numbers(7, 1);
    const bool one_group = is_left_out_or(6, Arg::of(SymExpr(1)));
    if (!stride || !padding || !behind || !dilation || !one_group) return;
    const auto both = [](const std::array<std::int64_t, 2>& all) { return mlx_ints({all[0], all[1]}); };
    const Type result = *type_of_result(), last = permuted(result, channels_last(4));
    const Arg weight = turned(arg(1), *w, {1, 2, 3, 0}), given = turned(arg(0), *x, channels_last(4));
    const Arg made = emit(
        "mlx.conv_transpose.default",
        {given, weight, both(*stride), both(*padding), both(*dilation), both(*behind), Arg::of(SymExpr(1))},
        last);
    become("aten.permute_copy.default", {with_bias(made, last), mlx_ints(channels_first(4))});
  }

  /// Adds the bias, which is the third argument, to a channels-last result.
  Arg with_bias(const Arg& made, const Type& last) {
    if (arg(2).kind != Arg::Kind::ref) return made;
    MlxSizes shape(last.shape.size(), SymExpr(1));
    shape.back() = last.shape.back();
    return emit("aten.add.Tensor", {made, shaped(arg(2), shape)}, last);
  }

  /// Only for the dimension order of a row-major tensor, which all MLX arrays have.
  void cloned() {
    const Type* x = type_of(0);
    if (x == nullptr || step_->args.size() != 1) return;
    MlxSizes order;
    for (std::size_t k = 0; k < x->shape.size(); ++k) order.emplace_back(static_cast<std::int64_t>(k));
    for (const auto& [name, value] : step_->kwargs) {
      const bool plain = name == "non_blocking" ? value != Arg::of_bool(true)
                                                : name == "dim_order" && value == mlx_ints(order);
      if (!plain) return;
    }
    become("aten.clone.default", {arg(0)});
  }

  void max_pool() {
    if (is_left_out_or(4, mlx_ints({1, 1})) && is_left_out_or(5, Arg::of_bool(false)))
      pool("aten.amax.default", -HUGE_VAL);
  }
  void avg_pool() {
    if (is_left_out_or(4, Arg::of_bool(false)) && is_left_out_or(5, Arg::of_bool(true)) &&
        arg(6).kind == Arg::Kind::none)
      pool("aten.mean.dim", 0);
  }
  bool is_left_out_or(std::size_t k, const Arg& plain) const {
    return arg(k).kind == Arg::Kind::none || arg(k) == plain;
  }

  /// Views the image as [batch, rows, columns, window rows, window columns, channels], reduces the windows.
  void pool(const char* reduction, double filled) {
    const Type* x = type_of(0);
    if (x == nullptr || x->shape.size() != 4) return;
    const auto kernel = two_numbers(1), padding = two_numbers(3, 0);
    const auto stride = arg(2).kind == Arg::Kind::none || arg(2).list.empty() ? kernel : two_numbers(2);
    const bool sized = std::ranges::all_of(x->shape, [](const SymExpr& s) { return s.is_constant(); });
    if (!sized || !kernel || !stride || !padding) return;
    const auto& pad = *padding;
    const MlxSizes last = channels_last(4);
    Type now = permuted(*x, last);
    Arg made = turned(arg(0), *x, last);
    std::array<std::int64_t, 2> size{}, places{};
    for (std::size_t k = 0; k < 2; ++k) {
      size[k] = now.shape[k + 1].constant() + 2 * pad[k];
      if ((*kernel)[k] < 1 || (*stride)[k] < 1 || pad[k] < 0 || size[k] < (*kernel)[k]) return;
      places[k] = (size[k] - (*kernel)[k]) / (*stride)[k] + 1;
    }
    const SymExpr batch = now.shape[0], channels = now.shape[3];
    if (pad[0] > 0 || pad[1] > 0) {
      now.shape = {batch, size[0], size[1], channels};
      const MlxSizes ends{0, 0, pad[1], pad[1], pad[0], pad[0]};
      made = emit("aten.constant_pad_nd.default", {made, mlx_ints(ends), Arg::of_real(filled)}, now);
    }
    const MlxSizes windows{batch, places[0], places[1], (*kernel)[0], (*kernel)[1], channels};
    bool side_by_side = true;
    for (std::size_t k = 0; k < 2; ++k)
      side_by_side = side_by_side && (*kernel)[k] == (*stride)[k] && size[k] % (*kernel)[k] == 0;
    if (side_by_side) {
      const MlxSizes cut{batch, places[0], (*kernel)[0], places[1], (*kernel)[1], channels};
      made = emit("aten.view_copy.default", {made, mlx_ints(cut)}, mlx_type(x->dtype, cut));
      made = emit("aten.permute_copy.default", {made, mlx_ints({0, 1, 3, 2, 4, 5})},
                  mlx_type(x->dtype, windows));
    } else {
      const SymExpr row = SymExpr(size[1]) * channels, all = SymExpr(size[0]) * row;
      const MlxSizes steps{all, row * SymExpr((*stride)[0]), channels * SymExpr((*stride)[1]), row, channels,
                           1};
      made =
          emit("aten.as_strided_copy.default",
               {made, mlx_ints(windows), mlx_ints(steps), Arg::of(SymExpr(0))}, mlx_type(x->dtype, windows));
    }
    made = emit(reduction, {made, mlx_ints({3, 4}), Arg::of_bool(false)},
                mlx_type(x->dtype, {batch, places[0], places[1], channels}));
    become("aten.permute_copy.default", {made, mlx_ints(channels_first(4))});
  }

  /// The argument as two numbers; one number stands for both. `otherwise`: the number if it is not given.
  std::optional<std::array<std::int64_t, 2>> two_numbers(std::size_t k,
                                                         std::optional<std::int64_t> otherwise = {}) const {
    const Arg given = arg(k).kind == Arg::Kind::none && otherwise ? Arg::of(SymExpr(*otherwise)) : arg(k);
    const MlxArgs all = given.kind == Arg::Kind::list ? *given.list : MlxArgs{given};
    std::array<std::int64_t, 2> out{};
    if (all.empty() || all.size() > 2) return std::nullopt;
    for (std::size_t j = 0; j < 2; ++j) {
      const Arg& one = all[std::min(j, all.size() - 1)];
      if (one.kind != Arg::Kind::sym || !one.sym.is_constant()) return std::nullopt;
      out[j] = one.sym.constant();
    }
    return out;
  }

  void batch_norm() {
    const Type* x = type_of(0);
    const Type* var = type_of(4);
    if (x == nullptr || var == nullptr || x->shape.size() < 3) return;
    MlxSizes shape(x->shape.size(), SymExpr(1));
    shape[1] = x->shape[1];
    const Type row = mlx_type(var->dtype, shape), whole = *type_of_result();
    const Arg mean = shaped(arg(3), shape), spread = shaped(arg(4), shape);
    Arg made = emit("aten.sub.Tensor", {arg(0), mean}, whole);
    const Arg scale = emit("aten.rsqrt.default", {emit("aten.add.Tensor", {spread, arg(6)}, row)}, row);
    std::vector<std::pair<const char*, Arg>> rest{{"aten.mul.Tensor", scale}};
    if (arg(1).kind == Arg::Kind::ref) rest.emplace_back("aten.mul.Tensor", arg(1));
    if (arg(2).kind == Arg::Kind::ref) rest.emplace_back("aten.add.Tensor", arg(2));
    for (std::size_t k = 0; k < rest.size(); ++k) {
      const Arg other = k == 0 ? rest[k].second : shaped(rest[k].second, shape);
      if (k + 1 == rest.size()) return become(rest[k].first, {made, other});
      made = emit(rest[k].first, {made, other}, whole);
    }
  }

  Arg turned(const Arg& what, const Type& type, const MlxSizes& order) {
    return emit("aten.permute_copy.default", {what, mlx_ints(order)}, permuted(type, order));
  }
  static Type permuted(const Type& type, const MlxSizes& order) {
    MlxSizes shape;
    for (const SymExpr& at : order) shape.push_back(type.shape[static_cast<std::size_t>(at.constant())]);
    return mlx_type(type.dtype, std::move(shape));
  }
  Arg shaped(const Arg& what, const MlxSizes& shape) {
    const Dtype dtype = graph().value(what.ref).type ? graph().value(what.ref).type->dtype : Dtype::f32;
    return emit("aten.view_copy.default", {what, mlx_ints(shape)}, mlx_type(dtype, shape));
  }

  Arg arg(std::size_t k) const { return k < step_->args.size() ? step_->args[k] : Arg(); }
  const Type* type_of(std::size_t k) const {
    const Arg given = arg(k);
    const bool known = given.kind == Arg::Kind::ref && graph().value(given.ref).type;
    return known ? &*graph().value(given.ref).type : nullptr;
  }
  SharedType type_of_result() const {
    return step_->results[0].valid() ? graph().value(step_->results[0]).type : SharedType();
  }

  Arg emit(const char* op, MlxArgs args, Type type) {
    return Arg::of(rewriter_.add(*step_, op, std::move(args), std::move(type),
                                 graph().value(step_->results[0]).name + "_part"));
  }

  /// Turns the step itself into a call of `op` with one result.
  void become(const char* op, MlxArgs args) {
    step_->op = op;
    step_->args = std::move(args);
    step_->kwargs.clear();
    step_->results.resize(1);
  }

  const Graph& graph() const { return rewriter_.graph(); }

  std::set<std::uint32_t> used_;
  GraphRewriter rewriter_;
  Step* step_ = nullptr;
};

}  // namespace

std::vector<OpDecl> mlx_declarations() {
  std::vector<OpDecl> out;
  for (const char* schema : kMlxSchemas) {
    out.emplace_back().schema = schema;
    out.back().before_write = true;
  }
  return out;
}

void as_mlx_runs(Graph& functional) { MlxRespelling(functional).run(); }

}  // namespace noclobber
