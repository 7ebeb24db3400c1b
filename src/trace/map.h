// The primitive maps that every view is composed of, and their inverses.
//
// A map leads from the index space of a view (`to`) to that of its parent (`from`). Trailing indices beyond
// the rank of the map, the bytes of an element, pass through unchanged.
#pragma once
#include "checker/kernel/poly.h"

namespace noclobber {

using Index = std::vector<PolyId>;
using Shape = std::vector<PolyId>;

struct Map {
  enum class Kind : std::uint8_t {
    slice,     // parent[dim] = start + step * i[dim]
    permute,   // parent[order[k]] = i[k]
    reshape,   // the same elements in row-major order
    expand,    // equal ranks; parent[k] = 0 where from[k] is 1
    diagonal,  // parent[dim] = i.back() + start, parent[other] = i.back() + step; the rest in order
    unfold,    // parent[dim] = i[dim] * step + i.back()
    strided,   // from is one-dimensional: parent[0] = start + sum of strides[k] * i[k]
  };
  Kind kind = Kind::reshape;
  Shape from, to;
  std::uint32_t dim = 0, other = 0;
  PolyId start = 0, step = 0;
  std::vector<std::uint32_t> order;
  std::vector<PolyId> strides;
  friend bool operator==(const Map&, const Map&) = default;
};

/// poly >= 0, or poly == 0.
struct Condition {
  bool zero = false;
  PolyId poly = 0;
  friend auto operator<=>(const Condition&, const Condition&) = default;
};

/// Where an element of the parent lies in a view: at `index` if all conditions hold, else nowhere.
struct Inverse {
  std::vector<Condition> conditions;
  Index index;
};

/// A map other than reshape: parent[d] = start[d] + sum of by * i[to] over the factors with `from` d. They
/// are ordered so that the first factor of each i[to] determines it, once the indices before it are known.
struct Affine {
  struct Factor {
    std::uint32_t to = 0, from = 0;
    PolyId by = 0;
  };
  Index start;
  std::vector<Factor> factors;
};
Affine affine(Space& space, const Map& map);
/// The groups of a reshape that hold the same elements in row-major order, as the ends (from, to) of each.
std::vector<std::pair<std::uint32_t, std::uint32_t>> group_ends(Space& space, const Map& map);
/// True if ranks and dimensions fit the kind. All other functions here require it.
bool well_formed(const Map& map);
/// The index in the parent of element `index` of the view. An entry that cannot be computed is kBad.
Index forward(Space& space, const Map& map, const Index& index);
/// Empty unless it is shown that no two elements of the view are one element of the parent.
std::optional<Inverse> inverse(Space& space, const Map& map, const Index& parent);
/// The same for a chain of maps: where an element of the storage lies in the view.
std::optional<Inverse> inverse(Space& space, const std::vector<Map>& maps, Index root);
/// The row-major position of `index` in `shape`, and the index at a position.
PolyId linear(Space& space, std::span<const PolyId> shape, std::span<const PolyId> index);
Index delinear(Space& space, std::span<const PolyId> shape, PolyId position);
PolyId element_count(Space& space, const Shape& shape);
/// The running index of a shape: i0, i1, ... and that of the bytes if there are lanes.
Index running(Space& space, const Shape& shape, std::int64_t lanes = 0);

enum class Truth : std::uint8_t { unknown, yes, no };
/// Whether the condition holds under the space's own facts and `facts` (each >= 0).
Truth holds(Space& space, const Condition& condition, const std::vector<PolyId>& facts);

}  // namespace noclobber
