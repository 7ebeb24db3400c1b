// `replay RECORDS`: runs the witnesses of findings again on the inputs that the records name.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "src/check/plan_findings.h"
#include "src/cli/commands.h"
#include "src/report/json_parts.h"
#include "src/report/names.h"
#include "src/report/report.h"

namespace noclobber {

namespace {

namespace fs = std::filesystem;

/// The path in the record if it exists; else the path relative to the records, which may have been moved.
std::string found_input(const std::string& input, const std::string& records) {
  std::error_code none;
  if (input == "-" || fs::exists(input, none)) return input;
  const fs::path beside = fs::path(records).parent_path() / input;
  return fs::exists(beside, none) ? beside.string() : input;
}

/// The check of a record, or an error.
Work work_of_record(const CheckRecord& record, const std::string& records, const InputOptions& input) {
  if (!record.before_input.empty()) {
    Work work = work_of_pair(found_input(record.before_input, records), found_input(record.input, records));
    if (input.dataflow) work.value.dataflow = *input.dataflow;
    return work;
  }
  WorkSource source({found_input(record.input, records)}, input);
  while (auto work = source.next()) {
    if (work->kind == Work::Kind::error) return *std::move(work);
    const bool check = work->kind == Work::Kind::check || work->kind == Work::Kind::plan;
    if (!check || work->id != record.id || work->what != record.what) continue;
    work->open();
    return *std::move(work);
  }
  return error_of(record.input, {"", fmt::format("holds no check {}", record.id)});
}

/// The record of a new run of a finding's witness.
CheckRecord run_again(const Work& work, const Finding& finding, const CheckOptions& options) {
  if (work.kind == Work::Kind::check)
    return replay_case(work.value, options, {finding.witness_symbols, finding.witness_seed});
  const std::int64_t limit = work.capacity > 0 ? work.capacity : finding.plan.bytes.value_or(0);
  return check_plan_table(work.table, work.instance, limit, options);
}

/// The finding of the new run with that fingerprint, else one of the same rule at the same place; nullptr if
/// there is none.
const Finding* the_same(const Finding& finding, const CheckRecord& shown) {
  const auto& now = shown.findings;
  const auto place = [](const Finding& of) { return std::tie(of.rule, of.witness_where, of.storage); };
  const auto alike = [&](const Finding& other) { return place(other) == place(finding); };
  const auto same = [&](const Finding& other) { return other.fingerprint == finding.fingerprint; };
  auto at = std::ranges::find_if(now, [&](const Finding& other) { return same(other) && alike(other); });
  if (at == now.end()) at = std::ranges::find_if(now, same);
  if (at == now.end()) at = std::ranges::find_if(now, alike);
  return at == now.end() ? nullptr : &*at;
}

std::string difference_text(const Finding& shown) {
  std::string out = printable(shown.witness_where);
  if (!shown.index.empty()) out += fmt::format(" at [{}]", fmt::join(shown.index, ", "));
  if (shown.expected.empty() && shown.actual.empty()) return out;
  return fmt::format("{}: expected {}, actual {}", out, printable(shown.expected), printable(shown.actual));
}

void print_outcome(const CheckRecord& record, const Finding& finding, const Finding* shown, bool json) {
  if (!json) {
    fmt::print("{} {} {} {} of {}: {}\n", finding.rule, finding.property, counted(finding),
               printable(record.id), printable(record.input), shown == nullptr ? "does not show" : "shows");
    if (shown != nullptr) fmt::print("  {}\n", difference_text(*shown));
    return;
  }
  nlohmann::ordered_json out{{"schema", "noclobber.result/1"},
                             {"kind", "replay"},
                             {"input", record.input},
                             {"id", record.id},
                             {"rule", finding.rule},
                             {"property", finding.property},
                             {"fingerprint", counted(finding)},
                             {"shows", shown != nullptr}};
  if (shown != nullptr) {
    out["where"] = shown->witness_where;
    out["index"] = shown->index;
    out["expected"] = shown->expected;
    out["actual"] = shown->actual;
  }
  fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

struct Replayed {
  std::size_t run = 0, shown = 0;
  bool fault = false;
};

void replay_record(const CheckRecord& record, const std::string& from, const Options& options,
                   const InputOptions& input, const CheckOptions& check, Replayed& tally) {
  if (std::ranges::none_of(record.findings, is_cause)) return;
  const Work work = work_of_record(record, from, input);
  if (work.kind == Work::Kind::error) {
    tally.fault = true;
    return print_error(work.input, work.fault.where, work.fault.message);
  }
  for (const Finding& finding : record.findings) {
    if (!is_cause(finding)) continue;
    const CheckRecord shown = run_again(work, finding, check);
    const Finding* again = the_same(finding, shown);
    ++tally.run;
    if (again != nullptr) ++tally.shown;
    print_outcome(record, finding, again, options.json);
  }
}

}  // namespace

int run_replay(const Options& options) {
  auto check = check_options(options);
  const auto input = input_options(options);
  if (!check || !input) {
    const Diagnostic& fault = check ? input.fault() : check.fault();
    print_error("", fault.where, fault.message);
    return kUsageError;
  }
  InputOptions whole = *input;  // --only selects records here, not checks of an input
  whole.only = IdFilter();
  Replayed tally;
  for (const std::string& path : options.inputs) {
    const auto report = records_of({path});
    if (!report) return kUsageError;
    tally.fault = tally.fault || !report->damage.empty();
    for (std::size_t k = 0; k < report->checks.size(); ++k)
      if (input->only.accepts(report->checks[k].id, k))
        replay_record(report->checks[k], path, options, whole, *check, tally);
  }
  if (tally.run == 0 && !tally.fault) {
    print_error("", "", "no finding in the records: there is nothing to run again");
    return kUsageError;
  }
  if (!flush_output()) return kUsageError;
  return tally.shown > 0 ? 1 : tally.fault ? kUsageError : 0;
}

}  // namespace noclobber
