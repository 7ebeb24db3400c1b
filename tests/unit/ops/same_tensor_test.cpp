// Which results are their operator's argument under another name.
#include "src/ops/same_tensor.h"

#include "tests/catch.h"
#include "tests/support/graph_text.h"

namespace same_tensor_test {

using namespace noclobber;

/// A mark that no argument has is no name of one.
TEST_CASE("a result is the argument with its mark") {
  const auto first_name = [](const std::string& schema) {
    const std::string ops = R"("ops": [{"schema": ")" + schema + R"("}], )";
    const Case value = testing::read_as(
        ops, "",
        testing::json_graph(testing::json_tensor("x") + ", " + testing::json_tensor("y"),
                            R"({"name": "r", "op": "mine.op.default", "args": [{"ref": "x"}, {"ref": "y"}]})",
                            R"({"ref": "r"})"));
    const auto declared = make_op_set(value.ops);
    REQUIRE(declared);
    const auto names = first_names(value.after, *declared);
    return value.after.value(names.at(value.after.find("r").index)).name;
  };
  CHECK(first_name("mine::op(Tensor(a!) x, Tensor(b!) y) -> Tensor(a!)") == "x");
  CHECK(first_name("mine::op(Tensor(a!) x, Tensor(b!) y) -> Tensor(b!)") == "y");
  CHECK(first_name("mine::op(Tensor(a!) x, Tensor(b!) y) -> Tensor(c!)") == "r");
  CHECK(first_name("mine::op(Tensor(a!) x, Tensor(b!) y) -> Tensor") == "r");
}

}  // namespace same_tensor_test
