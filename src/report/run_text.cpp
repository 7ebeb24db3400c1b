#include "src/report/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/report/advice_text.h"
#include "src/report/layout.h"
#include "src/report/names.h"
#include "src/report/reasons.h"
#include "src/report/rules.h"
#include "src/report/style.h"

namespace noclobber {

namespace {

/// "z3 5.4.0 on 3 obligations" -> "z3 5.4.0 on … obligations". Sentences that differ only in a count or a
/// position become equal. Numbers in names and versions are kept.
std::string without_counts(const std::string& sentence) {
  std::string out;
  for (std::size_t k = 0; k < sentence.size();) {
    std::size_t end = k;
    while (end < sentence.size() && sentence[end] >= '0' && sentence[end] <= '9') ++end;
    const bool alone = end > k && (k == 0 || sentence[k - 1] == ' ') &&
                       (end == sentence.size() || sentence[end] == ' ' || sentence[end] == ',');
    out += alone ? "…" : end > k ? sentence.substr(k, end - k) : std::string(1, sentence[k]);
    k = std::max(end, k + 1);
  }
  return out;
}

void note_assumptions(std::map<std::string, std::uint64_t>& into, const std::vector<std::string>& sentences) {
  std::set<std::string> own;
  for (const std::string& sentence : sentences) own.insert(without_counts(sentence));
  for (const std::string& sentence : own) ++into[sentence];
}

/// Counts what a baseline accepts. A check with nothing else does not affect the exit code.
void count_accepted(const CheckRecord& record, SummaryRecord& totals) {
  std::uint64_t findings = 0, unknowns = 0, others = 0;
  for (const Finding& finding : record.findings)
    if (is_cause(finding)) ++(finding.accepted ? findings : others);
  if (record.status == Status::refuted && findings > 0 && others == 0) ++totals.refuted_accepted;
  for (const Unknown& unknown : record.unknown) unknowns += unknown.accepted ? 1 : 0;
  const bool all = unknowns > 0 && unknowns == record.unknown.size();
  if (record.status == Status::unknown && all) ++totals.unknown_accepted;
  totals.accepted += findings + unknowns;
}

/// True for a check of a log or of tlparse's output.
bool of_log(const CheckRecord& record, const std::string& link) {
  const bool named = shown_id(record.id) != printable(record.id);  // the id is that of a compilation
  return (named && !record.unchecked.empty()) || link == "joint" || link == "split" || link == "post_grad";
}

}  // namespace

void RunSummary::add(CheckRecord&& record) {
  const bool pair = record.what == "pair";
  switch (record.status) {
    case Status::proved:
      ++totals.proved, totals.pairs_proved += pair ? 1 : 0;
      break;
    case Status::refuted:
      ++totals.refuted, totals.pairs_refuted += pair ? 1 : 0;
      break;
    case Status::unknown:
      ++totals.unknown, totals.pairs_unknown += pair ? 1 : 0;
      break;
    case Status::error:
      ++totals.error;
      break;
  }
  count_accepted(record, totals);
  ++whats[record.what];
  if (const std::string link = link_of(record); of_log(record, link)) ++links[link];
  counts.steps += record.counts.steps;
  counts.modelled += record.counts.modelled;
  counts.in_place += record.counts.in_place;
  counts.storages += record.counts.storages;
  counts.obligations += record.counts.obligations;
  counts.by_rule += record.counts.by_rule;
  counts.by_z3 += record.counts.by_z3;
  counts.by_identity += record.counts.by_identity;
  unchecked.insert(record.unchecked.begin(), record.unchecked.end());
  const bool proved = record.status == Status::proved;
  if (proved && !record.assumptions.empty()) ++with_assumptions;
  if (proved) note_assumptions(assumptions, record.assumptions);
  // A backward graph that is checked alone has barriers of its own.
  const bool backward = record.what == "single" && record.id.starts_with("bw");
  if (record.barriers.barriers > 0) barriers[record.input + (backward ? kBackward : "")] = record.barriers;
  if (!record.every_order.empty()) ++orders[record.return_last == "proved" ? "return" : record.every_order];
  for (const FindingPlace& write : record.behind_return) ++behind_return[write.statement];
  for (const FindingPlace& step : record.dead)
    ++dead[step.statement + ", " + step.loc + (record.input.empty() ? "" : " of " + record.input)];
  if (!keep_records) return;
  if (!record.inplace.rewrites.empty())
    inplace.emplace_back((record.input.empty() ? "" : record.input + " ") + shown_id(record.id),
                         record.inplace);
  if (record.status == Status::refuted)
    refuted.push_back(std::move(record));
  else if (record.status == Status::unknown)
    unknown.push_back(std::move(record));
}

std::string check_name(const CheckRecord& record) {
  const std::string id = shown_id(record.id);
  return record.input.empty() ? id : fmt::format("{} {}", printable(record.input), id);
}

std::vector<Cause> causes_of(const std::vector<CheckRecord>& checks) {
  std::vector<Cause> out;
  std::map<std::string, std::size_t> known;
  for (const CheckRecord& record : checks) {
    for (const Finding& finding : record.findings) {
      if (!is_cause(finding) || finding.accepted) continue;
      const auto [at, fresh] = known.emplace(finding.fingerprint, out.size());
      const bool here = !fresh && out[at->second].record == &record;  // two faults of one check
      if (fresh || here || finding.fingerprint.empty()) {
        out.push_back({&record, &finding, {}});
      } else {
        std::vector<std::string>& also = out[at->second].also;
        if (also.empty() || also.back() != check_name(record)) also.push_back(check_name(record));
      }
    }
  }
  return out;
}

std::map<std::string, Reason> reasons_of(const std::vector<CheckRecord>& unknown) {
  std::map<std::string, Reason> out;
  for (const CheckRecord& record : unknown) {
    if (record.unknown.empty()) out["no reason given"].checks.push_back(check_name(record));
    for (const Unknown& item : record.unknown) {
      Reason& reason = out[item.reason];
      for (const std::string& name : item.names) ++reason.names[name];
      const std::string check = check_name(record);
      if (reason.checks.empty() || reason.checks.back() != check) reason.checks.push_back(check);
    }
  }
  return out;
}

namespace {

constexpr std::size_t kFewCauses = 10;
constexpr std::size_t kShownChecks = 5, kRunNames = 8, kShownAssumptions = 20;

/// The number of causes by rule; "" for at most kFewCauses.
std::string rules_text(const std::vector<Cause>& causes, const Look& look) {
  if (causes.size() <= kFewCauses) return "";
  std::map<std::string, std::uint64_t> rules;
  for (const Cause& cause : causes) ++rules[cause.finding->rule];
  std::string out =
      fmt::format("{} errors\n", styled(fmt::format("{}", causes.size()), Role::error, look.colour));
  for (const auto& [code, count] : rules) {
    const Rule* rule = find_rule(code);
    out += fmt::format("  {:>4} × {}{}\n", count, styled(printable(code), Role::name, look.colour),
                       rule == nullptr ? "" : fmt::format(" {}: {}", rule->property, rule->title));
  }
  return out + "\n";
}

std::string causes_text(const RunSummary& summary, const Look& look) {
  const std::vector<Cause> causes = causes_of(summary.refuted);
  std::string out = rules_text(causes, look);
  for (const Cause& cause : causes) {
    out += to_text(*cause.record, *cause.finding, look);
    if (!cause.also.empty())
      out +=
          row("also in", fmt::format("{}: {}", cause.also.size(), some_of(cause.also, kShownChecks)), look);
    out += row("explain", "noclobber explain " + printable(cause.finding->rule), look) + "\n";
  }
  for (const CheckRecord& record : summary.refuted) {
    if (record.findings.empty()) out += fmt::format("refuted: {}\n\n", check_name(record));
  }
  return out;
}

std::vector<std::string> counted(const std::map<std::string, std::uint64_t>& names) {
  std::vector<std::pair<std::string, std::uint64_t>> order(names.begin(), names.end());
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& item) { return item.second; });
  std::vector<std::string> out;
  for (const auto& [name, count] : order) {
    const std::string shown = shortened(printable(name), 120);
    out.push_back(count == 1 ? shown : fmt::format("{} × {}", count, shown));
  }
  return out;
}

