// Constants of one name: the same where both graphs say the same, or nothing; never by name alone where one
// of them says more.
#include "src/check/constants.h"

#include "src/graph/constant_bytes.h"
#include "tests/unit/fuzz/found.h"

namespace constants_test {

using namespace noclobber;
using namespace noclobber::found;

namespace {

/// x + c, with what each graph says of c.
Case sums(const std::string& before, const std::string& after, const std::string& more = "",
          const std::string& later = "") {
  const auto graph = [&](const std::string& said, const std::string& steps) {
    return std::string(R"({"inputs":[)") + kX + R"(,{"name":"c","type":{"dtype":"f32","shape":[4]},)" +
           R"("kind":"constant")" + said + R"(}],"steps":[)" +
           made("y", "add.Tensor", R"([{"ref":"x"},{"ref":"c"}])") + steps + R"(],"outputs":[{"ref":"y"}]})";
  };
  return read("\"before\":" + graph(before, more) + ",\"after\":" + graph(after, later));
}

/// The constant itself.
Case shown(const std::string& before, const std::string& after) {
  const auto graph = [&](const std::string& said) {
    return R"({"inputs":[{"name":"c","type":{"dtype":"f32","shape":[2]},"kind":"constant")" + said +
           R"(}],"steps":[],"outputs":[{"ref":"c"}]})";
  };
  return read("\"before\":" + graph(before) + ",\"after\":" + graph(after));
}

const std::string kFour = R"(,"value":[1,2,3,4])", kOther = R"(,"value":[1,2,3,5])";

std::string digest_text(const std::string& bytes) { return ",\"sha256\":\"" + digest_of(bytes) + "\""; }

}  // namespace

TEST_CASE("constants that both graphs tell alike are the same", "[cli]") {
  CHECK(status_of(sums("", "")) == Status::proved);
  CHECK(status_of(sums(kFour, kFour)) == Status::proved);
  CHECK(status_of(sums(kFour, R"(,"value":[1.0,2.0,3.0,4.0])")) == Status::proved);
  CHECK(status_of(sums(R"(,"value":0.1)", R"(,"value":[0.1,0.1,0.1,0.10000000149])")) == Status::proved);
  CHECK(status_of(sums(digest_text("a"), digest_text("a"))) == Status::proved);
}

TEST_CASE("constants of one name that hold different contents are refuted by a run", "[cli]") {
  CHECK(status_of(sums(kFour, kOther)) == Status::refuted);
  CHECK(status_of(sums(kFour, kOther), true) == Status::refuted);
  CHECK(status_of(shown(R"(,"value":[1,2])", R"(,"value":[1,3])")) == Status::refuted);
  CHECK(status_of(sums(digest_text("a"), digest_text("b"))) != Status::proved);
}

TEST_CASE("contents and a digest of them are held against each other", "[cli]") {
  const float four[] = {1, 2, 3, 4};
  const std::string bytes(reinterpret_cast<const char*>(four), sizeof four);
  CHECK(status_of(sums(kFour, digest_text(bytes))) == Status::proved);
  CHECK(status_of(sums(kOther, digest_text(bytes))) != Status::proved);
}

TEST_CASE("seed 900083285: a constant whose contents one graph alone tells may hold others", "[cli]") {
  for (const bool solver_only : {false, true}) {
    CHECK(status_of(sums(kFour, ""), solver_only) == Status::unknown);
    CHECK(status_of(sums("", kFour), solver_only) == Status::unknown);
    CHECK(status_of(shown(R"(,"value":[1,2])", ""), solver_only) == Status::unknown);
    CHECK(status_of(shown("", R"(,"value":[1,2])"), solver_only) == Status::unknown);
  }
  Case value = sums(kFour, "");
  tell_constants_apart(value);
  CHECK(value.one_sided == std::vector<std::string>{"c"});
  CHECK(value.after.inputs[1].contents == value.before->inputs[1].contents);
}

TEST_CASE("with one-sided contents a run still shows what is wrong by itself, and by nothing else", "[cli]") {
  const std::string write = "," + made("w", "add_.Tensor", R"([{"ref":"y"},{"ref":"c"}])");
  CHECK(status_of(sums(kFour, "", "", write)) == Status::refuted);
  CHECK(status_of(sums("", kFour, write, "")) == Status::refuted);
  CHECK(status_of(sums(kFour, "", write, write)) == Status::unknown);
}

TEST_CASE("what one graph does not use may hold anything", "[cli]") {
  const auto graph = [](const std::string& said, const std::string& other) {
    return std::string(R"({"inputs":[)") + kX + R"(,{"name":"c","type":{"dtype":"f32","shape":[4]},)" +
           R"("kind":"constant")" + said + R"(}],"steps":[)" + other +
           made("y", "neg.default", R"([{"ref":"x"}])") + R"(],"outputs":[{"ref":"y"}]})";
  };
  const std::string dead = made("d", "neg.default", R"([{"ref":"c"}])") + ",";
  for (const std::string& said : {kFour, std::string()})
    CHECK(status_of(read("\"before\":" + graph(said, dead) + ",\"after\":" + graph(kOther, ""))) ==
          Status::proved);
}

}  // namespace constants_test
