// One side of a comparison.
#pragma once
#include <optional>
#include <vector>

#include "src/formats/mlx/held_numbers.h"
#include "src/formats/pte/program.h"
#include "src/graph/case.h"
#include "src/graph/registers.h"

namespace noclobber {

/// The graph, and what its file states about symbols, operators and storages.
struct Side {
  std::vector<PteMethod> program;          // of a .pte; its graph depends on the other side
  std::optional<RegisterProgram> payload;  // of an MLX delegate; its graph does, too
  MlxHeldNumbers payload_numbers;          // that its instructions hold
  Case facts;                              // without graphs
  Graph graph;
  bool knows_storages = false;    // which inputs share storage: a case states it, FX text does not
  bool knows_kinds = false;       // which inputs are weights, and which of these share: a .pt2 states it
  bool compares_strides = false;  // its file states strides, and they matter
};

}  // namespace noclobber
