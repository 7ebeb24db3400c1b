#include "src/base/suggest.h"

#include <array>

#include "tests/catch.h"

namespace suggest_test {

using namespace noclobber;

TEST_CASE("edit distance", "[cli]") {
  CHECK(edit_distance("check", "check") == 0);
  CHECK(edit_distance("chekc", "check") == 1);  // a swap
  CHECK(edit_distance("chck", "check") == 1);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance(std::string(1000, 'a'), "") == 64);
}

TEST_CASE("nearest: what may be meant, and nothing else", "[cli]") {
  constexpr std::array<std::string_view, 4> known = {"check", "compare", "trace", "explain"};
  CHECK(nearest("chekc", known) == "check");
  CHECK(nearest("comparee", known) == "compare");
  CHECK(nearest("trase", known) == "trace");
  CHECK(nearest("zzzzz", known).empty());
  CHECK(nearest("", known).empty());
}

}  // namespace suggest_test
