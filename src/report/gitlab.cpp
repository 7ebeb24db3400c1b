// GitLab's code quality report: a JSON list. GitLab drops entries with the same fingerprint, so each has a
// fingerprint of its own.
#include <nlohmann/json.hpp>

#include "src/report/json_parts.h"
#include "src/report/names.h"
#include "src/report/render.h"

namespace noclobber {

std::string to_gitlab(const Report& report) {
  Json out = Json::array();
  for (const CheckRecord& record : report.checks) {
    for (const Finding& finding : record.findings) {
      if (!is_news(finding)) continue;
      const SourceLine source = source_of(report, record, finding);
      out.push_back(Json{
          {"description", finding.message + " (" + shown_id(record.id) + ")"},
          {"check_name", finding.rule + " " + finding.property},
          {"fingerprint", counted(finding)},
          {"severity", "critical"},
          {"location", Json{{"path", source.file}, {"lines", Json{{"begin", std::max(1, source.line)}}}}}});
    }
  }
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace noclobber
