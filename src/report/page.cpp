#include "src/report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/base/packed.h"
#include "src/report/names.h"
#include "src/report/page_parts.h"
#include "src/report/reasons.h"
#include "src/report/run_text.h"

namespace noclobber {

namespace {

constexpr std::size_t kOpenFindings = 12;                   // findings that are unfolded at first
constexpr std::size_t kPageBytes = 1'900'000;               // no pictures beyond this size,
constexpr std::size_t kLeastPictures = 12;                  // except those of the first findings
constexpr std::size_t kMostRecords = std::size_t{1} << 30;  // bytes of records that are read from a page
constexpr std::size_t kListedNames = 12, kListedChecks = 12, kListedAssumptions = 60;
constexpr std::string_view kRecordsTag = "<script type=\"application/zlib\" id=\"noclobber-records\">";
constexpr std::string_view kStyle =
#include "src/report/page_style.inc"
    ;
constexpr std::string_view kScript =
#include "src/report/page_script.inc"
    ;

std::string many(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string headline(const SummaryRecord& totals) {
  const std::uint64_t made = totals.proved + totals.refuted + totals.unknown;
  if (made == 0) return "nothing was checked";
  if (totals.refuted > 0) return fmt::format("{} of {} refuted", totals.refuted, many(made, "check"));
  if (totals.unknown > 0)
    return fmt::format("nothing refuted, {} of {} unknown", totals.unknown, many(made, "check"));
  return made == 1 ? "the one check is proved" : fmt::format("all {} checks proved", made);
}

std::string count_item(std::uint64_t count, std::string_view what) {
  return fmt::format("<li class=\"{}{}\"><b>{}</b> {}</li>", what, count == 0 ? " none" : "", count, what);
}

std::string header_text(const RunSummary& run) {
  const SummaryRecord& totals = run.totals;
  std::string out = fmt::format(
      "<header>\n<p class=\"brand\">noclobber</p>\n<h1>{}</h1>\n<ul class=\"counts\">", headline(totals));
  out += count_item(totals.refuted, "refuted") + count_item(totals.unknown, "unknown") +
         count_item(totals.proved, "proved");
  if (totals.error > 0) out += count_item(totals.error, "error");
  out += fmt::format("<li class=\"plain\">{}, {} in place</li></ul>\n", many(run.counts.steps, "step"),
                     run.counts.in_place);
  return out + "<button type=\"button\" id=\"theme\" hidden>dark or light</button>\n</header>\n";
}

/// A table of contents with a line for each cause; "" for fewer than two.
std::string index_text(const std::vector<Cause>& causes) {
  if (causes.size() < 2) return "";
  std::string rows;
  for (const Cause& cause : causes)
    rows += fmt::format(
        "<li><a href=\"#{}\"><span class=\"rule\">{}</span> {}</a> <span class=\"faint\">{}{}</span></li>\n",
        anchor_of(*cause.finding), escaped(cause.finding->rule),
        escaped(shortened(
            printable(cause.finding->message.empty() ? cause.finding->property : cause.finding->message),
            110)),
        escaped(check_name(*cause.record)),
        cause.also.empty() ? "" : fmt::format(" and {} more", cause.also.size()));
  return fmt::format(
      "<nav aria-label=\"Findings\"><details{}><summary>{} by cause</summary><ol>\n{}</ol></details></nav>\n",
      causes.size() <= 30 ? " open" : "", many(causes.size(), "finding"), rows);
}

/// `room`: bytes for the whole section. The text of all findings has priority; pictures are added in order
/// until one does not fit.
std::string findings_text(const std::vector<Cause>& causes, std::size_t room) {
  if (causes.empty()) return "";
  std::vector<std::string> told;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < causes.size(); ++k) {
    const Cause& cause = causes[k];
    told.push_back(finding_article(*cause.record, *cause.finding, cause.also, false, k < kOpenFindings));
    bytes += told.back().size();
  }
  for (std::size_t k = 0; k < causes.size(); ++k) {
    const Cause& cause = causes[k];
    std::string drawn = finding_article(*cause.record, *cause.finding, cause.also, true, k < kOpenFindings);
    bytes += drawn.size() - told[k].size();
    if (k >= kLeastPictures && bytes > room) break;
    told[k] = std::move(drawn);
  }
  return fmt::format("<section id=\"findings\" aria-label=\"Refuted\">\n<h2>Refuted</h2>\n{}</section>\n",
                     fmt::join(told, ""));
}

std::string some_items(std::vector<std::string> items, std::size_t most) {
  for (std::string& item : items) item = escaped(shortened(printable(item), 120));
  return some_of(items, most);
}

std::string unknown_section(const RunSummary& run) {
  if (run.unknown.empty()) return "";
  std::string out =
      "<section id=\"unknown\" aria-label=\"Unknown\">\n<h2>Unknown</h2>\n<dl class=\"reasons\">\n";
  for (const auto& [code, reason] : reasons_of(run.unknown)) {
    const UnknownReason* known = find_reason(code);
    std::vector<std::string> names;
    for (const auto& [name, count] : reason.names)
      names.push_back(count == 1 ? name : fmt::format("{} × {}", count, name));
    out += fmt::format("<dt>{} <span class=\"faint\">{}</span></dt><dd>", escaped(code),
                       many(reason.checks.size(), "check"));
    if (known != nullptr) out += fmt::format("<p>{}</p>", escaped(known->title));
    if (!names.empty()) out += fmt::format("<p>{}</p>", some_items(names, kListedNames));
    out += fmt::format("<p class=\"faint\">in {}</p></dd>\n", some_items(reason.checks, kListedChecks));
  }
  return out + "</dl>\n</section>\n";
}

std::string errors_section(const Report& report) {
  if (report.errors.empty()) return "";
  std::string rows;
  for (const ErrorRecord& error : report.errors)
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(error.input),
                        escaped(error.where), escaped(error.message));
  return "<section id=\"errors\" aria-label=\"Errors\">\n<h2>Not read</h2>\n<div "
         "class=\"scroll\"><table><tbody>\n" +
         rows + "</tbody></table></div>\n</section>\n";
}

std::string judged_section(const Report& report, const RunSummary& run, const std::vector<Cause>& causes) {
  if (report.checks.empty()) return "";
  Anchors told;
  for (const Cause& cause : causes) told.emplace(cause.finding->fingerprint, anchor_of(*cause.finding));
  std::string out = "<section id=\"judged\" aria-label=\"What was judged\">\n<h2>What was judged</h2>\n";
  out += checks_section(report.checks, told);
  const std::vector<std::string> unchecked(run.unchecked.begin(), run.unchecked.end());
  if (!unchecked.empty())
    out += fmt::format("<p>Not judged, though the inputs hold it: {}.</p>\n", some_items(unchecked, 40));
  return out + "</section>\n";
}

std::string assumed_section(const RunSummary& run) {
  if (run.assumptions.empty()) return "";
  std::vector<std::pair<std::string, std::uint64_t>> order(run.assumptions.begin(), run.assumptions.end());
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& item) { return item.second; });
  const std::size_t more = order.size() - std::min(order.size(), kListedAssumptions);
  order.resize(order.size() - more);
  std::string rows;
  for (const auto& [sentence, count] : order)
    rows += fmt::format("<li><b>{}</b> × {}</li>\n", count, escaped(shortened(printable(sentence), 200)));
  if (more > 0) rows += fmt::format("<li>and {} more</li>\n", more);
  return fmt::format(
      "<section id=\"assumed\" aria-label=\"Assumptions\">\n<h2>Assumed</h2>\n<p>{} on</p>\n<ul "
      "class=\"assumed\">\n{}</ul>\n</section>\n",
      run.with_assumptions == 1 ? "1 proof rests" : many(run.with_assumptions, "proof") + " rest", rows);
}

