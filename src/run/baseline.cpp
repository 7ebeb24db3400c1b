#include "src/run/baseline.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>

#include "src/base/suggest.h"
#include "src/report/names.h"
#include "src/text/toml.h"

namespace noclobber {

namespace {

constexpr std::size_t kWhatColumns = 160;

/// A basic string of TOML. Every JSON string is one.
std::string toml_text(std::string_view text) {
  return nlohmann::json(shortened(printable(text), kWhatColumns)).dump();
}

struct Draft {
  std::string fingerprint, what, where;
  std::uint64_t count = 0;
  Acceptance acceptance;
};

void add(std::vector<Draft>& drafts, const std::string& print, const std::string& what,
         const CheckRecord& record, const std::optional<Acceptance>& accepted) {
  if (print.empty()) return;
  auto at = std::ranges::find(drafts, print, &Draft::fingerprint);
  if (at == drafts.end()) {
    drafts.push_back({print, what, shown_id(record.id) + " of " + record.input, 0, {}});
    at = drafts.end() - 1;
  }
  ++at->count;
  if (accepted && at->acceptance.reason.empty()) at->acceptance = *accepted;
}

std::string names_of(const Unknown& unknown) {
  std::string out;
  for (const std::string& name : unknown.names) out += (out.empty() ? ": " : ", ") + name;
  return unknown.reason + out;
}

constexpr std::array<std::string_view, 7> kKeys = {"fingerprint", "count", "what",   "where",
                                                   "reason",      "owner", "expires"};

bool is_date(const std::string& text) {
  if (text.size() != 10) return false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool dash = k == 4 || k == 7;
    if (dash ? text[k] != '-' : text[k] < '0' || text[k] > '9') return false;
  }
  const int month = std::stoi(text.substr(5, 2)), day = std::stoi(text.substr(8));
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

std::string unknown_key(std::string_view key, std::span<const std::string_view> known) {
  return fmt::format("unknown key '{}'{}", printable(key), suggestion(key, known));
}

}  // namespace

std::string today() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(now));
}

std::string baseline_of(const Report& report) {
  std::vector<Draft> drafts;
  for (const CheckRecord& record : report.checks) {
    for (const Finding& finding : record.findings)
      if (is_cause(finding))
        add(drafts, finding.fingerprint, finding.rule + " " + finding.property + ": " + finding.message,
            record, finding.accepted);
    for (const Unknown& unknown : record.unknown)
      add(drafts, fingerprint(unknown), "unknown, " + names_of(unknown), record, unknown.accepted);
  }
  std::string out =
      "# What is known and accepted for now, for `noclobber check --baseline`. Each entry needs a reason, an "
      "owner and the\n"
      "# last day that it holds (YYYY-MM-DD): without them the file is refused, and after that day the entry "
      "accepts nothing.\n";
  for (const Draft& draft : drafts)
    out += fmt::format(
        "\n[[accept]]\nfingerprint = {}\ncount = {}\nwhat = {}\nwhere = {}\nreason = {}\nowner = {}\nexpires "
        "= {}\n",
        toml_text(draft.fingerprint), draft.count, toml_text(draft.what), toml_text(draft.where),
        toml_text(draft.acceptance.reason), toml_text(draft.acceptance.owner),
        toml_text(draft.acceptance.expires));
  return out;
}

