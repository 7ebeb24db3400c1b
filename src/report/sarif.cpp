// SARIF 2.1.0, as GitHub code scanning and viewers in editors read it.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "src/report/json_parts.h"
#include "src/report/names.h"
#include "src/report/render.h"
#include "src/report/rules.h"

namespace noclobber {

namespace {

constexpr std::size_t kRuleText = 1000;  // GitHub takes 1,024 characters

/// Percent-encodes what RFC 3986 does not allow in a path.
std::string uri_of(const std::string& path) {
  static constexpr std::string_view plain = "-._~/!$&'()*+,;=@";
  std::string out;
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += letter || plain.find(c) != plain.npos ? std::string(1, c)
                                                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return path.starts_with('/') ? "file://" + out : out;
}

Json physical(const SourceLine& source) {
  Json out{{"artifactLocation", Json{{"uri", uri_of(source.file)}}}};
  if (!source.file.starts_with('/')) out["artifactLocation"]["uriBaseId"] = "%SRCROOT%";
  if (source.line > 0) out["region"] = Json{{"startLine", source.line}};
  if (source.line <= 0) out["region"] = Json{{"startLine", 1}};
  return out;
}

Json logical(const CheckRecord& record, const FindingPlace& place) {
  return Json{{"name", place.name},
              {"fullyQualifiedName", fmt::format("{}/{}/{}", record.id, place.graph, place.name)},
              {"kind", place.name == "return" ? "returnType" : "variable"}};
}

/// The step with its source line, or with `otherwise` if it has none.
Json location(const Report& report, const CheckRecord& record, const FindingPlace& place,
              const SourceLine& otherwise) {
  const SourceLine own = source_of(report, place);
  const SourceLine& source = own.line > 0 ? own : otherwise;
  std::string text = place.statement.empty() ? place.name : place.statement;
  if (!place.note.empty()) text += fmt::format(" ({})", place.note);
  return Json{{"physicalLocation", physical(source)},
              {"logicalLocations", Json::array({logical(record, place)})},
              {"message", Json{{"text", text}}}};
}

/// Define, clobber, read; then the steps at fault in bodies.
Json code_flow(const Report& report, const CheckRecord& record, const Finding& finding,
               const SourceLine& source) {
  Json steps = Json::array();
  const auto add = [&](const FindingPlace& place, const char* importance) {
    Json at = location(report, record, place, source);
    at["message"]["text"] = fmt::format("{}. {}", steps.size() + 1, at["message"]["text"].get<std::string>());
    steps.push_back(Json{{"location", std::move(at)}, {"importance", importance}});
  };
  for (const auto* place : {&finding.define, &finding.clobber, &finding.read})
    if (*place) add(**place, "essential");
  for (const auto& [role, place] : finding.inside) add(place, "important");
  if (steps.empty()) return Json();
  return Json::array({Json{{"threadFlows", Json::array({Json{{"locations", std::move(steps)}}})}}});
}

/// "fp" and 2 -> "fp:2", GitHub's form of a line hash; the number distinguishes equal hashes.
Json fingerprints(const Finding& finding) {
  return Json{{"primaryLocationLineHash", fmt::format("{}:{}", finding.fingerprint, finding.nth)},
              {"noclobber/v2", counted(finding)}};
}

std::string message(const CheckRecord& record, const Finding& finding) {
  std::string out = finding.message.empty() ? finding.property : finding.message;
  out += fmt::format(" ({}", shown_id(record.id));
  if (!finding.pass.empty()) out += ", pass " + finding.pass;
  out += ")";
  for (const Consequence& one : finding.also_breaks)
    out += fmt::format("\nAlso breaks {} {}: {}", one.rule, one.property, one.message);
  if (!finding.help.empty()) out += "\nHelp: " + finding.help;
  return out;
}

Json properties(const CheckRecord& record, const Finding& finding) {
  Json out{{"input", record.input}, {"check", record.id}, {"replayed", finding.replayed}};
  if (!finding.storage.empty()) out["storage"] = finding.storage;
  if (finding.bytes) out["bytes"] = {finding.bytes->first, finding.bytes->second};
  if (!finding.expected.empty()) out["expected"] = finding.expected;
  if (!finding.actual.empty()) out["actual"] = finding.actual;
  return out;
}

using RuleIndex = std::map<std::string, std::size_t>;

Json result(const Report& report, const CheckRecord& record, const Finding& finding, const RuleIndex& index) {
  const SourceLine source = source_of(report, record, finding);
  Json out{{"ruleId", finding.rule}};
  if (const auto at = index.find(finding.rule); at != index.end()) out["ruleIndex"] = at->second;
  out["kind"] = "fail";
  out["level"] = "error";
  out["message"] = Json{{"text", message(record, finding)}};
  Json at{{"physicalLocation", physical(source)}};
  if (finding.clobber) at["logicalLocations"] = Json::array({logical(record, *finding.clobber)});
  out["locations"] = Json::array({std::move(at)});
  if (Json flow = code_flow(report, record, finding, source); !flow.is_null())
    out["codeFlows"] = std::move(flow);
  if (finding.before)
    out["relatedLocations"] = Json::array({location(report, record, *finding.before, source)});
  out["partialFingerprints"] = fingerprints(finding);
  if (finding.change == "introduced") out["baselineState"] = "new";
  if (finding.change == "preexisting") out["baselineState"] = "unchanged";
  if (finding.accepted)
    out["suppressions"] = Json::array(
        {Json{{"kind", "external"}, {"status", "accepted"}, {"justification", finding.accepted->reason}}});
  out["properties"] = properties(record, finding);
  return out;
}

/// The result of a refuted check without findings.
Json bare_result(const CheckRecord& record) {
  return Json{{"kind", "fail"},
              {"level", "error"},
              {"message", Json{{"text", fmt::format("{} is refuted", shown_id(record.id))}}},
              {"locations", Json::array({Json{{"physicalLocation", physical({record.input, 0})}}})}};
}

Json rules_json(RuleIndex& index) {
  Json out = Json::array();
  for (const Rule& rule : rules()) {
    index[std::string(rule.code)] = out.size();
    const std::string help = explain_text(rule);
    const std::string title(rule.title);
    out.push_back(Json{{"id", rule.code},
                       {"name", rule.property},
                       {"shortDescription", Json{{"text", title}}},
                       {"fullDescription", Json{{"text", title}}},
                       {"help", Json{{"text", shortened(help, kRuleText)}}},
                       {"defaultConfiguration", Json{{"level", rule.lint ? "note" : "error"}}},
                       {"properties", Json{{"tags", Json::array({"correctness"})}}}});
  }
  return out;
}

Json notification(const char* level, const std::string& text, const std::string& file) {
  Json out{{"level", level}, {"message", Json{{"text", text}}}};
  if (!file.empty() && file != "-")
    out["locations"] =
        Json::array({Json{{"physicalLocation", Json{{"artifactLocation", Json{{"uri", uri_of(file)}}}}}}});
  return out;
}

/// Notifications for what is not a finding: errors, and the reasons of unknown checks.
Json invocation(const Report& report) {
  Json notes = Json::array();
  for (const ErrorRecord& error : report.errors)
    notes.push_back(notification(
        "error", error.where.empty() ? error.message : error.where + ": " + error.message, error.input));
  for (const CheckRecord& record : report.checks)
    for (const Unknown& unknown : record.unknown)
      if (is_news(unknown))
        notes.push_back(notification(
            "warning", fmt::format("{} is unknown: {}", shown_id(record.id), unknown_text(unknown)),
            record.input));
  Json out{{"executionSuccessful", report.errors.empty() && report.summary.has_value()}};
  if (report.summary) out["exitCode"] = report.summary->exit;
  if (!notes.empty()) out["toolExecutionNotifications"] = std::move(notes);
  return out;
}

}  // namespace

std::string to_sarif(const Report& report) {
  RuleIndex index;
  Json driver{{"name", "noclobber"},
              {"version", NC_VERSION},
              {"semanticVersion", NC_VERSION},
              {"rules", rules_json(index)}};
  Json results = Json::array();
  for (const CheckRecord& record : report.checks) {
    for (const Finding& finding : record.findings)
      if (is_cause(finding)) results.push_back(result(report, record, finding, index));
    if (record.status == Status::refuted && record.findings.empty()) results.push_back(bare_result(record));
  }
  Json run{{"tool", Json{{"driver", std::move(driver)}}},
           {"invocations", Json::array({invocation(report)})},
           {"columnKind", "utf16CodeUnits"},
           {"results", std::move(results)}};
  const Json log{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({std::move(run)})}};
  return log.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace noclobber
