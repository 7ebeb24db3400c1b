// A single graph: is everything that leaves it written somewhere?
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace covered_test {

using namespace noclobber;

namespace {

/// r, made of x (3 by 2) and w (3 by 1) by `steps`.
Status single(const std::string& steps) {
  const auto value = read_case_json(
      R"({"format": "noclobber.case/1", "name": "t", "after": {"inputs": [
           {"name": "x", "type": {"dtype": "f32", "shape": [3, 2]}},
           {"name": "w", "type": {"dtype": "f32", "shape": [3, 1]}}], "steps": [)" +
      steps + R"(], "outputs": [{"ref": "r"}]}})");
  INFO((value ? "" : value.fault().where + " " + value.fault().message));
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*value, {}, contradiction).status;
}

}  // namespace

TEST_CASE("pieces cover what they are joined to, single columns too", "[covered]") {
  CHECK(single(R"({"name": "r", "op": "aten.cat.default", "args": [[{"ref": "x"}, {"ref": "w"}], 1]})") ==
        Status::proved);
  CHECK(single(R"({"name": "r", "op": "aten.stack.default", "args": [[{"ref": "w"}, {"ref": "w"}], 1]})") ==
        Status::proved);
}

TEST_CASE("a piece that nobody wrote, or a part left out, is seen", "[covered]") {
  const std::string empty =
      R"({"name": "e", "op": "aten.empty.memory_format", "args": [[3, 1]], "kwargs": {"dtype": {"dtype": "f32"}}}, )";
  CHECK(single(empty +
               R"({"name": "r", "op": "aten.cat.default", "args": [[{"ref": "x"}, {"ref": "e"}], 1]})") ==
        Status::refuted);
  const std::string wide =
      R"({"name": "r", "op": "aten.empty.memory_format", "args": [[3, 3]], "kwargs": {"dtype": {"dtype": "f32"}}},
         {"name": "s", "op": "aten.slice.Tensor", "args": [{"ref": "r"}, 1, 0, 2]},
         {"names": [], "op": "aten.copy_.default", "args": [{"ref": "s"}, {"ref": "x"}]})";
  CHECK(single(wide) == Status::refuted);
}

}  // namespace covered_test
