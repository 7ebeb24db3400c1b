// Files as bytes.
#pragma once
#include <cstddef>
#include <string>

#include "src/base/result.h"

namespace noclobber {

/// A file's bytes, unpacked if they are gzip (by content); "-" is standard input. error: `where` is the
/// path. Bound: `max_bytes` after unpacking.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes = std::size_t{4} << 30);

/// "logs/simple.case.json.gz" -> "simple": the id of a check that has no other name. "-" -> "stdin".
std::string stem_of(const std::string& path);

}  // namespace noclobber
