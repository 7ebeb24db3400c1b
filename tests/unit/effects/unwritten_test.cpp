// What neither graph has written is named alike in both, so that contents that are partly undefined can be
// compared.
#include "tests/unit/effects/fx_traced.h"

namespace unwritten_test {

using namespace noclobber;
using namespace noclobber::testing;

namespace {

Status verdict(const std::string& before, const std::string& after) {
  INFO(before << "\nafter\n" << after);
  bool contradiction = false;
  const Case pair = fx_pair(R"(p: "i64[4]", q: "i64[4]", v: "i64[4]")", before, after);
  const Status out = check_case(pair, {}, contradiction).status;
  CHECK_FALSE(contradiction);
  return out;
}

std::string made(const char* name) {
  return std::string(name) + " = aten.empty.memory_format([4], dtype = torch.int64)\n";
}
std::string put(const char* name, const char* into, const char* index, bool in_place) {
  return std::string(name) + " = aten.index_put" + (in_place ? "_" : "") + ".default(" + into + ", [" +
         index + "], v)\n";
}

}  // namespace

/// The permutations of a mixture of experts (Mixtral, Qwen2-MoE) are inverted in storage that nobody has
/// written.
TEST_CASE("storage that nobody has written is the same one behind writes in place") {
  const std::string end = "return (a, b)";
  const std::string before =
      made("d") + put("a", "d", "p", false) + made("e") + put("b", "e", "q", false) + end;
  const std::string after = made("d") + put("a", "d", "p", true) + made("e") + put("b", "e", "q", true) + end;
  const std::string early = made("d") + made("e") + put("a", "d", "p", true) + put("b", "e", "q", true) + end;
  CHECK(verdict(before, after) == Status::proved);
  CHECK(verdict(before, early) == Status::proved);
  CHECK(verdict(after, before) == Status::proved);
}

TEST_CASE("storage that was written is not storage that nobody has written") {
  const std::string end = "return (a, b)";
  const std::string before =
      made("d") + put("a", "d", "p", false) + made("e") + put("b", "e", "q", false) + end;
  const std::string reused = made("d") + put("a", "d", "p", true) + put("b", "d", "q", true) + end;
  const std::string exchanged =
      made("d") + put("a", "d", "q", true) + made("e") + put("b", "e", "p", true) + end;
  CHECK(verdict(before, reused) != Status::proved);
  CHECK(verdict(before, exchanged) != Status::proved);
}

TEST_CASE("one storage that nobody has written is not two different ones") {
  const std::string twice =
      made("d") + put("a", "d", "p", false) + put("b", "d", "q", false) + "return (a, b)";
  const std::string own =
      made("d") + put("a", "d", "p", false) + made("e") + put("b", "e", "q", false) + "return (a, b)";
  CHECK(verdict(twice, own) != Status::proved);
}

}  // namespace unwritten_test
