// One finding on the page.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "src/report/names.h"
#include "src/report/page_parts.h"
#include "src/report/rules.h"

namespace noclobber {

namespace {

constexpr std::size_t kMostGrid = 64, kMostInputs = 8, kMostAlso = 12;

std::string badge(const Mark& mark) {
  return fmt::format("<span class=\"badge {}\">{}</span>", role_class(mark.role), mark.number);
}

std::string where_line(const CheckRecord& record, const Finding& finding) {
  std::string out = fmt::format("<p class=\"where\"><span>{}</span> <span>{}</span>", escaped(record.input),
                                escaped(shown_id(record.id)));
  if (!finding.pass.empty()) out += fmt::format(" <span>pass {}</span>", escaped(finding.pass));
  if (!finding.storage.empty()) {
    out += fmt::format(" <span>storage of <b>{}</b>", escaped(finding.storage));
    if (!finding.storage_type.empty()) out += fmt::format(" ({})", escaped(finding.storage_type));
    out += "</span>";
  }
  return out + "</p>\n";
}

/// The chain of views from the storage to the operand of the step.
std::string view_chain(const Finding& finding, const FindingPlace& place) {
  if (place.views.size() < 2) return "";
  std::string out = "<span class=\"chain\">";
  for (std::size_t k = 0; k < place.views.size(); ++k) {
    const std::string& name = place.views[k];
    const std::string type = type_in(finding, name);
    out += fmt::format("{}<code>{}</code>{}", k == 0 ? "" : " → ", escaped(name),
                       type.empty() ? "" : fmt::format(" <span class=\"type\">{}</span>", escaped(type)));
  }
  return out + "</span>";
}

std::string source_of(const FindingPlace& place) {
  return place.loc.empty() ? "" : fmt::format("<span class=\"loc\">{}</span>", escaped(place.loc));
}

std::string line_row(const Finding& finding, const std::string& label, const FindingPlace& place,
                     const std::string& attributes, const std::string& badge_text) {
  const std::string& said = place.statement.empty() ? place.name : place.statement;
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td>{}</td><td><code>{}</code>{}</td><td>{}{}</td></tr>\n", attributes,
      escaped(label), badge_text, escaped(said), view_chain(finding, place), escaped(place.note),
      source_of(place));
}

/// The define, clobber and read lines, steps of bodies, and the counterpart in `before`. `listed`: the page
/// lists the slice, so the lines link to its steps.
std::string lines_table(const Finding& finding, const std::string& anchor, bool listed) {
  std::string rows;
  std::string_view last;
  for (const Mark& mark : marks_of(finding)) {
    const std::string label = mark.place->graph == last ? "" : mark.place->graph;
    last = mark.place->graph;
    const std::string number =
        fmt::format("<a href=\"#{}-s{}\">{}</a>", anchor,
                    mark.place->name == "return" ? "ret" : std::to_string(mark.step), badge(mark));
    rows += line_row(finding, label, *mark.place,
                     fmt::format(" class=\"{}\" data-at=\"{}\"", role_class(mark.role), mark.number),
                     mark.step < 0 || !listed ? badge(mark) : number);
  }
  for (const auto& [role, place] : finding.inside)
    rows += line_row(finding, "in " + place.body, place, "", "");
  if (finding.before) rows += line_row(finding, "before", *finding.before, " class=\"before\"", "");
  if (rows.empty()) return "";
  return "<div class=\"scroll\"><table class=\"lines\"><caption class=\"hidden\">Define, clobber and "
         "read</caption><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string number_text(double value) { return fmt::format("{}", value); }

/// The contents, one row per index of all dimensions but the last.
std::string grid_text(const WitnessInput& input) {
  const std::size_t wide =
      input.shape.empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(input.shape.back(), 1));
  std::string out = "<span class=\"grid\">";
  for (std::size_t k = 0; k < std::min(input.elements.size(), kMostGrid); ++k)
    out += (k == 0 ? "" : k % wide == 0 ? "\n" : " ") + number_text(input.elements[k]);
  return out + (input.elements.size() > kMostGrid ? " …" : "") + "</span>";
}

std::string input_row(const Finding& finding, const std::string& name, const std::string& said) {
  const auto numbers = std::ranges::find(finding.witness_numbers, name, &WitnessInput::name);
  const bool known = numbers != finding.witness_numbers.end();
  const std::string type =
      known ? fmt::format("{}[{}]", numbers->dtype, fmt::join(numbers->shape, ",")) : type_in(finding, name);
  const bool list = known && !numbers->elements.empty() && said.find("...") == std::string::npos;
  return fmt::format(
      "<tr><th scope=\"row\"><code>{}</code></th><td><span class=\"type\">{}</span></td><td>{}{}</td>"
      "</tr>\n",
      escaped(name), escaped(type), escaped(shortened(printable(said), 160)),
      list && !said.starts_with('[') ? "<br>" + grid_text(*numbers) : "");
}

std::string witness_table(const Finding& finding) {
  std::string rows;
  for (const auto& [name, value] : finding.witness_symbols)
    rows += fmt::format("<tr><th scope=\"row\"><code>{}</code></th><td>size</td><td>{}</td></tr>\n",
                        escaped(name), value);
  for (std::size_t k = 0; k < std::min(finding.witness_inputs.size(), kMostInputs); ++k)
    rows += input_row(finding, finding.witness_inputs[k].first, finding.witness_inputs[k].second);
  if (finding.witness_inputs.size() > kMostInputs)
    rows += fmt::format("<tr><td colspan=\"3\">and {} more inputs</td></tr>\n",
                        finding.witness_inputs.size() - kMostInputs);
  std::string seen = escaped(finding.witness_where);
  if (!finding.index.empty()) seen += fmt::format(" at [{}]", fmt::join(finding.index, ", "));
  std::string values;
  if (!finding.expected.empty() || !finding.actual.empty())
    values = fmt::format("expected <b class=\"good\">{}</b>, got <b class=\"bad\">{}</b>",
                         escaped(finding.expected), escaped(finding.actual));
  if (!seen.empty() || !values.empty())
    rows +=
        fmt::format("<tr class=\"seen\"><th scope=\"row\">{}</th><td></td><td>{}</td></tr>\n", seen, values);
  if (rows.empty()) return "";
  return fmt::format(
      "<h4>Witness{}</h4><div class=\"scroll\"><table class=\"witness\"><tbody>\n{}</tbody></table></div>\n",
      finding.replayed ? ", replayed" : ", not replayed", rows);
}

std::string list_row(std::string_view label, const std::string& text) {
  return text.empty() ? "" : fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, text);
}

