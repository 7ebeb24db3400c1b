// Inverse images of views. Between reshapes every map is affine: the parent's index is a sum of the view's
// indices times factors. These equations are solved one by one; the value of one with several unknowns is
// read as a number in mixed radix.
#include <algorithm>

#include "src/second/direct_map.h"

namespace noclobber {
namespace {

/// One unknown index of the view.
struct ViewUnknown {
  FormulaId variable = Formulas::kBad, extent = Formulas::kBad;  // no variable: the index is 0
  std::optional<FormulaId> found;
};

/// root = rest + sum of factor * unknown.
struct ViewEquation {
  FormulaId rest = Formulas::kBad;
  std::vector<std::pair<std::size_t, FormulaId>> terms;  // (number of an unknown, factor)
};

class AffineImage {
 public:
  AffineImage(Formulas& f, std::vector<ViewUnknown> unknowns) : f_(f), unknowns_(std::move(unknowns)) {
    out_.inside = out_.sound = f_.truth(true);
  }
  /// Adds root = sum for one dimension of the parent; false if it is not affine.
  bool add(FormulaId root, FormulaId sum);
  DirectImage solved();

 private:
  std::vector<std::pair<std::size_t, FormulaId>> open_terms(ViewEquation& equation);
  void solve(ViewEquation& equation, std::vector<std::pair<std::size_t, FormulaId>> terms);
  std::size_t next();

  Formulas& f_;
  std::vector<ViewUnknown> unknowns_;
  std::vector<ViewEquation> equations_;
  DirectImage out_;
};

bool AffineImage::add(FormulaId root, FormulaId sum) {
  ViewEquation out;
  const std::vector<FormulaProduct> products = f_[sum].products;
  std::vector<FormulaId> factors(unknowns_.size(), f_.number(0));
  out.rest = root;
  for (const FormulaProduct& p : products) {
    FormulaId value = f_.number(p.factor);
    std::optional<std::size_t> which;
    for (FormulaId a : p.atoms) {
      const FormulaId atom = f_.of_atom(a);
      const auto at = std::find_if(unknowns_.begin(), unknowns_.end(),
                                   [&](const ViewUnknown& u) { return u.variable == atom; });
      if (at == unknowns_.end()) {
        value = f_.multiply(value, atom);
      } else if (which) {
        return false;
      } else {
        which = static_cast<std::size_t>(at - unknowns_.begin());
      }
    }
    if (which) factors[*which] = f_.add(factors[*which], value);
    if (!which) out.rest = f_.subtract(out.rest, value);
  }
  for (std::size_t k = 0; k < factors.size(); ++k)
    if (factors[k] != f_.number(0)) out.terms.emplace_back(k, factors[k]);
  equations_.push_back(std::move(out));
  return true;
}

/// The terms whose unknown is not yet found; moves the others into the rest.
std::vector<std::pair<std::size_t, FormulaId>> AffineImage::open_terms(ViewEquation& equation) {
  std::vector<std::pair<std::size_t, FormulaId>> open;
  for (const auto& [which, factor] : equation.terms) {
    const auto& found = unknowns_[which].found;
    if (!found) open.emplace_back(which, factor);
    if (found) equation.rest = f_.subtract(equation.rest, f_.multiply(factor, *found));
  }
  equation.terms = open;
  return open;
}

/// The equation with the fewest unknowns; of those with one unknown, first one whose factor is 1.
std::size_t AffineImage::next() {
  std::size_t best = 0, best_cost = ~std::size_t{0};
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const auto open = open_terms(equations_[k]);
    const bool plain = open.size() == 1 && open[0].second == f_.number(1);
    const std::size_t cost = open.size() * 2 - (plain ? 1 : 0);
    if (cost < best_cost) {
      best = k;
      best_cost = cost;
    }
  }
  return best;
}

/// Solves for the unknown with the largest factor first, as far as bounds tell. `sound` requires that each
/// factor exceeds the reach of all smaller ones.
void AffineImage::solve(ViewEquation& equation, std::vector<std::pair<std::size_t, FormulaId>> terms) {
  std::vector<std::pair<std::size_t, FormulaId>> sorted;
  for (const auto& term : terms) {
    std::size_t at = 0;
    while (at < sorted.size() && f_.surely_nonnegative(f_.subtract(sorted[at].second, term.second))) ++at;
    sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(at), term);
  }
  FormulaId reach = f_.number(0);
  for (auto t = sorted.rbegin(); t != sorted.rend(); ++t) {
    const FormulaId room = f_.subtract(f_.subtract(t->second, reach), f_.number(1));
    out_.sound = f_.all({out_.sound, f_.at_least_zero(room)});
    const FormulaId last = f_.subtract(unknowns_[t->first].extent, f_.number(1));
    reach = f_.add(reach, f_.multiply(t->second, last));
  }
  for (const auto& [which, factor] : sorted) {
    const FormulaId at = f_.quotient(equation.rest, factor);
    unknowns_[which].found = at;
    out_.inside = f_.all({out_.inside, f_.within(at, unknowns_[which].extent)});
    equation.rest = f_.subtract(equation.rest, f_.multiply(at, factor));
  }
  out_.inside = f_.all({out_.inside, f_.zero(equation.rest)});
}

