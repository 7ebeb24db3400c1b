#include "src/run/inputs.h"
#include "src/text/file.h"

#include <filesystem>
#include <fstream>

#include "tests/catch.h"
#include "tests/support/temp_folder.h"

namespace inputs_test {

using namespace noclobber;

namespace {

namespace fs = std::filesystem;

using Folder = testing::TempFolder;

std::vector<Work> all_of(WorkSource source) {
  std::vector<Work> out;
  while (auto work = source.next()) {
    work->open();
    out.push_back(std::move(*work));
  }
  return out;
}

const std::string kCase =
    R"({"format":"noclobber.case/1","name":"tiny","after":{"inputs":[],"steps":[],"outputs":[]}})";
const std::string kRecord =
    "V0521 11:50:42.931000 3054118 torch/_inductor/compile_fx.py:1194] {\"artifact\": {\"name\": \"x\", "
    "\"encoding\": \"string\"}, \"frame_id\": 0, \"frame_compile_id\": 0, \"attempt\": 0}\n";

}  // namespace

TEST_CASE("inputs: the stem of a file is the id of its only check", "[cli]") {
  CHECK(stem_of("logs/simple.case.json.gz") == "simple");
  CHECK(stem_of("a/b.txt") == "b");
  CHECK(stem_of("-") == "stdin");
  CHECK(stem_of(".log") == ".log");
}

TEST_CASE("inputs: a case, a fault and a missing file, in the order given", "[cli]") {
  const Folder folder;
  const std::string good = folder.write("good.json", kCase), bad = folder.write("bad.json", "{\"a\"");
  const auto works = all_of(WorkSource({bad, good, folder.path() + "/none"}, {}));
  REQUIRE(works.size() == 3);
  CHECK(works[0].kind == Work::Kind::error);
  CHECK(works[1].kind == Work::Kind::check);
  CHECK(works[1].id == "tiny");
  CHECK(works[1].what == "single");
  CHECK(works[2].kind == Work::Kind::error);
  CHECK(works[2].fault.where.empty());
}

TEST_CASE("inputs: a directory gives its logs and cases by name, and nothing else", "[cli]") {
  const Folder folder;
  const std::string late = folder.write("b/rank_1.log", kRecord), early = folder.write("a.txt", kRecord);
  folder.write("LICENSE", "hello");
  folder.write("other.json", R"({"format": "other/1"})");
  const std::string one = folder.write("case.json", kCase);
  const auto found = inputs_in(folder.path());
  REQUIRE(found);
  CHECK(found->inputs == std::vector<FoundInput>{{FoundInput::Kind::file, early},
                                                 {FoundInput::Kind::file, late},
                                                 {FoundInput::Kind::file, one}});
  CHECK(found->skipped == std::vector<std::string>{"LICENSE", "other.json"});
  CHECK(!inputs_in(folder.path() + "/none"));
}

TEST_CASE("inputs: output of tlparse and of the debugger are one input each", "[cli]") {
  const Folder folder;
  const auto kinds = [&] {
    const auto found = inputs_in(folder.path());
    REQUIRE(found);
    std::string out;
    for (const FoundInput& input : found->inputs)
      out += std::to_string(static_cast<int>(input.kind)) + input.path.substr(folder.path().size()) + " ";
    return out;
  };
  folder.write("tl/-_0_0_0/before_post_grad_graph_3.txt", "x");
  folder.write("debug/torchinductor/model__0_inference_0.0/fx_graph_readable.py", "x");
  CHECK(kinds() == "2/debug/torchinductor/model__0_inference_0.0 1/tl ");
  folder.write("tl/compile_directory.json", "{}");
  folder.write("tl/raw.jsonl", "{}");
  CHECK(kinds() == "2/debug/torchinductor/model__0_inference_0.0 1/tl ");
  folder.write("tl/raw.log", kRecord);
  CHECK(kinds() == "2/debug/torchinductor/model__0_inference_0.0 0/tl/raw.log ");
  folder.write("ranks/rank_3/0_0_0/before_post_grad_graph_3.txt", "x");
  folder.write("programs/a.pt2", "x");
  CHECK(kinds() ==
        "2/debug/torchinductor/model__0_inference_0.0 0/programs/a.pt2 1/ranks/rank_3 0/tl/raw.log ");
}

TEST_CASE("inputs: a directory without logs is a fault", "[cli]") {
  const Folder folder;
  folder.write("LICENSE", "hello");
  const auto works = all_of(WorkSource({folder.path()}, {}));
  REQUIRE(works.size() == 2);
  CHECK(works[0].fault.message == "skipped: 1 file (LICENSE)");
  CHECK(works[0].skipped == 1);
  CHECK(works[1].kind == Work::Kind::error);
}

TEST_CASE("inputs: a log without graphs leaves a note", "[cli]") {
  const Folder folder;
  const auto works = all_of(WorkSource({folder.write("x.log", kRecord)}, {}));
  REQUIRE(works.size() == 1);
  CHECK(works[0].kind == Work::Kind::note);
  CHECK(!works[0].fault.message.empty());
}

TEST_CASE("inputs: --order overrides the case, --only leaves checks out", "[cli]") {
  const Folder folder;
  const std::string path = folder.write("good.json", kCase);
  InputOptions options;
  options.dataflow = true;
  CHECK(all_of(WorkSource({path}, options)).at(0).value.dataflow);
  CHECK(!all_of(WorkSource({path}, {})).at(0).value.dataflow);
  options.only = *IdFilter::parse("1");
  CHECK(all_of(WorkSource({path}, options)).empty());
}

}  // namespace inputs_test
