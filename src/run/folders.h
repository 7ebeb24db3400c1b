// The inputs in a directory on the command line.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/result.h"

namespace noclobber {

struct FoundInput {
  enum class Kind : std::uint8_t { file, tlparse, debug, thunder };
  Kind kind = Kind::file;
  std::string path;
  friend bool operator==(const FoundInput&, const FoundInput&) = default;
};

struct FoundInputs {
  std::vector<FoundInput> inputs;
  std::vector<std::string> skipped;  // files that have no known format; relative to the directory
};

/// All inputs in `directory` and below, sorted by path. The format of each file is detected as if it were on
/// the command line. A folder of tlparse output, of TORCH_COMPILE_DEBUG or of numbered Thunder traces is one
/// input; a tlparse folder with its raw log is replaced by that log. Links to folders are not followed.
/// error: `where` is the folder that could not be listed.
Result<FoundInputs> inputs_in(const std::string& directory);

}  // namespace noclobber
