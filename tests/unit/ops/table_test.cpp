// The operator table against the vocabulary, and against the rest of the program.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "src/kernels/kernels.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"
#include "tests/catch.h"
#include "tests/support/bare_ops.h"
#include "tests/support/corpus.h"
#include "tests/support/source_dir.h"

namespace table_test {

using namespace noclobber;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Operators that a source spells out, comments aside.
std::multiset<std::string> spelt_in(const std::filesystem::path& path) {
  static const std::regex comment("//[^\n]*");
  static const std::regex name(
      R"re("((?:aten|prims|inductor|fsdp|quantized_decomposed|_?c10d(?:_functional)?)\.[A-Za-z0-9_]+))re");
  const std::string all = std::regex_replace(text_of(path), comment, "");
  std::multiset<std::string> out;
  for (auto at = std::sregex_iterator(all.begin(), all.end(), name); at != std::sregex_iterator(); ++at)
    out.insert((*at)[1]);
  return out;
}

/// Who may spell operators besides the table, at most how many times, and why.
struct Speller {
  std::string_view file;
  std::size_t most;
  std::string_view why;
};
constexpr Speller kSpellers[] = {
    {"src/lower/", 1000, "what another program's words mean, and the steps they are"},
    {"src/formats/fx_text/fx_text_statement.cpp", 7, "sizes of tensors: numbers of Python, no steps"},
    {"src/formats/fx_text/fx_text_names.cpp", 1, "what gives nothing where its schema has a list of results"},
    {"src/graph/case.h", 1, "the return as a step"},
    {"src/graph/scattered_number.cpp", 10,
     "writes steps: one number scattered, as a comparison; whole numbers by way of i64"},
    {"src/ops/folded_constants.cpp", 3, "what folding writes: a fill, and copies of the constant"},
    {"src/ops/conjugates.cpp", 10, "what leaves conjugates to its readers, and who looks at the bit"},
    {"src/graph/forced_strides.cpp", 2,
     "what forces strides, and the copy that it is where they are another's"},
    {"src/graph/seeded_draws.cpp", 10, "writes steps: draws as numbers made from seeds"},
    {"src/plan/collect.cpp", 2, "what turns a truth value round: both arms of two branches on it"},
    {"src/ops/functional.cpp", 12, "data: functional partners that no rule of names finds"},
    {"src/ops/wrappers.cpp", 6, "writes steps: a wrapper written out"},
    {"src/ops/wrapper_orders.cpp", 1, "who copies back into an input"},
    {"src/ops/saved_draws.cpp", 5, "writes steps: draws from a saved state"},
    {"src/ops/unrolled.cpp", 8, "writes steps: a loop written out"},
    {"src/ops/kept_dims.cpp", 5, "writes steps: dimensions that are put back, sums over none that is named"},
    {"src/ops/unrolled_pairs.cpp", 4, "writes steps: a loop written out as it runs"},
    {"src/ops/dead_readers.cpp", 1, "writes a step: memory in the place of what nobody reads"},
    {"src/ops/promises.cpp", 9, "who may write before reinplacing, and what reinplacing writes"},
    {"src/plan/contract.h", 1, "a named assumption"},
    {"src/advise/repair.cpp", 1, "writes steps: copies"},
    {"checker/proof/identities.ml", 12, "the proved checker's own rows, likewise"},
    {"src/ops/devices.cpp", 2, "on which device: who are told to be like another argument"},
    {"src/ops/raises.cpp", 116, "a table: which operators raise, and over which arguments"},
    {"src/fuzz/", 100, "writes programs: the vocabulary of the generator and of its rewrites"},
    {"src/effects/collectives.cpp", 6, "what waits for the device, as its result has a size or value of it"},
    {"src/effects/loops.cpp", 1, "writes a step: scratch of a loop"},
    {"src/interp/replay_graph.cpp", 3, "writes steps: a graph changed for an experiment"},
    {"src/interp/replay_held.cpp", 1, "writes steps: copies of results, kept for an experiment"},
    {"src/interp/replay_raised.cpp", 1, "writes a step: a stand-in that cannot raise"},
    {"src/interp/run_composed.cpp", 5, "calls kernels: what MLX and attention are composed of"},
    {"src/interp/run_control.cpp", 1, "calls a kernel: stacked results of a loop"},
    {"src/interp/run_wrapped.cpp", 2, "calls kernels: views that a wrapper describes"},
    {"src/interp/run_special.cpp", 22,
     "what has effects besides storages, apart from the table: the second opinion"},
    {"src/interp/run_targets.cpp", 12, "between which numbers an operator draws: the second opinion"},
    {"src/interp/run_step.cpp", 9, "writes that read nothing, likewise; partners of other names"},
    {"src/interp/replay_stale.cpp", 1, "a copy does not read what it writes"},
    {"src/plan/kernels.cpp", 4, "facts of one library's kernels, whose operators' rows know none"},
    {"src/effects/results.cpp", 2, "layouts of two kernels that no rule gives: open"},
    {"src/effects/fills.cpp", 3, "variants of one meaning: open"},
    {"src/effects/counted.cpp", 4, "writes steps: what counts up"},
    {"src/effects/identities.cpp", 1, "writes steps: the sum with a product"},
    {"src/effects/moves.cpp", 3, "variants of one meaning: open"},
    {"src/effects/renames.cpp", 1, "variants of one meaning: open"},
    {"src/effects/view_steps.cpp", 8, "variants of one meaning: open"},
};

const Speller* speller_of(const std::string& file) {
  for (const Speller& speller : kSpellers)
    if (file.starts_with(speller.file)) return &speller;
  return nullptr;
}

bool is_table(const std::string& file) { return file.ends_with(".def") || file.ends_with(".inc"); }

/// Functional operators, without overload, of the steps of a case's graphs.
std::set<std::string> ops_of(const Case& value) {
  std::set<std::string> out;
  auto add = [&](const Graph& graph) {
    for (const Step& step : graph.steps) {
      const std::string functional = functional_op(step.op);
      out.insert(std::string(base_name(functional.empty() ? *step.op : functional)));
    }
  };
  if (value.before) add(*value.before);
  add(value.after);
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
  }
}

