#include <nlohmann/json.hpp>

#include "src/report/record.h"
#include "tests/catch.h"

namespace json_test {

using namespace noclobber;

namespace {

Finding stale_read() {
  Finding finding;
  finding.rule = "NC001";
  finding.property = "stale-read";
  finding.fingerprint = "6d0f";
  finding.pass = "reinplace";
  finding.storage = "arg0_1";
  finding.bytes = {{0, 192}};
  finding.define = FindingPlace{"after", 5, "copy__1", "model.py:4 in fn", "", ""};
  finding.clobber = FindingPlace{"after", 7, "copy_", "", "", ""};
  finding.read = FindingPlace{"after", 8, "return", "", "", ""};
  finding.message = "output 0 differs";
  finding.witness_symbols = {{"s0", 2}};
  finding.witness_inputs = {{"x", "[1, 2]"}, {"a", "7"}};
  finding.expected = "-6";
  finding.actual = "0";
  finding.index = {1, 0};
  finding.replayed = true;
  return finding;
}

}  // namespace

TEST_CASE("json: the members of a check record, in the order of the contract", "[report]") {
  CheckRecord record;
  record.input = "logs/simple.log";
  record.id = "-_0_0_0/post_grad";
  record.what = "pair";
  record.status = Status::refuted;
  record.properties = {{"stale-read", Status::refuted}, {"alias-growth", Status::proved}};
  record.counts = {41, 40, 3, 12, 18, 15, 3};
  record.unknown = {{"unsupported-op", {"mylib.foo.default"}}};
  record.unchecked = {"output_code"};
  record.every_order = "unknown";
  record.assumptions = {"z3 5.4.0 on 3 obligations"};
  record.semantics = "cafe";
  record.version = "0.1.0";
  CHECK(
      to_json(record) ==
      R"({"schema":"noclobber.result/1","kind":"check","input":"logs/simple.log","id":"-_0_0_0/post_grad",)"
      R"("what":"pair","status":"refuted","properties":{"alias-growth":"proved","stale-read":"refuted"},)"
      R"("counts":{"steps":41,"modelled":40,"in_place":3,"storages":12,"obligations":18,"by_rule":15,"by_z3":3},)"
      R"("findings":[],"unknown":[{"reason":"unsupported-op","names":["mylib.foo.default"],)"
      R"("fingerprint":"9178dab2a976cc46"}],)"
      R"("unchecked":["output_code"],"link":"post_grad","every_order":"unknown","assumptions":["z3 5.4.0 on 3 obligations"],)"
      R"("ran":false,"semantics":"cafe","version":"0.1.0"})");
}

TEST_CASE("json: the members of a finding", "[report]") {
  CheckRecord record;
  record.findings = {stale_read()};
  const auto json = nlohmann::ordered_json::parse(to_json(record));
  CHECK(!json.contains("every_order"));  // only if there is such a claim
  CHECK(
      json["findings"][0].dump() ==
      R"({"rule":"NC001","property":"stale-read","status":"refuted","fingerprint":"6d0f","pass":"reinplace",)"
      R"("storage":"arg0_1","bytes":[0,192],)"
      R"("define":{"graph":"after","step":5,"name":"copy__1","loc":"model.py:4 in fn","file":"model.py","line":4},)"
      R"("clobber":{"graph":"after","step":7,"name":"copy_","loc":""},)"
      R"("read":{"graph":"after","step":8,"name":"return","loc":""},"message":"output 0 differs",)"
      R"("witness":{"symbols":{"s0":2},"inputs":{"x":"[1, 2]","a":"7"},"expected":"-6",)"
      R"("actual":"0","index":[1,0],"numbers":{"inputs":{},"expected":-6,"actual":0}},"replayed":true})");
}

TEST_CASE("json: what a finding has for pictures, and what follows from it", "[report]") {
  CheckRecord record;
  record.what = "pair";
  Finding cause = stale_read();
  cause.also_breaks = {{"NC005", "alias-growth", "output 0 shares storage"}};
  cause.reaches = {"output 1"};
  cause.lanes = {{"b", 16, {{"b", 0, 2, std::pair<std::int64_t, std::int64_t>{0, 16}}}, {2}, {0, 1}}};
  cause.slice = {FindingPlace{"after", 0, "b", "m.py:7", "b = neg(x)", ""}};
  cause.witness_numbers = {{"x", "f32", {2}, {1, 0.5}}};
  Finding follows = stale_read();
  follows.rule = "NC005";
  follows.follows = "NC001";
  record.findings = {cause, follows, stale_read()};
  std::map<std::string, std::uint64_t> seen;
  number_findings(record, seen);
  const auto json = nlohmann::ordered_json::parse(to_json(record));
  const auto& first = json["findings"][0];
  CHECK(json["findings"][1]["follows"] == "NC001");
  CHECK(json["findings"][1]["fingerprint"] == "6d0f");  // of its cause
  CHECK(json["findings"][2]["fingerprint"] == "6d0f#2");
  CHECK(first["also_breaks"][0]["rule"] == "NC005");
  CHECK(first["reaches"].dump() == R"(["output 1"])");
  CHECK(first["lanes"].dump() ==
        R"([{"storage":"b","bytes":16,"values":[{"name":"b","begin":0,"end":2,"bytes":[0,16]}],)"
        R"("reads":[2],"writes":[0,1]}])");
  CHECK(first["slice"]["steps"][0]["file"] == "m.py");
  CHECK(first["slice"]["steps"][0]["line"] == 7);
  CHECK(first["slice"]["views"].dump() == R"([{"name":"b","storage":"b","bytes":[0,16]}])");
  CHECK(first["witness"]["numbers"]["inputs"]["x"].dump() == R"({"dtype":"f32","shape":[2],"data":[1,0.5]})");
  CHECK(json["link"] == "pass");
}

TEST_CASE("places: file and line of what a dump says", "[report]") {
  CHECK(file_and_line("./program.py:3 in f") == std::pair<std::string, int>{"./program.py", 3});
  CHECK(file_and_line("a b.py:12") == std::pair<std::string, int>{"a b.py", 12});
  for (const char* none : {"", "in f", "model.py in f", ":3 in f", "model.py: in f", "m.py:99999999999 in f"})
    CHECK(file_and_line(none).second == 0);
}

TEST_CASE("json: error and summary", "[report]") {
  CHECK(to_json(ErrorRecord{"logs/x.log", "line 812, column 9", "what"}) ==
        R"({"schema":"noclobber.result/1","kind":"error","input":"logs/x.log","where":"line 812, column 9",)"
        R"("message":"what"})");
  SummaryRecord summary;
  summary.proved = 49;
  summary.refuted = 1;
  summary.exit = 1;
  summary.pairs_proved = 40;
  CHECK(
      to_json(summary) ==
      R"({"schema":"noclobber.result/1","kind":"summary","proved":49,"refuted":1,"unknown_checks":0,"error":0,)"
      R"("skipped":0,"exit":1,"pairs":{"proved":40,"refuted":0,"unknown":0}})");
}

TEST_CASE("json: hostile names stay one valid line", "[report]") {
  CheckRecord record;
  record.input = "a\nb\xff\"\x1b[31m";
  record.findings = {stale_read()};
  record.findings[0].witness_inputs = {{"x", "1"}, {"x", "2"}, {std::string("\0", 1), "3"}};
  const std::string line = to_json(record);
  CHECK(line.find('\n') == std::string::npos);
  const auto json = nlohmann::json::parse(line);
  CHECK(json["input"] == "a\nb\xef\xbf\xbd\"\x1b[31m");
  CHECK(json["findings"][0]["witness"]["inputs"]["x"] == "1");
}

}  // namespace json_test
