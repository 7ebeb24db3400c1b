// corpus/index: what moves data, down to the element, and operators over lists against their item's.
#include <algorithm>
#include <filesystem>

#include "src/check/check.h"
#include "src/inputs/format.h"
#include "src/lower/pairs/pairing.h"
#include "src/text/file.h"
#include "tests/catch.h"
#include "tests/support/source_dir.h"

namespace index_level_test {

using namespace noclobber;

namespace {

const std::filesystem::path kFolder = in_sources("/corpus/index");

Side side(const std::filesystem::path& path, bool is_before) {
  const auto text = read_file(path.string());
  REQUIRE(text);
  auto out = read_side(*text, is_before);
  REQUIRE(out);
  return std::move(*out);
}

/// `name`.`twin`.txt against `name`.before.txt, or against a `before` of its own.
Status status_of(const std::string& name, const std::string& twin) {
  std::filesystem::path before = kFolder / (name + "." + twin + ".before.txt");
  if (!std::filesystem::exists(before)) before = kFolder / (name + ".before.txt");
  auto value = pair_of(side(before, true), side(kFolder / (name + "." + twin + ".txt"), false));
  REQUIRE(value);
  bool contradiction = false;
  const CheckRecord record = check_case(std::move(*value), {}, contradiction);
  REQUIRE_FALSE(contradiction);
  return record.status;
}

}  // namespace

TEST_CASE("what moves data is exact to the element: right pairs are proved, wrong twins refuted", "[index]") {
  std::vector<std::string> names;
  const std::string ending = ".accept.txt";
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    if (const std::string file = entry.path().filename().string(); file.ends_with(ending))
      names.push_back(file.substr(0, file.size() - ending.size()));
  std::sort(names.begin(), names.end());
  CHECK(names.size() >= 36);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(status_of(name, "accept") == Status::proved);
    CHECK(status_of(name, "refute") == Status::refuted);
  }
}

}  // namespace index_level_test