std::string reason_text(std::string_view code, const Reason& reason, const Look& look) {
  const char* noun = reason.checks.size() == 1 ? "check" : "checks";
  const std::string head = fmt::format("unknown[{}]", printable(code));
  std::string first =
      fmt::format("{}: {} {}", styled(head, Role::warning, look.colour), reason.checks.size(), noun);
  if (!reason.names.empty()) first += fmt::format(": {}", some_of(counted(reason.names), kRunNames));
  std::string out = wrapped(first, look.width, 4, 0) + "\n";
  out += row("in", some_of(reason.checks, kShownChecks), look);
  const UnknownReason* known = find_reason(code);
  if (known == nullptr) return out;
  if (!known->help.empty()) out += row("help", known->help, look);
  return out + row("explain", fmt::format("noclobber explain {}", code), look);
}

std::string unknown_text(const RunSummary& summary, const Look& look) {
  std::map<std::string, Reason> reasons = reasons_of(summary.unknown);
  std::string out;
  for (const UnknownReason& known : unknown_reasons()) {  // causes first
    const auto found = reasons.find(std::string(known.code));
    if (found == reasons.end()) continue;
    out += reason_text(found->first, found->second, look);
    reasons.erase(found);
  }
  for (const auto& [code, reason] : reasons) out += reason_text(code, reason, look);
  return out.empty() ? out : out + "\n";
}

