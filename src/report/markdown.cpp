// Markdown for a job summary or a comment.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/report/names.h"
#include "src/report/render.h"

namespace noclobber {

namespace {

constexpr std::size_t kInFull = 20, kListedOpen = 50;
constexpr std::size_t kReserve = 400;  // bytes for the line that counts what was left out

std::string html(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (std::string_view("\\`*_[]|~#").find(c) != std::string_view::npos)
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out;
}

/// A code block whose fence is longer than any run of backticks in the text, so that the text cannot end it.
std::string block(const std::string& text) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string head(const Report& report, const Tally& tally) {
  const bool fault = std::ranges::any_of(report.checks,
                                         [](const CheckRecord& record) {
                                           return record.status == Status::refuted && is_news(record);
                                         }) ||
                     !report.errors.empty() || tally.checks == 0;
  const bool open =
      std::ranges::any_of(report.checks, [](const CheckRecord& record) { return is_news(record); });
  const char* sign = fault ? "❌" : open ? "❔" : "✅";
  std::string out =
      fmt::format("### {} noclobber: {} check{}, {} proved, {} refuted, {} unknown", sign, tally.checks,
                  tally.checks == 1 ? "" : "s", tally.proved, tally.refuted, tally.unknown);
  if (!report.errors.empty())
    out += fmt::format(", {} error{}", report.errors.size(), report.errors.size() == 1 ? "" : "s");
  out += "\n";
  if (tally.preexisting > 0) out += fmt::format("\n{} findings were there before.\n", tally.preexisting);
  if (tally.accepted > 0) out += fmt::format("\n{} findings are accepted by the baseline.\n", tally.accepted);
  return out;
}

std::string finding_part(const CheckRecord& record, const Finding& finding, bool in_full) {
  const std::string title = fmt::format("<b>{}</b> {} in {} {}", html(finding.rule), html(finding.message),
                                        html(record.input), html(shown_id(record.id)));
  if (!in_full) return "- " + title + "\n";
  return fmt::format("\n<details><summary>{}</summary>\n\n{}\n</details>\n", title,
                     block(to_text(record, finding, Look{})));
}

/// Adds parts until one does not fit, then counts the others.
class Page {
 public:
  explicit Page(std::size_t most) : most_(most > kReserve ? most - kReserve : 0) {}
  void add(const std::string& part, bool counts = true) {
    if (full_ || out_.size() + part.size() > most_) {
      full_ = true;
      left_out_ += counts ? 1 : 0;
      return;
    }
    out_ += part;
  }
  std::string done() {
    if (left_out_ > 0) out_ += fmt::format("\n{} more are left out here.\n", left_out_);
    return std::move(out_);
  }

 private:
  std::size_t most_, left_out_ = 0;
  bool full_ = false;
  std::string out_;
};

void add_unknowns(Page& page, const Report& report) {
  std::size_t open = 0;
  for (const CheckRecord& record : report.checks) {
    if (record.status != Status::unknown || !is_news(record)) continue;
    if (++open == 1) page.add("\nNot proved:\n\n", false);
    if (open > kListedOpen) continue;
    std::string reasons;
    for (const Unknown& unknown : record.unknown)
      if (is_news(unknown)) reasons += (reasons.empty() ? ": " : "; ") + html(unknown_text(unknown));
    page.add(fmt::format("- {} {}{}\n", html(record.input), html(shown_id(record.id)), reasons));
  }
  if (open > kListedOpen) page.add(fmt::format("- and {} more\n", open - kListedOpen));
}

}  // namespace

std::string to_markdown(const Report& report, std::size_t most) {
  Page page(most);
  page.add(head(report, tally_of(report)), false);
  for (const ErrorRecord& error : report.errors)
    page.add(fmt::format("\n- <b>error</b> {} {}: {}\n", html(error.input), html(error.where),
                         html(error.message)));
  std::size_t shown = 0;
  for (const CheckRecord& record : report.checks) {
    for (const Finding& finding : record.findings) {
      if (!is_news(finding)) continue;
      if (shown == kInFull) page.add("\n", false);
      page.add(finding_part(record, finding, shown++ < kInFull));
    }
    if (record.status == Status::refuted && record.findings.empty())
      page.add(fmt::format("\n- <b>refuted</b> {} {}\n", html(record.input), html(shown_id(record.id))));
  }
  add_unknowns(page, report);
  return page.done();
}

}  // namespace noclobber
