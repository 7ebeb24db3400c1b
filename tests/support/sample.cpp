#include "tests/support/sample.h"

#include <algorithm>
#include <cstdlib>

namespace noclobber::testing {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSlow = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSlow = true;
#else
constexpr bool kSlow = false;
#endif
#else
constexpr bool kSlow = false;
#endif

}  // namespace

std::size_t every() {
  const char* text = std::getenv("NC_EVERY");
  if (text != nullptr) return std::max<std::size_t>(std::strtoull(text, nullptr, 10), 1);
  return kSlow ? 6 : 1;
}

}  // namespace noclobber::testing
