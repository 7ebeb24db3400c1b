#include "src/cli/commands.h"
#include "tests/catch.h"

namespace settings_test {

using namespace noclobber;

TEST_CASE("operators: one schema per line", "[cli]") {
  const auto ops =
      read_operators("# ours\n\n zoo::f(Tensor x) -> Tensor \r\nzoo::g_(Tensor(a!) x) -> Tensor(a!)");
  REQUIRE(ops);
  REQUIRE(ops->size() == 2);
  CHECK(ops->at(0).schema == "zoo::f(Tensor x) -> Tensor");
  CHECK(read_operators("")->empty());
  const auto bad = read_operators("zoo::f(Tensor x) -> Tensor\nzoo::g(");
  REQUIRE(!bad);
  CHECK(bad.fault().where.starts_with("line 2"));
}

TEST_CASE("operators: a list as in a case", "[cli]") {
  const auto ops = read_operators(R"( [{"schema": "zoo::f(Tensor x) -> Tensor", "access": "elementwise"}])");
  REQUIRE(ops);
  REQUIRE(ops->size() == 1);
  CHECK(ops->at(0).access.at("*") == "elementwise");
  CHECK(!read_operators("[{\"schema\": 3}]"));
  CHECK(!read_operators("[], \"before\": 3"));
  CHECK(!read_operators("["));
}

TEST_CASE("settings: from options to stages", "[cli]") {
  Options options;
  options.engine = "z3";
  options.effort = 7;
  options.no_assumptions = true;
  const auto check = check_options(options);
  REQUIRE(check);
  CHECK(check->solver_only);
  CHECK(check->effort == 7);
  CHECK(check->no_assumptions);
  CHECK(!check_options(Options())->solver_only);
  options.dump_smt2 = "/dev/null/questions";
  CHECK(!check_options(options));
  options.dump_smt2.clear();
  options.ops = "/nonexistent/ops.txt";
  CHECK(!check_options(options));
  options.order = "dataflow";
  CHECK(input_options(options)->dataflow == true);
  CHECK(!input_options(Options())->dataflow);
  options.only = "3-2";
  CHECK(!input_options(options));
}

TEST_CASE("options: the page names every option once", "[cli]") {
  const std::string page = options_markdown();
  const auto rows = [&](const std::string& flag) {  // one flag may begin another
    std::size_t count = 0;
    for (const char* end : {" ", "`"})
      for (auto at = page.find("| `" + flag + end); at != std::string::npos;
           at = page.find("| `" + flag + end, at + 1))
        ++count;
    return count;
  };
#define NC_OPTION(field, type, fallback, flag, value, scope, help) CHECK(rows(flag) == 1);
#include "src/run/options.def"
#undef NC_OPTION
}

}  // namespace settings_test
