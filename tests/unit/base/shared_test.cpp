// What copies share stays what it was when one of them is changed.
#include "src/base/shared.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace shared_test {

using namespace noclobber;

namespace {

struct Pair {
  int one = 0;
  std::string two;
  friend bool operator==(const Pair&, const Pair&) = default;
};

}  // namespace

TEST_CASE("shared: a list is changed for one of its copies alone") {
  Shared<std::vector<int>> list{1, 2, 3};
  const Shared<std::vector<int>> copy = list;
  CHECK(list.place() == copy.place());
  for (int& item : list.items()) item += 10;
  CHECK(list.place() != copy.place());
  CHECK((list.at(0) == 11 && copy.at(0) == 1));
  CHECK(!(list == copy));
  const void* own = list.place();
  for (int& item : list.items()) item -= 10;
  CHECK(list.place() == own);  // nobody shares it any more
  CHECK(list == copy);
}

TEST_CASE("shared: nothing takes no room, and items of nothing make none") {
  Shared<std::vector<int>> none;
  CHECK(none.items().empty());
  CHECK(none.place() == nullptr);
  CHECK(none == std::vector<int>());
  CHECK(Shared<std::vector<int>>(std::vector<int>()).place() == nullptr);
  CHECK(Shared<std::string>("").place() == nullptr);
  CHECK(Shared<Pair>(Pair()).place() == nullptr);
}

TEST_CASE("shared: something that is no list") {
  Shared<Pair> one;
  CHECK((one->one == 0 && one->two.empty()));
  Shared<Pair> other = one;
  other.edit().two = "b";
  CHECK((one->two.empty() && other->two == "b"));
  CHECK(!(one == other));
  one = Pair{0, "b"};
  CHECK(one == other);
  CHECK(one.place() != other.place());
  one.edit() = Pair();
  CHECK(one == Shared<Pair>());  // with or without room
}

}  // namespace shared_test
