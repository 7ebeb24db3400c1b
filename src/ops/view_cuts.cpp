// Views that cut: slice, select, split and their like.
#include "src/ops/view_rules.h"

#include <algorithm>

namespace noclobber::view_rules {
namespace {

constexpr std::int64_t kOpenEnd = std::int64_t{1} << 62;  // longer than any dimension: "to the end"

/// A bound of a slice: negative ones count from the end, and all are clamped to 0..extent. Empty if unknown.
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
  if (step != 1)
    length = floor_quotient_of(space, space.add(length, space.constant(step - 1)), space.constant(step));
  if (length == shape[dim]) return ViewMaps{{}, shape};
  Map map;
  map.kind = Map::Kind::slice;
  map.from = map.to = shape;
  map.to[dim] = length;
  map.dim = dim;
  map.start = *from;
  map.step = space.constant(step);
  return ViewMaps{{map}, map.to};
}

Views wrap(std::optional<ViewMaps> view) {
  if (!view) return std::nullopt;
  return std::vector<ViewMaps>{std::move(*view)};
}

bool below(Space& space, PolyId at, PolyId extent) {
  return space.nonnegative(space.sub(space.sub(extent, at), space.constant(1)));
}

bool within(Space& space, PolyId at, PolyId extent) {
  return space.nonnegative(at) && below(space, at, extent);
}

/// The position that an index denotes, which may count from the end; empty if it may be out of range.
std::optional<PolyId> place_of(Space& space, PolyId at, PolyId extent) {
  if (within(space, at, extent)) return at;
  at = space.add(at, extent);
  const bool from_end = within(space, at, extent);
  return from_end ? std::optional(at) : std::nullopt;
}

/// One element of a dimension, which is dropped. An index that may be out of range (`doubted_index`) is
/// reduced modulo the extent, which keeps those within range.
std::optional<ViewMaps> selected(Space& space, const Shape& shape, std::uint32_t dim, PolyId index) {
  const PolyId extent = shape[dim];
  PolyId at = Space::kBad;
  if (const auto known = place_of(space, index, extent))
    at = *known;
  else if (!space.value(index) && space.nonnegative(space.sub(extent, space.constant(1))))
    at = space.sub(index, space.mul(extent, floor_quotient_of(space, index, extent)));
  if (at == Space::kBad || !within(space, at, extent)) return std::nullopt;
  auto out = sliced(space, shape, dim, at, space.add(at, space.constant(1)), 1);
  if (!out) return std::nullopt;
  Shape dropped = out->shape;
  dropped.erase(dropped.begin() + dim);
  out->maps.push_back(reshape_map(out->shape, dropped));
  out->shape = dropped;
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

Views cut_every(Sizes& sizes, const Viewed& base, std::uint32_t dim, std::int64_t length) {
  Space& space = sizes.space();
  const auto extent = space.value(base.shape[dim]);
  if (!extent || length <= 0 || *extent / length > 100000) return std::nullopt;
  std::vector<PolyId> lengths;
  for (std::int64_t left = *extent; left > 0; left -= std::min(length, left))
    lengths.push_back(space.constant(std::min(length, left)));
  if (*extent == 0) lengths.push_back(0);
  return cut(sizes, base, dim, lengths);
}

/// Pieces of one symbolic length, and a last one that may be shorter but not empty; as many as are known to
/// exist.
Views cut_evenly(Sizes& sizes, const Viewed& base, std::uint32_t dim, PolyId length) {
  constexpr std::size_t kPieces = 64;
  Space& space = sizes.space();
  for (std::size_t n = 1; n <= kPieces; ++n)
    if (space.same(space.scale(length, static_cast<std::int64_t>(n)), base.shape[dim]))
      return cut(sizes, base, dim, std::vector<PolyId>(n, length));
  std::vector<PolyId> lengths;
  for (PolyId left = base.shape[dim]; lengths.size() < kPieces; left = space.sub(left, length)) {
    lengths.push_back(length);
    if (!space.nonnegative(space.sub(left, space.constant(1)))) return std::nullopt;
    lengths.back() = left;
    if (space.nonnegative(space.sub(length, left))) return cut(sizes, base, dim, lengths);
    lengths.back() = length;
  }
  return std::nullopt;
}

std::int64_t upwards(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Pieces that begin at 0 and at each index; indices count as bounds of a slice do.
Views cut_before(Sizes& sizes, const Viewed& base, std::uint32_t dim, const std::vector<Arg>& indices) {
  Space& space = sizes.space();
  std::vector<ViewMaps> out;
  PolyId start = 0;
  for (std::size_t k = 0; k <= indices.size(); ++k) {
    if (k < indices.size() && indices[k].kind != Arg::Kind::sym) return std::nullopt;
    const PolyId end = k < indices.size() ? sizes.of(indices[k].sym) : base.shape[dim];
    auto view = sliced(space, base.shape, dim, start, end, 1);
    if (!view) return std::nullopt;
    out.push_back(std::move(*view));
    start = end;
  }
  return out;
}

}  // namespace

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

Views select_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto at = size(sizes, args, 2, std::nullopt);
  if (!dim || !at) return std::nullopt;
  return wrap(selected(sizes.space(), base.shape, *dim, *at));
}

}  // namespace noclobber::view_rules

