#include "src/watch/cells.h"

namespace noclobber {
namespace {

using Ints = std::vector<std::int64_t>;
constexpr std::int64_t kLargest = std::int64_t{1} << 40;  // bound on a size, stride or start

std::int64_t position(const Ints& shape, const Ints& at) {
  std::int64_t out = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) out = out * shape[k] + at[k];
  return out;
}

Ints at_position(const Ints& shape, std::int64_t position) {
  Ints out(shape.size(), 0);
  for (std::size_t k = shape.size(); k-- > 0; position /= shape[k]) out[k] = position % shape[k];
  return out;
}

/// A map with the values of its polynomials.
struct Concrete {
  const Map* map = nullptr;
  Ints from, to, strides;
  std::int64_t start = 0, step = 0;

  Ints parent(Ints at) const;
  bool holds(const Ints& at) const {
    if (at.size() < from.size()) return false;
    for (std::size_t d = 0; d < from.size(); ++d)
      if (at[d] < 0 || at[d] >= from[d]) return false;
    return true;
  }
};

/// Index in the parent of the element at index `at`, both without lanes.
Ints Concrete::parent(Ints at) const {
  switch (map->kind) {
    case Map::Kind::slice:
      at[map->dim] = start + step * at[map->dim];
      return at;
    case Map::Kind::permute: {
      Ints out(at.size());
      for (std::size_t k = 0; k < at.size(); ++k) out[map->order[k]] = at[k];
      return out;
    }
    case Map::Kind::reshape:
      return at_position(from, position(to, at));
    case Map::Kind::expand:
      for (std::size_t k = 0; k < at.size(); ++k)
        if (from[k] == 1) at[k] = 0;
      return at;
    case Map::Kind::diagonal: {
      Ints out;
      for (std::size_t k = 0, next = 0; k < from.size(); ++k)
        out.push_back(k == map->dim ? at.back() + start : k == map->other ? at.back() + step : at[next++]);
      return out;
    }
    case Map::Kind::unfold: {
      const std::int64_t inside = at.back();
      at.pop_back();
      at[map->dim] = at[map->dim] * step + inside;
      return at;
    }
    case Map::Kind::strided: {
      std::int64_t out = start;
      for (std::size_t k = 0; k < at.size(); ++k) out += strides[k] * at[k];
      return {out};
    }
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> Cells::number(PolyId poly) const {
  if (poly == Space::kBad) return std::nullopt;
  const auto [known, is_new] = numbers_.try_emplace(poly);
  if (is_new)
    if (const auto value = space_.value(poly, symbols_); value && *value >= -kLargest && *value <= kLargest)
      known->second = value;
  return known->second;
}

std::optional<Ints> Cells::numbers(const Shape& shape) const {
  Ints out;
  for (const PolyId p : shape) {
    const auto n = number(p);
    if (!n) return std::nullopt;
    out.push_back(*n);
  }
  return out;
}

std::optional<std::int64_t> Cells::elements(const Ints& shape) const {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(n, extent, &n)) return std::nullopt;
  return n <= most_ ? std::optional(n) : std::nullopt;
}

std::optional<std::int64_t> Cells::count(StorageId storage) const {
  if (storage >= trace_.storages.size()) return std::nullopt;
  auto shape = numbers(trace_.storages[storage].shape);
  if (!shape) return std::nullopt;
  if (trace_.storages[storage].lanes > 0) shape->push_back(trace_.storages[storage].lanes);
  return elements(*shape);
}

std::optional<CellList> Cells::of(const TraceView& view) const {
  const auto all = count(view.storage);
  auto shape = numbers(view.shape);
  if (!all || !shape) return std::nullopt;
  const std::int64_t lanes = std::max<std::int64_t>(view.lanes, 1);
  const auto n = elements(*shape);
  if (!n || *n > most_ / lanes) return std::nullopt;
  CellList out;
  out.reserve(static_cast<std::size_t>(*n * lanes));
  if (view.maps.empty()) {
    for (std::int64_t k = 0; k < *n * lanes; ++k) out.push_back(k);
    return *n * lanes <= *all ? std::optional(std::move(out)) : std::nullopt;
  }
  std::vector<Concrete> maps;
  for (const Map& map : view.maps) {
    auto from = numbers(map.from), to = numbers(map.to), strides = numbers(map.strides);
    const auto start = number(map.start), step = number(map.step);
    if (!from || !to || !strides || !start || !step || !well_formed(map)) return std::nullopt;
    if (map.kind == Map::Kind::reshape && elements(*from) != elements(*to)) return std::nullopt;
    maps.push_back({&map, *std::move(from), *std::move(to), *std::move(strides), *start, *step});
  }
  Ints root = *numbers(trace_.storages[view.storage].shape);
  if (trace_.storages[view.storage].lanes > 0) root.push_back(trace_.storages[view.storage].lanes);
  for (std::int64_t k = 0; k < *n * lanes; ++k) {
    Ints at = at_position(*shape, k / lanes);
    if (view.lanes > 0) at.push_back(k % lanes);
    for (auto m = maps.rbegin(); m != maps.rend(); ++m) {
      if (at.size() < m->to.size()) return std::nullopt;
      const auto own = at.begin() + static_cast<std::ptrdiff_t>(m->to.size());
      const Ints lane(own, at.end());
      at = m->parent(Ints(at.begin(), own));
      if (!m->holds(at)) return std::nullopt;
      at.insert(at.end(), lane.begin(), lane.end());
    }
    if (at.size() != root.size()) return std::nullopt;
    for (std::size_t d = 0; d < root.size(); ++d)
      if (at[d] < 0 || at[d] >= root[d]) return std::nullopt;
    out.push_back(position(root, at));
  }
  return out;
}

}  // namespace noclobber
