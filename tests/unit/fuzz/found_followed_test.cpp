// What the fuzzer found while the checker learned to follow contents: right proofs that it did not repeat,
// and beside each what must not be proved. Named after seeds.
#include <fstream>
#include <sstream>

#include "checker/check.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/fuzz/found.h"

namespace found_followed_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

/// Does nc-check prove the certificate of the case?
bool repeated(const Case& value) {
  const testing::TempFolder folder;
  CheckOptions options;
  options.certificates = folder.path();
  options.certificate_name = "found";
  bool alarm = false;
  check_case(value, options, alarm);
  std::ifstream file(folder.path("found.cert"));
  std::stringstream text;
  text << file.rdbuf();
  Space space;
  return checker::check(text.str(), space).said == checker::Answer::Said::proved;
}

std::string two_bytes(const char* of) {
  return R"({"name":"v","op":"aten.view.dtype","args":[{"ref":")" + std::string(of) +
         R"("},{"dtype":"i16"}]}],"outputs":[{"ref":"v"}])";
}

}  // namespace

TEST_CASE("seed 40000005347: a place may depend on a byte of another width", "[found]") {
  const std::string x = R"({"name":"x","type":{"dtype":"f32","shape":[4,2]}})";
  const auto graph = [](const char* op) {
    return R"("steps":[{"name":"r","op":"aten.)" + std::string(op) +
           R"(_.default","args":[{"ref":"x"}]},{"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},
      {"name":"w","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"c"}]},)" +
           two_bytes("x");
  };
  CHECK(repeated(pair_of(x, graph("relu"), graph("relu"))));
  CHECK_FALSE(repeated(pair_of(x, graph("relu"), graph("neg"))));
}

TEST_CASE("seed 41000021255: what is all written over is defined below an operator, too", "[found]") {
  const auto graph = [](const char* steps) {
    return read(
        R"("after":{"inputs":[{"name":"x","type":{"dtype":"f32","shape":[2,2]}}],"steps":[)" +
        std::string(steps) +
        R"(,{"name":"s","op":"aten.cumsum.default","args":[{"ref":"c"},1]}],"outputs":[{"ref":"s"}]})");
  };
  CHECK(repeated(graph(R"({"name":"c","op":"aten.cat.default","args":[[{"ref":"x"},{"ref":"x"}],1]})")));
  CHECK_FALSE(repeated(graph(R"({"name":"c","op":"aten.empty.memory_format","args":[[2,4]]},
    {"name":"h","op":"aten.slice.Tensor","args":[{"ref":"c"},1,0,2]},
    {"name":"w","op":"aten.copy_.default","args":[{"ref":"h"},{"ref":"x"}]})")));
}

TEST_CASE("seed 41000037795: one operator of a storage in bytes and of one without", "[found]") {
  const std::string inputs = R"({"name":"x","type":{"dtype":"f32","shape":[4]}},
                                {"name":"y","type":{"dtype":"i64","shape":[4]}})";
  const auto graph = [](const char* looks, const char* of) {
    return R"("steps":[{"name":"c","op":"aten.cumsum.default","args":[{"ref":"x"},0]},
      {"name":"d","op":"aten.cumsum.default","args":[{"ref":"c"},0]},)" +
           std::string(looks) + R"({"name":"w","op":"aten.copy_.default","args":[{"ref":"y"},{"ref":")" + of +
           R"("}]}],"outputs":[])";
  };
  const char* const looks = R"({"name":"v","op":"aten.view.dtype","args":[{"ref":"c"},{"dtype":"i16"}]},)";
  CHECK(repeated(pair_of(inputs, graph(looks, "d"), graph("", "d"))));
  CHECK(repeated(pair_of(inputs, graph("", "d"), graph(looks, "d"))));
  CHECK_FALSE(repeated(pair_of(inputs, graph(looks, "d"), graph("", "c"))));
}

}  // namespace found_followed_test