namespace noclobber {

bool shows_one_element(ViewRule rule) { return rule == &view_rules::select_rule; }

std::optional<Doubted> doubted_index(Sizes& sizes, ViewRule rule, const Viewed& base,
                                     const std::vector<Arg>& args) {
  using namespace view_rules;
  if (!shows_one_element(rule)) return std::nullopt;
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto at = size(sizes, args, 2, std::nullopt);
  if (!dim || !at) return std::nullopt;
  Space& space = sizes.space();
  const PolyId extent = base.shape[*dim];
  if (space.nonnegative(space.add(*at, extent)) && below(space, *at, extent)) return std::nullopt;
  return Doubted{*at, extent};
}

}  // namespace noclobber

namespace noclobber::view_rules {

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

Views split_sizes_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto lengths = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!dim || !lengths) return std::nullopt;
  PolyId sum = 0;
  for (PolyId length : *lengths) sum = sizes.space().add(sum, length);
  if (!sizes.space().same(sum, base.shape[*dim])) return std::nullopt;
  return cut(sizes, base, *dim, *lengths);
}

Views split_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  if (args.size() > 1 && args[1].kind == Arg::Kind::list) return split_sizes_rule(sizes, base, args);
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto length = integer(args, 1, std::nullopt);
  if (dim && length) return cut_every(sizes, base, *dim, *length);
  const auto symbolic = size(sizes, args, 1, std::nullopt);
  if (!dim || !symbolic) return std::nullopt;
  return cut_evenly(sizes, base, *dim, *symbolic);
}

Views chunk_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto count = integer(args, 1, std::nullopt);
  if (!dim || !count || *count <= 0) return std::nullopt;
  Space& space = sizes.space();
  const auto extent = space.value(base.shape[*dim]);
  if (!extent)
    return cut_evenly(sizes, base, *dim,
                      floor_quotient_of(space, space.add(base.shape[*dim], space.constant(*count - 1)),
                                        space.constant(*count)));
  return cut_every(sizes, base, *dim, std::max<std::int64_t>(1, upwards(*extent, *count)));
}

/// tensor_split: the first extent % count pieces are one longer; or cut before each of the given indices.
Views tensor_split_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto dim = dimension(args, 2, 0, base.shape.size());
  const auto extent = dim ? sizes.space().value(base.shape[*dim]) : std::nullopt;
  if (!extent || args.size() < 2) return std::nullopt;
  if (args[1].kind == Arg::Kind::list) return cut_before(sizes, base, *dim, args[1].list);
  const auto count = integer(args, 1, std::nullopt);
  if (!count || *count <= 0 || *count > 100000) return std::nullopt;
  std::vector<PolyId> lengths;
  for (std::int64_t k = 0; k < *count; ++k)
    lengths.push_back(sizes.space().constant(*extent / *count + (k < *extent % *count ? 1 : 0)));
  return cut(sizes, base, *dim, lengths);
}

namespace {
/// hsplit, vsplit, dsplit: tensor_split along a fixed dimension. PyTorch rejects tensors of a lower rank, and
/// a count that does not divide the extent.
Views split_along(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args, std::size_t dim) {
  if (base.shape.size() <= dim) return std::nullopt;
  const auto extent = sizes.space().value(base.shape[dim]);
  const auto count = integer(args, 1, std::nullopt);
  if (extent && count && *count > 0 && *extent % *count != 0) return std::nullopt;
  std::vector<Arg> inner(args.begin(), args.begin() + std::min<std::ptrdiff_t>(2, std::ssize(args)));
  inner.push_back(Arg::of(SymExpr(static_cast<std::int64_t>(dim))));
  return tensor_split_rule(sizes, base, inner);
}
}  // namespace

Views hsplit_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return split_along(sizes, base, args, base.shape.size() == 1 ? 0 : 1);
}

Views vsplit_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  if (base.shape.size() < 2) return std::nullopt;
  return split_along(sizes, base, args, 0);
}

Views dsplit_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return split_along(sizes, base, args, 2);
}

}  // namespace noclobber::view_rules
