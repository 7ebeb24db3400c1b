#include "src/ops/view_rules.h"

#include <algorithm>
#include <numeric>

namespace noclobber {
namespace {

using namespace view_rules;

constexpr std::int64_t kOpenEnd = std::int64_t{1} << 62;  // no dimension is that long: "to the end"

Views reshaped(const Viewed& base, Shape to) {
  if (to == base.shape) return one({}, std::move(to));
  return one({reshape_map(base.shape, to)}, to);
}

/// A bound of a slice: negative ones count from the end, all are clamped to 0..extent.
std::optional<PolyId> clamped(Space& space, PolyId at, PolyId extent) {
  if (space.value(at).value_or(0) >= kOpenEnd) return extent;
  if (!space.nonnegative(at)) {
    if (!space.nonnegative(space.sub(space.scale(at, -1), space.constant(1)))) return std::nullopt;
    at = space.add(at, extent);
    if (!space.nonnegative(at))
      return space.nonnegative(space.scale(at, -1)) ? std::optional<PolyId>(0) : std::nullopt;
  }
  if (space.nonnegative(space.sub(extent, at))) return at;
  return space.nonnegative(space.sub(at, extent)) ? std::optional(extent) : std::nullopt;
}

std::optional<ViewMaps> sliced(Space& space, const Shape& shape, std::uint32_t dim, PolyId start, PolyId end,
                               std::int64_t step) {
  const auto from = clamped(space, start, shape[dim]);
  const auto to = clamped(space, end, shape[dim]);
  if (!from || !to || step <= 0) return std::nullopt;
  PolyId length = space.sub(*to, *from);
  if (!space.nonnegative(length)) {
    if (!space.nonnegative(space.scale(length, -1))) return std::nullopt;
    length = 0;
  }
  if (step != 1) length = space.quotient(space.add(length, space.constant(step - 1)), space.constant(step));
  if (length == shape[dim]) return ViewMaps{{}, shape, false, {}};
  Map map;
  map.kind = Map::Kind::slice;
  map.from = map.to = shape;
  map.to[dim] = length;
  map.dim = dim;
  map.start = *from;
  map.step = space.constant(step);
  return ViewMaps{{map}, map.to, false, {}};
}

Views wrap(std::optional<ViewMaps> view) {
  if (!view) return std::nullopt;
  return std::vector<ViewMaps>{std::move(*view)};
}

Views alias_rule(Sizes&, const Viewed& base, const std::vector<Arg>&) { return one({}, base.shape); }

Views slice_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto start = size(sizes, args, 2, 0);
  if (!dim || !start) return std::nullopt;
  const auto end = size(sizes, args, 3, base.shape[*dim]);
  const auto step = integer(args, 4, 1);
  if (!end || !step) return std::nullopt;
  return wrap(sliced(sizes.space(), base.shape, *dim, *start, *end, *step));
}

Views narrow_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 1, 0, base.shape.size());
  auto start = size(sizes, args, 2, std::nullopt);
  const auto length = size(sizes, args, 3, std::nullopt);
  if (!dim || !start || !length) return std::nullopt;
  Space& space = sizes.space();
  if (!space.nonnegative(*start)) start = space.add(*start, base.shape[*dim]);
  const PolyId room = space.sub(base.shape[*dim], space.add(*start, *length));
  if (!space.nonnegative(*start) || !space.nonnegative(*length) || !space.nonnegative(room))
    return std::nullopt;
  return wrap(sliced(space, base.shape, *dim, *start, space.add(*start, *length), 1));
}

/// One element of a dimension, which is dropped.
std::optional<ViewMaps> selected(Space& space, const Shape& shape, std::uint32_t dim, PolyId at) {
  const bool from_end = space.nonnegative(space.sub(space.scale(at, -1), space.constant(1)));
  if (!from_end && !space.nonnegative(at)) return std::nullopt;
  if (from_end) at = space.add(at, shape[dim]);
  if (!space.nonnegative(at) || !space.nonnegative(space.sub(space.sub(shape[dim], at), space.constant(1))))
    return std::nullopt;
  auto out = sliced(space, shape, dim, at, space.add(at, space.constant(1)), 1);
  if (!out) return std::nullopt;
  Shape dropped = out->shape;
  dropped.erase(dropped.begin() + dim);
  out->maps.push_back(reshape_map(out->shape, dropped));
  out->shape = dropped;
  return out;
}

Views select_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto at = size(sizes, args, 2, std::nullopt);
  if (!dim || !at) return std::nullopt;
  return wrap(selected(sizes.space(), base.shape, *dim, *at));
}

Views unbind_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto count = dim ? space.value(base.shape[*dim]) : std::nullopt;
  if (!count || *count > 100000) return std::nullopt;
  std::vector<ViewMaps> out;
  for (std::int64_t k = 0; k < *count; ++k) {
    auto view = selected(space, base.shape, *dim, space.constant(k));
    if (!view) return std::nullopt;
    out.push_back(std::move(*view));
  }
  return out;
}

