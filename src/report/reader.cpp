// Reads records from JSON Lines: the output of a run, complete or truncated.
#include "src/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "src/report/json_parts.h"
#include "src/report/page.h"
#include "src/report/reader_finding.h"

namespace noclobber {

namespace {

Status status_of(const std::string& text) {
  return text == "proved"    ? Status::proved
         : text == "refuted" ? Status::refuted
         : text == "error"   ? Status::error
                             : Status::unknown;
}

std::vector<std::string> texts(const Json& json, const char* name) {
  return json.value(name, std::vector<std::string>());
}

const Json& list(const Json& json, const char* name) {
  static const Json none = Json::array();
  const auto found = json.find(name);
  if (found != json.end() && !found->is_array()) throw std::runtime_error(fmt::format("{} is no list", name));
  return found == json.end() ? none : *found;
}

CheckRecord::Counts counts_of(const Json& json) {
  const auto number = [&](const char* name) { return json.value(name, std::uint64_t{0}); };
  CheckRecord::Counts out;
  out.steps = number("steps");
  out.modelled = number("modelled");
  out.in_place = number("in_place");
  out.storages = number("storages");
  out.obligations = number("obligations");
  out.by_rule = number("by_rule");
  out.by_z3 = number("by_z3");
  out.by_identity = number("by_identity");
  return out;
}

Unknown unknown_of(const Json& json) {
  Unknown out{json.value("reason", std::string()), texts(json, "names")};
  out.fingerprint = json.value("fingerprint", std::string());
  out.accepted = read_accepted(json);
  return out;
}

void read_barriers(const Json& json, BarrierLint& out) {
  out.barriers = json.value("barriers", 0U);
  out.regions = json.value("regions", 0U);
  out.split = json.value("split", 0U);
  for (const Json& place : list(json, "idle")) out.idle.push_back(read_place(place));
}

std::uint64_t number_in(const std::string& text) {
  const bool digits =
      !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? std::stoull(text) : 0;
}

void read_inplace(const Json& json, InplaceLint& out) {
  out.left_out = json.value("left_out", std::uint64_t{0});
  for (const char* which : {"safe", "unsafe"})
    for (const Json& one : list(json, which)) {
      InplaceLint::Rewrite& rewrite = out.rewrites.emplace_back();
      rewrite.at = read_place(one);
      rewrite.operand = one.value("operand", std::string());
      rewrite.op = one.value("op", std::string());
      rewrite.bytes = one.value("bytes", std::string());
      rewrite.known = number_in(rewrite.bytes);
      rewrite.safe = status_of(one.value("status", std::string("proved")));
      rewrite.because = one.value("because", std::string());
    }
}

void read_advice(const Json& json, CheckRecord& out) {
  for (const Json& one : list(json, "repairs")) {
    const Json& first = one.at("first");
    const Json& then = one.at("then");
    out.repairs.push_back({read_place(first), read_place(then), first.value("code", std::string()),
                           then.value("code", std::string())});
  }
  for (const Json& lint : list(json, "lints")) {
    const std::string rule = lint.value("rule", std::string());
    if (rule == "NC040") read_barriers(lint, out.barriers);
    if (rule == "NC011")
      for (const Json& place : list(lint, "writes")) out.behind_return.push_back(read_place(place));
    if (rule == "NC042")
      for (const Json& place : list(lint, "steps")) out.dead.push_back(read_place(place));
    if (rule == "NC041") read_inplace(lint, out.inplace);
  }
}

CheckRecord check_of_json(const Json& json) {
  CheckRecord out;
  out.input = json.value("input", std::string());
  out.before_input = json.value("before", std::string());
  out.id = json.value("id", std::string());
  out.what = json.value("what", std::string());
  out.status = status_of(json.at("status").get<std::string>());
  const Json properties = json.value("properties", Json::object());
  for (const auto& [name, status] : properties.items())
    out.properties[name] = status_of(status.get<std::string>());
  if (json.contains("counts")) out.counts = counts_of(json.at("counts"));
  for (const Json& finding : list(json, "findings")) out.findings.push_back(read_finding(finding));
  for (const Json& unknown : list(json, "unknown")) out.unknown.push_back(unknown_of(unknown));
  out.unchecked = texts(json, "unchecked");
  out.link = json.value("link", std::string());
  out.every_order = json.value("every_order", std::string());
  out.return_last = json.value("return_last", std::string());
  read_advice(json, out);
  out.assumptions = texts(json, "assumptions");
  out.checked_by = texts(json, "checked_by");
  out.ran = json.value("ran", false);
  out.contradiction = json.value("contradiction", std::string());
  out.semantics = json.value("semantics", std::string());
  out.version = json.value("version", std::string());
  return out;
}

SummaryRecord summary_of(const Json& json) {
  const auto number = [](const Json& of, const char* name) { return of.value(name, std::uint64_t{0}); };
  SummaryRecord out;
  out.proved = number(json, "proved");
  out.refuted = number(json, "refuted");
  out.unknown = number(json, "unknown_checks");
  out.error = number(json, "error");
  out.skipped = number(json, "skipped");
  out.accepted = number(json, "accepted");
  const Json accepted = json.value("accepted_checks", Json::object());
  out.refuted_accepted = number(accepted, "refuted");
  out.unknown_accepted = number(accepted, "unknown");
  out.exit = json.value("exit", 0);
  const Json pairs = json.value("pairs", Json::object());
  out.pairs_proved = number(pairs, "proved");
  out.pairs_refuted = number(pairs, "refuted");
  out.pairs_unknown = number(pairs, "unknown");
  return out;
}

/// Adds the summary of a concatenated text.
void add(SummaryRecord& to, const SummaryRecord& more) {
  to.proved += more.proved;
  to.refuted += more.refuted;
  to.unknown += more.unknown;
  to.error += more.error;
  to.skipped += more.skipped;
  to.accepted += more.accepted;
  to.refuted_accepted += more.refuted_accepted;
  to.unknown_accepted += more.unknown_accepted;
  to.pairs_proved += more.pairs_proved;
  to.pairs_refuted += more.pairs_refuted;
  to.pairs_unknown += more.pairs_unknown;
  if (to.exit == 0 || more.exit == 4) to.exit = more.exit;
}

void number(std::vector<CheckRecord>& checks) {
  std::map<std::string, std::uint64_t> seen;
  for (CheckRecord& record : checks) number_findings(record, seen);
}

/// Reads line after line. A faulty line becomes an error of the report.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  void line(std::string_view text, std::size_t number, bool ended) {
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) return;
    last_ = number;
    try {
      take(Json::parse(text));
    } catch (const std::exception& fault) {
      const bool cut = !ended;
      open_ = true;
      says_cut_ = says_cut_ || cut;
      error(number, cut ? "the records end within this line: the run was ended before it was done"
                        : fmt::format("is no record: {}", fault.what()));
    }
  }

  Report done() {
    if (open_ && !says_cut_)
      error(last_, "the records end here without a summary: the run was ended before it was done");
    if (compared_) mark();
    number(out_.checks);
    if (open_) out_.summary.reset();
    return std::move(out_);
  }

 private:
  void take(const Json& json) {
    if (json.at("schema") != "noclobber.result/1")
      throw std::runtime_error("its schema is not noclobber.result/1");
    const std::string kind = json.at("kind").get<std::string>();
    if (kind == "check") {
      out_.checks.push_back(check_of_json(json));
      open_ = true;
    } else if (kind == "error") {
      out_.add({json.value("input", std::string()), json.value("where", std::string()),
                json.at("message").get<std::string>()});
      open_ = true;
    } else if (kind == "change") {
      take_change(json);
    } else if (kind == "diff") {
      compared_ = true;
    } else if (kind == "summary") {
      if (!out_.summary) out_.summary.emplace();
      add(*out_.summary, summary_of(json));
      open_ = false;
    }
  }

  void take_change(const Json& json) {
    const std::string change = json.at("change").get<std::string>();
    if (change != "introduced" && change != "newly_unknown") return;
    fresh_.insert({json.value("input", std::string()), json.value("id", std::string()),
                   json.value("fingerprint", std::string())});
  }

  /// Findings and reasons that no `change` record names are preexisting.
  void mark() {
    for (CheckRecord& check : out_.checks) {
      const auto is_fresh = [&](const std::string& print) {
        return fresh_.contains({check.input, check.id, print});
      };
      for (Finding& finding : check.findings)
        if (finding.follows.empty())
          finding.change = is_fresh(counted(finding)) ? "introduced" : "preexisting";
      for (Unknown& unknown : check.unknown)
        unknown.change = is_fresh(unknown.fingerprint) ? "newly_unknown" : "preexisting";
    }
  }

  void error(std::size_t number, std::string message) {
    out_.damage.push_back({name_, fmt::format("line {}", number), std::move(message)});
    out_.add(out_.damage.back());
  }

  const std::string& name_;
  Report out_;
  std::size_t last_ = 1;
  bool open_ = true;  // no summary yet, or records after the last one
  bool says_cut_ = false;
  bool compared_ = false;
  std::set<std::array<std::string, 3>> fresh_;  // input, id and fingerprint of `change` records
};

