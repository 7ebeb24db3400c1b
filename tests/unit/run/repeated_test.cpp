// What a log holds several times is decided once, and nothing else is taken for it.
#include "src/run/repeated.h"
#include "src/formats/case/case_json.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/torch_trace.h"
#include "src/text/file.h"

#include <fmt/format.h>

#include "src/lower/torch_trace/graphs.h"
#include "src/report/names.h"
#include "src/run/runner.h"
#include "tests/catch.h"
#include "tests/support/corpus.h"
#include "tests/unit/lower/torch_trace_text.h"

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

TEST_CASE("repeated: what is proved is the answer of what has its number", "[cli]") {
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

TEST_CASE("repeated: another number or another input is another check, and no number is none", "[cli]") {
  Repeated repeated;
  Work first = work_of(read(kRight), "one"), number = work_of(read(kRight), "two", 8),
       input = work_of(read(kRight), "three"), none = work_of(read(kRight), "four", 0);
  input.input = "b.log";
  CHECK(repeated.turn(0, first).second != nullptr);
  CHECK(repeated.turn(1, number).first == Turn::decide);
  CHECK(repeated.turn(2, input).first == Turn::decide);
  CHECK(repeated.turn(3, none) == std::pair{Turn::decide, std::shared_ptr<Repeated::First>()});
}

TEST_CASE("repeated: every check keeps its id, and of those that are refuted each is decided", "[cli]") {
  for (const std::uint64_t jobs : {1, 2, 8}) {
    std::deque<Work> works;
    std::vector<std::string> expected;
    for (int k = 0; k < 12; ++k) {
      const bool wrong = k % 3 == 1;
      works.push_back(work_of(read(wrong ? kWrong : kRight), std::to_string(k), wrong ? 8 : 7));
      expected.push_back(fmt::format("{} {}", k, wrong ? "refuted 1" : "proved 0"));
    }
    CHECK(outcomes(std::move(works), jobs) == expected);
  }
}

namespace {

std::string tensors(int describer, int second, const std::string& more = "") {
  std::string out;
  for (const int k : {0, second})
    out += trace_record(fmt::format(
               "\"describe_storage\": {{\"id\": {}, \"describer_id\": {}, \"size\": 40}}", k, describer)) +
           trace_record(
               fmt::format("\"describe_tensor\": {{\"id\": {}, \"dtype\": \"torch.float32\", \"size\": [5], "
                           "\"stride\": [1], \"storage_offset\": 0, \"storage\": {}, \"describer_id\": {}}}",
                           10 + k, k, describer)) +
           trace_record(
               fmt::format("\"describe_source\": {{\"describer_id\": {}, \"id\": {}}}", describer, 10 + k));
  return out + more;
}

/// Two compilations of the same pair, after these records each: have their checks one number?
bool alike(std::string first, const std::string& second, const std::string& graph = kTracePair) {
  const std::string other = ", \"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0";
  std::string moved = second + graph;
  for (std::size_t at = 0; (at = moved.find(kTraceId, at)) != moved.npos; at += other.size())
    moved.replace(at, std::string(kTraceId).size(), other);
  const TraceLog log = read_torch_trace(first + kTracePair + moved);
  REQUIRE(log.checks.size() == 2);
  CHECK((log.checks[0].alike == 0) == (log.checks[1].alike == 0));
  return log.checks[0].alike != 0 && log.checks[0].alike == log.checks[1].alike;
}

}  // namespace

TEST_CASE("repeated: checks have one number where texts and facts are the same", "[cli]") {
  const auto symbol = [](const char* range) {
    return trace_record(
        fmt::format("\"create_symbol\": {{\"symbol\": \"s0\", \"val\": \"5\", \"vr\": \"{}\"}}", range));
  };
  const auto guard = [](const char* text) {
    return trace_record(fmt::format("\"guard_added\": {{\"expr\": \"{}\"}}", text));
  };
  CHECK(alike("", ""));
  CHECK(alike(tensors(1, 1), tensors(1, 1)));
  CHECK(alike(tensors(1, 1), tensors(2, 1)));  // who describes them is no matter
  CHECK(alike(symbol("[2, 9]"), symbol("[2, 9]")));
  CHECK(alike(guard("s0 < 9"), guard("s0 < 9")));

  CHECK_FALSE(alike(tensors(1, 1), tensors(1, 0)));  // one storage
  CHECK_FALSE(alike(tensors(1, 1), ""));
  CHECK_FALSE(alike(symbol("[2, 9]"), symbol("[2, 8]")));
  CHECK_FALSE(alike(symbol("[2, 9]"), ""));
  CHECK_FALSE(alike(guard("s0 < 9"), guard("s0 < 8")));
  const std::string other = trace_artifact("before_post_grad_graph", trace_graph("add")) +
                            trace_artifact("inductor_post_grad_graph", trace_graph("mul"));
  CHECK_FALSE(alike("", "", other));
  const std::string swapped = trace_artifact("before_post_grad_graph", trace_graph("add_")) +
                              trace_artifact("inductor_post_grad_graph", trace_graph("add"));
  CHECK_FALSE(alike("", "", swapped));
}

TEST_CASE("repeated: of two describers nobody knows which storage of one is which of the other's", "[cli]") {
  const auto may_overlap = [](const std::string& records) {
    TraceLog log = read_whole(records + kTracePair);
    REQUIRE(log.checks.size() == 1);
    REQUIRE(log.checks[0].value);
    return log.checks[0].value->inputs_may_overlap;
  };
  CHECK_FALSE(may_overlap(tensors(1, 1)));
  CHECK(may_overlap(tensors(1, 1) + tensors(2, 1)));
}

TEST_CASE("repeated: of graphs that nobody can read each is an error", "[cli]") {
  const std::string cut =
      "class A(torch.nn.Module):\n    def forward(self, a: \"f32[5]\"):\n        r = torch.ops(\n";
  const std::string pair = trace_artifact("before_post_grad_graph", trace_graph("add")) +
                           trace_artifact("after_post_grad_graph", cut) + trace_record("\"str\": []");
  TraceLog log = read_torch_trace(pair + pair + pair);
  REQUIRE(log.checks.size() == 3);
  CHECK(log.checks[0].alike != 0);
  std::deque<Work> works;
  for (TraceCheck& check : log.checks) {
    Work& work = works.emplace_back();
    work.input = "a.log";
    work.id = check.id;
    work.alike = check.alike;
    work.unread = std::make_shared<TraceCheck>(std::move(check));
  }
  WorkSource source(std::move(works));
  std::size_t errors = 0;
  CHECK(run_all(source, RunnerOptions(), [&](Outcome&& outcome) {
    errors += outcome.kind == Work::Kind::error && !outcome.fault.message.empty() ? 1 : 0;
  }));
  CHECK(errors == 3);
}

TEST_CASE("repeated: a text that several checks hold is read for each as it stands", "[cli]") {
  const std::string text = trace_graph("add");
  const TraceGraph graph{TraceGraph::Kind::aot_forward, "aot_forward_graph", 3, text, "a.txt"};
  const std::string cut = text.substr(0, text.size() / 2);
  const TraceGraph broken{TraceGraph::Kind::aot_forward, "aot_forward_graph", 9, cut, "b.txt"};
  const auto once = read_trace_graph(graph);
  REQUIRE(once);
  TraceGraphs graphs;
  for (int k = 0; k < 3; ++k) graphs.expect(graph), graphs.expect(broken);
  for (int k = 0; k < 5; ++k) {  // more than were expected
    auto read = graphs.read(graph);
    REQUIRE(read);
    CHECK(read->graph == once->graph);
    read->graph.values.front().name = "changed";
    if (read->graph.values.front().type) read->graph.values.front().type.edit().device = "elsewhere";
    const auto fault = graphs.read(broken);
    REQUIRE_FALSE(fault);
    CHECK(fault.fault().where.starts_with("b.txt"));
  }
}

TEST_CASE("repeated: texts that a log holds once have no number", "[cli]") {
  std::size_t twice = 0;
  for (const std::string& file : testing::corpus_files("logs", ".log.gz")) {
    const std::string text = testing::corpus_text(file);
    std::map<std::uint64_t, std::size_t> counts;
    for (const TraceCheck& check : read_torch_trace(text).checks) ++counts[check.alike];
    for (const auto& [number, count] : counts) CHECK((number == 0 || count > 1));
    counts.clear();
    for (const TraceCheck& check : read_torch_trace(text + text).checks)
      if (check.what == TraceCheck::What::pair) ++counts[check.alike];
    CHECK(!counts.contains(0));
    twice += counts.size();
  }
  CHECK(twice > 40);
}

}  // namespace repeated_test
