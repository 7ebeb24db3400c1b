// Every operator of the vocabulary, called with whatever its schema takes.
#include "src/ops/schema.h"
#include "tests/support/sample.h"
#include "tests/unit/fuzz/found.h"

namespace every_operator_test {

using namespace noclobber;

namespace {

/// A call with as many arguments as are asked for: the tensor x, a list of it, or `other`.
std::string called(std::string_view op, const Schema& schema, std::size_t count, const std::string& other) {
  std::string args;
  for (std::size_t k = 0; k < count; ++k) {
    const SchemaSlot& slot = schema.arguments[k];
    const bool tensor = slot.type == SchemaSlot::Type::tensor,
               list = slot.type == SchemaSlot::Type::tensor_list;
    args += (k > 0 ? "," : "") + (tensor ? R"({"ref":"x"})" : list ? R"([{"ref":"x"},{"ref":"x"}])" : other);
  }
  return R"({"name":"y","op":")" + std::string(op) + R"(","args":[)" + args + "]}";
}

}  // namespace

/// TorchScript has overloads of fewer arguments than the row of their name looks at: seed 4100003859.
TEST_CASE("no call of any operator ends the program", "[cli]") {
  std::size_t calls = 0, number = 0;
  std::map<Status, std::size_t> said;
  for (const std::string_view op : vocabulary()) {
    const Schema* schema = find_schema(op);
    REQUIRE(schema != nullptr);
    if (op.starts_with("higher_order.") || !testing::is_sampled(number++)) continue;  // they take graphs
    std::size_t positional = 0;
    while (positional < schema->arguments.size() && !schema->arguments[positional].keyword_only) ++positional;
    for (const std::string other : {"0", "[]", "[1]", "[-9223372036854775808]", "\"none\"", "true"}) {
      INFO(op << " of " << other);
      const std::string graph = R"("steps":[)" + called(op, *schema, positional, other) + R"(],"outputs":[])";
      ++said[found::status_of(
          found::pair_of(R"({"name":"x","type":{"dtype":"f32","shape":[2,2]}})", graph, graph))];
      ++calls;
    }
  }
  CHECK(calls > testing::sampled(10000));
  CHECK(said[Status::proved] > calls / 10);
  CHECK(said[Status::refuted] == 0);
}

TEST_CASE("a window of less than nothing is no window", "[cli]") {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[1,1,4,4]}})";
  const auto pooled = [](const std::string& op, const std::string& window) {
    return R"("steps":[{"name":"y","op":"aten.)" + op + R"(.default","args":[{"ref":"x"},[)" + window + "," +
           window + R"(],[1,1]]}],"outputs":[{"ref":"y"}])";
  };
  for (const char* op : {"avg_pool2d", "max_pool2d_with_indices"}) {
    INFO(op);
    const std::string least = pooled(op, "-9223372036854775808"), one = pooled(op, "1");
    CHECK(found::status_of(found::pair_of(x, least, least)) == Status::unknown);
    CHECK(found::status_of(found::pair_of(x, one, least)) != Status::proved);
    CHECK(found::status_of(found::pair_of(x, one, one)) == Status::proved);
  }
}

}  // namespace every_operator_test
