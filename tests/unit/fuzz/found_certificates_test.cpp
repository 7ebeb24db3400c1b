// What the fuzzer found where a right proof had no certificate that nc-check repeats, named after its seeds.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "checker/check.h"
#include "tests/unit/fuzz/found.h"

namespace found_certificates_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

using Said = checker::Answer::Said;

/// What nc-check says of the certificate of the case, which has that status.
Said judged(const Case& value, const std::string& name, Status status) {
  const auto folder = std::filesystem::temp_directory_path() / "noclobber_found";
  std::filesystem::create_directories(folder);
  CheckOptions options;
  options.certificates = folder.string();
  options.certificate_name = name;
  bool alarm = false;
  CHECK(check_case(value, options, alarm).status == status);
  std::ifstream file(folder / (name + ".cert"));
  std::stringstream text;
  text << file.rdbuf();
  Space space;
  return checker::check(text.str(), space).said;
}

}  // namespace

TEST_CASE("seed 301023531: a certificate keeps the numbers that a rule found its way by", "[found]") {
  const std::string inputs =
      R"("inputs":[{"name":"x","type":{"dtype":"f32","shape":[2]},"storage":"S","storage_numel":6},{"name":"y","type":{"dtype":"f32","shape":[2],"offset":3},"storage":"S","storage_numel":6}],"outputs":[],"steps":[)";
  const std::string relu = R"({"name":"r","op":"aten.relu_.default","args":[{"ref":"y"}]})";
  const Case value =
      read("\"before\":{" + inputs + R"({"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},)" +
           relu + R"(,{"name":"w","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"c"}]}]},"after":{)" +
           inputs + relu + "]}");
  CHECK(judged(value, "301023531", Status::proved) == Said::proved);
}

TEST_CASE("seed 300303051: what is refuted without a difference of the Traces has no certificate that proves",
          "[found]") {
  const auto graph = [](const std::string& steps) {
    return R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":[2]}}],"outputs":[],"steps":[)" + steps +
           "]}";
  };
  const std::string leaves = R"({"names":[],"op":"prims.return.default","args":[]})";
  const std::string write = R"({"name":"w","op":"aten.relu_.default","args":[{"ref":"x"}]})";
  Case value = read("\"before\":" + graph(leaves) + ",\"after\":" + graph(leaves + "," + write));
  CHECK(status_of(value) == Status::proved);
  value.return_is_last = true;
  CHECK(status_of(value) == Status::refuted);
  CHECK(judged(value, "300303051", Status::refuted) == Said::not_proved);
}

TEST_CASE("seed 8600011139: a certificate finds that two quotients of one index exclude each other",
          "[found]") {
  const std::string x =
      R"({"name":"x","type":{"dtype":"f32","shape":[2,2,2]},"storage":"S","storage_numel":16})";
  const auto slice = [](const char* name, int from) {
    return R"({"name":")" + std::string(name) + R"(","op":"aten.slice.Tensor","args":[{"ref":"x"},0,)" +
           std::to_string(from) + "," + std::to_string(from + 1) + "]}";
  };
  const std::string relu = R"({"name":"r","op":"aten.relu_.default","args":[{"ref":"x"}]})",
                    copy = slice("a", 0) + "," + slice("b", 1) +
                           R"(,{"name":"k","op":"aten.copy_.default","args":[{"ref":"a"},{"ref":"b"}]})",
                    back = R"(,{"name":"v","op":"aten.relu.default","args":[{"ref":"x"}]},
      {"name":"w","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"v"}]}],"outputs":[])";
  const auto pair = [&](const std::string& after) {
    return pair_of(x, "\"steps\":[" + relu + "," + copy + back, "\"steps\":[" + after + back);
  };
  const std::string other_way = slice("a", 1) + "," + slice("b", 0) +
                                R"(,{"name":"k","op":"aten.copy_.default","args":[{"ref":"a"},{"ref":"b"}]})";
  CHECK(judged(pair(copy + "," + relu), "8600011139", Status::proved) == Said::proved);
  CHECK(status_of(pair(other_way + "," + relu)) == Status::refuted);
}

TEST_CASE("seed 9100654567: a derivation that leads the rules astray is left out of a certificate",
          "[found]") {
  const std::string inputs =
      R"({"name":"x","type":{"dtype":"f32","shape":[3,3,3],"offset":22},"storage":"S","storage_numel":54},
         {"name":"y","type":{"dtype":"f32","shape":[3,3,3]}})";
  const auto pair = [&](const char* last) {
    const std::string whole = R"({"name":"w","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":"y"}]})";
    const std::string column = R"({"name":"c","op":"aten.select.int","args":[{"ref":"x"},2,2]},
      {"name":"m","op":"aten.mm.default","args":[{"ref":"c"},{"ref":"c"}],
        "types":[{"dtype":"f32","shape":[3,3]}]},
      {"name":"k","op":"aten.copy_.default","args":[{"ref":"c"},{"ref":"m"}]})";
    const bool covered = std::string(last) == "w";
    return pair_of(
        inputs, "\"steps\":[" + whole + R"(],"outputs":[])",
        "\"steps\":[" + (covered ? column + "," + whole : whole + "," + column) + R"(],"outputs":[])");
  };
  CHECK(judged(pair("w"), "9100654567", Status::proved) == Said::proved);
  CHECK(status_of(pair("k")) == Status::refuted);
}

