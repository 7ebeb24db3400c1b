#include "src/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace noclobber {

void internal_error(const char* file, int line, std::string_view what) {
  std::fprintf(stderr, "noclobber: internal error at %s:%d: %.*s\n", file, line,
               static_cast<int>(what.size()), what.data());
  std::fflush(stderr);
  std::_Exit(4);
}

}  // namespace noclobber
