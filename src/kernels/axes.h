// Reduced and kept dimensions of a tensor.
#pragma once
#include <optional>

#include "src/kernels/kernels.h"

namespace noclobber {

/// The dimensions `dims` of `g` are reduced. Both parts are geometries: kept.at(i) + reduced.at(j) is a
/// position (elements).
struct Axes {
  Geometry kept, reduced;
  Extents shape;          // of the result
  Extents reduced_shape;  // sizes of the reduced dimensions, outermost first
};

/// Empty `dims`: all are reduced. Empty, with a fault, if PyTorch raises.
std::optional<Axes> axes_of(Call& call, const Geometry& g, const Extents& dims, bool keep);

}  // namespace noclobber
