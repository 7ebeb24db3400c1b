// Questions are counted, limited and written down.
#include "src/prover/questions.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/catch.h"

namespace questions_test {

using namespace noclobber;

namespace {

const std::string kNever = "(declare-const i Int)(assert (and (< i 0) (> i 0)))";
const std::string kEver = "(declare-const i Int)(assert (> i 0))";

std::string text_of_file(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("a question beyond the number or the size allowed is not asked", "[questions]") {
  if (solver_version().empty()) return;
  Questions one(0, "", "check", nullptr, 1);
  CHECK(one.ask(kNever, 1000000).kind == SolverAnswer::Kind::unsat);
  CHECK_FALSE(one.limited());
  CHECK(one.ask(kNever, 1000000).kind == SolverAnswer::Kind::none);
  CHECK(one.limited());
  CHECK(one.asked() == 1);
  Questions large;
  CHECK(large.ask(kNever + std::string(std::size_t{5} << 20, ' '), 1000000).kind == SolverAnswer::Kind::none);
  CHECK(large.limited());
}

TEST_CASE("nothing to ask is no answer", "[questions]") {
  Questions questions;
  CHECK(questions.ask("", 1000000).kind == SolverAnswer::Kind::none);
  CHECK(questions.asked() == 0);
  CHECK_FALSE(questions.limited());
}

TEST_CASE("every question is left as a file that says what was answered", "[questions]") {
  if (solver_version().empty()) return;
  const auto folder = std::filesystem::temp_directory_path() / "nc-questions-test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  Questions questions(0, folder.string(), "a_check");
  questions.ask(kNever, 1000000);
  questions.ask(kEver, 1000000);
  const std::string first = text_of_file(folder / "a_check-001.smt2");
  const std::string second = text_of_file(folder / "a_check-002.smt2");
  CHECK(first.find("(set-info :status unsat)") != std::string::npos);
  CHECK(second.find("(set-info :status sat)") != std::string::npos);
  CHECK(first.find(kNever + "(check-sat)") != std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace questions_test
