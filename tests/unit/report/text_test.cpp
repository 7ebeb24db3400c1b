#include "src/report/layout.h"
#include "src/report/names.h"
#include "src/report/record.h"
#include "src/report/run_text.h"
#include "tests/catch.h"

namespace text_test {

using namespace noclobber;

namespace {

CheckRecord slice_zero() {
  CheckRecord record;
  record.input = "trace.log";
  record.id = "-_0_0_0/post_grad";
  record.what = "pair";
  record.status = Status::refuted;
  Finding& finding = record.findings.emplace_back();
  finding.rule = "NC001";
  finding.property = "stale-read";
  finding.fingerprint = "1";
  finding.storage = "arg1_1";
  finding.storage_type = "i64[4,6], 192 B";
  finding.define = FindingPlace{"after",
                                2,
                                "copy__default",
                                "program.py:3 in f",
                                "copy__default = copy_(slice_tensor, slice_1)",
                                "rows 1..3 live in arg1_1"};
  finding.clobber = FindingPlace{"after", 4, "copy_", "program.py:4 in f", "copy_ = copy_(arg1_1, full)", ""};
  finding.read = FindingPlace{"after", 5, "return", "", "return (arg1_1,)", "finds what 2 made"};
  finding.before = FindingPlace{
      "before", 1, "slice_scatter", "", "slice_scatter = slice_scatter(arg1_1, slice_1)", "own storage"};
  finding.code = "y = torch.slice_scatter(x, src[1:3])";
  finding.witness_inputs = {{"arg1_1", "arange(24)"}};
  finding.witness_where = "output 0";
  finding.index = {1, 0};
  finding.expected = "-6";
  finding.actual = "0";
  finding.replayed = true;
  finding.help = "keep slice_scatter functional here";
  return record;
}

CheckRecord plain(Status status, const std::string& what, const std::string& id) {
  CheckRecord record;
  record.status = status;
  record.what = what;
  record.id = id;
  return record;
}

}  // namespace

TEST_CASE("text: the diagnosis of one finding", "[report]") {
  const CheckRecord record = slice_zero();
  CHECK(to_text(record, record.findings[0], Look()) ==
        "error[NC001]: value is read after its storage was overwritten\n"
        "  trace.log · [0/0] post-grad · storage of arg1_1 (i64[4,6], 192 B)\n"
        "\n"
        "   after  copy__default = copy_(slice_tensor, slice_1)     1. rows 1..3 live in arg1_1\n"
        "          copy_ = copy_(arg1_1, full)                      2. at fault\n"
        "          return (arg1_1,)                                 3. finds what 2 made\n"
        "   before slice_scatter = slice_scatter(arg1_1, slice_1)   own storage\n"
        "\n"
        "  program.py:3 in f    y = torch.slice_scatter(x, src[1:3])\n"
        "  witness  arg1_1 = arange(24): output 0 at [1, 0] expected -6, got 0 (replayed)\n"
        "  help     keep slice_scatter functional here\n");
}

TEST_CASE("text: colour adds codes and changes nothing else", "[report]") {
  const CheckRecord record = slice_zero();
  std::string coloured = to_text(record, record.findings[0], Look{.colour = true});
  CHECK(coloured.find("\x1b[1;31m") != std::string::npos);
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  CHECK(coloured == to_text(record, record.findings[0], Look()));
}

TEST_CASE("text: names cannot command the terminal", "[report]") {
  CheckRecord record = slice_zero();
  record.input = "\x1b[2J";
  record.findings[0].message = "a\nb\x1b]0;x\x07";
  record.findings[0].define->statement = std::string(500, 'x') + "\x1b[31m";
  const std::string text = to_text(record, record.findings[0], Look());
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  CHECK(text.find(std::string(70, 'x')) == std::string::npos);
}

TEST_CASE("text: success is one calm line", "[report]") {
  RunSummary summary;
  CheckRecord record = plain(Status::proved, "pair", "a");
  record.counts.steps = 12;
  record.counts.in_place = 2;
  record.unchecked = {"output_code", "backward"};
  summary.add(CheckRecord(record));
  summary.add(CheckRecord(record));
  summary.add(plain(Status::proved, "single", "b"));
  CHECK(
      to_text(summary, 0.44, Look()) ==
      "✓ 2 pairs and 1 single graph checked: 3 proved, 0 refuted, 0 unknown (24 steps, 4 in place) (0.4 s)\n"
      "  not checked: backward, output_code\n");
}

TEST_CASE("text: findings are grouped by cause, unknowns by reason", "[report]") {
  RunSummary summary;
  for (const char* input : {"trace.log", "b.log", "c.log"}) {
    CheckRecord record = slice_zero();
    record.input = input;
    summary.add(std::move(record));
  }
  CheckRecord other = slice_zero();
  other.findings[0].fingerprint = "2";
  summary.add(std::move(other));
  for (const char* id : {"p", "q"}) {
    CheckRecord record = plain(Status::unknown, "pair", id);
    record.unknown = {{"unsupported-op", {"mylib.foo.default"}}};
    summary.add(std::move(record));
  }
  const std::string text = to_text(summary, 0, Look());
  CHECK(text.find("  also in  2: b.log [0/0] post-grad, c.log [0/0] post-grad\n") != std::string::npos);
  CHECK(text.find("unknown[unsupported-op]: 2 checks: 2 × mylib.foo.default\n  in       p, q\n"
                  "  help     schemas of your own operators: --ops FILE\n"
                  "  explain  noclobber explain unsupported-op\n") != std::string::npos);
  CHECK(text.find("✗ 6 pairs checked: 0 proved, 4 refuted, 2 unknown") != std::string::npos);
  std::size_t diagnoses = 0;
  for (std::size_t at = 0; (at = text.find("error[", at)) != std::string::npos; ++at) ++diagnoses;
  CHECK(diagnoses == 2);
  CHECK(summary.totals.pairs_refuted == 4);
}

TEST_CASE("text: one cause is one error, two faults of one shape are two", "[report]") {
  RunSummary summary;
  CheckRecord record = slice_zero();
  record.findings[0].also_breaks = {{"NC005", "alias-growth", "output 0 shares storage"}};
  record.findings[0].help_model = "use .clone()";
  record.findings.push_back(record.findings[0]);
  record.findings.back().rule = "NC005";
  record.findings.back().follows = "NC001";
  record.findings.push_back(record.findings[0]);
  summary.add(std::move(record));
  const std::string text = to_text(summary, 0, Look());
  CHECK(text.find("  also breaks NC005 alias-growth: output 0 shares storage\n") != std::string::npos);
  CHECK(text.find("  model    use .clone()\n") != std::string::npos);
  CHECK(text.find("error[NC005]") == std::string::npos);
  std::size_t diagnoses = 0;
  for (std::size_t at = 0; (at = text.find("error[NC001]", at)) != std::string::npos; ++at) ++diagnoses;
  CHECK(diagnoses == 2);
}

TEST_CASE("text: what proofs rest on is listed with counts, the commonest first", "[report]") {
  RunSummary summary;
  for (const char* more : {"z3 5.4.0 on 3 obligations", "z3 5.4.0 on 12 obligations", ""}) {
    CheckRecord record = plain(Status::proved, "pair", "a");
    record.assumptions = {"inputs do not overlap"};
    if (*more != '\0') record.assumptions.emplace_back(more);
    summary.add(std::move(record));
  }
  const std::string text = to_text(summary, 0, Look());
  CHECK(text.find("assumed: 3 proofs rest on\n  3 × inputs do not overlap\n"
                  "  2 × z3 5.4.0 on … obligations\n") != std::string::npos);
}

TEST_CASE("text: an empty run is no success", "[report]") {
  CHECK(to_text(RunSummary(), 0, Look()) == "✗ nothing checked (0.0 s)\n");
}

namespace {

/// Every line of the text.
std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

/// A finding whose storage is touched through views, with long sentences.
CheckRecord viewed() {
  CheckRecord record = slice_zero();
  Finding& finding = record.findings[0];
  finding.message =
      "return reads arg1_1 after copy_ overwrote bytes [0, 192) of the storage of arg1_1: what "
      "was made in it before is gone, and output 0 shows it";
  finding.define->views = {"arg1_1", "slice_tensor"};
  finding.lanes = {{"arg1_1", 192, {{"slice_tensor", 0, 2, std::pair{48L, 144L}, "arg1_1"}}, {}, {2, 4}}};
  finding.types = {{"arg1_1", "i64[4,6]"}, {"slice_tensor", "i64[2,6]"}, {"slice_1", "i64[2,6]"}};
  finding.slice = {*finding.define};
  finding.slice[0].uses = {"slice_tensor", "slice_1"};
  return record;
}

}  // namespace

TEST_CASE("text: lines keep to the width, but for those of places", "[report]") {
  const CheckRecord record = viewed();
  for (const std::size_t width : {50UL, 72UL, 100UL, 160UL}) {
    for (const std::string& line : lines(to_text(record, record.findings[0], Look{.width = width}))) {
      INFO(line);
      CHECK((line.starts_with("   ") || columns(line) <= width));
    }
  }
  const auto places = [&](std::size_t width) {
    std::size_t count = 0;
    for (const std::string& line : lines(to_text(record, record.findings[0], Look{.width = width})))
      for (const char* number : {" 1. ", " 2. ", " 3. "})
        count += line.starts_with("   ") && line.find(number) != std::string::npos ? 1 : 0;
    return count;
  };
  CHECK(places(50) == 3);
  CHECK(places(160) == 3);
}

TEST_CASE("text: view chains and types of what is named", "[report]") {
  const CheckRecord record = viewed();
  const std::string text = to_text(record, record.findings[0], Look());
  CHECK(text.find("  views    1. arg1_1 i64[4,6] → slice_tensor i64[2,6] [48, 144)\n") != std::string::npos);
  CHECK(text.find("  types    slice_1 i64[2,6]\n") != std::string::npos);
}

TEST_CASE("text: more than ten errors are counted by rule first", "[report]") {
  RunSummary few, many;
  for (int k = 0; k < 11; ++k) {
    CheckRecord record = slice_zero();
    record.findings[0].fingerprint = std::to_string(k);
    if (k < 10) few.add(CheckRecord(record));
    many.add(std::move(record));
  }
  CHECK(to_text(few, 0, Look()).starts_with("error[NC001]"));
  CHECK(to_text(many, 0, Look())
            .starts_with(
                "11 errors\n    11 × NC001 stale-read: value is read after its storage was overwritten\n"));
}

TEST_CASE("text: the summary has three lines of a hundred columns, whatever it has to say", "[report]") {
  RunSummary summary;
  for (const char* what : {"pair", "single", "trace", "plan", "program"}) {
    CheckRecord record = plain(Status::proved, what, "a");
    record.counts.steps = 123456789;
    record.counts.in_place = 98765;
    record.assumptions = {"inputs do not overlap"};
    for (int k = 0; k < 40; ++k) record.unchecked.push_back("some_artifact_" + std::to_string(k));
    summary.add(std::move(record));
  }
  summary.totals.error = 3;
  summary.interrupted = true;
  const std::string text = to_text(summary, 12345.6, Look());
  const std::vector<std::string> last = lines(text.substr(text.find("✗")));
  CHECK(last.size() <= 3);
  for (const std::string& line : last) CHECK(columns(line) <= 100);
}

TEST_CASE("text: quiet says nothing of what is proved", "[report]") {
  RunSummary summary;
  summary.add(plain(Status::proved, "pair", "a"));
  CHECK(to_text(summary, 0, Look{.quiet = true}).empty());
  summary.add(slice_zero());
  const std::string text = to_text(summary, 0, Look{.quiet = true});
  CHECK(text.starts_with("error[NC001]"));
  CHECK(text.find("checked:") == std::string::npos);
}

TEST_CASE("layout: colours end with their line", "[report]") {
  const std::string text = wrapped(styled("first second third fourth fifth", Role::error, true), 26, 2, 0);
  CHECK(text == "\x1b[1;31mfirst second third fourth\x1b[0m\n  \x1b[1;31mfifth\x1b[0m");
  CHECK(shown_columns(text.substr(0, text.find('\n'))) == 25);
}

}  // namespace text_test