TEST_CASE("identities are about operators that have a row, and by the name that others are the same as") {
  for (const Identity& row : identities())
    for (const std::string_view op : {row.op, row.also, row.other}) {
      INFO(row.name << " " << op);
      if (op.empty()) continue;
      const OpRow* own = find_row(op);
      REQUIRE(own != nullptr);
      CHECK(own->same_as.empty());
      if (op == row.other) CHECK(product_of(op) == op);
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

TEST_CASE("an operator is named in its row, and by nobody who is not listed") {
  const std::filesystem::path root = in_sources();
  std::set<std::string> used;
  for (const char* folder : {"checker", "src"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string file = std::filesystem::relative(entry.path(), root).string();
      if (!entry.is_regular_file() || is_table(file)) continue;
      const std::size_t count = spelt_in(entry.path()).size();
      if (count == 0) continue;
      const Speller* speller = speller_of(file);
      INFO(file << " spells " << count);
      CHECK((speller != nullptr && count <= speller->most));
      if (speller != nullptr) used.insert(std::string(speller->file));
    }
  CHECK(used.size() == std::size(kSpellers));  // none is listed for nothing
}

TEST_CASE("one operator is one row with at most one shape rule and one kernel") {
  static const std::regex row(R"re(OP\("([^"]+)"[^\n]*)re");
  std::map<std::string, std::size_t> rows;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(in_sources()) / "src/ops")) {
    if (entry.path().extension() != ".def") continue;
    const std::string all = text_of(entry.path());
    for (auto at = std::sregex_iterator(all.begin(), all.end(), row); at != std::sregex_iterator(); ++at) {
      const std::string text = (*at)[0];
      INFO(text);
      CHECK(++rows[(*at)[1]] == 1);
      for (const char* field : {".shape = ", ".kernel = "}) CHECK((text.find(field) == text.rfind(field)));
    }
  }
  CHECK(rows.size() == op_rows().size());
}

TEST_CASE("a kernel stands in one file, each of its overloads once") {
  static const std::regex comment("//[^\n]*"), spelt(R"re("([A-Za-z_0-9]+)\.([A-Za-z_0-9]+)")re");
  std::map<std::string, std::set<std::string>> files;
  std::multiset<std::string> overloads;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(in_sources()) / "src/kernels")) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() != ".cpp") continue;
    const std::string all = std::regex_replace(text_of(entry.path()), comment, "");
    for (auto at = std::sregex_iterator(all.begin(), all.end(), spelt); at != std::sregex_iterator(); ++at) {
      files[(*at)[1]].insert(file);
      overloads.insert(std::string((*at)[1]) + "." + std::string((*at)[2]));
    }
  }
  for (const auto& [kernel, in] : files) {
    INFO(kernel);  // max of all, max along a dimension and the larger of two are three functions
    CHECK(in.size() == (kernel == "max" || kernel == "min" ? 3 : 1));
  }
  for (const std::string_view name : family_names()) {
    INFO(name);
    CHECK(overloads.count(std::string(name)) <= 1);
  }
}

