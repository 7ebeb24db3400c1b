// The operator table against the vocabulary, and against the rest of the program.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "src/ops/row.h"
#include "tests/catch.h"

using namespace noclobber;

namespace {

/// Names of operators that a source spells out.
std::multiset<std::string> spelt_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  static const std::regex name(R"re("((?:aten|prims|inductor)\.[A-Za-z0-9_]+)")re");
  std::multiset<std::string> out;
  for (auto at = std::sregex_iterator(all.begin(), all.end(), name); at != std::sregex_iterator(); ++at)
    out.insert((*at)[1]);
  return out;
}

}  // namespace

TEST_CASE("every row is about operators that PyTorch has") {
  REQUIRE(op_rows().size() > 500);
  for (const OpRow& row : op_rows()) {
    const bool any = row.op.ends_with(".*");
    const std::string prefix =
        std::string(any ? row.op.substr(0, row.op.size() - 1) : row.op) + (any ? "" : ".");
    const auto names = vocabulary();
    const auto at = std::lower_bound(names.begin(), names.end(), std::string_view(prefix));
    INFO(row.op);
    CHECK((at != names.end() && at->starts_with(prefix)));
  }
}

TEST_CASE("a row names the rules that its meaning needs, and says why it overrules a schema") {
  for (const OpRow& row : op_rows()) {
    INFO(row.op);
    const bool shows = row.meaning == Meaning::view || row.meaning == Meaning::may_view ||
                       row.meaning == Meaning::view_copy || row.meaning == Meaning::view_scatter;
    CHECK(shows == (row.view != nullptr));
    CHECK((row.meaning == Meaning::moved) == (row.moves != nullptr));
    CHECK((row.meaning != Meaning::unsupported || !row.note.empty()));
    CHECK((row.same_as.empty() || (row.fold == nullptr && row.neutral.argument < 0)));
  }
}

TEST_CASE("another name of an operator has the same arguments") {
  for (const OpRow& row : op_rows()) {
    if (row.same_as.empty()) continue;
    std::size_t pairs = 0;
    for (const std::string_view name : vocabulary()) {
      if (base_name(name) != row.op) continue;
      const Schema* own = find_schema(name);
      const Schema* other = find_schema(std::string(row.same_as) + std::string(name.substr(row.op.size())));
      if (own->has(Tag::out) || other == nullptr) continue;
      ++pairs;
      INFO(name);
      REQUIRE(own->arguments.size() == other->arguments.size());
      for (std::size_t k = 0; k < own->arguments.size(); ++k) {
        CHECK(own->arguments[k].type_text == other->arguments[k].type_text);
        CHECK(own->arguments[k].fallback == other->arguments[k].fallback);
      }
    }
    INFO(row.op);
    CHECK(pairs > 0);
  }
}

TEST_CASE("an operator is named in its row, and hardly anywhere else") {
  std::multiset<std::string> elsewhere;
  const std::filesystem::path root = NC_SOURCE_DIR;
  for (const char* folder : {"checker", "src/ops", "src/effects", "src/prover"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      const std::string file = entry.path().filename().string();
      const bool table = entry.path().extension() == ".def" || file.starts_with("kernels") ||
                         file.starts_with("vocabulary") || file == "functional.cpp" || file == "schema.h";
      if (!table) elsewhere.merge(spelt_in(entry.path()));
    }
  CHECK(elsewhere.size() <= 32);
  for (const std::string& op : std::set<std::string>(elsewhere.begin(), elsewhere.end())) {
    INFO(op);
    CHECK(elsewhere.count(op) <= 2);
  }
}
