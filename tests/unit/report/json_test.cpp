#include <nlohmann/json.hpp>

#include "src/report/record.h"
#include "tests/catch.h"

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
      R"("findings":[],"unknown":[{"reason":"unsupported-op","names":["mylib.foo.default"]}],)"
      R"("unchecked":["output_code"],"every_order":"unknown","assumptions":["z3 5.4.0 on 3 obligations"],)"
      R"("semantics":"cafe","version":"0.1.0"})");
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
      R"("define":{"graph":"after","step":5,"name":"copy__1","loc":"model.py:4 in fn"},)"
      R"("clobber":{"graph":"after","step":7,"name":"copy_","loc":""},)"
      R"("read":{"graph":"after","step":8,"name":"return","loc":""},"message":"output 0 differs",)"
      R"("witness":{"symbols":{"s0":2},"inputs":{"x":"[1, 2]","a":"7"},"expected":"-6",)"
      R"("actual":"0","index":[1,0]},"replayed":true})");
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
      R"("exit":1,"pairs":{"proved":40,"refuted":0,"unknown":0}})");
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