Result<Baseline> Baseline::read(std::string_view text, const std::string& today) {
  auto file = read_toml(text);
  if (!file) return file.fault();
  Baseline out;
  static constexpr std::array<std::string_view, 1> tables = {"accept"};
  for (const TomlItem& item : *file)
    if (item.table != "accept") {
      const std::string& name = item.table.empty() ? item.key : item.table;
      return Diagnostic{fmt::format("line {}", item.line), unknown_key(name, tables)};
    }
  for (const TomlItem& item : *file) {
    const auto fault = [&](std::string message) {
      return Diagnostic{fmt::format("line {}", item.line), std::move(message)};
    };
    if (item.element >= out.entries_.size()) out.entries_.resize(item.element + 1);
    Entry& entry = out.entries_[item.element];
    if (entry.line == 0) entry.line = item.line;
    const bool number = item.kind == TomlItem::Kind::number;
    if (item.key.empty()) continue;  // the table itself
    if (std::ranges::find(kKeys, item.key) == kKeys.end()) return fault(unknown_key(item.key, kKeys));
    if (item.key == "count" ? !number || item.number < 1 : item.kind != TomlItem::Kind::text)
      return fault(
          fmt::format("'{}' must be {}", item.key, item.key == "count" ? "a number from 1" : "a text"));
    if (item.key == "fingerprint") entry.fingerprint = item.text;
    if (item.key == "count") entry.count = static_cast<std::uint64_t>(item.number);
    if (item.key == "what") entry.what = item.text;
    if (item.key == "reason") entry.acceptance.reason = item.text;
    if (item.key == "owner") entry.acceptance.owner = item.text;
    if (item.key == "expires") entry.acceptance.expires = item.text;
  }
  for (Entry& entry : out.entries_) {
    const auto fault = [&](std::string message) {
      return Diagnostic{fmt::format("line {}", entry.line), std::move(message)};
    };
    const Acceptance& of = entry.acceptance;
    if (entry.fingerprint.empty()) return fault("the entry has no fingerprint");
    for (const auto& [name, value] :
         {std::pair{"reason", of.reason}, std::pair{"owner", of.owner}, std::pair{"expires", of.expires}})
      if (value.find_first_not_of(" \t") == std::string::npos)
        return fault(fmt::format("'{}' of {} is to be filled in", name, printable(entry.fingerprint)));
    if (!is_date(of.expires))
      return fault(fmt::format("expires = {} is no date: YYYY-MM-DD", toml_text(of.expires)));
    entry.expired = of.expires < today;
    out.by_fingerprint_[entry.fingerprint].push_back(static_cast<std::size_t>(&entry - out.entries_.data()));
  }
  return out;
}

/// Counts one more item of this fingerprint and returns the entry that accepts it: nullptr if there is none
/// or it has expired. Entries that have not expired come first.
const Baseline::Entry* Baseline::take(const std::string& fingerprint) {
  const auto found = by_fingerprint_.find(fingerprint);
  if (found == by_fingerprint_.end()) return nullptr;
  for (const bool expired : {false, true})
    for (const std::size_t at : found->second) {
      Entry& entry = entries_[at];
      if (entry.expired != expired || entry.met == entry.count) continue;
      ++entry.met;
      return expired ? nullptr : &entry;
    }
  return nullptr;
}

void Baseline::mark(CheckRecord& record) {
  std::optional<Acceptance> of_cause;
  for (Finding& finding : record.findings) {
    if (finding.status != Status::refuted) continue;
    if (finding.follows.empty()) {
      const Entry* entry = take(finding.fingerprint);
      of_cause = entry == nullptr ? std::nullopt : std::optional(entry->acceptance);
    }
    finding.accepted = of_cause;
  }
  for (Unknown& unknown : record.unknown) {
    const Entry* entry = take(fingerprint(unknown));
    unknown.accepted = entry == nullptr ? std::nullopt : std::optional(entry->acceptance);
  }
}

std::vector<Baseline::Remark> Baseline::remarks() const {
  std::vector<Remark> out;
  for (const Entry& entry : entries_) {
    const std::string where = fmt::format("line {}", entry.line);
    const std::string name = entry.fingerprint + (entry.what.empty() ? "" : " (" + entry.what + ")");
    if (entry.expired && entry.met > 0)
      out.push_back({true, where,
                     fmt::format("expired on {}, owner {}: {} is not accepted any more",
                                 entry.acceptance.expires, entry.acceptance.owner, name)});
    else if (entry.met == 0)
      out.push_back({false, where, fmt::format("{} matches nothing any more: the entry can go", name)});
    else if (entry.met < entry.count)
      out.push_back(
          {false, where,
           fmt::format("{} matches {} of {}: the count can be lowered", name, entry.met, entry.count)});
  }
  return out;
}

}  // namespace noclobber
