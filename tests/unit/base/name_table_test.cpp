// Names and their numbers, beside a map.
#include "src/base/name_table.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace name_table_test {

using namespace noclobber;

TEST_CASE("names are found by their numbers in a list that grows") {
  std::vector<std::string> names;
  const auto list = [&](std::uint32_t k) -> std::string_view { return names[k]; };
  NameNumbers numbers;
  CHECK_FALSE(numbers.find("", list));
  CHECK_FALSE(numbers.find("v0", list));
  for (std::uint32_t k = 0; k < 1000; ++k) {
    // Short and long ones, and some whose first, middle and last eight bytes are the same.
    names.push_back(k % 3 == 0   ? "v" + std::to_string(k)
                    : k % 3 == 1 ? "a name that is long " + std::to_string(k)
                                 : "aaaaaaaa" + std::to_string(1000 + k) + std::string(24, 'a'));
    CHECK_FALSE(numbers.find(names.back(), list));
    numbers.add(k, list);
  }
  for (std::uint32_t k = 0; k < 1000; ++k) CHECK(numbers.find(names[k], list) == k);
  CHECK_FALSE(numbers.find("v1", list));
  CHECK_FALSE(numbers.find("", list));
  numbers.clear();
  CHECK_FALSE(numbers.find("v0", list));
  names.assign(1, "");
  numbers.add(0, list);
  CHECK(numbers.find("", list) == 0);
}

}  // namespace name_table_test
