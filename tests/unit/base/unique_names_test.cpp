#include "src/base/unique_names.h"

#include "tests/catch.h"

namespace unique_names_test {

using namespace noclobber;

TEST_CASE("names are as wanted, or the first that is free behind") {
  UniqueNames names({"a", "b_1"});
  CHECK(names.fresh("x") == "x");
  CHECK(names.fresh("x") == "x_1");
  CHECK(names.fresh("a") == "a_1");
  CHECK(names.fresh("b") == "b");
  CHECK(names.fresh("b") == "b_2");
  CHECK(names.fresh("b_1") == "b_1_1");
  names.take("x_2");
  CHECK(names.fresh("x") == "x_3");
}

/// A program of 40,000 calls that share one name took half a minute (corpus/fuzz/pte/7b500218...).
TEST_CASE("many names of one stem are all different") {
  UniqueNames names;
  std::set<std::string> given;
  for (int k = 0; k < 40000; ++k) CHECK(given.insert(names.fresh("t")).second);
}

}  // namespace unique_names_test
