// View maps: which elements of its base a view operator shows, as the checker's primitive maps.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ops/sizes.h"
#include "src/trace/map.h"

namespace noclobber {

/// Is an extent known to be less than 0? PyTorch makes no such tensor.
bool has_negative(Space& space, const Shape& shape);

/// What a view operator is applied to. Strides count elements; absent where the dump does not say.
struct Viewed {
  Shape shape;
  std::optional<std::vector<PolyId>> strides = std::nullopt;
  Dtype dtype = Dtype::other;
  std::vector<Shape> others = {};  // shapes of the operator's other tensors, in order
};

/// One view: the maps from its index space towards the base's (applied last to first), and its shape.
/// `flat`: the maps start at the flat storage instead of at the base view (as_strided).
struct ViewMaps {
  std::vector<Map> maps;
  Shape shape;
  bool flat = false;
  std::optional<Dtype> dtype = std::nullopt;  // of a view that reinterprets bits
  /// How it does so: an element becomes one or several along the last dimension (view.dtype); a pair of
  /// parts in a dimension of their own, or back; one part of each element.
  enum class Parts : std::uint8_t { along, split, joined, first, second };
  Parts parts = Parts::along;
};

/// The rule of a view operator, or nullptr. `op` has no overload: "aten.slice".
/// `arguments` are in schema order, the base first. A rule gives nothing where sizes leave it open.
using ViewRule = std::optional<std::vector<ViewMaps>> (*)(Sizes&, const Viewed&,
                                                          const std::vector<Arg>& arguments);
ViewRule find_view_rule(std::string_view op);

/// An index of one element of so many, of which nobody knows that there is one: where there is none, PyTorch
/// raises, and what the rule says is of where there is one.
struct Doubted {
  PolyId index = 0, extent = 0;
};
/// Only this rule's indices are ever in doubt.
bool shows_one_element(ViewRule rule);
std::optional<Doubted> doubted_index(Sizes& sizes, ViewRule rule, const Viewed& base,
                                     const std::vector<Arg>& arguments);

/// The strides of a view of a base with these strides; nothing where they are unknown.
std::optional<std::vector<PolyId>> view_strides(Space& space, const std::vector<Map>& maps,
                                                const std::optional<std::vector<PolyId>>& base);

/// Can `shape` be a view of the base without a copy (PyTorch's computeStride)? Nothing: not known.
std::optional<bool> can_view(Space& space, const Viewed& base, const Shape& shape);
/// Strides of empty_like (preserve_format) of a base that is not dense: its order of dimensions without gaps.
/// Nothing where the order cannot be told.
std::optional<std::vector<PolyId>> preserved_strides(Space& space, const Viewed& base);
/// Are these the row-major strides of the shape (sizes of one do not matter)? Nothing: not known.
std::optional<bool> is_contiguous(Space& space, const Viewed& base);

/// Are these the strides of the base, where sizes of one do not matter? Nothing: not known.
std::optional<bool> has_strides(Space& space, const Viewed& base, const std::vector<PolyId>& wanted);

Map reshape_map(Shape from, Shape to);
/// `shape` with a -1 in it resolved against the element count; nothing where that is open.
std::optional<Shape> resolved_shape(Sizes& sizes, const Shape& from, const Arg& shape);

}  // namespace noclobber
