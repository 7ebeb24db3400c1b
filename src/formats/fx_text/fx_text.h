// Reader and writer of one graph in FX text.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// As `print_readable` writes it. error: `where` is "line N, column M", counted from 1 within `text`.
/// Relations learnt from the text (`_assert_scalar`) are not used.
struct FxGraph {
  Graph graph;
  std::map<std::string, SymbolRange> symbols;  // every symbol the text mentions; ranges as far as known
  bool has_strides = false;                    // annotations carried strides
  std::vector<OpDecl> ops;                     // operators whose effects only this text gives
};
Result<FxGraph> read_fx_text(std::string_view text);
/// Prints a graph so that read_fx_text gives the same graph back.
std::string write_fx_text(const Graph& graph);

}  // namespace noclobber
