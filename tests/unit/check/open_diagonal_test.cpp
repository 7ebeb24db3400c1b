// Writes through the diagonal of a matrix of two open sizes, as Inductor makes them: the diagonal's length is
// a function of both, of which guards say something that no values of symbols show.
#include <filesystem>
#include <fstream>

#include "checker/check.h"
#include "tests/support/brute.h"
#include "tests/unit/effects/fx_traced.h"

namespace open_diagonal_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

const std::string kGiven = R"(x: "f32[s, t]", y: "f32[s, t]")";
const std::string kSum = R"(d: "f32[Min(s, t)]" = aten.diagonal.default(x)
a: "f32[Min(s, t)]" = aten.add.Tensor(d, 1)
)";
const std::string kScatter = kSum + R"(w: "f32[s, t]" = aten.diagonal_scatter.default(x, a)
r: "f32[s, t]" = aten.mul.Tensor(w, y)
c: "f32[s, t]" = aten.copy_.default(x, w)
return (r,))";

Case diagonal(const std::string& before, const std::string& after) {
  Case out = fx_pair(kGiven, before, after);
  for (const char* name : {"s", "t"}) {
    out.symbols[name].min = 2;
    out.symbols[name].hint = 3;
  }
  const auto side = [](const char* text) { return *parse_sym(text); };
  out.assume.push_back({SymRelation::Kind::le, side("1"), side("Min(s, t)")});
  return out;
}

/// The same in place. `first`: a line before everything else; `result`: what is returned.
std::string in_place(const std::string& offset, const std::string& product, const std::string& first = "",
                     const std::string& result = "r") {
  return first + kSum + "e: \"f32[Min(s, t)]\" = aten.diagonal.default(x" + offset +
         ")\nc: \"f32[Min(s, t)]\" = aten.copy_.default(e, a)\nr: \"f32[s, t]\" = aten.mul.Tensor(" +
         product + ")\nreturn (" + result + ",)";
}

}  // namespace

TEST_CASE("a diagonal of open length is written in place") {
  bool contradiction = false;
  const Case right = diagonal(kScatter, in_place("", "x, y"));
  CHECK(check_case(right, {}, contradiction).status == Status::proved);
  const Case early =
      diagonal(kScatter, in_place("", "x, y", "m: \"f32[s, t]\" = aten.mul.Tensor(x, y)\n", "m"));
  CHECK(check_case(early, {}, contradiction).status == Status::refuted);
  CHECK(check_case(diagonal(kScatter, in_place(", 0, 1, 0", "x, y")), {}, contradiction).status ==
        Status::proved);
  CHECK(check_case(diagonal(kScatter, in_place("", "y, y")), {}, contradiction).status == Status::refuted);
  CHECK_FALSE(contradiction);
}

TEST_CASE("a fact of a function nobody computes does not keep a certificate from being shown") {
  CheckOptions options;
  const auto folder = std::filesystem::temp_directory_path() / "noclobber_open_diagonal";
  std::filesystem::create_directories(folder);
  options.certificates = folder.string();
  bool contradiction = false;
  REQUIRE(check_case(diagonal(kScatter, in_place("", "x, y")), options, contradiction).status ==
          Status::proved);
  std::ifstream file(options.certificates + "/check.cert", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Space space;
  const checker::Answer said = checker::check(text, space);
  INFO(said.why);
  CHECK(said.said == checker::Answer::Said::proved);
}

}  // namespace open_diagonal_test
