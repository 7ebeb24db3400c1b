// Operators of exported programs that move elements, select among them or take a few steps of arithmetic, as
// PyTorch decomposes them for core ATen: one rule each. Source: torch/_decomp and torch/_refs of PyTorch
// 2.15.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

class Rearrangement : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  void channel_shuffle() {
    const Type* x = type_of(0);
    const auto groups = whole(given(1));
    if (!is_sized(x, 3) || !groups || *groups < 1 || at(*x, 1) % *groups != 0) return;
    const PteSizes all = x->shape;
    PteSizes apart{all[0], *groups, at(*x, 1) / *groups}, order{0, 2, 1};
    for (std::size_t k = 2; k < all.size(); ++k) {
      apart.push_back(all[k]);
      order.emplace_back(static_cast<std::int64_t>(k) + 1);
    }
    const Arg split = emit("aten.view_copy.default", {given(0), sizes(apart)});
    become("aten.view_copy.default",
           {cloned(emit("aten.permute_copy.default", {split, sizes(order)})), sizes(all)});
  }

  void pixel_unshuffle() {
    const Type* x = type_of(0);
    const auto by = whole(given(1));
    if (!is_sized(x, 4) || x->shape.size() != 4 || !by || *by < 1 || at(*x, 2) % *by || at(*x, 3) % *by)
      return;
    const SymExpr n = x->shape[0], c = x->shape[1], r = *by;
    const SymExpr h = at(*x, 2) / *by, w = at(*x, 3) / *by;
    const Arg split = emit("aten.view_copy.default", {given(0), sizes({n, c, h, r, w, r})});
    const Arg turned = emit("aten.permute_copy.default", {split, sizes({0, 1, 3, 5, 2, 4})});
    become("aten.clone.default",
           {emit("aten.view_copy.default", {cloned(turned), sizes({n, c * r * r, h, w})})});
  }

  void lower_triangle() { triangle("aten.le.Scalar"); }
  void upper_triangle() { triangle("aten.ge.Scalar"); }

  void where_other() { become("aten.where.self", {given(0), given(1), scalar(given(2))}); }
  void where_self() { become("aten.where.self", {given(0), scalar(given(1)), given(2)}); }

  void outer() {
    const Type* x = type_of(0);
    if (!is_sized(x, 1) || x->shape.size() != 1) return;
    const PteSizes column{x->shape[0], 1};
    become("aten.mul.Tensor", {emit("aten.view_copy.default", {given(0), sizes(column)}), given(1)});
  }

  void difference() {
    const Type* x = type_of(0);
    if (!is_sized(x, 1) || x->dtype == Dtype::boolean || given(1) != number(1) ||
        given(3).kind != Arg::Kind::none || given(4).kind != Arg::Kind::none)
      return;
    const auto axis = axis_of(given(2), *x);
    if (!axis) return;
    const std::int64_t size = at(*x, *axis);
    if (size < 1) return;
    const Arg dim = given(2);
    const auto part = [&](std::int64_t from, std::int64_t to) {
      return emit("aten.slice_copy.Tensor", {given(0), dim, number(from), number(to)});
    };
    const Arg before = part(0, size - 1), behind = part(1, size);
    become("aten.sub.Tensor", {behind, before});
  }

  void roll() {
    const Type* x = type_of(0);
    const Arg by = given(1), dims = given(2);
    if (!is_sized(x, 1) || by.kind != Arg::Kind::list) return;
    const Type given_type = *x;
    if (dims.kind != Arg::Kind::list || dims.list.empty()) {
      if (by.list.size() != 1) return;
      SymExpr count = 1;
      for (const SymExpr& size : given_type.shape) count = count * size;
      const Arg flat = emit("aten.view_copy.default", {given(0), sizes({count})});
      const auto places = rolled(by.list[0], count.constant());
      if (!places) return;
      const Arg made = emit("aten.index_select.default", {flat, number(0), *places});
      return become("aten.view_copy.default", {made, sizes(given_type.shape)});
    }
    if (by.list.size() != dims.list.size()) return;
    PteArgs last;
    Arg now = given(0);
    for (std::size_t k = 0; k < dims.list.size(); ++k) {
      const auto axis = axis_of(dims.list[k], given_type);
      const auto places = axis ? rolled(by.list[k], at(given_type, *axis)) : std::nullopt;
      if (!places) return;
      last = {now, dims.list[k], *places};
      if (k + 1 < dims.list.size()) now = emit("aten.index_select.default", last);
    }
    become("aten.index_select.default", std::move(last));
  }

  void diag() {
    const Type* x = type_of(0);
    if (!is_sized(x, 2) || x->shape.size() != 2 || given(1) != number(0)) return;
    become("aten.clone.default", {emit("aten.diagonal_copy.default", {given(0)})});
  }
  void trace() {
    become("aten.sum.dim_IntList",
           {cloned(emit("aten.diagonal_copy.default", {given(0)})), Arg::of(PteArgs{})});
  }

  void select_scatter() {
    const Type* x = type_of(0);
    const auto axis = x == nullptr ? std::nullopt : axis_of(given(2), *x);
    const auto index = whole(given(3));
    if (!is_sized(x, 1) || !axis || !index) return;
    const std::int64_t size = at(*x, *axis), place = *index < 0 ? *index + size : *index;
    if (place < 0 || place >= size) return;
    const PteSizes all = x->shape;
    PteSizes along(all.size(), SymExpr(1));
    along[*axis] = -1;
    const Arg places = emit("aten.view_copy.default", {counted(size), sizes(along)});
    const Arg here = emit("aten.eq.Scalar", {places, number(place)});
    const Arg row = emit("aten.unsqueeze_copy.default", {given(1), number(static_cast<std::int64_t>(*axis))});
    const Arg spread = emit("aten.expand_copy.default", {row, sizes(all)});
    become("aten.where.self", {here, spread, given(0)});
  }

  /// Only with the statistics of the batch and without a weight or bias: a batch norm over the channels of
  /// each sample.
  void instance_norm() {
    const Type* x = type_of(0);
    for (const std::size_t k : {1U, 2U, 3U, 4U})
      if (given(k).kind != Arg::Kind::none) return;
    if (!is_sized(x, 3) || given(5) != Arg::of_bool(true)) return;
    const PteSizes all = x->shape;
    PteSizes flat{1, all[0] * all[1]};
    flat.insert(flat.end(), all.begin() + 2, all.end());
    const Arg none, wide = emit("aten.view_copy.default", {given(0), sizes(flat)});
    const Arg made = emit_first("aten._native_batch_norm_legit.no_stats",
                                {wide, none, none, Arg::of_bool(true), given(6), given(7)}, 3);
    become("aten.view_copy.default", {made, sizes(all)});
  }

  // A few steps of arithmetic.

  void addcmul() {
    const Arg by = given(3);
    if (by == number(1) || by == Arg::of_real(1) || (by.kind != Arg::Kind::real && !whole(by))) return;
    const Arg first = emit("aten.mul.Tensor", {given(1), lifted(by)});
    become("aten.add.Tensor", {given(0), emit("aten.mul.Tensor", {first, given(2)})});
  }
  void floor_divide() {
    become("aten.div.Tensor_mode", {given(0), given(1)});
    step_.kwargs = {{"rounding_mode", Arg::of_text("floor")}};
  }
  void grid_sampler() {
    const Type* x = type_of(0);
    if (x != nullptr && x->shape.size() == 4)
      become("aten.grid_sampler_2d.default", {given(0), given(1), given(2), given(3), given(4)});
  }
  void celu() {
    if (given(1) != number(1) && given(1) != Arg::of_real(1)) return;
    const Arg low = emit("aten.expm1.default", {given(0)});
    become("aten.where.self", {emit("aten.gt.Scalar", {given(0), number(0)}), given(0), low});
  }
  void selu() {
    become("aten.elu.default",
           {given(0), Arg::of_real(1.6732632423543772), Arg::of_real(1.0507009873554805)});
  }
  void mse_loss() {
    if (given(2) != number(1)) return;
    const Arg apart = emit("aten.sub.Tensor", {given(0), given(1)});
    become("aten.mean.default", {emit("aten.pow.Tensor_Scalar", {apart, number(2)})});
  }
  void log_sum_exp() {
    if (given(2) != Arg::of_bool(false)) return;
    const Arg dims = given(1);
    const Arg most = emit("aten.amax.default", {given(0), dims, Arg::of_bool(true)});
    const Arg endless = emit("aten.eq.Scalar", {emit("aten.abs.default", {most}), Arg::of_real(HUGE_VAL)});
    const Arg shift = emit("aten.where.self", {endless, scalar(Arg::of_real(0)), most});
    const Arg flat = emit("aten.squeeze_copy.dims", {shift, dims});
    const Arg powers = emit("aten.exp.default", {emit("aten.sub.Tensor", {given(0), shift})});
    const Arg sum = emit("aten.sum.dim_IntList", {powers, dims});
    become("aten.add.Tensor", {emit("aten.log.default", {sum}), flat});
  }
  void nan_to_num() {
    for (const std::size_t k : {1U, 2U, 3U})
      if (given(k).kind != Arg::Kind::none) return;
    const Type* x = type_of(0);
    if (x == nullptr || x->dtype != Dtype::f32) return;
    const double most = std::numeric_limits<float>::max();
    Arg now =
        emit("aten.where.self", {emit("aten.isnan.default", {given(0)}), scalar(Arg::of_real(0)), given(0)});
    const Arg low = emit("aten.eq.Scalar", {given(0), Arg::of_real(-HUGE_VAL)});
    now = emit("aten.where.self", {low, scalar(Arg::of_real(-most)), now});
    const Arg high = emit("aten.eq.Scalar", {given(0), Arg::of_real(HUGE_VAL)});
    become("aten.where.self", {high, scalar(Arg::of_real(most)), now});
  }

 private:
  static bool is_sized(const Type* type, std::size_t least) {
    return type != nullptr && type->shape.size() >= least &&
           std::ranges::all_of(type->shape, [](const SymExpr& size) { return size.is_constant(); });
  }
  static std::int64_t at(const Type& type, std::size_t axis) { return type.shape[axis].constant(); }
  static std::optional<std::size_t> axis_of(const Arg& dim, const Type& type) {
    const auto rank = static_cast<std::int64_t>(type.shape.size());
    const auto axis = whole(dim);
    if (!axis || *axis < -rank || *axis >= rank) return std::nullopt;
    return static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis);
  }
  Arg cloned(const Arg& what) { return emit("aten.clone.default", {what}); }
  Arg counted(std::int64_t to) {
    return emit("aten.arange.start_step", {number(0), number(to), number(1)},
                {{"dtype", Arg::of_dtype(Dtype::i64)}});
  }
  /// The index of the element that moves to each position.
  std::optional<Arg> rolled(const Arg& shift, std::int64_t size) {
    const auto by = whole(shift);
    if (!by || size < 1) return std::nullopt;
    const std::int64_t start = (size - *by % size) % size;
    const Arg sum = emit("aten.add.Tensor", {counted(size), lifted(number(start))});
    return emit("aten.fmod.Scalar", {sum, number(size)});
  }
  void triangle(const char* compares) {
    const Type* x = type_of(0);
    if (!is_sized(x, 2)) return;
    const std::int64_t columns = at(*x, x->shape.size() - 1), rows = at(*x, x->shape.size() - 2);
    const Arg across = emit("aten.unsqueeze_copy.default", {counted(columns), number(-2)});
    const Arg down = emit("aten.unsqueeze_copy.default", {counted(rows), number(-1)});
    const Arg kept = emit(compares, {emit("aten.sub.Tensor", {across, down}), given(1)});
    become("aten.where.self", {kept, given(0), scalar(number(0))});
  }
};

