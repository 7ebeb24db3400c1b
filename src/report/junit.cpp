// JUnit XML, as Jenkins and GitLab read it.
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "src/report/names.h"
#include "src/report/render.h"

namespace noclobber {

namespace {

/// Any bytes as text of an element or an attribute. Newlines are kept.
std::string xml(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += escaped(text.substr(at, end - at));
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

struct Suite {
  std::string name, tests;
  std::size_t count = 0, failures = 0, errors = 0, skipped = 0;
};

std::string outcome(const char* element, std::string_view type, std::string_view message,
                    std::string_view text) {
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, xml(type), xml(message),
                     xml(text));
}

std::string failures(const CheckRecord& record) {
  std::string out;
  for (const Finding& finding : record.findings)
    if (is_news(finding))
      out += outcome("failure", finding.rule + " " + finding.property, finding.message,
                     to_text(record, finding, Look{}));
  return out.empty() ? outcome("failure", "refuted", "refuted", "") : out;
}

std::string skipped(const CheckRecord& record) {
  std::string text;
  for (const Unknown& unknown : record.unknown)
    if (is_news(unknown)) text += (text.empty() ? "" : "; ") + unknown_text(unknown);
  return outcome("skipped", "unknown", text.empty() ? "unknown" : text, "");
}

/// A refuted or unknown check that is no news counts as passed.
void add(Suite& suite, const CheckRecord& record) {
  std::string inner;
  ++suite.count;
  if (is_news(record)) {
    const bool refuted = record.status == Status::refuted;
    ++(refuted ? suite.failures : suite.skipped);
    inner = refuted ? failures(record) : skipped(record);
  }
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(link_of(record)),
                                       xml(shown_id(record.id)));
  suite.tests += inner.empty() ? head + "/>\n" : head + ">\n" + inner + "    </testcase>\n";
}

void add(Suite& suite, const ErrorRecord& error) {
  ++suite.count;
  ++suite.errors;
  const std::string where = error.where.empty() ? "input" : error.where;
  suite.tests += fmt::format("    <testcase classname=\"input\" name=\"{}\">\n{}    </testcase>\n",
                             xml(where), outcome("error", "error", error.message, ""));
}

}  // namespace

std::string to_junit(const Report& report) {
  std::vector<Suite> suites;
  std::map<std::string, std::size_t> known;
  const auto suite_of = [&](const std::string& input) -> Suite& {
    const auto [at, fresh] = known.emplace(input, suites.size());
    if (fresh) suites.emplace_back().name = input;
    return suites[at->second];
  };
  for (const CheckRecord& record : report.checks) add(suite_of(record.input), record);
  for (const ErrorRecord& error : report.errors) add(suite_of(error.input), error);
  Suite all;
  for (const Suite& suite : suites) {
    all.count += suite.count;
    all.failures += suite.failures;
    all.errors += suite.errors;
  }
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"noclobber\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\">\n",
      all.count, all.failures, all.errors);
  for (const Suite& suite : suites)
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}  "
        "</testsuite>\n",
        xml(suite.name.empty() ? "noclobber" : suite.name), suite.count, suite.failures, suite.errors,
        suite.skipped, suite.tests);
  return out + "</testsuites>\n";
}

}  // namespace noclobber
