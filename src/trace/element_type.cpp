#include "src/trace/element_type.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "src/base/check.h"

namespace noclobber {
namespace {

/// One thread at a time adds names. A thread that has the number of a name may read the name meanwhile, since
/// it never moves.
struct TypeNames {
  std::array<std::string, 256> all;
  std::size_t count = 1;
  std::mutex adding;
};

TypeNames& type_names() {
  static TypeNames names;
  return names;
}

}  // namespace

const std::string& ElementType::operator*() const { return type_names().all[number_]; }

std::uint16_t ElementType::number_of(std::string_view name) {
  TypeNames& names = type_names();
  const std::scoped_lock lock(names.adding);
  const auto end = names.all.begin() + static_cast<std::ptrdiff_t>(names.count);
  const auto at = std::find(names.all.begin(), end, name);
  if (at == end) {
    NC_CHECK(names.count < names.all.size(), "too many element types");
    names.all[names.count++] = name;
  }
  return static_cast<std::uint16_t>(at - names.all.begin());
}

}  // namespace noclobber
