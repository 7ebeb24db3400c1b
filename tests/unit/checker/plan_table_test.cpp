// The text of a plan's certificate: what is read of it, and one fault in each place.
#include <algorithm>

#include "checker/check.h"
#include "checker/plan/plan.h"
#include "checker/text/hash.h"
#include "tests/catch.h"

namespace plan_table_test {

using namespace noclobber;
using checker::Answer;

namespace {

using Words = std::vector<std::string>;

/// a [0, 16) and b [16, 32); then c [0, 8) where a was; then d [0, 32) when all are gone.
Words good() {
  return {"noclobber.plan/1",
          "about",
          "1:p",
          "inputs",
          "1",
          "3:abc",
          "1:f",
          "assumptions",
          "1",
          "2:as",
          "capacity",
          "32",
          "rows",
          "4",
          "moments",
          "3",
          "0",
          "0",
          "2",
          "16",
          "0",
          "0",
          "16",
          "16",
          "1",
          "1",
          "1",
          "1",
          "1",
          "8",
          "0",
          "0",
          "2",
          "2",
          "1",
          "2",
          "1",
          "32",
          "0",
          "0"};
}
enum Place : std::size_t {
  kCapacity = 11,
  kRows = 13,
  kMoments = 15,
  kA = 19,
  kB = 22,
  kGone = 27,
  kC = 29,
  kD = 37
};

std::string text_of(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += word + (out.empty() ? "\n" : " ");
  return out + "sum " + checksum(out) + "\n";
}

Answer checked(const std::string& text) {
  Space space;
  return checker::check(text, space);
}
Answer read(const Words& words) { return checked(text_of(words)); }
bool readable(const Words& words) { return read(words).said != Answer::Said::unreadable; }
/// What is said of the plan with some words changed: "proved", why it is not, or why it cannot be read.
std::string said(const std::vector<std::pair<std::size_t, std::string>>& changes) {
  Words words = good();
  for (const auto& [at, word] : changes) words[at] = word;
  const Answer out = read(words);
  if (out.said == Answer::Said::unreadable) return out.why.substr(out.why.find("expected"));
  return out.said == Answer::Said::proved ? "proved" : out.why;
}

}  // namespace

TEST_CASE("a plan's certificate says what it is about", "[plan-table]") {
  for (const Answer& out : {read(good()), checker::check_plan(text_of(good()))}) {
    CHECK(out.said == Answer::Said::proved);
    CHECK(out.why.empty());
    CHECK(out.obligations == 8);
    CHECK(out.by_rule == 8);
    CHECK(out.by_solver + out.derivations == 0);
    CHECK(out.inputs == std::vector<std::pair<std::string, std::string>>{{"abc", "f"}});
    CHECK(out.assumptions == std::vector<std::string>{"as"});
  }
}

TEST_CASE("a placement touches its neighbours and its arena's end, and goes no further", "[plan-table]") {
  const std::string meets = " in the order of time meets a neighbour";
  CHECK(said({{kA, "17"}}) == "row 1" + meets);  // b begins at 16
  CHECK(said({{kB + 1, "15"}}) == "row 1" + meets);
  CHECK(said({{kB + 1, "17"}}) == "row 1 in the order of time ends behind the arena");
  CHECK(said({{kB, "17"}}) == "row 1 in the order of time ends behind the arena");
  CHECK(said({{kB, "17"}, {kCapacity, "33"}}) == "proved");
  CHECK(said({{kB, "17"}, {kCapacity, "0"}}) == "proved");  // an arena of no known size
  CHECK(said({{kA, "33"}, {kB + 1, "33"}, {kCapacity, "1"}}) ==
        "row 0 in the order of time ends behind the arena");
  CHECK(said({{kC, "16"}}) == "proved");
  CHECK(said({{kC, "17"}}) == "row 2" + meets);
  CHECK(said({{kC + 1, "8"}}) == "proved");
  CHECK(said({{kC + 1, "9"}}) == "row 2" + meets);
  CHECK(said({{kC + 2, "2"}}) == "row 2" + meets);  // behind b, it says
  CHECK(said({{kC + 1, "32"}, {kC + 2, "2"}, {kCapacity, "64"}}) == "proved");
  CHECK(said({{kD, "33"}}) == "row 3 in the order of time ends behind the arena");
  const Answer two = [] {
    Words words = good();
    words[kA] = "17", words[kD] = "33";
    return read(words);
  }();
  CHECK(two.why == "row 1" + meets);  // the first fault; both are counted
  CHECK(two.said == Answer::Said::not_proved);
  CHECK(two.obligations == 8);
  CHECK(two.by_rule == 6);
}

TEST_CASE("who leaves or is leant on is alive", "[plan-table]") {
  const std::string alive = "expected one that is alive";
  CHECK(said({{kGone, "2"}, {kC, "16"}, {kC + 1, "16"}, {kC + 2, "1"}}) == "proved");  // b leaves
  CHECK(said({{kGone, "0"}}) == alive);
  CHECK(said({{kGone, "3"}}) == alive);
  CHECK(said({{kD - 3, "1"}, {kD - 2, "1"}}) != "proved");
  CHECK(said({{kD - 2, "1"}}) == alive);  // one leaves twice
  CHECK(said({{kB + 2, "2"}}) == alive);
  CHECK(said({{kB + 2, "3"}}) == alive);
  CHECK(said({{kD + 2, "2"}}) == alive);  // gone
}

TEST_CASE("every word of a plan's certificate is wanted", "[plan-table]") {
  for (std::size_t k = 0; k < good().size(); ++k) {
    const std::string word = good()[k];
    INFO("word " << k << ": " << word);
    CHECK(said({{k, "x"}}).starts_with("expected"));
    if (k > kMoments) continue;  // of numbers one less may be another plan
    Words less = good();
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(k));
    CHECK_FALSE(readable(less));
  }
  CHECK(said({{kRows, "3"}}) == "expected as many rows as there are");
  CHECK(said({{kRows, "5"}}) == "expected as many rows as there are");
  CHECK(said({{kA, "-1"}}) == "expected a number of 18 digits");
  CHECK(said({{kCapacity, "1000000000000000000"}}) == "expected a number of 18 digits");
  CHECK(said({{kCapacity, "999999999999999999"}}) == "proved");
  Words more = good();
  more.emplace_back("1");
  CHECK_FALSE(readable(more));
  std::string worn = text_of(good());
  worn[worn.find("16")] = '1', worn[worn.find("16") + 1] = '5';
  const Answer out = checked(worn);
  CHECK(out.said == Answer::Said::unreadable);
  CHECK(out.why.find("the sum of all that stands before it") != std::string::npos);
}

TEST_CASE("a plan of another format is not read as one of this", "[plan-table]") {
  for (const char* format :
       {"noclobber.plan/2", "noclobber.plan/10", "noclobber.plan/1x", "noclobber.plan", "x"}) {
    Words words = good();
    words[0] = format;
    INFO(format);
    CHECK_FALSE(readable(words));
  }
}

}  // namespace plan_table_test
