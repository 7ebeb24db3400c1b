// Records as JSON Lines: member order is part of the contract, so that results can be compared as bytes.
#include <nlohmann/json.hpp>

#include "src/report/names.h"
#include "src/report/record.h"

namespace noclobber {

namespace {

using Json = nlohmann::ordered_json;

Json record_of(const char* kind) { return Json{{"schema", "noclobber.result/1"}, {"kind", kind}}; }

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // names may hold any bytes
}

void put_text(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

void put_place(Json& json, const char* name, const std::optional<FindingPlace>& place) {
  if (!place) return;
  Json out{{"graph", place->graph}, {"step", place->step}, {"name", place->name}, {"loc", place->loc}};
  put_text(out, "statement", place->statement);
  put_text(out, "note", place->note);
  json[name] = std::move(out);
}

/// One object; a name that comes twice keeps its first value.
Json witness_json(const Finding& finding) {
  Json symbols = Json::object(), inputs = Json::object();
  for (const auto& [name, value] : finding.witness_symbols) symbols[name] = value;
  for (const auto& [name, value] : finding.witness_inputs) inputs.emplace(name, value);
  Json out{{"symbols", std::move(symbols)},
           {"inputs", std::move(inputs)},
           {"expected", finding.expected},
           {"actual", finding.actual},
           {"index", finding.index}};
  put_text(out, "where", finding.witness_where);
  return out;
}

Json finding_json(const Finding& finding) {
  Json out{{"rule", finding.rule},
           {"property", finding.property},
           {"status", status_name(finding.status)},
           {"fingerprint", finding.fingerprint}};
  put_text(out, "pass", finding.pass);
  put_text(out, "storage", finding.storage);
  put_text(out, "storage_type", finding.storage_type);
  if (finding.bytes) out["bytes"] = {finding.bytes->first, finding.bytes->second};
  put_place(out, "define", finding.define);
  put_place(out, "clobber", finding.clobber);
  put_place(out, "read", finding.read);
  put_place(out, "before", finding.before);
  put_text(out, "code", finding.code);
  out["message"] = finding.message;
  out["witness"] = witness_json(finding);
  out["replayed"] = finding.replayed;
  put_text(out, "help", finding.help);
  return out;
}

Json place_json(const FindingPlace& place, const std::string& code) {
  Json out{{"step", place.step}, {"name", place.name}, {"loc", place.loc}, {"statement", place.statement}};
  put_text(out, "code", code);
  return out;
}

/// Rewrites of one verdict.
Json rewrites_json(const InplaceLint& lint, bool safe) {
  Json out = Json::array();
  for (const InplaceLint::Rewrite& rewrite : lint.rewrites) {
    if ((rewrite.safe == Status::proved) != safe) continue;
    Json one = place_json(rewrite.at, "");
    one["operand"] = rewrite.operand;
    one["op"] = rewrite.op;
    one["bytes"] = rewrite.bytes;
    if (!safe) one["status"] = status_name(rewrite.safe);
    if (!safe) put_text(one, "because", rewrite.because);
    out.push_back(std::move(one));
  }
  return out;
}

Json inplace_json(const InplaceLint& lint) {
  std::uint64_t bytes = 0;
  for (const InplaceLint::Rewrite& rewrite : lint.rewrites)
    if (rewrite.safe == Status::proved) bytes += rewrite.known;
  return Json{{"rule", "NC041"},
              {"property", "lint-missed-inplace"},
              {"bytes", bytes},
              {"safe", rewrites_json(lint, true)},
              {"unsafe", rewrites_json(lint, false)},
              {"left_out", lint.left_out}};
}

/// Advice: of dependences that are missing, barriers that are not needed, and storage that could be used
/// again.
void put_advice(Json& out, const CheckRecord& record) {
  Json repairs = Json::array(), lints = Json::array();
  for (const Dependence& d : record.repairs)
    repairs.push_back(
        Json{{"first", place_json(d.first, d.first_code)}, {"then", place_json(d.second, d.second_code)}});
  if (!repairs.empty()) out["repairs"] = std::move(repairs);
  if (const BarrierLint& lint = record.barriers; !lint.idle.empty()) {
    Json idle = Json::array();
    for (const FindingPlace& place : lint.idle) idle.push_back(place_json(place, ""));
    lints.push_back(Json{{"rule", "NC040"},
                         {"property", "lint-barrier"},
                         {"barriers", lint.barriers},
                         {"idle", std::move(idle)},
                         {"regions", lint.regions},
                         {"split", lint.split}});
  }
  if (!record.inplace.rewrites.empty()) lints.push_back(inplace_json(record.inplace));
  if (!lints.empty()) out["lints"] = std::move(lints);
}

Json counts_json(const CheckRecord::Counts& counts) {
  return Json{
      {"steps", counts.steps},       {"modelled", counts.modelled},       {"in_place", counts.in_place},
      {"storages", counts.storages}, {"obligations", counts.obligations}, {"by_rule", counts.by_rule},
      {"by_z3", counts.by_z3}};
}

}  // namespace

std::string to_json(const CheckRecord& record) {
  Json out = record_of("check");
  out["input"] = record.input;
  out["id"] = record.id;
  out["what"] = record.what;
  out["status"] = status_name(record.status);
  Json properties = Json::object();
  for (const auto& [name, status] : record.properties) properties[name] = status_name(status);
  out["properties"] = std::move(properties);
  out["counts"] = counts_json(record.counts);
  Json findings = Json::array(), unknown = Json::array();
  for (const Finding& finding : record.findings) findings.push_back(finding_json(finding));
  for (const Unknown& item : record.unknown) {
    unknown.push_back(Json{{"reason", item.reason}, {"names", item.names}});
  }
  out["findings"] = std::move(findings);
  out["unknown"] = std::move(unknown);
  out["unchecked"] = record.unchecked;
  put_text(out, "every_order", record.every_order);
  put_advice(out, record);
  out["assumptions"] = record.assumptions;
  if (record.status == Status::proved) out["checked_by"] = record.checked_by;
  out["semantics"] = record.semantics;
  out["version"] = record.version;
  return one_line(out);
}

std::string to_json(const ErrorRecord& record) {
  Json out = record_of("error");
  out["input"] = record.input;
  out["where"] = record.where;
  out["message"] = record.message;
  return one_line(out);
}

std::string to_json(const SummaryRecord& record) {
  Json out = record_of("summary");
  out["proved"] = record.proved;
  out["refuted"] = record.refuted;
  // Not "unknown": readers iterate that name as a list in every record
  // (docs/decisions/0002-summary-unknown.md).
  out["unknown_checks"] = record.unknown;
  out["error"] = record.error;
  out["exit"] = record.exit;
  out["pairs"] = Json{
      {"proved", record.pairs_proved}, {"refuted", record.pairs_refuted}, {"unknown", record.pairs_unknown}};
  return one_line(out);
}

}  // namespace noclobber
