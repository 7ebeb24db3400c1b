#include <algorithm>
#include <cstdlib>

#include "src/ops/moves.h"
#include "src/ops/view_rules.h"

namespace noclobber::move_rules {
namespace {

using namespace view_rules;

constexpr std::size_t kMostPieces = 64;

Map taken(const Shape& from, std::uint32_t dim, PolyId start, PolyId length, PolyId step) {
  Map map;
  map.kind = Map::Kind::slice;
  map.from = map.to = from;
  map.to[dim] = length;
  map.dim = dim;
  map.start = start;
  map.step = step;
  return map;
}

/// Repeats dimensions of extent one.
Map spread(Shape from, Shape to) {
  Map map;
  map.kind = Map::Kind::expand;
  map.from = std::move(from);
  map.to = std::move(to);
  return map;
}

/// The shift as an amount between 0 and the extent; empty if that is unknown.
std::optional<PolyId> cyclic(Space& space, PolyId shift, PolyId extent) {
  const auto n = space.value(extent), s = space.value(shift);
  if (n && s) return *n == 0 ? 0 : space.constant((*s % *n + *n) % *n);
  if (!space.nonnegative(shift)) shift = space.add(shift, extent);
  const bool inside = space.nonnegative(shift) && space.nonnegative(space.sub(extent, shift));
  return inside ? std::optional(shift) : std::nullopt;
}

/// Splits every piece in two: the part that stays in order, and the part that wraps around from the end.
bool rolled(Space& space, std::vector<MovedPiece>& pieces, std::uint32_t dim, PolyId shift) {
  std::vector<MovedPiece> out;
  for (const MovedPiece& piece : pieces) {
    const PolyId extent = piece.shape[dim], rest = space.sub(extent, shift), unit = space.constant(1);
    for (const bool round : {false, true}) {
      MovedPiece half = piece;
      half.to.push_back(taken(piece.shape, dim, round ? 0 : shift, round ? shift : rest, unit));
      half.from.push_back(taken(piece.shape, dim, round ? rest : 0, round ? shift : rest, unit));
      half.shape = half.to.back().to;
      if (space.value(half.shape[dim]) != 0) out.push_back(std::move(half));
    }
  }
  pieces = std::move(out);
  return pieces.size() <= kMostPieces;
}

std::vector<Arg> items(const std::vector<Arg>& args, std::size_t at) {
  if (at >= args.size() || args[at].kind == Arg::Kind::none) return {};
  return args[at].kind == Arg::Kind::list ? *args[at].list : std::vector<Arg>{args[at]};
}

/// Repeats each dimension by its count, one whole copy after the other.
std::optional<Moved> repeated(Sizes& sizes, const Viewed& base, const Shape& times) {
  Space& space = sizes.space();
  const PolyId unit = space.constant(1);
  Shape apart, wide, out;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const std::size_t lead = times.size() - base.shape.size();
    const PolyId extent = k < lead ? unit : base.shape[k - lead];
    if (!space.nonnegative(times[k])) return std::nullopt;
    apart.insert(apart.end(), {unit, extent});
    wide.insert(wide.end(), {times[k], extent});
    out.push_back(space.mul(times[k], extent));
  }
  MovedPiece piece{{}, {reshape_map(base.shape, apart), spread(apart, wide), reshape_map(wide, out)}, out};
  return Moved{out, std::nullopt, {std::move(piece)}};
}

/// Zeros of the shape in args[1], with the argument in the view of them that `rule` gives. The arguments of
/// `rule` lack that shape.
std::optional<Moved> backward(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args, ViewRule rule) {
  const auto shape = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!shape) return std::nullopt;
  std::vector<Arg> inner = args;
  inner.erase(inner.begin() + 1);
  if (doubted_index(sizes, rule, Viewed{*shape}, inner)) return std::nullopt;
  const auto view = rule(sizes, Viewed{*shape}, inner);
  if (!view || view->front().shape != base.shape) return std::nullopt;
  return Moved{*shape, Arg::of(SymExpr(0)), {{view->front().maps, {}, base.shape}}};
}

}  // namespace

