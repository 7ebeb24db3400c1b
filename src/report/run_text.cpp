#include "src/report/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "src/report/names.h"
#include "src/report/reasons.h"
#include "src/report/style.h"

namespace noclobber {

namespace {

/// "z3 5.4.0 on 3 obligations" -> "z3 5.4.0 on … obligations": sentences that differ in a count or a position
/// alone are one. Numbers in names and versions stay.
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
  ++whats[record.what];
  counts.steps += record.counts.steps;
  counts.modelled += record.counts.modelled;
  counts.in_place += record.counts.in_place;
  counts.storages += record.counts.storages;
  counts.obligations += record.counts.obligations;
  counts.by_rule += record.counts.by_rule;
  counts.by_z3 += record.counts.by_z3;
  unchecked.insert(record.unchecked.begin(), record.unchecked.end());
  const bool proved = record.status == Status::proved;
  if (proved && !record.assumptions.empty()) ++with_assumptions;
  if (proved) note_assumptions(assumptions, record.assumptions);
  if (record.barriers.barriers > 0) barriers[record.input] = record.barriers;
  if (!keep_records) return;
  if (!record.inplace.rewrites.empty())
    inplace.emplace_back((record.input.empty() ? "" : record.input + " ") + shown_id(record.id),
                         record.inplace);
  if (record.status == Status::refuted)
    refuted.push_back(std::move(record));
  else if (record.status == Status::unknown)
    unknown.push_back(std::move(record));
}

namespace {

constexpr std::size_t kShownChecks = 5, kShownNames = 8, kShownAssumptions = 20;

std::string check_name(const CheckRecord& record) {
  const std::string id = shown_id(record.id);
  return record.input.empty() ? id : fmt::format("{} {}", printable(record.input), id);
}

/// The first few, then how many more there are.
std::string some_of(const std::vector<std::string>& items, std::size_t shown) {
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(std::min(shown, items.size()));
  std::string out = fmt::format("{}", fmt::join(items.begin(), end, ", "));
  if (items.size() > shown) out += fmt::format(" and {} more", items.size() - shown);
  return out;
}

/// Findings with one fingerprint in several checks have one cause: the first is told in full, the others are
/// counted. What follows from another is told with that.
struct Cause {
  const CheckRecord* record;
  const Finding* finding;
  std::vector<std::string> also;
};

std::vector<Cause> causes_of(const std::vector<CheckRecord>& refuted) {
  std::vector<Cause> out;
  std::map<std::string, std::size_t> known;
  for (const CheckRecord& record : refuted) {
    for (const Finding& finding : record.findings) {
      if (finding.status != Status::refuted || !finding.follows.empty()) continue;
      const auto [at, fresh] = known.emplace(finding.fingerprint, out.size());
      const bool here = !fresh && out[at->second].record == &record;  // two faults of one shape
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

std::string causes_text(const RunSummary& summary, bool colour) {
  std::string out;
  for (const Cause& cause : causes_of(summary.refuted)) {
    out += to_text(*cause.record, *cause.finding, colour);
    if (!cause.also.empty()) {
      out += fmt::format("  also in  {}: {}\n", cause.also.size(), some_of(cause.also, kShownChecks));
    }
    out += fmt::format("  explain  noclobber explain {}\n\n", printable(cause.finding->rule));
  }
  for (const CheckRecord& record : summary.refuted) {
    if (record.findings.empty()) out += fmt::format("refuted: {}\n\n", check_name(record));
  }
  return out;
}

/// One reason: how often each name was involved, and in which checks.
struct Reason {
  std::map<std::string, std::uint64_t> names;
  std::vector<std::string> checks;
};

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

std::string reason_text(std::string_view code, const Reason& reason, bool colour) {
  const char* noun = reason.checks.size() == 1 ? "check" : "checks";
  const std::string head = fmt::format("unknown[{}]", printable(code));
  std::string out = fmt::format("{}: {} {}", styled(head, Role::warning, colour), reason.checks.size(), noun);
  if (!reason.names.empty()) out += fmt::format(": {}", some_of(counted(reason.names), kShownNames));
  out += fmt::format("\n  in       {}\n", some_of(reason.checks, kShownChecks));
  const UnknownReason* known = find_reason(code);
  if (known == nullptr) return out;
  if (!known->help.empty()) out += fmt::format("  help     {}\n", known->help);
  return out + fmt::format("  explain  noclobber explain {}\n", code);
}

std::string unknown_text(const RunSummary& summary, bool colour) {
  std::map<std::string, Reason> reasons = reasons_of(summary.unknown);
  std::string out;
  for (const UnknownReason& known : unknown_reasons()) {  // causes first
    const auto found = reasons.find(std::string(known.code));
    if (found == reasons.end()) continue;
    out += reason_text(found->first, found->second, colour);
    reasons.erase(found);
  }
  for (const auto& [code, reason] : reasons) out += reason_text(code, reason, colour);
  return out.empty() ? out : out + "\n";
}

/// What the proofs of the run rest on, the commonest first.
std::string assumptions_text(const RunSummary& summary, bool colour) {
  if (summary.assumptions.empty()) return "";
  const std::uint64_t of = summary.with_assumptions;
  std::string out = fmt::format("{}: {} proof{} rest{} on\n", styled("assumed", Role::strong, colour), of,
                                of == 1 ? "" : "s", of == 1 ? "s" : "");
  std::vector<std::pair<std::string, std::uint64_t>> order(summary.assumptions.begin(),
                                                           summary.assumptions.end());
  std::ranges::stable_sort(order, std::greater<>(), [](const auto& item) { return item.second; });
  const std::size_t more = order.size() - std::min(order.size(), kShownAssumptions);
  order.resize(order.size() - more);
  for (const auto& [sentence, count] : order)
    out += fmt::format("  {} × {}\n", count, shortened(printable(sentence), 120));
  return out + (more == 0 ? "\n" : fmt::format("  and {} more\n\n", more));
}

/// Of the last graphs: earlier ones have the same barriers.
std::string barriers_text(const RunSummary& summary, bool colour) {
  std::uint64_t all = 0, idle = 0, split = 0;
  for (const auto& [input, lint] : summary.barriers) {
    all += lint.barriers;
    idle += lint.idle.size();
    split += lint.split;
  }
  if (idle == 0) return "";
  std::string out = fmt::format("{}: {} of {} barriers order nothing that is not ordered already",
                                styled("lint[NC040]", Role::warning, colour), idle, all);
  if (split > 0) out += fmt::format("; they split {} fused region{}", split, split == 1 ? "" : "s");
  return out + "\n\n";
}

/// Per check: rewrites that are safe, the largest first.
std::string inplace_text(const RunSummary& summary, bool colour) {
  std::string out;
  for (const auto& [check, lint] : summary.inplace) {
    std::vector<InplaceLint::Rewrite> safe;
    std::ranges::copy_if(lint.rewrites, std::back_inserter(safe),
                         [](const auto& rewrite) { return rewrite.safe == Status::proved; });
    std::ranges::stable_sort(safe, std::greater<>(), &InplaceLint::Rewrite::known);
    std::uint64_t bytes = 0;
    for (const auto& rewrite : safe) bytes += rewrite.known;
    out += fmt::format("{}: {} of {} steps of {} may run in place, all at once: {} bytes\n",
                       styled("lint[NC041]", Role::warning, colour), safe.size(), lint.rewrites.size(),
                       printable(check), bytes);
    for (const auto& rewrite : safe)
      out += fmt::format("  {} -> {} on {}{}\n", printable(rewrite.at.statement), printable(rewrite.op),
                         printable(rewrite.operand),
                         rewrite.bytes.empty() ? "" : fmt::format(", {} bytes", printable(rewrite.bytes)));
  }
  return out.empty() ? out : out + "\n";
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

std::string verdicts_text(const RunSummary& summary) {
  const SummaryRecord& totals = summary.totals;
  return fmt::format(": {} proved, {} refuted, {} unknown ({} step{}, {} in place)", totals.proved,
                     totals.refuted, totals.unknown, summary.counts.steps,
                     summary.counts.steps == 1 ? "" : "s", summary.counts.in_place);
}

std::string last_line(const RunSummary& summary, double seconds, bool colour) {
  const SummaryRecord& totals = summary.totals;
  const bool fault = totals.refuted > 0 || totals.error > 0;
  const bool nothing = totals.proved + totals.refuted + totals.unknown == 0;
  const Role role = fault || nothing ? Role::fault : totals.unknown > 0 ? Role::warning : Role::good;
  const char* sign = fault || nothing ? "✗" : totals.unknown > 0 ? "?" : "✓";
  std::string out = fmt::format("{} {}", styled(sign, role, colour), checked_text(summary));
  if (!nothing) out += verdicts_text(summary);
  if (totals.error > 0) out += fmt::format("; {} error{}", totals.error, totals.error == 1 ? "" : "s");
  if (summary.with_assumptions > 0) {
    out += fmt::format("; {} of the proofs rest on assumptions", summary.with_assumptions);
  }
  std::vector<std::string> unchecked;
  for (const std::string& name : summary.unchecked) unchecked.push_back(printable(name));
  if (!unchecked.empty()) out += fmt::format("; not checked: {}", fmt::join(unchecked, ", "));
  if (summary.interrupted) out += "; interrupted";
  return seconds < 0 ? out + "\n" : fmt::format("{} ({:.1f} s)\n", out, seconds);
}

}  // namespace

std::string to_text(const RunSummary& summary, double seconds, bool colour) {
  return causes_text(summary, colour) + unknown_text(summary, colour) + barriers_text(summary, colour) +
         inplace_text(summary, colour) + assumptions_text(summary, colour) +
         last_line(summary, seconds, colour);
}

}  // namespace noclobber
