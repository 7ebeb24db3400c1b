// Views that rearrange: permutations, and reshapes of the same elements.
#include "src/ops/view_rules.h"

#include <algorithm>
#include <numeric>

namespace noclobber {

bool has_negative(Space& space, const Shape& shape) {
  return std::ranges::any_of(shape, [&](PolyId extent) { return space.value(extent).value_or(0) < 0; });
}

namespace view_rules {
namespace {

Views reshaped(const Viewed& base, Shape to) {
  if (to == base.shape) return one({}, std::move(to));
  return one({reshape_map(base.shape, to)}, to);
}

Views permuted(const Viewed& base, std::vector<std::uint32_t> order) {
  Map map;
  map.kind = Map::Kind::permute;
  map.from = base.shape;
  for (std::uint32_t k : order) map.to.push_back(base.shape[k]);
  map.order = std::move(order);
  if (std::is_sorted(map.order.begin(), map.order.end())) return one({}, base.shape);
  return one({map}, map.to);
}

}  // namespace

Views alias_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) { return one({}, base.shape); }

Views permute_rule(Sizes&, const Viewed& base, const std::vector<Arg>& args) {
  const auto order = args.size() > 1 ? dimensions(args[1], base.shape.size()) : std::nullopt;
  if (!order || order->size() != base.shape.size()) return std::nullopt;
  return permuted(base, *order);
}

Views transpose_rule(Sizes&, const Viewed& base, const std::vector<Arg>& args) {
  const std::size_t rank = base.shape.size();
  if (rank == 0) return one({}, base.shape);
  const auto a = dimension(args, 1, 0, rank);
  const auto b = dimension(args, 2, 1, rank);
  if (!a || !b) return std::nullopt;
  std::vector<std::uint32_t> order(rank);
  std::iota(order.begin(), order.end(), 0U);
  std::swap(order[*a], order[*b]);
  return permuted(base, order);
}

Views t_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  if (base.shape.size() > 2) return std::nullopt;
  return base.shape.size() == 2 ? permuted(base, {1, 0})
                                : permuted(base, base.shape.empty() ? std::vector<std::uint32_t>{}
                                                                    : std::vector<std::uint32_t>{0});
}

Views unsqueeze_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 1, 0, base.shape.size() + 1);
  if (!dim) return std::nullopt;
  Shape to = base.shape;
  to.insert(to.begin() + *dim, sizes.space().constant(1));
  return reshaped(base, std::move(to));
}

/// Drops the named dimensions (all, if none is named) of extent one.
Views squeeze_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  std::vector<bool> named(base.shape.size(), args.size() < 2);
  if (args.size() > 1 && args[1].kind == Arg::Kind::list) {
    const auto dims = dimensions(args[1], base.shape.size());
    if (!dims) return std::nullopt;
    for (std::uint32_t d : *dims) named[d] = true;
  } else if (args.size() > 1) {
    const auto dim = dimension(args, 1, 0, base.shape.size());
    if (dim) named[*dim] = true;
    if (!dim && !base.shape.empty()) return std::nullopt;
  }
  Shape to;
  for (std::size_t k = 0; k < base.shape.size(); ++k) {
    const auto extent = sizes.space().value(base.shape[k]);
    const PolyId at_least_two = sizes.space().sub(base.shape[k], sizes.space().constant(2));
    if (named[k] && !extent && !sizes.space().nonnegative(at_least_two)) return std::nullopt;
    if (!(named[k] && extent == 1)) to.push_back(base.shape[k]);
  }
  return reshaped(base, std::move(to));
}

Views view_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  if (args.size() > 1 && args[1].kind == Arg::Kind::dtype) {
    return std::vector<ViewMaps>{
        {{}, base.shape, false, args[1].dtype}};  // the caller widens or narrows the last dimension
  }
  const auto to = args.size() > 1 ? resolved_shape(sizes, base.shape, args[1]) : std::nullopt;
  if (!to) return std::nullopt;
  return reshaped(base, *to);
}

Views flatten_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const std::size_t rank = base.shape.size();
  if (rank == 0) return reshaped(base, {sizes.space().constant(1)});
  const auto first = dimension(args, 1, 0, rank);
  const auto last = dimension(args, 2, -1, rank);
  if (!first || !last || *first > *last) return std::nullopt;
  Shape to(base.shape.begin(), base.shape.begin() + *first);
  to.push_back(
      element_count(sizes.space(), Shape(base.shape.begin() + *first, base.shape.begin() + *last + 1)));
  to.insert(to.end(), base.shape.begin() + *last + 1, base.shape.end());
  return reshaped(base, std::move(to));
}

/// movedim: moves `source` dimensions to `destination`; the others keep their order.
Views movedim_rule(Sizes&, const Viewed& base, const std::vector<Arg>& args) {
  const std::size_t rank = base.shape.size();
  const auto listed = [&](std::size_t at) -> std::optional<std::vector<std::uint32_t>> {
    if (at >= args.size()) return std::nullopt;
    return dimensions(args[at].kind == Arg::Kind::list ? args[at] : Arg::of(std::vector<Arg>{args[at]}),
                      rank);
  };
  const auto from = listed(1), to = listed(2);
  if (!from || !to || from->size() != to->size()) return std::nullopt;
  constexpr std::uint32_t kFree = ~0U;
  std::vector<std::uint32_t> order(rank, kFree);
  for (std::size_t k = 0; k < from->size(); ++k) order[(*to)[k]] = (*from)[k];
  std::uint32_t next = 0;
  for (std::uint32_t& place : order) {
    if (place != kFree) continue;
    while (std::find(from->begin(), from->end(), next) != from->end()) ++next;
    place = next++;
  }
  return permuted(base, order);
}

