// The end of fx_graph_runnable: the memory layout of the inputs of a graph.
//
//   buf0 = reader.storage(None, 96)
//   reader.tensor(buf0, (4, 6), (6, 1), dtype=torch.int64, storage_offset=4, is_leaf=True)  # arg0_1
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

struct LoadedTensor {
  std::string storage;
  SymExpr bytes;  // of the storage
  Type type;      // strides are given
};

/// The tensors in order of the graph's inputs; empty if the text does not give them in this form.
std::optional<std::vector<LoadedTensor>> read_load_args(std::string_view text);

/// Sets the strides, offsets and storages of the inputs of both graphs. Returns false and changes nothing if
/// the inputs do not match the tensors.
bool place_inputs(Case& value, const std::vector<LoadedTensor>& tensors);

}  // namespace noclobber