constexpr PteAsked kTyped = PteAsked::type, kWide = PteAsked::wide;

constexpr PteSpellingRow<Rearrangement> kRearranged[] = {
    {"aten.channel_shuffle.default", &Rearrangement::channel_shuffle, kTyped},
    {"aten.pixel_unshuffle.default", &Rearrangement::pixel_unshuffle, kTyped},
    {"aten.tril.default", &Rearrangement::lower_triangle, kTyped},
    {"aten.triu.default", &Rearrangement::upper_triangle, kTyped},
    {"aten.where.ScalarOther", &Rearrangement::where_other, kTyped},
    {"aten.where.ScalarSelf", &Rearrangement::where_self, kTyped},
    {"aten.outer.default", &Rearrangement::outer, kTyped},
    {"aten.diff.default", &Rearrangement::difference, kTyped},
    {"aten.roll.default", &Rearrangement::roll, kTyped},
    {"aten.diag.default", &Rearrangement::diag, kTyped},
    {"aten.trace.default", &Rearrangement::trace, kTyped},
    {"aten.select_scatter.default", &Rearrangement::select_scatter, kTyped},
    {"aten.instance_norm.default", &Rearrangement::instance_norm, kTyped},
    {"aten.addcmul.default", &Rearrangement::addcmul, kWide},
    {"aten.floor_divide.default", &Rearrangement::floor_divide, kWide},
    {"aten.grid_sampler.default", &Rearrangement::grid_sampler, kTyped},
    {"aten.celu.default", &Rearrangement::celu, kWide},
    {"aten.selu.default", &Rearrangement::selu, kWide},
    {"aten.mse_loss.default", &Rearrangement::mse_loss, kWide},
    {"aten.logsumexp.default", &Rearrangement::log_sum_exp, kWide},
    {"aten.nan_to_num.default", &Rearrangement::nan_to_num, kWide}};

}  // namespace

bool rearrange(Graph& graph, Step& next) { return respell_by<Rearrangement>(kRearranged, graph, next); }

}  // namespace noclobber
