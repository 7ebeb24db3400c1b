#include <algorithm>
#include <filesystem>

#include "tests/catch.h"
#include "tests/support/golden.h"

namespace {

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(NC_SOURCE_DIR "/corpus/golden"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("kernels agree with what PyTorch recorded") {
  const auto files = golden_files();
  REQUIRE(files.size() >= 240);
  int calls = 0;
  for (const auto& file : files) {
    const std::string op = file.stem().string();
    const auto report = noclobber::golden::run_file(file.string(), noclobber::golden::allowed(op));
    INFO(op << ": " << (report.faults.empty() ? "" : report.faults.front()));
    CHECK(report.implemented);
    CHECK(report.agreeing == report.calls);
    calls += report.calls;
  }
  CHECK(calls >= 1800);
}

TEST_CASE("a bound below the recorded rounding is noticed") {
  const auto report =
      noclobber::golden::run_file(NC_SOURCE_DIR "/corpus/golden/aten.native_layer_norm.default.json", {});
  CHECK(report.agreeing < report.calls);
  CHECK(report.ulps > 0);
}
