// The end of fx_graph_runnable: how the inputs of a graph lie in memory.
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

/// The tensors in order of the graph's inputs; nothing if the text does not say, or not in this form.
std::optional<std::vector<LoadedTensor>> read_load_args(std::string_view text);

/// Gives the inputs of both graphs their strides, offsets and storages. False, and nothing is changed, if
/// they are not these tensors.
bool place_inputs(Case& value, const std::vector<LoadedTensor>& tensors);

}  // namespace noclobber
