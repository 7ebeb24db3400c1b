#include "tests/support/sample.h"

#include <algorithm>
#include <cstdlib>

namespace noclobber::testing {
namespace {

#if defined(NC_TESTS_WATCHED)
constexpr std::size_t kEvery = 12;
#else
constexpr std::size_t kEvery = 1;
#endif

}  // namespace

std::size_t every() {
  const char* text = std::getenv("NC_EVERY");
  if (text != nullptr) return std::max<std::size_t>(std::strtoull(text, nullptr, 10), 1);
  return kEvery;
}

}  // namespace noclobber::testing
