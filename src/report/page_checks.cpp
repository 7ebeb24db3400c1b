// The checks: a strip of cells per input, and a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "src/report/names.h"
#include "src/report/page_parts.h"

namespace noclobber {

namespace {

std::string_view sign(Status status) {
  switch (status) {
    case Status::proved:
      return "✓";
    case Status::refuted:
      return "✗";
    case Status::unknown:
    case Status::error:
      return "?";
  }
  return "?";
}

/// The target of a link on a check: its first finding on the page, else its row.
std::string target(const CheckRecord& check, std::size_t number, const Anchors& told) {
  for (const Finding& finding : check.findings)
    if (const auto at = told.find(finding.fingerprint); at != told.end()) return at->second;
  return fmt::format("check{}", number);
}

std::string strips(const std::vector<CheckRecord>& checks, const Anchors& told) {
  std::string out;
  for (std::size_t k = 0; k < checks.size(); ++k) {
    const CheckRecord& check = checks[k];
    if (k == 0 || check.input != checks[k - 1].input)
      out += fmt::format("{}<div class=\"strip\"><span class=\"file\">{}</span><span class=\"cells\">",
                         k == 0 ? "" : "</span></div>\n", escaped(check.input));
    const std::string name = fmt::format("{}: {}", shown_id(check.id), status_name(check.status));
    out += fmt::format("<a class=\"cell {}\" href=\"#{}\" title=\"{}\" aria-label=\"{}\">{}</a>",
                       status_name(check.status), target(check, k, told), escaped(name), escaped(name),
                       sign(check.status));
  }
  return checks.empty() ? out : out + "</span></div>\n";
}

std::string open_text(const CheckRecord& check) {
  std::string out;
  for (const Unknown& item : check.unknown) {
    out += (out.empty() ? "" : "; ") + escaped(item.reason);
    std::string names;
    for (const std::string& name : item.names) names += (names.empty() ? "" : ", ") + printable(name);
    if (!names.empty()) out += ": " + escaped(shortened(names, 160));
  }
  return out;
}

std::string check_row(const CheckRecord& check, std::size_t number, bool new_input) {
  std::vector<std::string> basis(check.checked_by);
  if (check.ran) basis.emplace_back("run");
  std::string found = open_text(check);
  for (const Finding& finding : check.findings)
    if (finding.follows.empty())
      found += fmt::format("{}{}", found.empty() ? "" : ", ", escaped(finding.rule));
  return fmt::format(
      "{}<tr id=\"check{}\" class=\"{}\"><td>{}</td><td><span class=\"cell {}\">{}</span> {}</td><td "
      "class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>\n",
      new_input ? fmt::format("<tr class=\"input\"><th colspan=\"6\" scope=\"rowgroup\">{}</th></tr>\n",
                              escaped(check.input))
                : "",
      number, status_name(check.status), escaped(shown_id(check.id)), status_name(check.status),
      sign(check.status), status_name(check.status), check.counts.steps, check.counts.in_place,
      escaped(fmt::format("{}", fmt::join(basis, ", "))), found);
}

}  // namespace

std::string checks_section(const std::vector<CheckRecord>& checks, const Anchors& told) {
  std::string rows;
  for (std::size_t k = 0; k < checks.size(); ++k)
    rows += check_row(checks[k], k, k == 0 || checks[k].input != checks[k - 1].input);
  return strips(checks, told) +
         fmt::format(
             "<details{}><summary>Table of {} check{}</summary><div class=\"scroll\"><table "
             "class=\"checks\"><thead><tr><th scope=\"col\">check</th><th scope=\"col\">verdict</th><th "
             "scope=\"col\">steps</th><th scope=\"col\">in place</th><th scope=\"col\">decided again "
             "by</th><th "
             "scope=\"col\">finds</th></tr></thead><tbody>\n{}</tbody></table></div></details>\n",
             checks.size() <= 20 ? " open" : "", checks.size(), checks.size() == 1 ? "" : "s", rows);
}

}  // namespace noclobber
