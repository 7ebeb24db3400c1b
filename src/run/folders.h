// What a directory on the command line holds.
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
  std::vector<std::string> skipped;  // files that are nothing that is read, below the directory
};

/// Whatever can be checked in `directory` and below, and what is left: each file is sniffed as if it were
/// named. Output of tlparse, folders of TORCH_COMPILE_DEBUG and folders of numbered Thunder traces are one
/// input each. Sorted by path. A tlparse folder that still has its log is that log. Links to folders are not
/// followed. error: `where` is the folder that could not be listed.
Result<FoundInputs> inputs_in(const std::string& directory);

}  // namespace noclobber
