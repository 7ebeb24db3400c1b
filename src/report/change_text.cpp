// A comparison as records, and as text for a reviewer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "src/report/change.h"
#include "src/report/json_parts.h"
#include "src/report/names.h"
#include "src/report/run_text.h"
#include "src/report/style.h"

namespace noclobber {

namespace {

using Kind = Change::Kind;

constexpr std::size_t kShownLines = 5, kShownNames = 4, kShownColumns = 120;

std::string unknown_words(const Unknown& unknown) {
  return unknown.reason + (unknown.names.empty() ? "" : ": " + some_of(unknown.names, kShownNames));
}

/// The change on one line.
std::string words(const Change& change) {
  const CheckRecord& check = *change.check;
  std::string what;
  switch (change.kind) {
    case Kind::introduced:
    case Kind::fixed:
    case Kind::preexisting:
      what = change.finding == nullptr ? "refuted"
                                       : fmt::format("{} {}", change.finding->rule, change.finding->message);
      break;
    case Kind::newly_unknown:
      what = change.unknown == nullptr ? "no reason given" : unknown_words(*change.unknown);
      break;
    case Kind::newly_proved:
    case Kind::vanished:
      return fmt::format("{} ({})", check_name(check), printable(check.what));
  }
  return fmt::format("{}  {}", check_name(check), shortened(printable(what), kShownColumns));
}

std::string title_of(Kind kind) {
  std::string out(change_name(kind));
  std::ranges::replace(out, '_', ' ');
  return out;
}

Role role_of(Kind kind) {
  switch (kind) {
    case Kind::introduced:
      return Role::error;
    case Kind::newly_unknown:
    case Kind::vanished:
      return Role::warning;
    case Kind::fixed:
    case Kind::newly_proved:
      return Role::good;
    case Kind::preexisting:
      break;
  }
  return Role::dim;
}

/// A line for each change of one kind, at most `most` of them.
std::string lines_of(const Comparison& difference, Kind kind, std::size_t most, const Look& look) {
  std::string out;
  std::size_t shown = 0, all = 0;
  for (const Change& change : difference.changes) {
    if (change.kind != kind || ++all > most) continue;
    out += fmt::format("{}  {}\n", styled(fmt::format("{:<13}", title_of(kind)), role_of(kind), look.colour),
                       words(change));
    ++shown;
  }
  if (all > shown) out += fmt::format("{:<13}  and {} more, see --list\n", title_of(kind), all - shown);
  return out;
}

/// Introduced findings in full. Findings of the same fingerprint in other checks are counted.
std::string introduced_text(const Comparison& difference, const Look& look) {
  std::vector<const Change*> order;
  std::map<std::string, const CheckRecord*> known;  // by fingerprint: the first check with it
  std::map<std::string, std::vector<std::string>> also;
  for (const Change& change : difference.changes) {
    if (change.kind != Kind::introduced) continue;
    if (change.finding != nullptr && change.finding->accepted) continue;
    const std::string print = change.finding == nullptr ? "" : change.finding->fingerprint;
    const auto [first, fresh] = known.emplace(print, change.check);
    if (print.empty() || fresh || first->second == change.check)
      order.push_back(&change);
    else
      also[print].push_back(check_name(*change.check));
  }
  std::string out;
  for (const Change* change : order) {
    if (change->finding == nullptr) {
      out += fmt::format("refuted: {}\n\n", check_name(*change->check));
      continue;
    }
    out += to_text(*change->check, *change->finding, look);
    const auto others = also.find(change->finding->fingerprint);
    if (others != also.end()) {
      const std::size_t shown = std::min(others->second.size(), kShownLines);
      const auto end = others->second.begin() + static_cast<std::ptrdiff_t>(shown);
      out += fmt::format("  also in  {}: {}{}\n", others->second.size(),
                         fmt::join(others->second.begin(), end, ", "),
                         others->second.size() > shown ? ", ..." : "");
      also.erase(others);
    }
    out += fmt::format("  explain  noclobber explain {}\n\n", printable(change->finding->rule));
  }
  return out;
}

}  // namespace

std::string to_json(const Change& change) {
  Json out = record_of("change");
  out["change"] = change_name(change.kind);
  out["input"] = change.check->input;
  out["id"] = change.check->id;
  out["what"] = change.check->what;
  if (const Finding* finding = change.finding) {
    out["rule"] = finding->rule;
    out["property"] = finding->property;
    out["fingerprint"] = counted(*finding);
    out["message"] = finding->message;
    if (change.kind == Kind::introduced) out["finding"] = finding_json(*finding);
  }
  if (const Unknown* unknown = change.unknown) {
    out["reason"] = unknown->reason;
    out["names"] = unknown->names;
    out["fingerprint"] = fingerprint(*unknown);
  }
  return one_line(out);
}

std::string to_json(const Comparison& difference, int exit) {
  Json out = record_of("diff");
  for (const Kind kind : {Kind::introduced, Kind::fixed, Kind::preexisting, Kind::newly_unknown,
                          Kind::newly_proved, Kind::vanished})
    out[std::string(change_name(kind))] = difference.count(kind);
  const std::size_t accepted = difference.count(Kind::introduced) - difference.unaccepted(Kind::introduced) +
                               difference.count(Kind::newly_unknown) -
                               difference.unaccepted(Kind::newly_unknown);
  if (accepted > 0) out["accepted"] = accepted;
  out["exit"] = exit;
  return one_line(out);
}

std::string to_text(const Comparison& difference, bool list, const Look& look) {
  constexpr std::size_t kAll = ~std::size_t{0};
  std::string lines;
  if (list) {
    for (const Kind kind : {Kind::preexisting, Kind::fixed, Kind::newly_proved, Kind::introduced})
      lines += lines_of(difference, kind, kAll, look);
  }
  for (const Kind kind : {Kind::newly_unknown, Kind::vanished})
    lines += lines_of(difference, kind, list ? kAll : kShownLines, look);
  const auto count = [&](Kind kind) { return difference.count(kind); };
  const std::size_t bad = difference.unaccepted(Kind::introduced);
  const std::size_t open = difference.unaccepted(Kind::newly_unknown) + count(Kind::vanished);
  const Role role = bad > 0 ? Role::error : open > 0 ? Role::warning : Role::good;
  const std::size_t accepted = count(Kind::introduced) - bad;
  return introduced_text(difference, look) + lines + (lines.empty() ? "" : "\n") +
         fmt::format(
             "{} {} introduced{}, {} fixed, {} preexisting; {} newly unknown, {} newly proved, {} vanished",
             styled(bad > 0    ? "✗"
                    : open > 0 ? "?"
                               : "✓",
                    role, look.colour),
             count(Kind::introduced), accepted > 0 ? fmt::format(" ({} of them accepted)", accepted) : "",
             count(Kind::fixed), count(Kind::preexisting), count(Kind::newly_unknown),
             count(Kind::newly_proved), count(Kind::vanished));
}

}  // namespace noclobber
