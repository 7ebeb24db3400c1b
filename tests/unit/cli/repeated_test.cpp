// What a log holds several times is decided once, and nothing else is taken for it.
#include "src/cli/repeated.h"

#include <fmt/format.h>

#include "src/cli/runner.h"
#include "src/report/names.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"

namespace repeated_test {

using namespace noclobber;
using Turn = Repeated::Turn;

namespace {

Case read(const std::string& name) {
  const auto text = read_file(in_sources("/corpus/cases/") + name);
  REQUIRE(text);
  auto value = read_case_json(*text);
  REQUIRE(value);
  return *std::move(value);
}

const std::string kRight = "call-inputs-overlap-in-part.accept.json",
                  kWrong = "call-inputs-overlap-in-part.refute.json";

Work work_of(const Case& value, const std::string& id, std::uint64_t alike = 7) {
  Work work;
  work.input = "a.log";
  work.id = id;
  work.alike = alike;
  work.value = value;
  work.value.name = id;
  return work;
}

CheckRecord said(Status status) {
  CheckRecord record;
  record.status = status;
  return record;
}

/// What becomes of them on so many threads: "id status findings".
std::vector<std::string> outcomes(std::deque<Work> works, std::uint64_t jobs) {
  WorkSource source(std::move(works));
  RunnerOptions options;
  options.jobs = jobs;
  std::vector<std::string> out;
  CHECK(run_all(source, options, [&](Outcome&& outcome) {
    out.push_back(fmt::format("{} {} {}", outcome.record.id, status_name(outcome.record.status),
                              outcome.record.findings.size()));
  }));
  return out;
}

}  // namespace

TEST_CASE("repeated: what is proved is the answer of what is the same but for its name", "[cli]") {
  Repeated repeated;
  Work first = work_of(read(kRight), "one"), second = work_of(read(kRight), "two"),
       third = work_of(read(kRight), "three");
  const auto [turn, kept] = repeated.turn(0, first);
  CHECK(turn == Turn::decide);
  REQUIRE(kept != nullptr);
  CHECK(first.value.name == "one");
  CHECK(repeated.turn(1, second).first == Turn::leave);
  const auto waited = repeated.settle(*kept, said(Status::proved), false);
  REQUIRE(waited.size() == 1);
  CHECK(waited[0].first == 1);
  CHECK(waited[0].second.value.name == "two");
  CHECK(kept->answer);
  CHECK(repeated.turn(2, third).first == Turn::copy);
}

TEST_CASE("repeated: what is not proved, or contradicted, or has something to tell, is decided by each",
          "[cli]") {
  CheckRecord tells = said(Status::proved), open = said(Status::proved);
  tells.findings.emplace_back();
  open.unknown.emplace_back();
  const std::pair<CheckRecord, bool> records[] = {{said(Status::refuted), false},
                                                  {said(Status::unknown), false},
                                                  {said(Status::proved), true},
                                                  {tells, false},
                                                  {open, false}};
  for (const auto& [record, contradiction] : records) {
    Repeated repeated;
    Work first = work_of(read(kRight), "one"), second = work_of(read(kRight), "two"),
         third = work_of(read(kRight), "three");
    const auto kept = repeated.turn(0, first).second;
    REQUIRE(repeated.turn(1, second).first == Turn::leave);
    CHECK(repeated.settle(*kept, record, contradiction).size() == 1);
    CHECK(!kept->answer);
    CHECK(repeated.turn(2, third).first == Turn::decide);
  }
}

TEST_CASE("repeated: another case is another, whatever its number says", "[cli]") {
  const Case right = read(kRight);
  Case step = right, symbol = right, input = right, output = right, sentence = right, order = right;
  step.after.steps.at(0).args.push_back(Arg::of_bool(true));
  symbol.symbols["s0"].min = 2;
  input.after.inputs.at(0).storage = "elsewhere";
  output.after.outputs.push_back(Arg::of_real(-0.0));
  sentence.assumed.emplace_back("nobody looks");
  order.dataflow = !order.dataflow;
  for (const Case& other : {step, symbol, input, output, sentence, order}) {
    Repeated repeated;
    Work first = work_of(right, "one"), second = work_of(other, "two");
    const auto kept = repeated.turn(0, first).second;
    CHECK(repeated.turn(1, second).first == Turn::decide);
    repeated.settle(*kept, said(Status::proved), false);
  }
  Repeated repeated;
  Work alone = work_of(right, "one", 0);
  CHECK(repeated.turn(0, alone) == std::pair{Turn::decide, std::shared_ptr<Repeated::First>()});
}

TEST_CASE("repeated: every check keeps its id, and a wrong one of the same number is refuted", "[cli]") {
  for (const std::uint64_t jobs : {1, 2, 8}) {
    std::deque<Work> works;
    std::vector<std::string> expected;
    for (int k = 0; k < 12; ++k) {
      const bool wrong = k % 3 == 1;
      works.push_back(work_of(read(wrong ? kWrong : kRight), std::to_string(k)));
      expected.push_back(fmt::format("{} {}", k, wrong ? "refuted 1" : "proved 0"));
    }
    CHECK(outcomes(std::move(works), jobs) == expected);
  }
}

TEST_CASE("repeated: texts that a log holds once have no number", "[cli]") {
  std::size_t twice = 0;
  for (const std::string& file : testing::corpus_files("logs", ".log.gz")) {
    const auto text = read_file(in_sources("/corpus/") + file);
    REQUIRE(text);
    std::map<std::uint64_t, std::size_t> counts;
    for (const TraceCheck& check : read_torch_trace(*text).checks) ++counts[check.alike];
    for (const auto& [number, count] : counts) CHECK((number == 0 || count > 1));
    counts.clear();
    for (const TraceCheck& check : read_torch_trace(*text + *text).checks)
      if (check.what == TraceCheck::What::pair) ++counts[check.alike];
    CHECK(!counts.contains(0));
    twice += counts.size();
  }
  CHECK(twice > 40);
}

}  // namespace repeated_test
