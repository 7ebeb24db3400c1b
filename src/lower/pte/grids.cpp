// linspace and affine grids, as PyTorch decomposes them: one rule each. Source: torch/_refs and torch/_decomp
// of PyTorch 2.15.
#include <optional>

#include "src/lower/pte/spelling.h"

namespace noclobber {
namespace {

class GridRules : public PteSpelling {
 public:
  using PteSpelling::PteSpelling;

  void linspace() {
    const auto steps = whole(given(2));
    if (!steps || *steps < 1 || !real_of(given(0)) || !real_of(given(1))) return;
    if (*steps == 1) {
      const Arg begin = given(0);
      become("aten.full.default", {sizes({1}), begin});
      step_.kwargs = {{"dtype", Arg::of_dtype(dtype())}};
      return;
    }
    become("aten.where.self", spread(given(0), given(1), *steps));
  }

  /// The homogeneous coordinates of each pixel, times a matrix.
  void affine() {
    const Type* theta = type_of(0);
    const Arg size = given(1);
    if (theta == nullptr || size.kind != Arg::Kind::list || size.list.size() != 4) return;
    const auto n = whole(size.list[0]), h = whole(size.list[2]), w = whole(size.list[3]);
    if (!n || !h || !w || *h < 2 || *w < 2) return;
    const Arg across = emit("aten.view_copy.default", {around_zero(*w), sizes({1, *w, 1})});
    const Arg down = emit("aten.view_copy.default", {around_zero(*h), sizes({*h, 1, 1})});
    const Arg one =
        emit("aten.full.default", {sizes({1, 1, 1}), number(1)}, {{"dtype", Arg::of_dtype(dtype())}});
    const auto widened = [&](const Arg& of, std::int64_t left, std::int64_t right) {
      return emit("aten.constant_pad_nd.default", {of, sizes({left, right}), Arg::of_real(0)});
    };
    const Arg x = widened(across, 0, 2), y = widened(down, 1, 1), z = widened(one, 2, 0);
    const Arg all = emit("aten.add.Tensor", {emit("aten.add.Tensor", {x, y}), z});
    const Arg places = emit("aten.view_copy.default", {all, sizes({-1, 3, 1})});
    const Arg turned = emit("aten.permute_copy.default", {given(0), sizes({0, 2, 1})});
    const Arg matrices = emit("aten.unsqueeze_copy.default", {turned, number(1)});
    const Arg products = emit("aten.mul.Tensor", {places, matrices});
    const Arg sum = emit("aten.sum.dim_IntList", {products, sizes({-2})});
    become("aten.view_copy.default", {sum, sizes({*n, *h, *w, 2})});
  }

 private:
  static std::optional<double> real_of(const Arg& arg) {
    if (arg.kind == Arg::Kind::real) return arg.real;
    const auto number = whole(arg);
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  }

  /// The values of linspace, at least two: the first half from the start, the second half from the end.
  PteArgs spread(const Arg& from, const Arg& to, std::int64_t steps) {
    const Arg step = Arg::of_real((*real_of(to) - *real_of(from)) / static_cast<double>(steps - 1));
    const Arg all = emit("aten.arange.start_step", {number(0), number(steps), number(1)},
                         {{"dtype", Arg::of_dtype(Dtype::i64)}});
    const Arg early = emit("aten.lt.Scalar", {all, Arg::of_real(static_cast<double>(steps) / 2)});
    const Arg rise = emit("aten.mul.Tensor", {converted(all, dtype()), operand(step)});
    const Arg low = emit("aten.add.Tensor", {rise, operand(from)});
    const Arg back = emit("aten.sub.Tensor", {lifted(number(steps - 1)), all});
    const Arg fall = emit("aten.mul.Tensor", {converted(back, dtype()), operand(step)});
    return {early, low, emit("aten.sub.Tensor", {operand(to), fall})};
  }
  Arg around_zero(std::int64_t count) {
    const auto wide = static_cast<double>(count);
    const bool to_corners = given(2) == Arg::of_bool(true);
    const Arg from = to_corners ? number(-1) : Arg::of_real(-((wide - 1) / wide));
    const Arg to = to_corners ? number(1) : Arg::of_real((wide - 1) / wide);
    return emit("aten.where.self", spread(from, to, count));
  }
};

constexpr PteSpellingRow<GridRules> kGridRules[] = {
    {"aten.linspace.default", &GridRules::linspace, PteAsked::wide},
    {"aten.affine_grid_generator.default", &GridRules::affine, PteAsked::wide}};

}  // namespace

bool respell_grid(Graph& graph, Step& next) { return respell_by<GridRules>(kGridRules, graph, next); }

}  // namespace noclobber
