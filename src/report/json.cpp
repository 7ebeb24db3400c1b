// Records as JSON Lines. The order of members is part of the contract: results can be compared as bytes.
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "src/report/json_parts.h"
#include "src/report/names.h"
#include "src/report/record.h"

namespace noclobber {

Json record_of(const char* kind) { return Json{{"schema", "noclobber.result/1"}, {"kind", kind}}; }

std::string one_line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

namespace {

void put_text(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}

void put_line(Json& json, const std::string& loc) {
  const auto [file, line] = file_and_line(loc);
  if (line == 0) return;
  json["file"] = file;
  json["line"] = line;
}

Json finding_place_json(const FindingPlace& place) {
  Json out{{"graph", place.graph}, {"step", place.step}, {"name", place.name}, {"loc", place.loc}};
  put_line(out, place.loc);
  put_text(out, "body", place.body);
  put_text(out, "statement", place.statement);
  put_text(out, "note", place.note);
  if (!place.views.empty()) out["views"] = place.views;
  if (!place.uses.empty()) out["uses"] = place.uses;
  return out;
}

void put_place(Json& json, const char* name, const std::optional<FindingPlace>& place) {
  if (place) json[name] = finding_place_json(*place);
}

Json range_json(const std::optional<std::pair<std::int64_t, std::int64_t>>& range) {
  return range ? Json{range->first, range->second} : Json();
}

Json lane_json(const Lane& lane) {
  Json values = Json::array();
  for (const Lane::Shown& shown : lane.values) {
    Json one{{"name", shown.name}, {"begin", shown.begin}, {"end", shown.end}};
    if (shown.bytes) one["bytes"] = range_json(shown.bytes);
    put_text(one, "of", shown.of);
    values.push_back(std::move(one));
  }
  Json out{{"storage", lane.storage}};
  if (lane.bytes) out["bytes"] = *lane.bytes;
  out["values"] = std::move(values);
  out["reads"] = lane.reads;
  out["writes"] = lane.writes;
  return out;
}

/// At most kSlice items: the storages of the lanes, then steps and then views as long as there is room.
Json slice_json(const Finding& finding) {
  constexpr std::size_t kSlice = 60;
  Json steps = Json::array(), views = Json::array(), storages = Json::array();
  const auto room = [&] { return steps.size() + views.size() + storages.size() < kSlice; };
  for (const Lane& lane : finding.lanes) {
    if (!room()) break;
    Json one{{"name", lane.storage}};
    if (lane.bytes) one["bytes"] = *lane.bytes;
    storages.push_back(std::move(one));
  }
  for (const FindingPlace& place : finding.slice)
    if (room()) steps.push_back(finding_place_json(place));
  for (const Lane& lane : finding.lanes)
    for (const Lane::Shown& shown : lane.values) {
      if (!room()) break;
      Json one{{"name", shown.name}, {"storage", lane.storage}};
      if (shown.bytes) one["bytes"] = range_json(shown.bytes);
      views.push_back(std::move(one));
    }
  return Json{{"steps", std::move(steps)}, {"views", std::move(views)}, {"storages", std::move(storages)}};
}

Json element_json(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const bool whole = std::abs(value) < 9e15 && std::floor(value) == value;
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

/// The number if the whole text is one; else null.
Json number_json(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != '\0' || !std::isfinite(value) ? Json() : element_json(value);
}

/// The contents of the witness as numbers instead of texts.
Json numbers_json(const Finding& finding) {
  Json inputs = Json::object();
  for (const WitnessInput& input : finding.witness_numbers) {
    Json data = Json::array();
    for (const double value : input.elements) data.push_back(element_json(value));
    inputs[input.name] = Json{{"dtype", input.dtype}, {"shape", input.shape}, {"data", std::move(data)}};
  }
  Json out{{"inputs", std::move(inputs)}};
  if (Json expected = number_json(finding.expected); !expected.is_null())
    out["expected"] = std::move(expected);
  if (Json actual = number_json(finding.actual); !actual.is_null()) out["actual"] = std::move(actual);
  return out;
}

/// If an input name occurs twice, its first value is kept.
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
  if (finding.witness_seed) out["seed"] = *finding.witness_seed;
  Json numbers = numbers_json(finding);
  if (numbers.size() > 1 || !numbers["inputs"].empty()) out["numbers"] = std::move(numbers);
  return out;
}

void put_accepted(Json& out, const std::optional<Acceptance>& accepted) {
  if (!accepted) return;
  out["accepted"] =
      Json{{"reason", accepted->reason}, {"owner", accepted->owner}, {"expires", accepted->expires}};
}

/// The consequences of the finding, and what else it makes wrong at the exit.
void put_consequences(Json& out, const Finding& finding) {
  put_text(out, "follows", finding.follows);
  Json breaks = Json::array();
  for (const Consequence& one : finding.also_breaks)
    breaks.push_back(Json{{"rule", one.rule}, {"property", one.property}, {"message", one.message}});
  if (!breaks.empty()) out["also_breaks"] = std::move(breaks);
  if (!finding.reaches.empty()) out["reaches"] = finding.reaches;
}

Json plan_json(const PlanPicture& plan) {
  Json boxes = Json::array();
  for (const PlanPicture::Box& box : plan.boxes)
    boxes.push_back(Json{{"name", box.name},
                         {"offset", box.offset},
                         {"size", box.size},
                         {"begin", box.begin},
                         {"end", box.end}});
  Json out{{"arena", plan.arena}};
  if (plan.bytes) out["bytes"] = *plan.bytes;
  out["buffers"] = std::move(boxes);
  return out;
}

void put_picture(Json& out, const Finding& finding) {
  if (!finding.plan.boxes.empty()) out["plan"] = plan_json(finding.plan);
  if (finding.slice.empty() && finding.lanes.empty()) return;
  out["slice"] = slice_json(finding);
  Json lanes = Json::array();
  for (const Lane& lane : finding.lanes) lanes.push_back(lane_json(lane));
  out["lanes"] = std::move(lanes);
  Json types = Json::object();
  for (const auto& [name, type] : finding.types) types[name] = type;
  if (!types.empty()) out["types"] = std::move(types);
}

}  // namespace

std::string counted(const Finding& finding) {
  return finding.nth <= 1 ? finding.fingerprint : finding.fingerprint + "#" + std::to_string(finding.nth);
}

Json finding_json(const Finding& finding) {
  Json out{{"rule", finding.rule},
           {"property", finding.property},
           {"status", status_name(finding.status)},
           {"fingerprint", counted(finding)}};
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
  put_text(out, "help_model", finding.help_model);
  put_text(out, "aspect", finding.aspect);
  put_consequences(out, finding);
  Json inside = Json::array();
  for (const auto& [role, place] : finding.inside) {
    inside.push_back(finding_place_json(place));
    inside.back()["role"] = role;
  }
  if (!inside.empty()) out["inside"] = std::move(inside);
  put_picture(out, finding);
  put_accepted(out, finding.accepted);
  return out;
}

namespace {

Json place_json(const FindingPlace& place, const std::string& code) {
  Json out{{"step", place.step}, {"name", place.name}, {"loc", place.loc}, {"statement", place.statement}};
  put_text(out, "code", code);
  put_text(out, "note", place.note);
  return out;
}

/// The rewrites that are proved safe, or all others.
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

/// Advice: missing ordering edges, idle barriers, writes after the return, dead instructions, rewrites.
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
  if (!record.behind_return.empty()) {
    Json writes = Json::array();
    for (const FindingPlace& place : record.behind_return) writes.push_back(place_json(place, ""));
    lints.push_back(Json{{"rule", "NC011"}, {"property", "return-not-last"}, {"writes", std::move(writes)}});
  }
  if (!record.dead.empty()) {
    Json steps = Json::array();
    for (const FindingPlace& place : record.dead) steps.push_back(place_json(place, ""));
    lints.push_back(Json{{"rule", "NC042"}, {"property", "lint-dead-step"}, {"steps", std::move(steps)}});
  }
  if (!record.inplace.rewrites.empty()) lints.push_back(inplace_json(record.inplace));
  if (!lints.empty()) out["lints"] = std::move(lints);
}

Json counts_json(const CheckRecord::Counts& counts) {
  Json out{{"steps", counts.steps},       {"modelled", counts.modelled},       {"in_place", counts.in_place},
           {"storages", counts.storages}, {"obligations", counts.obligations}, {"by_rule", counts.by_rule},
           {"by_z3", counts.by_z3}};
  if (counts.by_identity > 0) out["by_identity"] = counts.by_identity;
  return out;
}

}  // namespace

