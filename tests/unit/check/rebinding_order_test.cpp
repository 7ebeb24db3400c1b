// Under `order: dataflow`, an operator that changes what a name stands for leaves the order open.
#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "tests/catch.h"

namespace rebinding_order_test {

using namespace noclobber;

namespace {

Status verdict(const std::string& op) {
  const std::string graph =
      R"({"inputs": [{"name": "x", "type": {"dtype": "f32", "shape": [2, 2]}}], "steps": [
    {"name": "b", "op": "aten.neg.default", "args": [{"ref": "x"}]},
    {"name": "c", "op": ")" +
      op + R"(", "args": [{"ref": "b"}]},
    {"name": "r", "op": "aten.cumsum.default", "args": [{"ref": "b"}, 0]}], "outputs": [{"ref": "r"}]})";
  const auto value =
      read_case_json(R"({"format": "noclobber.case/1", "name": "rebinding", "order": "dataflow",
    "before": )" + graph +
                     R"(, "after": )" + graph + "}");
  REQUIRE(value);
  bool contradiction = false;
  return check_case(*value, {}, contradiction).status;
}

}  // namespace

TEST_CASE("a view is harmless in every order, a rebound name is not") {
  CHECK(verdict("aten.t.default") == Status::proved);
  CHECK(verdict("aten.t_.default") != Status::proved);
}

}  // namespace rebinding_order_test