/// numpy_T: all dimensions in reverse order.
Views reversed_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  std::vector<std::uint32_t> order(base.shape.size());
  std::iota(order.rbegin(), order.rend(), 0U);
  return permuted(base, order);
}

/// mT: the last two dimensions exchanged.
Views matrix_transpose_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  std::vector<std::uint32_t> order(base.shape.size());
  if (order.size() < 2) return std::nullopt;
  std::iota(order.begin(), order.end(), 0U);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permuted(base, order);
}

/// adjoint, mH: conjugates complex numbers, which no view of memory expresses.
Views adjoint_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return is_complex(base.dtype) ? std::nullopt : matrix_transpose_rule(sizes, base, args);
}

/// conj, real and their like: a real tensor is returned itself.
Views if_real_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  return is_complex(base.dtype) ? std::nullopt : one({}, base.shape);
}

Views view_as_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  if (base.others.size() != 1 || !sizes.space().same(element_count(sizes.space(), base.shape),
                                                     element_count(sizes.space(), base.others[0])))
    return std::nullopt;
  return reshaped(base, base.others[0]);
}

/// unflatten(self, dim, sizes): one dimension becomes several, one of which may be left open.
Views unflatten_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto parts =
      dim && args.size() > 2 ? resolved_shape(sizes, {base.shape[*dim]}, args[2]) : std::nullopt;
  if (!parts) return std::nullopt;
  Shape to(base.shape.begin(), base.shape.begin() + *dim);
  to.insert(to.end(), parts->begin(), parts->end());
  to.insert(to.end(), base.shape.begin() + *dim + 1, base.shape.end());
  return reshaped(base, std::move(to));
}

/// prims.split_dim(a, dim, outer): a dimension becomes outer x rest.
Views split_dim_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  if (args.size() < 3) return std::nullopt;
  const Arg parts = Arg::of(std::vector<Arg>{args[2], Arg::of(SymExpr(-1))});
  return unflatten_rule(sizes, base, {args[0], args[1], parts});
}

/// atleast_1d, _2d, _3d: adds dimensions where PyTorch does.
Views atleast_1d_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  return reshaped(base, base.shape.empty() ? Shape{sizes.space().constant(1)} : base.shape);
}

Views atleast_2d_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  Shape to = base.shape;
  while (to.size() < 2) to.insert(to.begin(), sizes.space().constant(1));
  return reshaped(base, std::move(to));
}

Views atleast_3d_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  Shape to = base.shape;
  const PolyId unit = sizes.space().constant(1);
  while (to.size() < 2) to.insert(to.begin(), unit);
  if (to.size() < 3) to.push_back(unit);
  return reshaped(base, std::move(to));
}

namespace {
Views retyped(const Viewed& base, Dtype to, ViewMaps::Parts parts) {
  ViewMaps out{{}, base.shape, false, to, parts};
  return std::vector<ViewMaps>{std::move(out)};
}

std::optional<Dtype> part_of(Dtype complex) {
  if (complex == Dtype::c64) return Dtype::f32;
  return complex == Dtype::c128 ? std::optional(Dtype::f64) : std::nullopt;
}
}  // namespace

Views view_as_real_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  const auto part = part_of(base.dtype);
  return part ? retyped(base, *part, ViewMaps::Parts::split) : std::nullopt;
}

Views view_as_complex_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  if (base.shape.empty() || sizes.space().value(base.shape.back()) != 2) return std::nullopt;
  if (base.dtype == Dtype::f32) return retyped(base, Dtype::c64, ViewMaps::Parts::joined);
  return base.dtype == Dtype::f64 ? retyped(base, Dtype::c128, ViewMaps::Parts::joined) : std::nullopt;
}

Views real_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  const auto part = part_of(base.dtype);
  if (!part) return is_complex(base.dtype) ? std::nullopt : one({}, base.shape);
  return retyped(base, *part, ViewMaps::Parts::first);
}

Views imag_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) {
  const auto part = part_of(base.dtype);
  return part ? retyped(base, *part, ViewMaps::Parts::second) : std::nullopt;
}

Views ravel_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  return reshaped(base, {element_count(sizes.space(), base.shape)});
}

}  // namespace view_rules

Map reshape_map(Shape from, Shape to) {
  Map map;
  map.kind = Map::Kind::reshape;
  map.from = std::move(from);
  map.to = std::move(to);
  return map;
}

std::optional<Shape> resolved_shape(Sizes& sizes, const Shape& from, const Arg& shape) {
  Space& space = sizes.space();
  auto to = view_rules::sizes_of(sizes, shape);
  if (!to) return std::nullopt;
  PolyId known = space.constant(1);
  std::optional<std::size_t> open;
  for (std::size_t k = 0; k < to->size(); ++k) {
    if (space.value((*to)[k]) == -1) {
      if (open) return std::nullopt;
      open = k;
    } else {
      known = space.mul(known, (*to)[k]);
    }
  }
  const PolyId count = element_count(space, from);
  if (open) {
    (*to)[*open] = space.quotient_in(count, known);
    known = space.mul(known, (*to)[*open]);
  }
  if (!space.same(known, count)) return std::nullopt;
  return to;
}

}  // namespace noclobber
