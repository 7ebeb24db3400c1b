// What a dump says of a result that nobody uses is held against the operator all the same: a wrong dtype or
// size is not proved. By every row of the operator table and its recorded calls.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "src/check/check.h"
#include "src/formats/case/case_json.h"
#include "src/ops/row.h"
#include "tests/catch.h"
#include "tests/support/golden.h"
#include "tests/support/sample.h"
#include "tests/support/source_dir.h"

namespace row_metadata_test {

using namespace noclobber;

namespace {

constexpr std::size_t kMostCalls = 8;  // of one file

bool is_proved(const Case& value) {
  bool contradiction = false;
  return check_case(value, {}, contradiction).status == Status::proved;
}

/// The call beside itself; nobody uses what it gives.
Case dead(const golden::GoldenCall& call) {
  Case out = call.value;
  out.after.outputs.clear();
  out.before = out.after;
  for (Graph* graph : {&*out.before, &out.after})
    for (Input& input : graph->inputs) input.may_write = true;
  return out;
}

Case with_type(Case value, ValueId result, const Type& type) {
  value.after.values[result.index].type = type;
  return value;
}

Type of_other_dtype(Type type) {
  type.dtype = type.dtype == Dtype::f32 ? Dtype::f64 : Dtype::f32;
  return type;
}

Type of_other_size(Type type) {
  if (type.shape.empty())
    type.shape.emplace_back(2);
  else
    type.shape.back() = SymExpr(type.shape.back().constant() + 1);
  type.strides = Type::Strides::contiguous;
  type.stride.clear();
  return type;
}

struct Said {
  int asked = 0, proved = 0;
};

/// "dtype of result 0" and so on, by what became of it in the calls of some files.
std::map<std::string, Said> examine(const std::vector<std::string>& files) {
  std::map<std::string, Said> out;
  for (const std::string& file : files) {
    auto calls = golden::calls_of(file, true);
    if (calls.size() > kMostCalls) calls.resize(kMostCalls);
    for (const golden::GoldenCall& call : calls) {
      const Case right = dead(call);
      if (!is_proved(right)) continue;
      const Step& step = call.value.after.steps[0];
      for (std::size_t k = 0; k < step.results.size(); ++k) {
        if (!step.results[k].valid()) continue;
        const auto& type = call.value.after.value(step.results[k]).type;
        if (!type) continue;
        Said& dtype = out["dtype of result " + std::to_string(k)];
        Said& size = out["size of result " + std::to_string(k)];
        ++dtype.asked, ++size.asked;
        dtype.proved += is_proved(with_type(right, step.results[k], of_other_dtype(*type))) ? 1 : 0;
        size.proved += is_proved(with_type(right, step.results[k], of_other_size(*type))) ? 1 : 0;
      }
    }
  }
  return out;
}

std::map<std::string, std::vector<std::string>> files_by_row() {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& entry : std::filesystem::directory_iterator(in_sources("/corpus/golden"))) {
    if (entry.path().extension() != ".json") continue;
    const std::string op = entry.path().stem().string(), functional = functional_op(op);
    out[std::string(base_name(functional.empty() ? op : functional))].push_back(entry.path().string());
  }
  return out;
}

/// corpus/golden/open_metadata.tsv: what no call tells, "operator, what", and why.
std::map<std::string, std::string> listed_as_open() {
  std::map<std::string, std::string> out;
  std::ifstream file(in_sources("/corpus/golden/open_metadata.tsv"));
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const std::size_t end = line.find('\t', line.find('\t') + 1);
    out[line.substr(0, end)] = line.substr(end + 1);
  }
  return out;
}

}  // namespace

TEST_CASE("a wrong dtype or size of what nobody uses is not proved", "[rows]") {
  const auto listed = listed_as_open();
  std::size_t number = 0, rows = 0, caught = 0;
  for (const auto& [op, files] : files_by_row()) {
    if (!testing::is_sampled(number++)) continue;
    const auto all = examine(files);
    rows += all.empty() ? 0 : 1;
    for (const auto& [what, said] : all) {
      const bool open = said.proved == said.asked;
      caught += open ? 0 : 1;
      INFO(op << ": " << what << (open ? " is open and not listed" : " is told and listed"));
      CHECK(open == listed.contains(op + "\t" + what));
    }
  }
  std::printf("metadata: %zu operators, %zu dtypes and sizes held against them, %zu open\n", rows, caught,
              listed.size());
  CHECK(rows >= testing::sampled(400));
  for (const auto& [what, why] : listed) {
    INFO(what);
    CHECK(why.size() > 10);
  }
}

TEST_CASE("collectives give what their group makes of the size; another size is not proved", "[rows]") {
  const auto said = [](const std::string& op, const std::string& rest, const std::string& shape,
                       const std::string& dtype = "f32") {
    const std::string input = R"({"inputs":[{"name":"x","type":{"dtype":"f32","shape":[4,3]}}],"steps":[)";
    const std::string step =
        R"({"name":"y","op":"_c10d_functional.)" + op + R"(.default","args":[{"ref":"x"},)" + rest +
        R"(],"types":[{"dtype":")" + dtype + R"(","shape":)" + shape + "}]}," +
        R"({"name":"w","op":"_c10d_functional.wait_tensor.default","args":[{"ref":"y"}]})";
    const std::string graph = input + step + R"(],"outputs":[]})";
    const auto value = read_case_json(R"({"format":"noclobber.case/1","name":"c","before":)" + graph +
                                      ",\"after\":" + graph + "}");
    REQUIRE(value);
    return is_proved(*value);
  };
  const std::string gather = R"(2,"g")", scatter = R"("sum",2,"g")", exchange = R"([1,2],[3,1],"g")";
  CHECK(said("all_gather_into_tensor", gather, "[8,3]"));
  CHECK_FALSE(said("all_gather_into_tensor", gather, "[4,3]"));
  CHECK_FALSE(said("all_gather_into_tensor", gather, "[8,3]", "f64"));
  CHECK(said("reduce_scatter_tensor", scatter, "[2,3]"));
  CHECK_FALSE(said("reduce_scatter_tensor", scatter, "[4,3]"));
  CHECK(said("all_to_all_single", exchange, "[3,3]"));
  CHECK_FALSE(said("all_to_all_single", exchange, "[4,3]"));
  CHECK(said("all_reduce", R"("sum","g")", "[4,3]"));
  CHECK_FALSE(said("all_reduce", R"("sum","g")", "[4,2]"));
}

}  // namespace row_metadata_test