std::string words(const Finding& finding, const std::vector<std::string>& also) {
  std::string out, breaks;
  for (const Consequence& one : finding.also_breaks)
    breaks += fmt::format("{}{} {}: {}", breaks.empty() ? "" : "<br>", escaped(one.rule),
                          escaped(one.property), escaped(one.message));
  std::string wrong, others;
  for (const std::string& place : finding.reaches) wrong += (wrong.empty() ? "" : ", ") + escaped(place);
  for (std::size_t k = 0; k < std::min(also.size(), kMostAlso); ++k)
    others += (k == 0 ? "" : ", ") + escaped(also[k]);
  if (also.size() > kMostAlso) others += fmt::format(" and {} more", also.size() - kMostAlso);
  out += list_row("source", finding.code.empty() ? "" : "<code>" + escaped(finding.code) + "</code>");
  out += list_row("also breaks", breaks);
  out += list_row("also wrong", wrong);
  out += list_row("also in", others);
  out += list_row("help", escaped(finding.help));
  out += list_row("model", escaped(finding.help_model));
  out += list_row("explain", "<code>noclobber explain " + escaped(finding.rule) + "</code>");
  return "<dl>" + out + "</dl>\n";
}

}  // namespace

std::string finding_article(const CheckRecord& record, const Finding& finding,
                            const std::vector<std::string>& also, bool pictures, bool open) {
  const std::string anchor = anchor_of(finding);
  const Rule* rule = find_rule(finding.rule);
  std::string out = fmt::format(
      "<details class=\"finding\" id=\"{}\"{}>\n<summary><h3><span class=\"rule\">{}</span> "
      "{}</h3><a class=\"link\" href=\"#{}\" aria-label=\"link to this finding\">#</a></summary>\n",
      anchor, open ? " open" : "", escaped(finding.rule),
      rule != nullptr ? std::string(rule->title) : escaped(finding.property), anchor);
  out += where_line(record, finding);
  if (!finding.message.empty()) out += fmt::format("<p class=\"message\">{}</p>\n", escaped(finding.message));
  if (pictures)
    out += finding.plan.boxes.empty() ? lanes_picture(finding, anchor) : plan_picture(finding, anchor);
  if (!pictures)
    out +=
        "<p class=\"faint\">Its picture was left out to keep the page small: render its record alone.</p>\n";
  const std::string slice = pictures ? slice_picture(finding, anchor) : "";
  out += lines_table(finding, anchor, !slice.empty());
  if (!slice.empty()) out += "<h4>After, the steps that matter</h4>\n" + slice;
  out += witness_table(finding) + words(finding, also);
  return out + "</details>\n";
}

}  // namespace noclobber