/// The assumptions of the proofs of the run, the most frequent first.
std::string assumptions_text(const RunSummary& summary, const Look& look) {
  if (summary.assumptions.empty()) return "";
  const std::uint64_t of = summary.with_assumptions;
  std::string out = fmt::format("{}: {} proof{} rest{} on\n", styled("assumed", Role::name, look.colour), of,
                                of == 1 ? "" : "s", of == 1 ? "s" : "");
  std::vector<std::pair<std::string, std::uint64_t>> order(summary.assumptions.begin(),
                                                           summary.assumptions.end());
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& item) { return item.second; });
  const std::size_t more = order.size() - std::min(order.size(), kShownAssumptions);
  order.resize(order.size() - more);
  for (const auto& [sentence, count] : order)
    out += "  " +
           wrapped(fmt::format("{} × {}", count, shortened(printable(sentence), 120)), look.width, 6, 2) +
           "\n";
  return out + (more == 0 ? "\n" : fmt::format("  and {} more\n\n", more));
}

std::string noun_of(const std::string& what, std::uint64_t count) {
  const std::string noun = what == "single" ? "single graph" : what == "trace" ? "cut log" : what;
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string checked_text(const RunSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [what, count] : summary.whats) parts.push_back(noun_of(what, count));
  if (parts.empty()) return "nothing checked";
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{}{}{} checked", fmt::join(parts, ", "), parts.empty() ? "" : " and ", last);
}

std::string verdicts_text(const RunSummary& summary, const Look& look) {
  const SummaryRecord& totals = summary.totals;
  const auto told = [&](std::uint64_t count, const char* what, Role role) {
    return styled(fmt::format("{} {}", count, what), count == 0 ? Role::plain : role, look.colour);
  };
  return fmt::format(": {}, {}, {} ({} step{}, {} in place)", told(totals.proved, "proved", Role::good),
                     told(totals.refuted, "refuted", Role::error),
                     told(totals.unknown, "unknown", Role::warning), summary.counts.steps,
                     summary.counts.steps == 1 ? "" : "s", summary.counts.in_place);
}

