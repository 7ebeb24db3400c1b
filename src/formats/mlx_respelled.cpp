// Operators of a delegated graph that take MLX more than one instruction, as the steps that these are: one
// rule each.
#include <algorithm>
#include <set>
#include <utility>

#include "src/formats/mlx_case.h"
#include "src/graph/rewritten.h"
#include "src/graph/uses.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

using MlxArgs = std::vector<Arg>;
using MlxSizes = std::vector<SymExpr>;

constexpr const char* kMlxSchemas[] = {
    "mlx::addmm(Tensor mat1, Tensor mat2, Tensor? bias=None, *, float alpha=1.0, float beta=1.0) -> Tensor",
    "mlx::conv(Tensor x, Tensor w, int[] stride, int[] padding, int[] dilation, int groups) -> Tensor",
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

/// Channels from behind the batch to the end, and back.
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

/// Results behind the first that somebody uses, of all steps.
std::set<std::uint32_t> used_behind_the_first(const Graph& graph) {
  std::set<std::uint32_t> out;
  for (const Step& step : graph.steps)
    for (std::size_t k = 1; k < step.results.size(); ++k)
      if (step.results[k].valid() && is_used(graph, step.results[k])) out.insert(step.results[k].index);
  return out;
}

/// Writes a graph again.
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
    step_->kwargs.erase(alpha);
  }

  /// Of two tensors of one type: the contents of the second.
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
    Arg made = emit("mlx.conv.default", {given, weight, each(3, 1), each(4, 0), each(5, 1), groups}, last);
    if (arg(2).kind == Arg::Kind::ref) {
      MlxSizes shape(rank, SymExpr(1));
      shape.back() = result.shape[1];
      made = emit("aten.add.Tensor", {made, shaped(arg(2), shape)}, last);
    }
    become("aten.permute_copy.default", {made, mlx_ints(channels_first(rank))});
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

  /// The step itself, of one result.
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