TEST_CASE("seed 11000230591: two derivations that lead the rules astray are left out of a certificate",
          "[found]") {
  const std::string x =
      R"({"name":"x","type":{"dtype":"f32","shape":[2,2,3]},"storage":"S","storage_numel":48})";
  const auto steps = [](int start, const char* shown) {
    const std::string from = std::to_string(start), to = std::to_string(start + 1);
    return R"("steps":[{"name":"c","op":"aten.slice.Tensor","args":[{"ref":"x"},2,)" + from + "," + to +
           R"(,2]},{"name":"m","op":"aten.mul_.Tensor","args":[{"ref":"c"},{"ref":"c"}]},
             {"name":"z","op":"aten.zero_.default","args":[{"ref":")" +
           shown + R"("}]}],"outputs":[])";
  };
  CHECK(judged(pair_of(x, steps(2, "x"), steps(1, "x")), "11000230591", Status::proved) == Said::proved);
  CHECK(status_of(pair_of(x, steps(2, "x"), steps(2, "c"))) == Status::refuted);
}

TEST_CASE("seed 50000090639: two steps of one graph that make the same of what means the same", "[found]") {
  const auto value = [](const char* second) {
    const std::string two = R"("dtype":"f32","shape":[1]},"storage":"S","storage_numel":2})";
    return read(R"("after":{"inputs":[{"name":"x","type":{)" + two + R"(,{"name":"y","type":{)" + two +
                R"(,{"name":"z","type":{"dtype":"f32","shape":[1]}}],"steps":[
      {"name":"a","op":"aten.cumsum.default","args":[{"ref":"y"},0]},
      {"name":"b","op":"aten.cumsum.default","args":[{"ref":")" +
                std::string(second) + R"("},0]},
      {"name":"c","op":"aten.copy_.default","args":[{"ref":"a"},{"ref":"b"}]}],"outputs":[{"ref":"a"}]})");
  };
  CHECK(judged(value("x"), "50000090639", Status::proved) == Said::proved);
  CHECK(judged(value("z"), "50000090639", Status::refuted) != Said::proved);
}

TEST_CASE("seed 42000016739: what is written over is as good as another storage's, also below an operator",
          "[found]") {
  const auto graph = [](const std::string& of, const std::string& one, const std::string& other) {
    const auto cat = [](const char* name, const std::string& all) {
      return R"({"name":")" + std::string(name) + R"(","op":"aten.cat.default","args":[[)" + all + R"(],1]})";
    };
    const std::string x = R"({"ref":"x"})", y = R"({"ref":"y"})", both = x + "," + y;
    return "\"steps\":[" + (one.empty() ? "" : cat("u", both) + ",") +
           cat("v", other == "x" ? x + "," + x : both) +
           R"(,{"name":"s","op":"aten.cumsum.default","args":[{"ref":")" + of +
           R"("},1]}],"outputs":[{"ref":"s"}])";
  };
  const std::string inputs = R"({"name":"x","type":{"dtype":"f32","shape":[3,4]}},
                                {"name":"y","type":{"dtype":"f32","shape":[3,4]}})";
  const auto pair = [&](const char* other) {
    return pair_of(inputs, graph("v", "u", "y"), graph("v", "", other));
  };
  CHECK(judged(pair("y"), "42000016739", Status::proved) == Said::proved);
  CHECK(judged(pair("x"), "42000016739", Status::refuted) == Said::refuted);
}

TEST_CASE("seed 50000152527: a byte goes along where an element is moved to a storage without bytes",
          "[found]") {
  const std::string input = R"({"name":"x","type":{"dtype":"f32","shape":[2,4]}})";
  const auto graph = [](const std::string& moved) {
    return R"("steps":[{"name":"n","op":"aten.neg_.default","args":[{"ref":"x"}]},)" + moved +
           R"({"name":"v","op":"aten.view.dtype","args":[{"ref":"x"},{"dtype":"i16"}]}],"outputs":[{"ref":"v"}])";
  };
  const auto there_and_back = [](const char* of) {
    return R"({"name":"c","op":"aten.clone.default","args":[{"ref":"x"}]},)"
           R"({"name":"w","op":"aten.copy_.default","args":[{"ref":"x"},{"ref":")" +
           std::string(of) + R"("}]},)";
  };
  const std::string flipped = R"({"name":"f","op":"aten.flip.default","args":[{"ref":"x"},[0]]},)";
  CHECK(judged(pair_of(input, graph(there_and_back("c")), graph("")), "50000152527", Status::proved) ==
        Said::proved);
  CHECK(judged(pair_of(input, graph(flipped + there_and_back("f")), graph("")), "50000152527",
               Status::refuted) != Said::proved);
}

}  // namespace found_certificates_test
