// Which values of a program lie on one storage, as far as schemas tell.
#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "src/graph/case.h"
#include "src/ops/decl.h"

namespace noclobber::fuzz {

/// Values of one storage by the value at their root, which is an input or what a step makes anew.
struct Sharing {
  std::map<std::uint32_t, std::uint32_t> root;
  std::map<std::uint32_t, std::string>
      how;  // of a root with several names: "views", "views of another dtype"
};
Sharing sharing_of(const OpSet& ops, const Graph& graph);

}  // namespace noclobber::fuzz
