// Reduced and kept dimensions of a tensor.
#pragma once
#include <optional>

#include "src/kernels/kernels.h"

namespace noclobber {

/// `dims` of `g` are reduced; both parts as geometries, so that kept.at(i) + reduced.at(j) is a position.
struct Axes {
  Geometry kept, reduced;
  Extents shape;          // of the result
  Extents reduced_shape;  // sizes of the reduced dimensions, outermost first
};

/// No dims: all. Nothing, with a fault, where PyTorch raises.
std::optional<Axes> axes_of(Call& call, const Geometry& g, const Extents& dims, bool keep);

}  // namespace noclobber
