#include "src/second/direct_view.h"

#include <algorithm>
#include <map>

#include "src/second/direct_map.h"

namespace noclobber {

/// Maps of a Trace that was read from a file were already checked; this engine checks them again.
bool MapForms::well_formed() const {
  const std::size_t from = from_.size(), to = to_.size();
  switch (map_.kind) {
    case Map::Kind::slice:
      return from == to && map_.dim < from;
    case Map::Kind::permute: {
      std::vector<std::uint32_t> order = map_.order;
      std::sort(order.begin(), order.end());
      for (std::uint32_t k = 0; k < order.size(); ++k)
        if (order[k] != k) return false;
      return from == to && order.size() == from;
    }
    case Map::Kind::reshape:
      return true;
    case Map::Kind::expand:
      return from == to;
    case Map::Kind::diagonal:
      return from >= 2 && to + 1 == from && map_.dim < from && map_.other < from && map_.dim != map_.other;
    case Map::Kind::unfold:
      return to == from + 1 && map_.dim < from;
    case Map::Kind::strided:
      return from == 1 && map_.strides.size() == to;
  }
  return false;
}

/// The row-major digits of `position` in dimensions begin..end of the shape.
void MapForms::unfolded(FormulaId position, const DirectIndex& shape, std::size_t begin, std::size_t end,
                        DirectIndex& out) {
  std::size_t first = begin;
  while (first < end && shape[first] == one()) ++first;
  for (std::size_t k = end; k-- > begin;) {
    if (k == first) {
      out[k] = position;
    } else if (k > first && shape[k] != one()) {
      const FormulaId above = f_.quotient(position, shape[k]);
      out[k] = f_.subtract(position, f_.multiply(above, shape[k]));
      position = above;
    }
  }
}

/// The same row-major position in another shape of as many elements. The position splits wherever products of
/// leading extents are equal.
DirectIndex MapForms::regrouped(const DirectIndex& index, const DirectIndex& shape, const DirectIndex& into) {
  std::map<FormulaId, std::size_t> cuts;  // product of leading extents -> their number in `shape`
  FormulaId product = one();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    product = f_.multiply(product, shape[k]);
    if (product != Formulas::kBad) cuts[product] = k + 1;
  }
  DirectIndex out(into.size(), f_.number(0));
  const FormulaId total = product;
  std::size_t begin = 0, at = 0;
  product = one();
  for (std::size_t k = 0; k < into.size(); ++k) {
    product = f_.multiply(product, into[k]);
    const bool last = k + 1 == into.size();
    const auto cut = cuts.find(product);
    if (!last && (cut == cuts.end() || cut->second < at || product == total)) continue;
    const std::size_t until = last ? shape.size() : cut->second;
    FormulaId position = f_.number(0);
    for (; at < until; ++at) position = f_.add(f_.multiply(position, shape[at]), index[at]);
    unfolded(position, into, begin, k + 1, out);
    begin = k + 1;
  }
  return out;
}

DirectIndex MapForms::reshaped_back(const DirectIndex& given) {
  const auto rank = static_cast<std::ptrdiff_t>(from_.size());
  DirectIndex out = regrouped({given.begin(), given.begin() + rank}, from_, to_);
  out.insert(out.end(), given.begin() + rank, given.end());
  return out;
}

std::optional<DirectIndex> MapForms::root(const DirectIndex& given) {
  if (!well_formed() || given.size() < to_.size()) return std::nullopt;
  const auto rank = static_cast<std::ptrdiff_t>(to_.size());
  DirectIndex index(given.begin(), given.begin() + rank), out(from_.size(), f_.number(0));
  switch (map_.kind) {
    case Map::Kind::slice:
      out = index;
      out[map_.dim] = f_.add(start(), f_.multiply(step(), index[map_.dim]));
      break;
    case Map::Kind::permute:
      for (std::size_t k = 0; k < index.size(); ++k) out[map_.order[k]] = index[k];
      break;
    case Map::Kind::reshape:
      out = regrouped(index, to_, from_);
      break;
    case Map::Kind::expand:
      for (std::size_t k = 0; k < index.size(); ++k) {
        if (from_[k] != to_[k] && from_[k] != one()) return std::nullopt;
        if (from_[k] == to_[k]) out[k] = index[k];
      }
      break;
    case Map::Kind::diagonal:
      for (std::size_t k = 0, next = 0; k < out.size(); ++k) {
        const bool on = k == map_.dim || k == map_.other;
        out[k] = on ? f_.add(index.back(), k == map_.dim ? start() : step()) : index[next++];
      }
      break;
    case Map::Kind::unfold:
      out.assign(index.begin(), index.end() - 1);
      out[map_.dim] = f_.add(f_.multiply(index[map_.dim], step()), index.back());
      break;
    case Map::Kind::strided:
      out[0] = start();
      for (std::size_t k = 0; k < index.size(); ++k)
        out[0] = f_.add(out[0], f_.multiply(sizes_.of(map_.strides[k]), index[k]));
      break;
  }
  out.insert(out.end(), given.begin() + rank, given.end());
  return out;
}

bool any_bad(const DirectIndex& index) {
  return std::find(index.begin(), index.end(), Formulas::kBad) != index.end();
}

std::vector<Map> joined_maps(const std::vector<Map>& maps) {
  std::vector<Map> out;
  for (const Map& m : maps) {
    const bool both = m.kind == Map::Kind::reshape && !out.empty() && out.back().kind == m.kind;
    if (both && out.back().to == m.from) {
      out.back().to = m.to;
    } else {
      out.push_back(m);
    }
  }
  return out;
}

DirectIndex any_index(DirectSizes& sizes, const TraceView& view, const std::string& name) {
  DirectIndex out;
  for (std::size_t k = 0; k < view.shape.size(); ++k)
    out.push_back(sizes.formulas().index(name + std::to_string(k), sizes.of(view.shape[k])));
  return out;
}

DirectIndex any_place(DirectSizes& sizes, const TraceView& view, const std::string& name) {
  DirectIndex out = any_index(sizes, view, name);
  Formulas& f = sizes.formulas();
  if (view.lanes > 0) out.push_back(f.index(name + " byte", f.number(view.lanes)));
  return out;
}

std::optional<DirectIndex> root_of(DirectSizes& sizes, const TraceView& view, DirectIndex index) {
  const std::vector<Map> maps = joined_maps(view.maps);
  for (auto m = maps.rbegin(); m != maps.rend(); ++m) {
    auto next = MapForms(sizes, *m).root(index);
    if (!next) return std::nullopt;
    index = *std::move(next);
  }
  return any_bad(index) ? std::nullopt : std::optional(std::move(index));
}

}  // namespace noclobber
