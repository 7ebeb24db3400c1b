#include "src/base/few.h"

#include <cstdint>
#include <string>
#include <vector>

#include "tests/catch.h"

namespace few_test {

using namespace noclobber;

namespace {

/// Everything that a list may do, beside a vector that does the same.
template <class T>
void compare(const std::vector<T>& items) {
  Few<T> list;
  std::vector<T> all;
  const auto same = [&](const Few<T>& a, const std::vector<T>& b) {
    CHECK((a.size() == b.size() && a.empty() == b.empty() && std::vector<T>(a.begin(), a.end()) == b));
  };
  for (const T& item : items) {
    list.push_back(item), all.push_back(item);
    same(list, all);
    CHECK((list.front() == all.front() && list.back() == all.back()));
    Few<T> copy = list, moved = std::move(copy), assigned{items.back()};
    same(moved, all), same(copy, {});
    assigned = list;
    CHECK(assigned == list);
    assigned.push_back(assigned.front());
    CHECK(!(assigned == list));
    list = std::move(assigned);
    same(assigned, {});
    list.pop_back();
    same(list, all);
    for (std::size_t k = 0; k < all.size(); ++k) {
      Few<T> fewer = list;
      std::vector<T> left = all;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
      same(fewer, left);
      fewer.assign(items.begin(), items.end());
      same(fewer, items);
      const auto from = static_cast<std::ptrdiff_t>(k);
      fewer.erase(fewer.begin() + from, fewer.end());
      same(fewer, {items.begin(), items.begin() + from});
      fewer.resize(k + 2);
      left.assign(items.begin(), items.begin() + from), left.resize(k + 2);
      same(fewer, left);
      fewer.assign(k, items.back());
      same(fewer, std::vector<T>(k, items.back()));
      fewer.emplace_back(items.front());
      CHECK((fewer.back() == items.front() && fewer.at(k) == items.front()));
    }
  }
  list.clear();
  same(list, {});
}

}  // namespace

TEST_CASE("a list of few items does what a vector does") {
  compare<std::string>({"a", "one that is too long for the text itself", "", "b", "c"});
  compare<std::uint32_t>({7, 8, 9, 10, 11});
  static_assert(sizeof(Few<std::uint32_t>) == 16);
}

}  // namespace few_test