TEST_CASE("rows and kernels name each other") {
  std::set<std::string> named, given;
  for (const OpRow& row : op_rows()) {
    if (row.kernel.empty()) continue;
    named.insert(std::string(row.kernel));
    const std::string prefix = std::string(row.op) + ".";
    const auto names = kernel_names();
    INFO(row.op << " names " << row.kernel);
    CHECK(std::any_of(names.begin(), names.end(), [&](std::string_view n) { return n.starts_with(prefix); }));
  }
  for (const std::string_view name : family_names()) {
    const std::string kernel(name.substr(0, name.find('.'))), overload(name.substr(name.find('.')));
    given.insert(kernel);
    INFO(name);
    CHECK(std::any_of(op_rows().begin(), op_rows().end(), [&](const OpRow& row) {
      return row.kernel == kernel && find_schema(std::string(row.op) + overload) != nullptr;
    }));
  }
  CHECK(named == given);
}

TEST_CASE("corpus/ops_bare.tsv names what no kernel computes, and docs/ops.md says it") {
  const std::filesystem::path root = in_sources();
  const std::string held = text_of(root / "corpus/ops_bare.tsv"), page = text_of(root / "docs/ops.md");
  CHECK(held == golden::bare_table());
  CHECK(held.find("\naten.native_dropout.default\tno kernel\n") != std::string::npos);
  CHECK(held.find("\naten.bucketize.Scalar\tan overload its kernel does not have\n") != std::string::npos);
  CHECK(held.find("\naten.bucketize.Tensor\t") == std::string::npos);
  CHECK(held.find("\naten.copy_.default\t") == std::string::npos);  // it has that of aten.copy
  std::istringstream lines(held);
  std::string op, why;
  std::getline(lines, op);
  while (std::getline(lines, op, '\t') && std::getline(lines, why)) {
    INFO(op);
    CHECK(page.find("`" + (why == "no kernel" ? std::string(base_name(op)) : op) + "`") != std::string::npos);
  }
}

/// Of each row with recorded calls: tests/unit/check/row_pairs_test.cpp. Here those of corpus/cases.
TEST_CASE("operators have an accepted case and its refused twin") {
  std::map<std::string, std::array<std::size_t, 2>> cases;
  for (const auto& [file, value] : testing::corpus_cases())
    for (const std::string& op : ops_of(value))
      ++cases[op][file.find(".refute.") == std::string::npos ? 0 : 1];
  std::size_t both = 0, one = 0;
  for (const OpRow& row : op_rows()) {
    const auto at = cases.find(std::string(row.op));
    if (at == cases.end()) continue;
    (at->second[0] > 0 && at->second[1] > 0 ? both : one) += 1;
  }
  std::printf("rows: %zu, with an accepted and a refused case of corpus/cases: %zu, with one of them: %zu\n",
              op_rows().size(), both, one);
  CHECK(both >= 38);  // how many of the rows; raised with the corpus
  CHECK(one <= 5);
}

}  // namespace table_test
