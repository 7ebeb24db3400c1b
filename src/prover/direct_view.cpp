#include "src/prover/direct_view.h"

#include <algorithm>
#include <map>

namespace noclobber {
namespace {

/// Reshapes in a row are one.
std::vector<Map> joined(const std::vector<Map>& maps) {
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

/// One map at work: its shapes as formulas, dimensions of one element left aside where that helps.
class MapForms {
 public:
  MapForms(DirectSizes& sizes, const Map& map)
      : sizes_(sizes), f_(sizes.formulas()), map_(map), from_(sizes.of(map.from)), to_(sizes.of(map.to)) {}

  std::optional<DirectIndex> root(const DirectIndex& index);
  std::optional<DirectImage> image(const DirectIndex& root);

 private:
  FormulaId one() { return f_.number(1); }
  FormulaId start() { return sizes_.of(map_.start); }
  FormulaId step() { return sizes_.of(map_.step); }
  DirectIndex regrouped(const DirectIndex& index, const DirectIndex& shape, const DirectIndex& into);
  void unfolded(FormulaId position, const DirectIndex& shape, std::size_t begin, std::size_t end,
                DirectIndex& out);
  bool well_formed() const;
  DirectImage slice_image(const DirectIndex& root);
  std::optional<DirectImage> expand_image(const DirectIndex& root);
  DirectImage diagonal_image(const DirectIndex& root);
  DirectImage unfold_image(const DirectIndex& root);
  std::optional<DirectImage> strided_image(const DirectIndex& root);
  DirectImage whole(DirectIndex index) { return {f_.truth(true), f_.truth(true), std::move(index)}; }

  DirectSizes& sizes_;
  Formulas& f_;
  const Map& map_;
  DirectIndex from_, to_;
};

/// Every map of a Trace read from a file was checked already; this engine asks again.
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

/// Row-major digits of `position` in dimensions begin..end of the shape.
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

/// The same row-major position in another shape of as many elements. Wherever products of leading extents
/// are equal the position falls into two.
DirectIndex MapForms::regrouped(const DirectIndex& index, const DirectIndex& shape, const DirectIndex& into) {
  std::map<FormulaId, std::size_t> cuts;  // product of leading extents -> how many, in `shape`
  FormulaId product = one();
  for (std::size_t k = 0; k < shape.size(); ++k) {
    product = f_.multiply(product, shape[k]);
    cuts[product] = k + 1;
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

/// root = start + step * i. An extent of one element needs no step.
DirectImage MapForms::slice_image(const DirectIndex& root) {
  DirectImage out = whole(root);
  const FormulaId away = f_.subtract(root[map_.dim], start()), extent = to_[map_.dim];
  if (extent == one()) {
    out.inside = f_.zero(away);
    out.index[map_.dim] = f_.number(0);
    return out;
  }
  out.sound = f_.at_least_zero(f_.subtract(step(), one()));
  const FormulaId at = f_.quotient(away, step());
  out.index[map_.dim] = at;
  out.inside = f_.all({f_.within(at, extent), f_.equal(away, f_.multiply(at, step()))});
  return out;
}

/// A dimension that was repeated holds an element once only if it was repeated at most once.
std::optional<DirectImage> MapForms::expand_image(const DirectIndex& root) {
  DirectImage out = whole(root);
  for (std::size_t k = 0; k < to_.size(); ++k) {
    if (from_[k] == to_[k]) continue;
    if (from_[k] != one()) return std::nullopt;
    out.index[k] = f_.number(0);
    out.inside = f_.all({out.inside, f_.at_least_zero(f_.subtract(to_[k], one()))});
    out.sound = f_.all({out.sound, f_.at_least_zero(f_.subtract(one(), to_[k]))});
  }
  return out;
}

DirectImage MapForms::diagonal_image(const DirectIndex& root) {
  DirectImage out = whole({});
  for (std::size_t k = 0; k < from_.size(); ++k)
    if (k != map_.dim && k != map_.other) out.index.push_back(root[k]);
  const FormulaId at = f_.subtract(root[map_.dim], start());
  out.inside = f_.all({f_.equal(f_.subtract(root[map_.other], step()), at), f_.within(at, to_.back())});
  out.index.push_back(to_.back() == one() ? f_.number(0) : at);
  return out;
}

/// Windows that do not overlap.
DirectImage MapForms::unfold_image(const DirectIndex& root) {
  DirectImage out = whole(root);
  const FormulaId window = f_.quotient(root[map_.dim], step());
  const FormulaId inside = f_.subtract(root[map_.dim], f_.multiply(window, step()));
  out.index[map_.dim] = window;
  out.index.push_back(inside);
  out.inside = f_.all({f_.within(window, to_[map_.dim]), f_.within(inside, to_.back())});
  out.sound = f_.all({f_.at_least_zero(f_.subtract(step(), one())),
                      f_.at_least_zero(f_.subtract(step(), to_.back()))});
  return out;
}

/// Digits of a mixed-radix number, if each stride exceeds what all smaller ones can reach together.
std::optional<DirectImage> MapForms::strided_image(const DirectIndex& root) {
  std::vector<std::size_t> dims;  // largest stride first, as far as that is seen; `sound` asks again
  std::vector<FormulaId> strides;
  for (PolyId s : map_.strides) strides.push_back(sizes_.of(s));
  for (std::size_t k = 0; k < to_.size(); ++k) {
    if (to_[k] == one()) continue;
    std::size_t at = 0;
    while (at < dims.size() && f_.surely_nonnegative(f_.subtract(strides[dims[at]], strides[k]))) ++at;
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(at), k);
  }
  DirectImage out = whole(DirectIndex(to_.size(), f_.number(0)));
  FormulaId reach = f_.number(0);
  for (auto k = dims.rbegin(); k != dims.rend(); ++k) {
    const FormulaId room = f_.subtract(f_.subtract(strides[*k], reach), one());
    out.sound = f_.all({out.sound, f_.at_least_zero(room)});
    reach = f_.add(reach, f_.multiply(strides[*k], f_.subtract(to_[*k], one())));
  }
  FormulaId rest = f_.subtract(root[0], start());
  for (std::size_t k : dims) {
    out.index[k] = f_.quotient(rest, strides[k]);
    out.inside = f_.all({out.inside, f_.within(out.index[k], to_[k])});
    rest = f_.subtract(rest, f_.multiply(out.index[k], strides[k]));
  }
  out.inside = f_.all({out.inside, f_.zero(rest)});
  return out;
}

std::optional<DirectImage> MapForms::image(const DirectIndex& given) {
  if (!well_formed() || given.size() < from_.size()) return std::nullopt;
  const auto rank = static_cast<std::ptrdiff_t>(from_.size());
  const DirectIndex root(given.begin(), given.begin() + rank);
  std::optional<DirectImage> out;
  switch (map_.kind) {
    case Map::Kind::slice:
      out = slice_image(root);
      break;
    case Map::Kind::permute:
      out = whole({});
      for (std::uint32_t k : map_.order) out->index.push_back(root[k]);
      break;
    case Map::Kind::reshape:
      out = whole(regrouped(root, from_, to_));
      break;
    case Map::Kind::expand:
      out = expand_image(root);
      break;
    case Map::Kind::diagonal:
      out = diagonal_image(root);
      break;
    case Map::Kind::unfold:
      out = unfold_image(root);
      break;
    case Map::Kind::strided:
      out = strided_image(root);
      break;
  }
  if (out) out->index.insert(out->index.end(), given.begin() + rank, given.end());
  return out;
}

bool any_bad(const DirectIndex& index) {
  return std::find(index.begin(), index.end(), Formulas::kBad) != index.end();
}

}  // namespace

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
  const std::vector<Map> maps = joined(view.maps);
  for (auto m = maps.rbegin(); m != maps.rend(); ++m) {
    auto next = MapForms(sizes, *m).root(index);
    if (!next) return std::nullopt;
    index = *std::move(next);
  }
  return any_bad(index) ? std::nullopt : std::optional(std::move(index));
}

std::optional<DirectImage> image_of(DirectSizes& sizes, const TraceView& view, DirectIndex root) {
  Formulas& f = sizes.formulas();
  DirectImage out{f.truth(true), f.truth(true), std::move(root)};
  for (const Map& m : joined(view.maps)) {
    auto next = MapForms(sizes, m).image(out.index);
    if (!next) return std::nullopt;
    out.inside = f.all({out.inside, next->inside});
    out.sound = f.all({out.sound, next->sound});
    out.index = std::move(next->index);
  }
  if (any_bad(out.index) || out.inside == Formulas::kBad || out.sound == Formulas::kBad) return std::nullopt;
  return out;
}

}  // namespace noclobber
