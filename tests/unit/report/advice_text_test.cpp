#include "src/report/advice_text.h"

#include "src/report/report.h"
#include "src/report/run_text.h"
#include "src/report/style.h"
#include "tests/catch.h"

namespace advice_text_test {

using namespace noclobber;

namespace {

CheckRecord of_input(const std::string& input, std::uint32_t barriers, std::size_t idle,
                     std::size_t noted = 0) {
  CheckRecord record;
  record.input = input;
  record.id = input;
  record.what = "trace";
  record.status = Status::proved;
  record.barriers.barriers = barriers;
  for (std::size_t k = 0; k < idle; ++k) {
    FindingPlace& place = record.barriers.idle.emplace_back();
    place.name = "b" + std::to_string(k);
    if (k < noted) place.note = "before a write";
  }
  return record;
}

std::string text_of(std::vector<CheckRecord> records, std::size_t width = 200) {
  RunSummary summary;
  for (CheckRecord& record : records) summary.add(std::move(record));
  Look look;
  look.width = width;
  return advice_text(summary, look);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("advice: idle barriers of each input, and what to do about them", "[report]") {
  CHECK(text_of({of_input("a", 4, 0)}).empty());
  CHECK(
      text_of({of_input("a", 4, 2), of_input("b", 3, 0)}) ==
      "lint[NC040]: 2 of 7 barriers order nothing that is not ordered already\n"
      "  a: 2 of 4: b0, b1\n"
      "  help: leave them out; what they name is ordered by its uses already, and nothing is fused across a "
      "barrier\n\n");
  // A barrier that an executor needs stays; if all of them do, there is nothing to leave out.
  const std::string some = text_of({of_input("a", 4, 2, 1)});
  CHECK(has(some, "ordered already; nvFuser needs 1 of them, each before a write\n"));
  CHECK(has(some, "  a: 2 of 4: b0 (before a write), b1\n"));
  CHECK(has(some, "  help: leave the others out; "));
  CHECK(!has(text_of({of_input("a", 4, 2, 2)}), "help"));
}

TEST_CASE("advice: the last graph of an input speaks for it, and a backward graph for itself", "[report]") {
  CheckRecord backward = of_input("a", 5, 1);
  backward.id = "bw0", backward.what = "single";
  const std::string text = text_of({of_input("a", 4, 2), backward, of_input("a", 4, 3)});
  CHECK(has(text, ": 4 of 9 barriers"));
  CHECK(has(text, "  a: 3 of 4: b0, b1, b2\n  a: 1 of 5: b0\n"));
  backward.what = "pair";  // which has the barriers of the whole
  CHECK(has(text_of({backward, of_input("a", 4, 3)}), ": 3 of 4 barriers"));
  CHECK(has(text_of({of_input("traces/bw", 4, 3)}), "  traces/bw: 3 of 4: "));
}

TEST_CASE("advice: eight are named and the others are counted", "[report]") {
  CHECK(has(text_of({of_input("a", 9, 8)}), "b6, b7\n"));
  const std::string many = text_of({of_input("a", 20, 11)});
  CHECK(has(many, "  a: 11 of 20: b0, b1, b2, b3, b4, b5, b6, b7, 3 more\n"));
  std::vector<CheckRecord> inputs;
  for (int k = 0; k < 10; ++k)
    inputs.push_back(of_input(std::string("in") + static_cast<char>('a' + k), 2, 1));
  const std::string text = text_of(inputs);
  CHECK(has(text, "inh: 1 of 2: b0\n"));
  CHECK(!has(text, "ini:"));
  CHECK(has(text, "  and 2 more inputs\n"));
  CHECK(has(text_of({of_input("a\x1b[2J", 2, 1)}), "a\\x1b[2J: 1 of 2"));
}

TEST_CASE("advice: writes behind the return, and instructions that nobody reads", "[report]") {
  CheckRecord one = of_input("a", 0, 0), two = of_input("b", 0, 0);
  FindingPlace write, step;
  write.statement = "copy_(x, y)\x1b";
  step.statement = "MulNode";
  step.loc = "byte 12";
  one.behind_return = {write}, two.behind_return = {write}, two.dead = {step};
  CHECK(text_of({one, two}) ==
        "lint[NC011]: copy_(x, y)\\x1b stands behind the return in 2 checks, and nobody sees it\n\n"
        "lint[NC042]: MulNode, byte 12 of b makes what nobody reads\n\n");
  CHECK(has(text_of({one}), "in 1 check, and"));
  CHECK(text_of({of_input("a", 0, 0)}).empty());
}

TEST_CASE("formats: the text is that of a terminal without colours", "[report]") {
  Report report;
  report.add(ErrorRecord{"a.json", "line 3", "is no case"});
  report.checks.push_back(of_input("b.json", 0, 0));
  const Format* text = find_format("text");
  REQUIRE(text != nullptr);
  CHECK(text->render(report) == to_text(report, Look()));
  CHECK(text->render(report).starts_with("error: a.json: line 3: is no case\n"));
  CHECK(find_format("texts") == nullptr);
}

}  // namespace advice_text_test
