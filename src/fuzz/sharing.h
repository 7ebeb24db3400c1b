// Which values of a program share a storage, judged by schemas.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "src/graph/case.h"
#include "src/ops/decl.h"

namespace noclobber::fuzz {

/// The root of each value's storage: an input, or the value that a step makes anew.
struct Sharing {
  std::map<std::uint32_t, std::uint32_t> root;
  std::map<std::uint32_t, std::string>
      how;  // for a root with several names: "views" or "views of another dtype"
};
Sharing sharing_of(const OpSet& ops, const Graph& graph);

}  // namespace noclobber::fuzz
