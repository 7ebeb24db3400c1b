#include "src/run/sink.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "src/run/output.h"
#include "src/run/settings.h"

namespace noclobber {

void print_record(std::FILE* file, const std::string& line) {
  write_out(file, line + "\n");
  std::fflush(file);
}

RecordsFile::RecordsFile(const std::string& path) {
  if (path.empty()) return;
  file_ = std::fopen(path.c_str(), "w");
  if (file_ == nullptr) not_written(path);
}

std::string record_text(const nlohmann::ordered_json& record) {
  return record.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool records_written(std::FILE* file, const std::string& path) {
  if (std::fflush(file) == 0 && std::ferror(file) == 0) return true;
  print_error(path, "", "cannot be written");
  return false;
}

void Sink::take_error(const std::string& input, const Diagnostic& fault) {
  print_error(input, fault.where, fault.message);
  const ErrorRecord record{input, fault.where, fault.message};
  if (json) print_record(stdout, to_json(record));
  if (file != nullptr) print_record(file, to_json(record));
  if (keeps) report.add(record);
  ++summary.totals.error;
}

namespace {

/// The error of a case that was read but is not valid.
Diagnostic fault_of(const CheckRecord& record) {
  std::string message;
  for (const Unknown& item : record.unknown) {
    for (const std::string& name : item.names) message += (message.empty() ? "" : "; ") + name;
  }
  return {record.id, message.empty() ? "cannot be checked" : message};
}

}  // namespace

void Sink::take_record(Outcome&& outcome) {
  if (outcome.contradiction) {
    contradiction = true;
    print_error(outcome.input, outcome.record.id,
                "soundness alarm: a run contradicts a proof (" + outcome.record.contradiction +
                    "); please report this input");
  }
  if (outcome.record.status == Status::error) return take_error(outcome.input, fault_of(outcome.record));
  number_findings(outcome.record, faults);
  if (baseline != nullptr) baseline->mark(outcome.record);
  if (json_checks) print_record(stdout, to_json(outcome.record));
  if (file != nullptr) print_record(file, to_json(outcome.record));
  if (keeps) report.checks.push_back(outcome.record);
  times.emplace_back(outcome.seconds, outcome.input + " " + outcome.record.id);
  summary.add(std::move(outcome.record));
  if (outcome.unwritten) take_error(outcome.unwritten->where, {"", outcome.unwritten->message});
}

void Sink::take(Outcome&& outcome) {
  summary.unchecked.insert(outcome.unchecked.begin(), outcome.unchecked.end());
  summary.totals.skipped += outcome.skipped;
  switch (outcome.kind) {
    case Work::Kind::check:
    case Work::Kind::plan:
    case Work::Kind::record:
      return take_record(std::move(outcome));
    case Work::Kind::error:
      return take_error(outcome.input, outcome.fault);
    case Work::Kind::note:
      if (!outcome.fault.message.empty() && !quiet) {
        print_note(outcome.input, outcome.fault.where, outcome.fault.message);
      }
      return;
  }
}

}  // namespace noclobber
