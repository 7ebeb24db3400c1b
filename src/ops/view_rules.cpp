#include "src/ops/view_rules.h"

#include <algorithm>
#include <limits>

namespace noclobber::view_rules {

std::optional<std::int64_t> integer(const std::vector<Arg>& args, std::size_t at,
                                    std::optional<std::int64_t> fallback) {
  if (at >= args.size() || args[at].kind == Arg::Kind::none) return fallback;
  if (args[at].kind != Arg::Kind::sym || !args[at].sym.is_constant()) return std::nullopt;
  return args[at].sym.constant();
}

std::optional<PolyId> size(Sizes& sizes, const std::vector<Arg>& args, std::size_t at,
                           std::optional<PolyId> fallback) {
  if (at >= args.size() || args[at].kind == Arg::Kind::none) return fallback;
  if (args[at].kind != Arg::Kind::sym) return std::nullopt;
  const PolyId out = sizes.of(args[at].sym);
  return out == Space::kBad ? std::nullopt : std::optional(out);
}

std::optional<std::uint32_t> wrapped(std::int64_t dim, std::size_t rank) {
  if (dim < 0) dim += static_cast<std::int64_t>(rank);
  if (dim < 0 || dim >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::uint32_t>(dim);
}

std::optional<std::uint32_t> dimension(const std::vector<Arg>& args, std::size_t at, std::int64_t fallback,
                                       std::size_t rank) {
  const auto dim = integer(args, at, fallback);
  return dim ? wrapped(*dim, rank) : std::nullopt;
}

std::optional<std::vector<std::uint32_t>> dimensions(const Arg& arg, std::size_t rank) {
  std::vector<std::uint32_t> out;
  if (arg.kind != Arg::Kind::list) return std::nullopt;
  for (const Arg& a : arg.list) {
    if (a.kind != Arg::Kind::sym || !a.sym.is_constant()) return std::nullopt;
    const auto dim = wrapped(a.sym.constant(), rank);
    if (!dim || std::find(out.begin(), out.end(), *dim) != out.end()) return std::nullopt;
    out.push_back(*dim);
  }
  return out;
}

std::optional<Shape> sizes_of(Sizes& sizes, const Arg& arg) {
  if (arg.kind != Arg::Kind::list) return std::nullopt;
  Shape out;
  for (const Arg& a : arg.list) {
    if (a.kind != Arg::Kind::sym) return std::nullopt;
    out.push_back(sizes.of(a.sym));
  }
  return out;
}

Views one(std::vector<Map> maps, Shape shape) {
  return std::vector<ViewMaps>{{std::move(maps), std::move(shape)}};
}

namespace {
Views expanded(Space& space, const Viewed& base, Shape to, std::size_t lead) {
  Shape from(lead, space.constant(1));
  from.insert(from.end(), base.shape.begin(), base.shape.end());
  for (std::size_t k = 0; k < from.size(); ++k)
    if (!space.same(from[k], to[k]) && space.value(from[k]) != 1) return std::nullopt;
  std::vector<Map> maps;
  if (lead > 0) maps.push_back(reshape_map(base.shape, from));
  Map map;
  map.kind = Map::Kind::expand;
  map.from = from;
  map.to = to;
  if (from != to) maps.push_back(map);
  return one(std::move(maps), std::move(to));
}

}  // namespace

Views expand_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  auto to = args.size() > 1 ? sizes_of(sizes, args[1]) : std::nullopt;
  if (!to || to->size() < base.shape.size()) return std::nullopt;
  const std::size_t lead = to->size() - base.shape.size();
  for (std::size_t k = lead; k < to->size(); ++k)
    if (sizes.space().value((*to)[k]) == -1) (*to)[k] = base.shape[k - lead];
  return expanded(sizes.space(), base, *to, lead);
}

/// expand_as: to the shape of the other tensor.
Views expand_as_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>&) {
  if (base.others.size() != 1 || base.others[0].size() < base.shape.size()) return std::nullopt;
  return expanded(sizes.space(), base, base.others[0], base.others[0].size() - base.shape.size());
}

