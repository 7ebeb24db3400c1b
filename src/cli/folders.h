// What a directory on the command line holds.
#pragma once
#include <string>
#include <vector>

#include "src/base/result.h"

namespace noclobber {

struct FoundInput {
  enum class Kind : std::uint8_t { file, tlparse, debug };
  Kind kind = Kind::file;
  std::string path;
  friend bool operator==(const FoundInput&, const FoundInput&) = default;
};

/// TORCH_TRACE logs, cases, exported and serialized programs in `directory` and below, output of tlparse, and
/// folders of TORCH_COMPILE_DEBUG; sorted by path. A tlparse folder that still has its log is that log.
/// error: `where` is the folder that could not be listed.
Result<std::vector<FoundInput>> inputs_in(const std::string& directory);

}  // namespace noclobber