std::pair<std::string, int> file_and_line(const std::string& loc) {
  const std::size_t end = std::min(loc.find(" in "), loc.size());
  const std::size_t colon = loc.rfind(':', end == 0 ? 0 : end - 1);
  if (colon == std::string::npos || colon == 0 || colon + 1 >= end || end - colon > 10) return {"", 0};
  int line = 0;
  for (std::size_t k = colon + 1; k < end; ++k) {
    if (loc[k] < '0' || loc[k] > '9') return {"", 0};
    line = line * 10 + (loc[k] - '0');
  }
  return {loc.substr(0, colon), line};
}

std::string to_json(const CheckRecord& record) {
  Json out = record_of("check");
  out["input"] = record.input;
  put_text(out, "before", record.before_input);
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
    unknown.push_back(
        Json{{"reason", item.reason}, {"names", item.names}, {"fingerprint", fingerprint(item)}});
    put_accepted(unknown.back(), item.accepted);
  }
  out["findings"] = std::move(findings);
  out["unknown"] = std::move(unknown);
  out["unchecked"] = record.unchecked;
  out["link"] = link_of(record);
  put_text(out, "every_order", record.every_order);
  put_text(out, "return_last", record.return_last);
  put_advice(out, record);
  out["assumptions"] = record.assumptions;
  if (record.status == Status::proved) out["checked_by"] = record.checked_by;
  out["ran"] = record.ran;
  put_text(out, "contradiction", record.contradiction);
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
  // Not "unknown": readers iterate over that member as a list in every record
  // (docs/decisions/0002-summary-unknown.md).
  out["unknown_checks"] = record.unknown;
  out["error"] = record.error;
  out["skipped"] = record.skipped;
  if (record.accepted > 0) {
    out["accepted"] = record.accepted;
    out["accepted_checks"] = Json{{"refuted", record.refuted_accepted}, {"unknown", record.unknown_accepted}};
  }
  out["exit"] = record.exit;
  out["pairs"] = Json{
      {"proved", record.pairs_proved}, {"refuted", record.pairs_refuted}, {"unknown", record.pairs_unknown}};
  return one_line(out);
}

}  // namespace noclobber