Views broadcast_rule(Sizes& sizes, const Viewed& base,
                     const std::vector<Arg>& args) {  // prims.broadcast_in_dim
  const auto to = args.size() > 2 ? sizes_of(sizes, args[1]) : std::nullopt;
  const auto dims = to ? dimensions(args[2], to->size()) : std::nullopt;
  if (!dims || dims->size() != base.shape.size() || !std::is_sorted(dims->begin(), dims->end()))
    return std::nullopt;
  Shape from(to->size(), sizes.space().constant(1));
  for (std::size_t k = 0; k < dims->size(); ++k) from[(*dims)[k]] = base.shape[k];
  Viewed placed{from, std::nullopt};
  auto out = expanded(sizes.space(), placed, *to, 0);
  if (out && from != base.shape)
    out->front().maps.insert(out->front().maps.begin(), reshape_map(base.shape, from));
  return out;
}

Views diagonal_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto offset = integer(args, 1, 0);
  const auto a = dimension(args, 2, 0, base.shape.size());
  const auto b = dimension(args, 3, 1, base.shape.size());
  if (!offset || !a || !b || *a == *b || *offset == std::numeric_limits<std::int64_t>::min())
    return std::nullopt;
  Map map;
  map.kind = Map::Kind::diagonal;
  map.from = base.shape;
  map.dim = *a;
  map.other = *b;
  map.start = space.constant(std::max<std::int64_t>(-*offset, 0));
  map.step = space.constant(std::max<std::int64_t>(*offset, 0));
  for (std::uint32_t k = 0; k < base.shape.size(); ++k)
    if (k != *a && k != *b) map.to.push_back(base.shape[k]);
  const PolyId rows = space.sub(base.shape[*a], map.start);
  const PolyId columns = space.sub(base.shape[*b], map.step);
  const bool there = space.nonnegative(rows) && space.nonnegative(columns);
  PolyId length = sizes.lesser(rows, columns);
  if (!there) length = space.value(length) ? 0 : Space::kBad;
  if (length == Space::kBad) return std::nullopt;
  map.to.push_back(length);
  return one({map}, map.to);
}

Views unfold_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Space& space = sizes.space();
  const auto dim = dimension(args, 1, 0, base.shape.size());
  const auto length = size(sizes, args, 2, std::nullopt);
  const auto step = size(sizes, args, 3, std::nullopt);
  if (!dim || !length || !step) return std::nullopt;
  const PolyId windows = floor_quotient_of(space, space.sub(base.shape[*dim], *length), *step);
  if (windows == Space::kBad || !space.nonnegative(space.sub(base.shape[*dim], *length))) return std::nullopt;
  Map map;
  map.kind = Map::Kind::unfold;
  map.from = map.to = base.shape;
  map.dim = *dim;
  map.step = *step;
  map.to[*dim] = space.add(windows, space.constant(1));
  map.to.push_back(*length);
  return one({map}, map.to);
}

Views as_strided_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  Map map;
  map.kind = Map::Kind::strided;
  const auto to = args.size() > 2 ? sizes_of(sizes, args[1]) : std::nullopt;
  const auto strides = to ? sizes_of(sizes, args[2]) : std::nullopt;
  const bool own_offset = args.size() < 4 || args[3].kind == Arg::Kind::none;
  const auto start = size(sizes, args, 3, 0);
  if (!strides || strides->size() != to->size() || !start || !base.strides) return std::nullopt;
  if (std::ranges::any_of(*strides, [&](PolyId step) { return sizes.space().value(step).value_or(0) < 0; }))
    return std::nullopt;
  map.to = *to;
  map.strides = *strides;
  map.start = *start;
  map.dim = own_offset ? 1 : 0;  // 1: the caller adds the base's own offset
  return std::vector<ViewMaps>{{{map}, *to, true}};
}

/// _reshape_alias: a view with the given strides, which are those of a reshape where PyTorch itself calls it.
Views reshape_alias_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args) {
  const auto view = view_rule(sizes, base, args);
  const auto strides = args.size() > 2 ? sizes_of(sizes, args[2]) : std::nullopt;
  if (view && strides && view->front().shape.size() == strides->size()) {
    const ViewMaps& own = view->front();
    const Viewed shown{own.shape, view_strides(sizes.space(), own.maps, base.strides)};
    if (has_strides(sizes.space(), shown, *strides) == true) return view;
  }
  return as_strided_rule(sizes, base, args);
}

}  // namespace noclobber::view_rules
