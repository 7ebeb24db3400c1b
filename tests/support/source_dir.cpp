#include "tests/support/source_dir.h"

namespace noclobber {

std::string in_sources(std::string_view path) { return NC_SOURCE_DIR + std::string(path); }

}  // namespace noclobber
