// One of the two things that a comparison compares.
#pragma once
#include <optional>
#include <vector>

#include "src/formats/mlx/held_numbers.h"
#include "src/formats/pte/program.h"
#include "src/graph/case.h"
#include "src/graph/registers.h"

namespace noclobber {

/// One side of a comparison: the graph, and what its file says about symbols, operators and storages.
struct Side {
  std::vector<PteMethod> program;          // of a .pte: its graph depends on the other side
  std::optional<RegisterProgram> payload;  // of an MLX delegate: so does its
  MlxHeldNumbers payload_numbers;          // what its instructions hold besides registers
  Case facts;                              // without graphs
  Graph graph;
  bool knows_storages = false;    // a case says which inputs share storage, FX text does not
  bool knows_kinds = false;       // an exported program says what is a parameter, and which of them share
  bool compares_strides = false;  // its strides were written down and matter
};

}  // namespace noclobber
