// Weights of exported programs: where they lie in their files, what they hold, and which are one.
#include "src/graph/constant_bytes.h"
#include "src/lower/pt2/pt2.h"
#include "src/lower/pte/case.h"
#include "tests/support/zip_text.h"
#include "tests/unit/lower/pt2_text.h"

namespace pt2_weights_test {

using namespace noclobber;

namespace {

/// x is a parameter of `dtype` (PyTorch's number of it), of three elements, with this entry of weights.
Input weight(const std::string& entry, const std::string& bytes, int dtype = 7) {
  std::string text = program_with(node_of(kSelf));
  const auto replace = [&](const std::string& from, const std::string& to) {
    REQUIRE(text.find(from) != std::string::npos);
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace(R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})",
          R"({"parameter": {"arg": {"name": "x"}, "parameter_name": "p"}})");
  replace(R"("dtype": 7)", R"("dtype": )" + std::to_string(dtype));
  const auto read =
      read_pt2(zip_of({{"r/models/model.json", text},
                       {"r/data/weights/model_weights_config.json", R"({"config": {"p": )" + entry + "}}"},
                       {"r/data/weights/weight_0", bytes}}),
               true);
  INFO((read ? "" : read.fault().where + ": " + read.fault().message));
  REQUIRE(read);
  return read->at(0).after.inputs.at(0);
}

std::string entry(const std::string& meta, const std::string& more = "") {
  return R"({"path_name": "weight_0", )" + more + R"("tensor_meta": {)" + meta + "}}";
}

std::string held(const std::string& meta, const std::string& more = "") {
  const Input input = weight(entry(meta, more), "aaaabbbbccccddddeeee");
  if (input.bytes.empty()) return input.digest.empty() ? "nothing" : "digest alone";
  CHECK(*input.digest == digest_of(std::string(*input.bytes)));
  return std::string(*input.bytes);
}

}  // namespace

TEST_CASE("pt2: a weight is what its sizes, strides and offset choose of its file", "[pt2]") {
  const std::string sizes = R"("sizes": [3], )", one = R"("strides": [1])";
  CHECK(held(sizes + one) == "aaaabbbbcccc");
  CHECK(held(sizes + one + R"(, "storage_offset": 2)") == "ccccddddeeee");
  CHECK(held(sizes + one + R"(, "storage_offset": {"as_int": 1})") == "bbbbccccdddd");
  CHECK(held(sizes + R"("strides": [2])") == "aaaacccceeee");
  CHECK(held(R"("sizes": [{"as_int": 3}], "strides": [{"as_int": 1}])") == "aaaabbbbcccc");
  CHECK(held(sizes + one + R"(, "storage_offset": 3)") == "nothing");
  CHECK(held(sizes + one + R"(, "storage_offset": "x")") == "nothing");
  CHECK(held(one) == "nothing");
  CHECK(held(R"("sizes": 3, )" + one) == "nothing");
  CHECK(held(R"("sizes": ["x"], )" + one) == "nothing");
  CHECK(held(sizes + R"("strides": ["x"])") == "nothing");
  CHECK(held(R"("sizes": ["x"], "strides": ["x"])") == "nothing");
  CHECK(held("") == "nothing");
  CHECK(held(sizes + one, R"("use_pickle": true, )") == "nothing");
  CHECK(held(sizes + one, R"("use_pickle": false, )") == "aaaabbbbcccc");
}

TEST_CASE("pt2: what large weights hold is known by its hash alone, once a pair is read", "[pt2]") {
  const auto large = [](std::size_t bytes) {
    const std::string count = std::to_string(bytes / 4);
    return weight(entry(R"("sizes": [)" + count + R"(], "strides": [1])"), std::string(bytes, 'x'));
  };
  const auto afterwards = [&](std::size_t bytes) {
    Graph graph;
    graph.inputs.push_back(large(bytes));
    forget_weights(graph);
    return graph.inputs[0];
  };
  CHECK_FALSE(afterwards(kKeptConstant).bytes.empty());
  const Input more = afterwards(kKeptConstant + 4);
  CHECK(more.bytes.empty());
  CHECK(*more.digest == digest_of(std::string(kKeptConstant + 4, 'x')));
  // Until then, what is folded in a payload is computed again of them; but of the largest ones never.
  CHECK_FALSE(large(kKeptConstant + 4).bytes.empty());
  CHECK(large((std::size_t{1} << 24) + 4).bytes.empty());
}

}  // namespace pt2_weights_test