std::optional<Moved> flip_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto dims = args.size() > 1 ? dimensions(args[1], base.shape.size()) : std::nullopt;
  if (!dims) return std::nullopt;
  MovedPiece piece{{}, {}, base.shape};
  for (std::uint32_t dim : *dims)
    piece.from.push_back(taken(base.shape, dim, space.sub(base.shape[dim], space.constant(1)),
                               base.shape[dim], space.constant(-1)));
  return Moved{base.shape, std::nullopt, {std::move(piece)}};
}

std::optional<Moved> roll_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto shifts = items(args, 1), dims = items(args, 2);
  MovedPiece whole{{}, {}, base.shape};
  Moved out{base.shape, std::nullopt, {}};
  if (dims.empty()) {  // rolls all elements in row-major order
    const Shape flat{element_count(space, base.shape)};
    whole = {{reshape_map(base.shape, flat)}, {reshape_map(base.shape, flat)}, flat};
  }
  if (shifts.size() != std::max<std::size_t>(dims.size(), 1)) return std::nullopt;
  out.pieces = {std::move(whole)};
  std::vector<std::uint32_t> seen;
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const auto dim = dims.empty() ? std::optional(0U) : dimension(dims, k, 0, base.shape.size());
    if (!dim || shifts[k].kind != Arg::Kind::sym || out.pieces.empty()) return std::nullopt;
    if (std::find(seen.begin(), seen.end(), *dim) != seen.end()) return std::nullopt;
    seen.push_back(*dim);
    const auto shift = cyclic(space, sizes.of(shifts[k].sym), out.pieces[0].shape[*dim]);
    if (!shift || !rolled(space, out.pieces, *dim, *shift)) return std::nullopt;
  }
  return out;
}

std::optional<Moved> repeat_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto times = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!times || times->size() < base.shape.size()) return std::nullopt;
  return repeated(sizes, base, *times);
}

/// As repeat, with missing leading counts of one.
std::optional<Moved> tile_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  auto times = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!times) return std::nullopt;
  while (times->size() < base.shape.size()) times->insert(times->begin(), sizes.space().constant(1));
  return repeated(sizes, base, *times);
}

/// repeat_interleave(self, times, dim): each element `times` times; without `dim` in row-major order.
std::optional<Moved> interleave_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto times = size(sizes, args, 1, std::nullopt);
  if (!times || !space.nonnegative(*times)) return std::nullopt;
  Shape shape = base.shape;
  std::vector<Map> from;
  std::optional<std::uint32_t> dim = 0;
  if (args.size() < 3 || args[2].kind == Arg::Kind::none) {
    shape = {element_count(space, base.shape)};
    from.push_back(reshape_map(base.shape, shape));
  } else {
    dim = dimension(args, 2, 0, shape.size());
  }
  if (!dim) return std::nullopt;
  Shape apart = shape, out = shape;
  apart.insert(apart.begin() + *dim + 1, space.constant(1));
  Shape wide = apart;
  wide[*dim + 1] = *times;
  out[*dim] = space.mul(shape[*dim], *times);
  from.insert(from.end(), {reshape_map(shape, apart), spread(apart, wide), reshape_map(wide, out)});
  return Moved{out, std::nullopt, {{{}, std::move(from), out}}};
}

/// constant_pad_nd(self, pad, value): pairs from the last dimension on; negative amounts crop.
std::optional<Moved> pad_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto pad = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!pad || pad->size() % 2 != 0 || pad->size() / 2 > base.shape.size()) return std::nullopt;
  Moved out{base.shape, args.size() > 2 ? args[2] : Arg::of(SymExpr(0)), {}};
  MovedPiece piece{{}, {}, base.shape};
  for (std::size_t k = 0; k < pad->size() / 2; ++k) {
    const std::size_t dim = base.shape.size() - 1 - k;
    PolyId room[2] = {0, 0}, lost[2] = {0, 0};
    for (const std::size_t side : {0U, 1U}) {
      const PolyId p = (*pad)[2 * k + side];
      const bool grows = space.nonnegative(p);
      if (!grows && !space.nonnegative(space.scale(p, -1))) return std::nullopt;
      (grows ? room[side] : lost[side]) = grows ? p : space.scale(p, -1);
    }
    const PolyId kept = space.sub(base.shape[dim], space.add(lost[0], lost[1]));
    if (!space.nonnegative(kept)) return std::nullopt;
    out.shape[dim] = space.add(kept, space.add(room[0], room[1]));
    piece.shape[dim] = kept;
  }
  Shape to = out.shape, from = base.shape;
  for (std::size_t dim = base.shape.size(); dim-- > 0;) {
    const std::size_t k = base.shape.size() - 1 - dim;
    if (2 * k >= pad->size()) break;
    const PolyId left = (*pad)[2 * k], unit = space.constant(1), kept = piece.shape[dim];
    const bool grows = space.nonnegative(left);
    const auto d = static_cast<std::uint32_t>(dim);
    if (to[dim] != kept) piece.to.push_back(taken(to, d, grows ? left : 0, kept, unit));
    if (from[dim] != kept)
      piece.from.push_back(taken(from, d, grows ? 0 : space.scale(left, -1), kept, unit));
    to[dim] = from[dim] = kept;
  }
  out.pieces = {std::move(piece)};
  return out;
}

