// The few primitive maps that every view is made of, and their inverses.
//
// A map leads from the index space of a view (`to`) to that of its parent (`from`). Trailing indices beyond
// the map's own rank pass through unchanged (they are the bytes of an element).
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

/// Where a parent's element lies in a view: nowhere unless all conditions hold, else at `index`.
struct Inverse {
  std::vector<Condition> conditions;
  Index index;
};

/// Every map but reshape: parent[d] = start[d] + sum of by * i[to] over the factors with `from` d, in an
/// order in which the first factor of each i[to] tells it, once those before it are known.
struct Affine {
  struct Factor {
    std::uint32_t to = 0, from = 0;
    PolyId by = 0;
  };
  Index start;
  std::vector<Factor> factors;
};
Affine affine(Space& space, const Map& map);
/// Of a reshape: up to which dimensions of both sides the same elements lie, in row-major order.
std::vector<std::pair<std::uint32_t, std::uint32_t>> group_ends(Space& space, const Map& map);
/// Do ranks and dimensions fit the kind? All else here expects it.
bool well_formed(const Map& map);
/// Index in the parent of element `index` of the view. Bad entries where the map cannot be computed.
Index forward(Space& space, const Map& map, const Index& index);
/// Nothing if two elements of the view may be one element of the parent, or that cannot be excluded.
std::optional<Inverse> inverse(Space& space, const Map& map, const Index& parent);
/// Of a chain: where an element of the storage lies in the view.
std::optional<Inverse> inverse(Space& space, const std::vector<Map>& maps, Index root);
/// Row-major position of `index` in `shape`, and back.
PolyId linear(Space& space, std::span<const PolyId> shape, std::span<const PolyId> index);
Index delinear(Space& space, std::span<const PolyId> shape, PolyId position);
PolyId element_count(Space& space, const Shape& shape);
/// The running index of a shape: i0, i1, ... and that of the bytes, where there are lanes.
Index running(Space& space, const Shape& shape, std::int64_t lanes = 0);

enum class Truth : std::uint8_t { unknown, yes, no };
/// Under the space's own facts and `facts` (each >= 0).
Truth holds(Space& space, const Condition& condition, const std::vector<PolyId>& facts);

}  // namespace noclobber
