#include "src/trace/storage_key.h"

#include "src/base/number.h"

namespace noclobber {

/// Splits each text in one way only: the number has no leading zeros.
StorageKey StorageKey::split(std::string_view text) {
  const std::size_t begin = text.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
  const std::string_view digits = text.substr(begin);
  const auto number = leading_number<std::uint32_t>(digits);
  const bool plain = number && *number < kNoNumber && (digits.front() != '0' || digits.size() == 1);
  if (!plain) return StorageKey(Shared<std::string>(text), kNoNumber);
  return StorageKey(Shared<std::string>(text.substr(0, begin)), *number);
}

}  // namespace noclobber