Views cut(Sizes& sizes, const Viewed& base, std::uint32_t dim, const std::vector<PolyId>& lengths) {
  Space& space = sizes.space();
  std::vector<ViewMaps> out;
  PolyId start = 0;
  for (PolyId length : lengths) {
    auto view = sliced(space, base.shape, dim, start, space.add(start, length), 1);
    if (!view) return std::nullopt;
    out.push_back(std::move(*view));
    start = space.add(start, length);
  }
  return out;
}

Views split_sizes_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto lengths = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!dim || !lengths) return std::nullopt;
  PolyId sum = 0;
  for (PolyId length : *lengths) sum = sizes.space().add(sum, length);
  if (!sizes.space().same(sum, base.shape[*dim])) return std::nullopt;
  return cut(sizes, base, *dim, *lengths);
}

Views cut_every(Sizes& sizes, const Viewed& base, std::uint32_t dim, std::int64_t length) {
  Space& space = sizes.space();
  const auto extent = space.value(base.shape[dim]);
  if (!extent || length <= 0 || *extent / length > 100000) return std::nullopt;
  std::vector<PolyId> lengths;
  for (std::int64_t at = 0; at < *extent; at += length)
    lengths.push_back(space.constant(std::min(length, *extent - at)));
  if (*extent == 0) lengths.push_back(0);
  return cut(sizes, base, dim, lengths);
}

Views split_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  if (args.size() > 1 && args[1].kind == Arg::Kind::list) return split_sizes_rule(sizes, base, args);
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto length = integer(args, 1, std::nullopt);
  if (dim && length) return cut_every(sizes, base, *dim, *length);
  const auto symbolic =
      size(sizes, args, 1, std::nullopt);  // one piece, or pieces that a count gives exactly
  if (!dim || !symbolic) return std::nullopt;
  Space& space = sizes.space();
  for (std::int64_t n = 1; n <= 64; ++n)
    if (space.same(space.scale(*symbolic, n), base.shape[*dim]))
      return cut(sizes, base, *dim, std::vector<PolyId>(static_cast<std::size_t>(n), *symbolic));
  return std::nullopt;
}

Views chunk_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto count = integer(args, 1, std::nullopt);
  const auto extent = dim ? sizes.space().value(base.shape[*dim]) : std::nullopt;
  if (!count || *count <= 0 || !extent) return std::nullopt;
  return cut_every(sizes, base, *dim, std::max<std::int64_t>(1, (*extent + *count - 1) / *count));
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

Views as_rule(Sizes&, const Viewed&, const std::vector<Arg>&) { return std::nullopt; }

struct ViewRow {
  std::string_view op;
  ViewRule rule;
};

// table: sorted by name
constexpr ViewRow kViews[] = {
    {"aten._reshape_alias", view_rule},
    {"aten._unsafe_view", view_rule},
    {"aten.alias", alias_rule},
    {"aten.as_strided", as_strided_rule},
    {"aten.chunk", chunk_rule},
    {"aten.detach", alias_rule},
    {"aten.diagonal", diagonal_rule},
    {"aten.expand", expand_rule},
    {"aten.expand_as", as_rule},
    {"aten.flatten", flatten_rule},
    {"aten.narrow", narrow_rule},
    {"aten.permute", permute_rule},
    {"aten.reshape", view_rule},
    {"aten.select", select_rule},
    {"aten.slice", slice_rule},
    {"aten.split", split_rule},
    {"aten.split_with_sizes", split_sizes_rule},
    {"aten.squeeze", squeeze_rule},
    {"aten.t", t_rule},
    {"aten.transpose", transpose_rule},
    {"aten.unbind", unbind_rule},
    {"aten.unfold", unfold_rule},
    {"aten.unsqueeze", unsqueeze_rule},
    {"aten.view", view_rule},
    {"prims.broadcast_in_dim", broadcast_rule},
    {"prims.squeeze", squeeze_rule},
    {"prims.transpose", permute_rule},
    {"prims.view_of", alias_rule},
};

static_assert(std::is_sorted(std::begin(kViews), std::end(kViews),
                             [](const ViewRow& a, const ViewRow& b) { return a.op < b.op; }));

}  // namespace

ViewRule find_view_rule(std::string_view op) {
  const auto at = std::lower_bound(std::begin(kViews), std::end(kViews), op,
                                   [](const ViewRow& r, std::string_view name) { return r.op < name; });
  return at != std::end(kViews) && at->op == op ? at->rule : nullptr;
}

Map reshape_map(Shape from, Shape to) {
  Map map;
  map.kind = Map::Kind::reshape;
  map.from = std::move(from);
  map.to = std::move(to);
  return map;
}

std::optional<Shape> resolved_shape(Sizes& sizes, const Shape& from, const Arg& shape) {
  Space& space = sizes.space();
  auto to = sizes_of(sizes, shape);
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