/// The number of checks of logs by link of the compilation chain, on one line; "" if there are none.
std::string links_text(const RunSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [link, name] :
       {std::pair("joint", "joint passes"), std::pair("split", "forward with backward"),
        std::pair("post_grad", "post-grad passes"), std::pair("trace", "single graphs")})
    if (const auto at = summary.links.find(link); at != summary.links.end())
      parts.push_back(fmt::format("{} {}", name, at->second));
  return parts.empty() ? "" : fmt::format("judged: {}", fmt::join(parts, ", "));
}

/// True for "step (train.py:29) runs uncompiled (Unsupported)": a frame that was not compiled, as opposed to
/// a part of a compilation that is not checked.
bool is_frame(const std::string& unchecked) {
  return unchecked.find(" runs uncompiled (") != std::string::npos;
}

/// All frames that were not compiled, on as many lines as they need.
std::string frames_text(const RunSummary& summary, const Look& look) {
  std::vector<std::string> frames;
  for (const std::string& name : summary.unchecked)
    if (is_frame(name)) frames.push_back(printable(name));
  if (frames.empty()) return "";
  return "  " + wrapped(fmt::format("not compiled: {}", fmt::join(frames, ", ")), look.width, 4, 2) + "\n";
}

/// What the verdicts rest on and do not cover, on one line; "" if there is nothing of either.
std::string rest_text(const RunSummary& summary) {
  std::vector<std::string> parts;
  if (summary.with_assumptions > 0)
    parts.push_back(fmt::format("{} of the proofs rest on assumptions", summary.with_assumptions));
  std::vector<std::string> unchecked;
  for (const std::string& name : summary.unchecked)
    if (!is_frame(name)) unchecked.push_back(printable(name));
  if (!unchecked.empty()) parts.push_back(fmt::format("not checked: {}", fmt::join(unchecked, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The verdicts, then at most two lines of `look.width` columns, and the frames that were not compiled.
std::string last_lines(const RunSummary& summary, double seconds, const Look& look) {
  const SummaryRecord& totals = summary.totals;
  const bool fault = totals.refuted > totals.refuted_accepted || totals.error > 0;
  const bool nothing = totals.proved + totals.refuted + totals.unknown == 0;
  const bool open = totals.unknown > totals.unknown_accepted;
  const Role role = fault || nothing ? Role::error : open ? Role::warning : Role::good;
  const char* sign = fault || nothing ? "✗" : open ? "?" : "✓";
  std::string out = fmt::format("{} {}", styled(sign, role, look.colour), checked_text(summary));
  if (!nothing) out += verdicts_text(summary, look);
  if (totals.accepted > 0) out += fmt::format("; {} accepted by the baseline", totals.accepted);
  if (totals.error > 0) out += fmt::format("; {} error{}", totals.error, totals.error == 1 ? "" : "s");
  if (summary.interrupted) out += "; interrupted";
  if (seconds >= 0) out += fmt::format(" ({:.1f} s)", seconds);
  const std::string head = wrapped(out, look.width, 2, 0) + "\n";
  const auto line = [&](const std::string& text) {
    return text.empty() ? "" : "  " + shortened(text, look.width - 2) + "\n";
  };
  const std::string links = links_text(summary), rest = rest_text(summary);
  const bool long_head = std::ranges::count(head, '\n') > 1;
  if (long_head && !links.empty() && !rest.empty())
    return head + line(links + "; " + rest) + frames_text(summary, look);
  return head + line(links) + frames_text(summary, look) + line(rest);
}

}  // namespace

std::string to_text(const RunSummary& summary, double seconds, const Look& look) {
  const std::string open = causes_text(summary, look) + unknown_text(summary, look);
  if (look.quiet) return open;
  return open + advice_text(summary, look) + assumptions_text(summary, look) +
         last_lines(summary, seconds, look);
}

}  // namespace noclobber