constexpr std::string_view kBegin = R"({"schema":"noclobber.result/)";

}  // namespace

void Report::add(ErrorRecord error) {
  errors.push_back(std::move(error));
  errors_after.push_back(checks.size());
}

void Report::append(Report&& more) {
  const bool first = checks.empty() && errors.empty() && !summary;
  for (const std::size_t at : more.errors_after) errors_after.push_back(checks.size() + at);
  std::ranges::move(more.errors, std::back_inserter(errors));
  std::ranges::move(more.damage, std::back_inserter(damage));
  std::ranges::move(more.checks, std::back_inserter(checks));
  if (!more.summary) summary.reset();
  if (first)
    summary = more.summary;
  else if (summary && more.summary)
    noclobber::add(*summary, *more.summary);
  number(checks);
}

bool is_records(std::string_view text) {
  if (is_page(text)) return true;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  std::string begin;  // without spaces, which other JSON writers insert
  for (const char c : text.substr(first, 2 * kBegin.size()))
    if (c != ' ' && begin.size() < kBegin.size()) begin += c;
  return begin == kBegin || (begin.size() > 2 && kBegin.starts_with(begin));
}

Report read_records(std::string_view text, const std::string& name) {
  if (is_page(text)) return read_records(records_in_page(text), name);
  Reader reader(name);
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    reader.line(text.substr(at, end - at), ++number, end < text.size());
    at = end + 1;
  }
  return reader.done();
}

}  // namespace noclobber
