// The diagnosis of one finding: what was defined, what overwrote it, what read it, and a run that shows it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/report/names.h"
#include "src/report/record.h"
#include "src/report/rules.h"
#include "src/report/style.h"

namespace noclobber {

namespace {

constexpr std::size_t kStatementColumns = 60;
constexpr std::size_t kSentenceColumns = 400;
constexpr std::size_t kBodyColumns = 24;
constexpr std::size_t kShownReached = 6;
constexpr std::size_t kShownInputs = 6;

struct Line {
  std::string graph, statement, note;
};

std::string clean(std::string_view text) { return shortened(printable(text), kSentenceColumns); }

void add_line(std::vector<Line>& lines, const std::optional<FindingPlace>& place, int number,
              std::string_view fallback) {
  if (!place) return;
  const std::string& said = place->statement.empty() ? place->name : place->statement;
  std::string note = clean(place->note.empty() ? fallback : place->note);
  if (number > 0) note = fmt::format("{}. {}", number, note);
  lines.push_back({clean(place->graph), shortened(printable(said), kStatementColumns), std::move(note)});
}

std::vector<Line> lines_of(const Finding& finding) {
  std::vector<Line> lines;
  const auto add = [&](const std::optional<FindingPlace>& place, std::string_view fallback) {
    add_line(lines, place, static_cast<int>(lines.size()) + 1, fallback);
  };
  add(finding.define, "defined here");
  add(finding.clobber, "at fault");
  add(finding.read, "read here");
  for (const auto& [role, place] : finding.inside)
    lines.push_back({"in " + shortened(printable(place.body), kBodyColumns),
                     shortened(printable(place.statement), kStatementColumns), clean(place.note)});
  add_line(lines, finding.before, 0, "the same in before");
  return lines;
}

std::string places_text(const Finding& finding, bool colour) {
  const std::vector<Line> lines = lines_of(finding);
  std::size_t width = 0, margin = 6;
  for (const Line& line : lines) {
    width = std::max(width, columns(line.statement));
    margin = std::max(margin, columns(line.graph));
  }
  std::string out, graph;
  for (const Line& line : lines) {
    const std::string label = line.graph == graph ? "" : line.graph;
    graph = line.graph;
    const std::string gap(width - columns(line.statement), ' ');
    out += fmt::format("   {} {}{}   {}\n",
                       styled(label + std::string(margin - columns(label), ' '), Role::faint, colour),
                       line.statement, gap, styled(line.note, Role::warning, colour));
  }
  return out;
}

std::string heading_text(const CheckRecord& record, const Finding& finding) {
  std::vector<std::string> parts;
  if (!record.input.empty()) parts.push_back(clean(record.input));
  if (!record.id.empty()) parts.push_back(shown_id(record.id));
  if (!finding.pass.empty()) parts.push_back("pass " + clean(finding.pass));
  if (!finding.storage.empty()) {
    const std::string type =
        finding.storage_type.empty() ? "" : fmt::format(" ({})", clean(finding.storage_type));
    parts.push_back(fmt::format("storage of {}{}", clean(finding.storage), type));
  }
  return fmt::format("{}", fmt::join(parts, " · "));
}

std::string source_text(const Finding& finding) {
  const auto loc = [](const std::optional<FindingPlace>& place) { return place ? place->loc : ""; };
  std::string where;
  for (const auto* place : {&finding.define, &finding.before, &finding.read, &finding.clobber}) {
    if (where.empty()) where = loc(*place);
  }
  if (where.empty() && finding.code.empty()) return "";
  if (where.empty()) return fmt::format("  source   {}\n", clean(finding.code));
  return fmt::format("  {}    {}\n", clean(where), clean(finding.code));
}

std::string inputs_text(const Finding& finding) {
  std::string out;
  for (const auto& [name, value] : finding.witness_symbols) {
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", clean(name), value);
  }
  const std::size_t shown = std::min(finding.witness_inputs.size(), kShownInputs);
  for (std::size_t k = 0; k < shown; ++k) {
    const auto& [name, value] = finding.witness_inputs[k];
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", clean(name), clean(value));
  }
  const std::size_t more = finding.witness_inputs.size() - shown;
  return more == 0 ? out : fmt::format("{}, and {} more inputs", out, more);
}

std::string witness_text(const Finding& finding) {
  std::string out = inputs_text(finding);
  std::string seen = clean(finding.witness_where);
  if (!finding.index.empty()) seen += fmt::format(" at [{}]", fmt::join(finding.index, ", "));
  if (!finding.expected.empty() || !finding.actual.empty()) {
    seen += fmt::format(" expected {}, got {}", clean(finding.expected), clean(finding.actual));
  }
  if (!out.empty() && !seen.empty()) out += ": ";
  out += seen;
  if (out.empty()) return "";
  return fmt::format("  witness  {} ({})\n", out, finding.replayed ? "replayed" : "not replayed");
}

/// What follows from it, a line for each rule, and where else it is seen.
std::string consequences_text(const Finding& finding) {
  std::string out;
  for (const Consequence& one : finding.also_breaks)
    out += fmt::format("  also breaks {} {}: {}\n", clean(one.rule), clean(one.property), clean(one.message));
  if (finding.reaches.empty()) return out;
  const auto end =
      finding.reaches.begin() + static_cast<std::ptrdiff_t>(std::min(finding.reaches.size(), kShownReached));
  std::vector<std::string> shown;
  for (auto at = finding.reaches.begin(); at != end; ++at) shown.push_back(clean(*at));
  const std::size_t more = finding.reaches.size() - shown.size();
  return out + fmt::format("  also wrong  {}{}\n", fmt::join(shown, ", "),
                           more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

std::string to_text(const CheckRecord& record, const Finding& finding, bool colour) {
  const Rule* rule = find_rule(finding.rule);
  const std::string title = rule ? std::string(rule->title) : clean(finding.property);
  std::string out = styled(fmt::format("error[{}]", clean(finding.rule)), Role::fault, colour);
  out += styled(fmt::format(": {}", title), Role::strong, colour) + "\n";
  out += fmt::format("  {}\n\n", heading_text(record, finding));
  const std::string places = places_text(finding, colour);
  if (!places.empty()) out += places + "\n";
  out += source_text(finding);
  if (!finding.message.empty() && finding.message != title) {
    out += fmt::format("  note     {}\n", clean(finding.message));
  }
  out += witness_text(finding);
  out += consequences_text(finding);
  if (!finding.help.empty()) out += fmt::format("  help     {}\n", clean(finding.help));
  if (!finding.help_model.empty()) out += fmt::format("  model    {}\n", clean(finding.help_model));
  return out;
}

}  // namespace noclobber