std::optional<Moved> select_backward_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return backward(sizes, base, args, select_rule);
}

std::optional<Moved> slice_backward_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return backward(sizes, base, args, slice_rule);
}

std::optional<Moved> diagonal_backward_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return backward(sizes, base, args, diagonal_rule);
}

namespace {

/// The columns of every row of a matrix up to the diagonal, or from it on. Adjacent rows with the same
/// columns form one piece.
std::optional<Moved> triangle(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args, bool lower) {
  Space& space = sizes.space();
  const std::size_t rank = base.shape.size();
  const auto offset = integer(args, 1, 0);
  const auto rows = rank < 2 ? std::nullopt : space.value(base.shape[rank - 2]);
  const auto width = rank < 2 ? std::nullopt : space.value(base.shape[rank - 1]);
  if (!offset || !rows || !width || *offset < -(1 << 30) || *offset > (1 << 30)) return std::nullopt;
  const auto down = static_cast<std::uint32_t>(rank - 2), along = static_cast<std::uint32_t>(rank - 1);
  Moved out{base.shape, Arg::of(SymExpr(0)), {}};
  const auto bound = [&](std::int64_t row) {  // columns in front of the diagonal's end
    return std::clamp<std::int64_t>(row + *offset + (lower ? 1 : 0), 0, *width);
  };
  for (std::int64_t row = 0, next = 1; row < *rows; row = next, next = row + 1) {
    while (next < *rows && bound(next) == bound(row)) ++next;
    const std::int64_t start = lower ? 0 : bound(row), end = lower ? bound(row) : *width;
    if (start >= end) continue;
    if (out.pieces.size() == kMostPieces) return std::nullopt;
    const Map band =
        taken(base.shape, down, space.constant(row), space.constant(next - row), space.constant(1));
    const Map part =
        taken(band.to, along, space.constant(start), space.constant(end - start), space.constant(1));
    out.pieces.push_back({{band, part}, {band, part}, part.to});
  }
  return out;
}

}  // namespace

std::optional<Moved> tril_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return triangle(sizes, base, args, true);
}

std::optional<Moved> triu_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  return triangle(sizes, base, args, false);
}

/// diag_embed(self, offset, dim1, dim2): zeros whose diagonal is the last dimension of the argument.
std::optional<Moved> diag_embed_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const std::size_t rank = base.shape.size() + 1;
  const auto offset = integer(args, 1, 0);
  const auto a = dimension(args, 2, -2, rank), b = dimension(args, 3, -1, rank);
  if (base.shape.empty() || !offset || !a || !b || *a == *b || *offset < -(1 << 30) || *offset > (1 << 30))
    return std::nullopt;
  const PolyId side = space.add(base.shape.back(), space.constant(std::abs(*offset)));
  Shape shape;
  std::size_t next = 0;
  for (std::uint32_t k = 0; k < rank; ++k) shape.push_back(k == *a || k == *b ? side : base.shape[next++]);
  const std::vector<Arg> inner{args[0], Arg::of(SymExpr(*offset)), Arg::of(SymExpr(*a)),
                               Arg::of(SymExpr(*b))};
  const auto view = diagonal_rule(sizes, Viewed{shape}, inner);
  if (!view || view->front().shape != base.shape) return std::nullopt;
  return Moved{shape, Arg::of(SymExpr(0)), {{view->front().maps, {}, base.shape}}};
}

}  // namespace noclobber::move_rules
