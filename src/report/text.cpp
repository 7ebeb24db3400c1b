// The diagnosis of one finding: the def, the clobber, the read, and a run that shows the fault.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "src/report/lanes_text.h"
#include "src/report/layout.h"
#include "src/report/names.h"
#include "src/report/record.h"
#include "src/report/rules.h"

namespace noclobber {

namespace {

constexpr std::size_t kStatementColumns = 60, kLeastStatement = 32;
constexpr std::size_t kSentenceColumns = 400;
constexpr std::size_t kBodyColumns = 24;
constexpr std::size_t kShownReached = 6;
constexpr std::size_t kShownInputs = 6;
constexpr std::size_t kShownTypes = 8;

struct Line {
  std::string graph, statement, note;
  Role role = Role::warning;  // of the note
};

std::string clean(std::string_view text) { return shortened(printable(text), kSentenceColumns); }

void add_line(std::vector<Line>& lines, const std::optional<FindingPlace>& place, int number,
              std::string_view fallback, Role role) {
  if (!place) return;
  const std::string& said = place->statement.empty() ? place->name : place->statement;
  std::string note = clean(place->note.empty() ? fallback : place->note);
  if (number > 0) note = fmt::format("{}. {}", number, note);
  lines.push_back({clean(place->graph), printable(said), std::move(note), role});
}

std::vector<Line> lines_of(const Finding& finding) {
  std::vector<Line> lines;
  const auto add = [&](const std::optional<FindingPlace>& place, std::string_view fallback, Role role) {
    add_line(lines, place, static_cast<int>(lines.size()) + 1, fallback, role);
  };
  add(finding.define, "defined here", Role::warning);
  add(finding.clobber, "at fault", Role::error);
  add(finding.read, "read here", Role::warning);
  for (const auto& [role, place] : finding.inside)
    lines.push_back({"in " + shortened(printable(place.body), kBodyColumns), printable(place.statement),
                     clean(place.note)});
  add_line(lines, finding.before, 0, "the same in before", Role::dim);
  return lines;
}

/// "copy_ = copy_(arg1_1)" with the defined names in colour.
std::string statement_text(const std::string& statement, bool colour) {
  const std::size_t end = statement.find(" = ");
  if (end == std::string::npos) return statement;
  return styled(statement.substr(0, end), Role::name, colour) + statement.substr(end);
}

/// One line for each place, with statements and notes in columns of their own. Statements are cut so that the
/// notes fit into the width; lines may still be longer.
std::string places_text(const Finding& finding, const Look& look) {
  std::vector<Line> lines = lines_of(finding);
  std::size_t width = 0, margin = 6, notes = 0;
  for (const Line& line : lines) {
    margin = std::max(margin, columns(line.graph));
    notes = std::max(notes, columns(line.note));
  }
  const std::size_t taken = 3 + margin + 1 + 3 + notes;
  const std::size_t room = look.width > taken ? look.width - taken : 0;
  const std::size_t most =
      std::max(kLeastStatement, look.width <= 100 ? std::min(room, kStatementColumns) : room);
  for (Line& line : lines) {
    line.statement = shortened(line.statement, most);
    width = std::max(width, columns(line.statement));
  }
  std::string out, graph;
  for (const Line& line : lines) {
    const std::string label = line.graph == graph ? "" : line.graph;
    graph = line.graph;
    const std::string gap(width - columns(line.statement), ' ');
    out += fmt::format("   {} {}{}   {}\n",
                       styled(label + std::string(margin - columns(label), ' '), Role::dim, look.colour),
                       statement_text(line.statement, look.colour), gap,
                       styled(line.note, line.role, look.colour));
  }
  return out;
}

std::string heading_text(const CheckRecord& record, const Finding& finding, const Look& look) {
  std::vector<std::string> parts;
  if (!record.input.empty()) parts.push_back(styled(clean(record.input), Role::path, look.colour));
  if (!record.id.empty()) parts.push_back(shown_id(record.id));
  if (!finding.pass.empty()) parts.push_back("pass " + clean(finding.pass));
  if (!finding.storage.empty()) {
    const std::string type =
        finding.storage_type.empty() ? "" : fmt::format(" ({})", clean(finding.storage_type));
    parts.push_back(
        fmt::format("storage of {}{}", styled(clean(finding.storage), Role::name, look.colour), type));
  }
  return "  " + joined(parts, look, 2);
}

std::string typed_name(const Finding& finding, const std::string& name, const Look& look) {
  const std::string type = type_in(finding, name);
  const std::string shown = styled(clean(name), Role::name, look.colour);
  return type.empty() ? shown : fmt::format("{} {}", shown, clean(type));
}

/// The bytes of its storage that a name covers; "" if it is all of them or unknown.
std::string bytes_text(const Finding& finding, const std::string& name) {
  for (const Lane& lane : finding.lanes)
    for (const Lane::Shown& shown : lane.values)
      if (shown.name == name && shown.bytes && lane.bytes &&
          *shown.bytes != std::pair{std::int64_t{0}, *lane.bytes})
        return fmt::format(" [{}, {})", shown.bytes->first, shown.bytes->second);
  return "";
}

/// The view chains from the storage to the operands of define, clobber and read. Adds their names to `told`.
std::string views_text(const Finding& finding, std::set<std::string>& told, const Look& look) {
  std::string out;
  std::set<std::vector<std::string>> seen;
  int number = 0;
  for (const auto* place : {&finding.define, &finding.clobber, &finding.read}) {
    if (*place) ++number;
    if (!*place || (*place)->views.size() < 2 || !seen.insert((*place)->views).second) continue;
    std::string chain;
    for (const std::string& name : (*place)->views) {
      told.insert(name);
      chain += (chain.empty() ? "" : " → ") + typed_name(finding, name, look) + bytes_text(finding, name);
    }
    out += row("views", fmt::format("{}. {}", number, chain), look);
  }
  return out;
}

/// The step of the slice at a place; nullptr if the slice does not have it.
const FindingPlace* slice_step(const Finding& finding, const FindingPlace& place) {
  const auto found = std::ranges::find_if(finding.slice, [&](const FindingPlace& of) {
    return of.graph == place.graph && of.step == place.step;
  });
  return found == finding.slice.end() ? nullptr : &*found;
}

/// The types of operands in the lines above, and of the result in `before`, that are not in `told`. Adds
/// their names to `told`. An in-place result has the type of the operand that it writes.
std::string types_text(const Finding& finding, std::set<std::string>& told, const Look& look) {
  std::vector<std::string> parts;
  const auto add = [&](const std::string& name) {
    if (!type_in(finding, name).empty() && told.insert(name).second)
      parts.push_back(typed_name(finding, name, look));
  };
  for (const auto* place : {&finding.define, &finding.clobber, &finding.read, &finding.before}) {
    if (!*place) continue;
    if (const FindingPlace* step = slice_step(finding, **place)) std::ranges::for_each(step->uses, add);
    if ((*place)->graph == "before") add((*place)->name);
  }
  if (parts.empty()) return "";
  const std::size_t more = parts.size() - std::min(parts.size(), kShownTypes);
  parts.resize(parts.size() - more);
  return row("types",
             fmt::format("{}{}", fmt::join(parts, ", "), more == 0 ? "" : fmt::format(", {} more", more)),
             look);
}

std::string source_text(const Finding& finding, const Look& look) {
  const auto loc = [](const std::optional<FindingPlace>& place) { return place ? place->loc : ""; };
  std::string where;
  for (const auto* place : {&finding.define, &finding.before, &finding.read, &finding.clobber}) {
    if (where.empty()) where = loc(*place);
  }
  if (where.empty() && finding.code.empty()) return "";
  if (where.empty()) return row("source", clean(finding.code), look);
  const std::string path = clean(where), code = clean(finding.code);
  const std::string shown = "  " + styled(path, Role::path, look.colour);
  if (code.empty()) return shown + "\n";
  const bool fits = columns(path) + columns(code) + 6 <= look.width;
  return fmt::format("{}{}{}\n", shown, fits ? "    " : "\n           ", code);
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

std::string witness_text(const Finding& finding, const Look& look) {
  std::string out = inputs_text(finding);
  std::string seen = clean(finding.witness_where);
  if (!finding.index.empty()) seen += fmt::format(" at [{}]", fmt::join(finding.index, ", "));
  if (!finding.expected.empty() || !finding.actual.empty()) {
    seen += fmt::format(" expected {}, got {}", styled(clean(finding.expected), Role::number, look.colour),
                        styled(clean(finding.actual), Role::number, look.colour));
  }
  if (!out.empty() && !seen.empty()) out += ": ";
  out += seen;
  if (out.empty()) return "";
  return row("witness", fmt::format("{} ({})", out, finding.replayed ? "replayed" : "not replayed"), look);
}

/// The consequences, a line each, and what else is wrong at the exit.
std::string consequences_text(const Finding& finding, const Look& look) {
  std::string out;
  for (const Consequence& one : finding.also_breaks)
    out += row("also breaks",
               fmt::format("{} {}: {}", clean(one.rule), clean(one.property), clean(one.message)), look);
  if (finding.reaches.empty()) return out;
  const auto end =
      finding.reaches.begin() + static_cast<std::ptrdiff_t>(std::min(finding.reaches.size(), kShownReached));
  std::vector<std::string> shown;
  for (auto at = finding.reaches.begin(); at != end; ++at) shown.push_back(clean(*at));
  const std::size_t more = finding.reaches.size() - shown.size();
  return out +
         row("also wrong",
             fmt::format("{}{}", fmt::join(shown, ", "), more == 0 ? "" : fmt::format(" and {} more", more)),
             look);
}

}  // namespace

std::string to_text(const CheckRecord& record, const Finding& finding, const Look& look) {
  const Rule* rule = find_rule(finding.rule);
  const std::string title = rule ? std::string(rule->title) : clean(finding.property);
  std::string out = styled(fmt::format("error[{}]", clean(finding.rule)), Role::error, look.colour);
  out = wrapped(out + styled(fmt::format(": {}", title), Role::name, look.colour), look.width, 4, 0) + "\n";
  out += heading_text(record, finding, look) + "\n\n";
  const std::string places = places_text(finding, look);
  if (!places.empty()) out += places + "\n";
  const std::string lanes = look.lanes ? lanes_text(finding, look) : "";
  if (!lanes.empty()) out += lanes + "\n";
  out += source_text(finding, look);
  if (!finding.message.empty() && finding.message != title) out += row("note", clean(finding.message), look);
  std::set<std::string> told{finding.storage};
  if (finding.storage_type.empty()) told.clear();
  out += views_text(finding, told, look);
  out += types_text(finding, told, look);
  out += witness_text(finding, look);
  out += consequences_text(finding, look);
  if (!finding.help.empty()) out += row("help", clean(finding.help), look);
  if (!finding.help_model.empty()) out += row("model", clean(finding.help_model), look);
  return out;
}

}  // namespace noclobber
