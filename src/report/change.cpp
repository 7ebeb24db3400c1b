#include "src/report/change.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "src/report/names.h"

namespace noclobber {

namespace {

using Kind = Change::Kind;

/// An item of a multiset: the key that makes items equal, and its place.
struct Item {
  std::string key;
  Change at;
  bool taken = false;
};

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The place of an item. Stage 0 is the most exact; at the last stage all places are equal.
std::string place(const CheckRecord& check, int stage) {
  const std::string id = check.id + "\n" + check.what + "\n";
  return stage == 0 ? id + check.input : stage == 1 ? id + last_name(check.input) : stage == 2 ? id : "";
}
constexpr int kStages = 4;

/// Pairs items with equal keys, those in equal places first; each item is in at most one pair. Calls `met`
/// with each pair.
void pair_up(std::vector<Item>& old, std::vector<Item>& now, const std::function<void(Item&, Item&)>& met) {
  for (int stage = 0; stage < kStages; ++stage) {
    std::map<std::string, std::vector<Item*>> waiting;
    for (Item& item : old)
      if (!item.taken) waiting[item.key + "\n" + place(*item.at.check, stage)].push_back(&item);
    for (auto& [key, items] : waiting) std::ranges::reverse(items);  // pop_back() then takes the first
    for (Item& item : now) {
      if (item.taken) continue;
      const auto found = waiting.find(item.key + "\n" + place(*item.at.check, stage));
      if (found == waiting.end() || found->second.empty()) continue;
      Item& partner = *found->second.back();
      found->second.pop_back();
      partner.taken = item.taken = true;
      met(partner, item);
    }
  }
}

void ignore(Item&, Item&) {}

std::vector<Item> findings_of(const Report& report) {
  std::vector<Item> out;
  for (const CheckRecord& check : report.checks) {
    const std::size_t before = out.size();
    for (const Finding& finding : check.findings) {
      if (!is_cause(finding)) continue;
      const bool has = !finding.fingerprint.empty();
      out.push_back({has ? finding.fingerprint : finding.rule + "\n" + finding.message,
                     {Kind::introduced, &check, &finding, nullptr}});
    }
    if (out.size() == before && check.status == Status::refuted)
      out.push_back({"refuted\n" + check.id, {Kind::introduced, &check, nullptr, nullptr}});
  }
  return out;
}

std::vector<Item> unknowns_of(const Report& report) {
  std::vector<Item> out;
  for (const CheckRecord& check : report.checks) {
    for (const Unknown& unknown : check.unknown)
      out.push_back({fingerprint(unknown), {Kind::newly_unknown, &check, nullptr, &unknown}});
    if (check.unknown.empty() && check.status == Status::unknown)
      out.push_back({"unknown\n" + check.id, {Kind::newly_unknown, &check, nullptr, nullptr}});
  }
  return out;
}

std::vector<Item> checks_of(const Report& report) {
  std::vector<Item> out;
  for (const CheckRecord& check : report.checks)
    out.push_back({check.id + "\n" + check.what, {Kind::vanished, &check, nullptr, nullptr}});
  return out;
}

void put(Comparison& out, const std::vector<Item>& items, bool taken, Kind kind) {
  for (const Item& item : items) {
    if (item.taken != taken) continue;
    out.changes.push_back(item.at);
    out.changes.back().kind = kind;
  }
}

void compare_findings(const Report& old, const Report& now, Comparison& out) {
  std::vector<Item> before = findings_of(old), after = findings_of(now);
  pair_up(before, after, ignore);
  put(out, after, false, Kind::introduced);
  put(out, before, false, Kind::fixed);
  put(out, after, true, Kind::preexisting);
}

void compare_checks(const Report& old, const Report& now, Comparison& out) {
  std::vector<Item> before = checks_of(old), after = checks_of(now);
  std::vector<const CheckRecord*> proved;
  pair_up(before, after, [&](Item& was, Item& is) {
    if (was.at.check->status != Status::proved && is.at.check->status == Status::proved)
      proved.push_back(is.at.check);
  });
  std::ranges::sort(proved);  // by address: all are elements of now.checks
  for (const CheckRecord* check : proved) out.changes.push_back({Kind::newly_proved, check});
  // A single graph that the new run checks against another has a stronger claim now, and has not vanished.
  for (Item& item : before) {
    if (item.taken || item.at.check->what != "single") continue;
    const auto stronger = std::ranges::find_if(
        after, [&](const Item& other) { return !other.taken && other.at.check->id == item.at.check->id; });
    if (stronger != after.end()) item.taken = stronger->taken = true;
  }
  put(out, before, false, Kind::vanished);
}

bool accepted(const Change& change) {
  return (change.finding != nullptr && change.finding->accepted) ||
         (change.unknown != nullptr && change.unknown->accepted);
}

}  // namespace

std::size_t Comparison::count(Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count(changes, kind, &Change::kind));
}

std::size_t Comparison::unaccepted(Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      changes, [&](const Change& change) { return change.kind == kind && !accepted(change); }));
}

Comparison compare(const Report& old, const Report& now) {
  Comparison out;
  compare_findings(old, now, out);
  std::vector<Item> before = unknowns_of(old), after = unknowns_of(now);
  pair_up(before, after, ignore);
  put(out, after, false, Kind::newly_unknown);
  compare_checks(old, now, out);
  return out;
}

void mark(Report& now, const Comparison& difference) {
  std::set<const void*> fresh;
  for (const Change& change : difference.changes) {
    if (change.kind == Kind::introduced && change.finding != nullptr) fresh.insert(change.finding);
    if (change.kind == Kind::newly_unknown && change.unknown != nullptr) fresh.insert(change.unknown);
  }
  for (CheckRecord& check : now.checks) {
    for (Finding& finding : check.findings)
      if (is_cause(finding)) finding.change = fresh.contains(&finding) ? "introduced" : "preexisting";
    for (Unknown& unknown : check.unknown)
      unknown.change = fresh.contains(&unknown) ? "newly_unknown" : "preexisting";
  }
}

int exit_code(const Comparison& difference, const SummaryRecord& now, bool contradiction,
              FailOnChange fail_on) {
  if (contradiction) return 4;
  if (difference.unaccepted(Kind::introduced) > 0 && fail_on >= FailOnChange::introduced) return 1;
  const bool nothing = now.proved == 0 && now.refuted == 0 && now.unknown == 0;
  if (now.error > 0 || nothing) return 2;
  if (difference.unaccepted(Kind::newly_unknown) > 0 && fail_on >= FailOnChange::unknown) return 3;
  return difference.count(Kind::vanished) > 0 && fail_on >= FailOnChange::vanished ? 3 : 0;
}

std::string_view change_name(Kind kind) {
  static constexpr std::string_view names[] = {"introduced",    "fixed",        "preexisting",
                                               "newly_unknown", "newly_proved", "vanished"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace noclobber
