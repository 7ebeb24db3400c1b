// View maps: the elements of its base that a view operator exposes, as the checker's primitive maps.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ops/sizes.h"
#include "src/trace/map.h"

namespace noclobber {

/// True if an extent is known to be negative. PyTorch makes no such tensor.
bool has_negative(Space& space, const Shape& shape);

/// The operand of a view operator. Strides count elements; absent if the dump does not state them.
struct Viewed {
  Shape shape;
  std::optional<std::vector<PolyId>> strides = std::nullopt;
  Dtype dtype = Dtype::other;
  std::vector<Shape> others = {};  // shapes of the operator's other tensors, in order
};

/// One view: the maps from its index space towards the base's (applied last to first), and its shape. If
/// `flat`, the maps start at the flat storage instead of at the base view (as_strided).
struct ViewMaps {
  std::vector<Map> maps;
  Shape shape;
  bool flat = false;
  std::optional<Dtype> dtype = std::nullopt;  // of a view that reinterprets bits
  /// How bits are reinterpreted: an element becomes one or several along the last dimension (view.dtype); a
  /// pair of parts in a dimension of their own (split), or back (joined); one part of each element (first,
  /// second).
  enum class Parts : std::uint8_t { along, split, joined, first, second };
  Parts parts = Parts::along;
};

/// The view rule of an operator, or nullptr. `op` has no overload: "aten.slice".
/// `arguments` are in schema order, the base first. A rule returns empty if sizes do not determine the view.
using ViewRule = std::optional<std::vector<ViewMaps>> (*)(Sizes&, const Viewed&,
                                                          const std::vector<Arg>& arguments);
ViewRule find_view_rule(std::string_view op);

/// An index of one element that is not known to be within its extent. PyTorch raises if it is out of range;
/// the rule describes the view for an index within range.
struct Doubted {
  PolyId index = 0, extent = 0;
};
/// True for the only rule whose indices can be in doubt.
bool shows_one_element(ViewRule rule);
std::optional<Doubted> doubted_index(Sizes& sizes, ViewRule rule, const Viewed& base,
                                     const std::vector<Arg>& arguments);

/// The strides of a view of a base with these strides; empty if they are unknown.
std::optional<std::vector<PolyId>> view_strides(Space& space, const std::vector<Map>& maps,
                                                const std::optional<std::vector<PolyId>>& base);

/// True if `shape` can be a view of the base without a copy (PyTorch's computeStride); empty if unknown.
std::optional<bool> can_view(Space& space, const Viewed& base, const Shape& shape);
/// The strides of empty_like (preserve_format) of a base that is not dense: its order of dimensions without
/// gaps. Empty if the order is unknown.
std::optional<std::vector<PolyId>> preserved_strides(Space& space, const Viewed& base);
/// True if these are the row-major strides of the shape (sizes of one do not matter); empty if unknown.
std::optional<bool> is_contiguous(Space& space, const Viewed& base);

/// True if `wanted` are the strides of the base, where sizes of one do not matter; empty if unknown.
std::optional<bool> has_strides(Space& space, const Viewed& base, const std::vector<PolyId>& wanted);

Map reshape_map(Shape from, Shape to);
/// `shape` with its -1 resolved against the element count; empty if that is undetermined.
std::optional<Shape> resolved_shape(Sizes& sizes, const Shape& from, const Arg& shape);

}  // namespace noclobber
