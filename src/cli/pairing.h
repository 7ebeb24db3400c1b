// `compare BEFORE AFTER`: two graphs from two files become one Case.
#pragma once
#include <string>

#include "src/base/result.h"
#include "src/formats/pte_program.h"
#include "src/graph/case.h"

namespace noclobber {

/// One side of a comparison: the graph, and what its file says about symbols, operators and storages.
struct Side {
  std::vector<PteMethod> program;  // of a .pte: its graph depends on the other side
  Case facts;                      // without graphs
  Graph graph;
  bool knows_storages = false;    // a case says which inputs share storage, FX text does not
  bool knows_kinds = false;       // an exported program says what is a parameter, and which of them share
  bool compares_strides = false;  // its strides were written down and matter
};

/// Of a case with two graphs BEFORE takes `before` and AFTER takes `after`.
/// error: `where` is a place in the text.
Result<Side> read_side(const std::string& text, bool is_before);

/// Inputs match by name; if the names differ, by position. Symbols match as the sizes of inputs do; their
/// ranges are those of `before`.
/// error: inputs do not match, or the two files declare one operator differently (`where` names it).
Result<Case> pair_of(Side before, Side after);

}  // namespace noclobber
