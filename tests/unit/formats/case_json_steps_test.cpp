// Steps that are read from the text of a case, one by one, are what they are as a tree.
#include <random>

#include "src/formats/case/case_json.h"
#include "src/text/plain_json.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/support/json_damage.h"

namespace case_json_steps_test {

using namespace noclobber;

namespace {

constexpr std::string_view kPlain = "\"noclobber.case/1\"", kNotPlain = "\"\\u006eoclobber.case/1\"";

/// The same document, which the reader of plain JSON leaves to the library.
std::string not_plain(std::string text) {
  const std::size_t at = text.find(kPlain);
  REQUIRE(at != text.npos);
  return text.replace(at, kPlain.size(), kNotPlain);
}

/// Both ways: the same case, or the same fault at the same place.
bool read_alike(const std::string& text) {
  const std::string other = not_plain(text);
  REQUIRE_FALSE(read_plain_frame(other, "steps"));
  const auto one = read_case_json(text), tree = read_case_json(other);
  if (!one || !tree)
    return !one && !tree && one.fault().message == tree.fault().message &&
           (one.fault().where == tree.fault().where || one.fault().where.starts_with("line "));
  return *one == *tree;
}

std::string case_with(const std::string& steps, const std::string& more = "") {
  return "{\"format\": \"noclobber.case/1\", \"name\": \"c\", \"after\": {\"inputs\": [{\"name\": \"x\", "
         "\"type\": {\"dtype\": \"f32\", \"shape\": [2]}}], \"steps\": " +
         steps + ", \"outputs\": [{\"ref\": \"x\"}]" + more + "}}";
}
std::string step(const std::string& name, const std::string& of, const std::string& more = "") {
  return "{\"name\": \"" + name + "\", \"op\": \"aten.relu\", \"args\": [{\"ref\": \"" + of + "\"}]" + more +
         "}";
}

}  // namespace

TEST_CASE("case json: steps one by one, and as a tree", "[case]") {
  std::size_t framed = 0, all = 0;
  for (const std::string& file : testing::corpus_files("cases", ".json")) {
    const std::string text = testing::corpus_text(file);
    if (text.find(kPlain) == text.npos) continue;
    ++all;
    framed += read_plain_frame(text, "steps") ? 1 : 0;
    if (!read_alike(text)) FAIL_CHECK(file);
  }
  CHECK(all > 200);
  CHECK(framed * 100 > all * 90);
}

TEST_CASE("case json: a damaged case has the fault that its tree has", "[case]") {
  std::mt19937 random(20261129);
  std::size_t good = 0, bad = 0;
  for (const std::string& file : testing::corpus_files("cases", ".accept.json")) {
    const std::string whole = testing::corpus_text(file);
    if (whole.size() > 10'000) continue;
    for (int k = 0; k < 20; ++k) {
      const std::string text = testing::mistyped(whole, random);
      if (text.find(kPlain) == text.npos) continue;
      ++(read_case_json(text) ? good : bad);
      if (!read_alike(text)) FAIL_CHECK(file << " " << k);
    }
  }
  CHECK(good > 200);
  CHECK(bad > 200);
}

TEST_CASE("case json: what steps say of others is the same in both readings", "[case]") {
  const std::string kind = step("a", "x"), later = step("b", "a");
  const std::pair<std::string, bool> kTexts[] = {
      {"[]", true},
      {"[" + kind + "]", true},
      {"[ " + kind + " , " + later + " ]", true},
      {"[" + later + ", " + kind + "]", false},                // a value that is defined later
      {"[" + kind + ", " + kind + "]", false},                 // a name twice
      {"[" + step("x", "x") + "]", false},                     // that of an input
      {"[" + step("a", "x", ", \"id\": \"a\"") + "]", false},  // an id that is a name of the step
      {"[" + step("a", "x", ", \"id\": \"b\"") + ", " + later + "]", false},  // or of a later one
      {"[" + kind + ", " + step("b", "x", ", \"id\": \"a\"") + "]", false},   // or of an earlier one
      {"[" + step("a", "x", ", \"id\": \"w\"") + ", " + step("b", "x", ", \"after\": [\"w\"]") + "]", true},
      {"[" + step("a", "x", ", \"after\": [\"x\"]") + "]", true},
      {"[" + step("a", "x", ", \"after\": [\"b\"]") + ", " + step("b", "x") + "]", false},  // listed later
      {"[" + step("a", "x", ", \"after\": [\"nobody\"]") + "]", false},
      {"[" + step("a", "x", ", \"stream\": \"s\"") + ", " + step("b", "x", ", \"stream\": \"s\"") + "]",
       true},
      {"[" + step("a", "x", ", \"op\": \"aten.relu\"") + "]", false},  // a member twice
      {"[" + kind + ", 1]", false},
      {"[" + kind + ",]", false},
      {"[" + kind + "", false},
      {"{}", false},
      {"null", false},
  };
  for (const auto& [steps, good] : kTexts) {
    CAPTURE(steps);
    CHECK(read_alike(case_with(steps)));
    CHECK(static_cast<bool>(read_case_json(case_with(steps))) == good);
  }
  // Every order: a later step may be named.
  const std::string edge = "[" + step("a", "x", ", \"after\": [\"b\"]") + ", " + step("b", "x") + "]";
  std::string any = case_with(edge);
  any.insert(1, "\"order\": \"dataflow\", ");
  CHECK(read_alike(any));
  CHECK(read_case_json(any));
  // What a step does not say is not what the one before it said.
  const auto read = read_case_json(
      case_with("[" + step("a", "x", ", \"loc\": \"m.py:1\", \"kwargs\": {\"k\": 1}, \"types\": [null]") +
                ", " + step("b", "a") + ", " + step("c", "b", ", \"kwargs\": {}") + "]"));
  REQUIRE(read);
  CHECK(read->after.steps[0].kwargs.size() == 1);
  CHECK(read->after.steps[0].source->loc == "m.py:1");
  for (const std::size_t k : {1, 2}) {
    CHECK(read->after.steps[k].kwargs.empty());
    CHECK(read->after.steps[k].source->loc.empty());
  }
}

}  // namespace case_json_steps_test
