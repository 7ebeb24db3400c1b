// Archives of torch.export.
#pragma once
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// Reads the exported programs of an archive as graphs to check, in archive order. A Case has the name of its
/// model. error: `where` is the member and the JSON pointer in it. `with_contents`: also adds digests of the
/// weights, which requires reading all of them.
Result<std::vector<Case>> read_pt2(std::string_view bytes, bool with_contents = false);

}  // namespace noclobber