std::string footer_text(const Report& report) {
  std::string version, semantics;
  for (const CheckRecord& check : report.checks) {
    if (version.empty()) version = check.version;
    if (semantics.empty()) semantics = check.semantics;
  }
  return fmt::format(
      "<footer><p>noclobber {}{}. The records are in this page: <code>noclobber render PAGE --to "
      "text</code>. Keys: j and k go to the next and the previous finding, Enter folds it.</p></footer>\n",
      escaped(version), semantics.empty() ? "" : ", operator table " + escaped(semantics.substr(0, 12)));
}

}  // namespace

std::string to_html(const Report& report) {
  const RunSummary run = counted_again(report);
  const std::vector<Cause> causes = causes_of(report.checks);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"noclobber\">\n"
      "<title>noclobber: {}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
      headline(run.totals), kStyle);
  out +=
      "<svg width=\"0\" height=\"0\" aria-hidden=\"true\" class=\"defs\"><defs><pattern id=\"hatch\" "
      "width=\"6\" "
      "height=\"6\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect "
      "class=\"hatch-back\" "
      "width=\"6\" height=\"6\"/><rect class=\"hatch-line\" width=\"2.4\" height=\"6\"/></pattern><marker "
      "id=\"tip\" viewBox=\"0 0 8 8\" refX=\"6\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
      "orient=\"auto-start-reverse\"><path "
      "class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs></svg>\n";
  const std::string rest = errors_section(report) + unknown_section(run) +
                           judged_section(report, run, causes) + assumed_section(run) + "</main>\n" +
                           footer_text(report) + std::string(kRecordsTag) + packed(to_jsonl(report)) +
                           "</script>\n<script>\n" + std::string(kScript) + "</script>\n</body>\n</html>\n";
  out += header_text(run) + index_text(causes) + "<main>\n";
  const std::size_t used = out.size() + rest.size();
  return out + findings_text(causes, kPageBytes - std::min(used, kPageBytes)) + rest;
}

bool is_page(std::string_view text) {
  return text.starts_with("<!DOCTYPE html>") &&
         text.substr(0, 400).find("content=\"noclobber\"") != text.npos;
}

std::string records_in_page(std::string_view text) {
  const std::size_t tag = text.rfind(kRecordsTag);
  if (tag == text.npos) return "";
  Unpacked records = unpacked(text.substr(tag + kRecordsTag.size()), kMostRecords);
  if (!records.whole && records.bytes.ends_with("}\n")) records.bytes.resize(records.bytes.size() - 2);
  return std::move(records.bytes);  // the incomplete last line makes the reader report the cut
}

}  // namespace noclobber