DirectImage AffineImage::solved() {
  while (!equations_.empty()) {
    const std::size_t k = next();
    ViewEquation equation = equations_[k];
    equations_.erase(equations_.begin() + static_cast<std::ptrdiff_t>(k));
    solve(equation, equation.terms);
  }
  for (const ViewUnknown& u : unknowns_) {
    out_.index.push_back(u.found ? *u.found : f_.number(0));
    if (u.found || u.variable == Formulas::kBad) continue;
    // No equation has this unknown, so its extent must be at most 1.
    out_.inside = f_.all({out_.inside, f_.at_least_zero(f_.subtract(u.extent, f_.number(1)))});
    out_.sound = f_.all({out_.sound, f_.at_least_zero(f_.subtract(f_.number(1), u.extent))});
  }
  return std::move(out_);
}

/// `maps` has no reshape. Indices behind those of the maps pass unchanged.
std::optional<DirectImage> affine_image(DirectSizes& sizes, const std::vector<Map>& maps,
                                        const DirectIndex& root) {
  Formulas& f = sizes.formulas();
  std::size_t behind = root.size(), count = root.size();
  for (const Map& m : maps) {
    if (count < m.from.size()) return std::nullopt;
    behind = std::min(behind, count - m.from.size());
    count = count - m.from.size() + m.to.size();
  }
  const std::vector<FormulaId> extents = sizes.of(maps.back().to);
  std::vector<ViewUnknown> unknowns(count - behind);
  DirectIndex index;
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    if (k >= extents.size()) return std::nullopt;  // an index that only some maps pass on
    unknowns[k].extent = extents[k];
    index.push_back(f.index("w" + std::to_string(k), extents[k]));
    if (extents[k] != f.number(1)) unknowns[k].variable = index.back();
  }
  const DirectIndex passed(root.end() - static_cast<std::ptrdiff_t>(behind), root.end());
  index.insert(index.end(), passed.begin(), passed.end());
  for (auto m = maps.rbegin(); m != maps.rend(); ++m) {
    auto up = MapForms(sizes, *m).root(index);
    if (!up) return std::nullopt;
    index = *std::move(up);
  }
  if (any_bad(index) || index.size() != root.size()) return std::nullopt;
  AffineImage image(f, std::move(unknowns));
  for (std::size_t k = 0; k + behind < index.size(); ++k)
    if (!image.add(root[k], index[k])) return std::nullopt;
  DirectImage out = image.solved();
  out.index.insert(out.index.end(), passed.begin(), passed.end());
  return out;
}

}  // namespace

std::optional<DirectImage> image_of(DirectSizes& sizes, const TraceView& view, DirectIndex root) {
  Formulas& f = sizes.formulas();
  DirectImage out{f.truth(true), f.truth(true), std::move(root)};
  const std::vector<Map> maps = joined_maps(view.maps);
  for (std::size_t begin = 0; begin < maps.size();) {
    if (maps[begin].kind == Map::Kind::reshape) {
      MapForms reshape(sizes, maps[begin++]);
      if (out.index.size() < reshape.from().size()) return std::nullopt;
      out.index = reshape.reshaped_back(out.index);
      continue;
    }
    std::size_t end = begin;
    while (end < maps.size() && maps[end].kind != Map::Kind::reshape) ++end;
    const auto first = maps.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto next =
        affine_image(sizes, {first, maps.begin() + static_cast<std::ptrdiff_t>(end)}, out.index);
    if (!next) return std::nullopt;
    out.inside = f.all({out.inside, next->inside});
    out.sound = f.all({out.sound, next->sound});
    out.index = next->index;
    begin = end;
  }
  if (any_bad(out.index) || out.inside == Formulas::kBad || out.sound == Formulas::kBad) return std::nullopt;
  return out;
}

}  // namespace noclobber
