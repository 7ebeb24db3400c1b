#include "src/run/inputs.h"
#include "src/formats/plan_table/plan_csv.h"
#include "src/inputs/trace_folder.h"
#include "src/lower/checks.h"
#include "src/text/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/inputs/recording.h"
#include "src/inputs/thunder_files.h"
#include "src/report/report.h"

namespace noclobber {

namespace fs = std::filesystem;

Work check_of(const std::string& input, Case value, std::string what) {
  Work work;
  work.input = input;
  if (value.name.empty()) value.name = stem_of(input);
  work.id = value.name;
  work.what = std::move(what);
  work.value = std::move(value);
  return work;
}

Work error_of(const std::string& input, Diagnostic fault) {
  Work work;
  work.kind = Work::Kind::error;
  work.input = input;
  work.fault = std::move(fault);
  if (work.fault.where == input) work.fault.where.clear();
  return work;
}

WorkSource::WorkSource(std::vector<std::string> inputs, InputOptions options)
    : inputs_(inputs.begin(), inputs.end()), options_(std::move(options)) {}

std::optional<Work> WorkSource::next() {
  if (stopped_) return std::nullopt;
  while (ready_.empty() && !(files_.empty() && inputs_.empty())) {
    if (files_.empty()) {
      const std::string input = std::move(inputs_.front());
      inputs_.pop_front();
      open(input);
    } else {
      const FoundInput found = std::move(files_.front());
      files_.pop_front();
      load(found);
    }
  }
  if (ready_.empty()) return std::nullopt;
  Work work = std::move(ready_.front());
  ready_.pop_front();
  return work;
}

namespace {

/// The note "skipped: 4 files (README.md, notes/a.txt, x, ...)".
Work skipped_of(const std::string& input, const std::vector<std::string>& files) {
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t k = 0; k < std::min(files.size(), kNamed); ++k) names += (k > 0 ? ", " : "") + files[k];
  if (files.size() > kNamed) names += ", ...";
  Work note;
  note.kind = Work::Kind::note;
  note.input = input;
  note.skipped = files.size();
  note.fault.message =
      fmt::format("skipped: {} file{} ({})", files.size(), files.size() == 1 ? "" : "s", names);
  return note;
}

}  // namespace

void WorkSource::open(const std::string& input) {
  std::error_code fault;
  if (input == "-" || !fs::is_directory(input, fault)) {
    files_.push_back({FoundInput::Kind::file, input});
    return;
  }
  auto found = inputs_in(input);
  if (!found) return ready_.push_back(error_of(input, found.fault()));
  if (!found->skipped.empty()) ready_.push_back(skipped_of(input, found->skipped));
  if (found->inputs.empty())
    return ready_.push_back(error_of(input, {"", "nothing in this directory can be read"}));
  files_.assign(found->inputs.begin(), found->inputs.end());
}

void WorkSource::push(Work work) {
  work.dataflow = options_.dataflow;
  ready_.push_back(std::move(work));
}

namespace {

Work note_of(const std::string& path, const Opened& log) {
  Work note;
  note.kind = Work::Kind::note;
  note.input = path;
  note.unchecked = log.unchecked;
  if (!log.notes.empty()) note.fault = log.notes.front();
  if (log.notes.size() > 1) note.fault.message += fmt::format(" (and {} more)", log.notes.size() - 1);
  return note;
}

/// A finished record with status unknown for that reason.
Work unknown_of(const std::string& path, std::string id, std::string what, Unknown reason) {
  Work work;
  work.kind = Work::Kind::record;
  work.input = path;
  work.record.input = path;
  work.record.id = std::move(id);
  work.record.what = std::move(what);
  work.record.unknown = {std::move(reason)};
  work.record.version = NC_VERSION;
  return work;
}

Work unread_check(const std::string& path, const TraceCheck& check) {
  Diagnostic fault = check.value.fault();
  if (!check.file.empty()) {
    fault.message = fmt::format("{}: {}", check.id, fault.message);
    return error_of(path, std::move(fault));
  }
  const std::string place = fault.where.empty() ? "" : fmt::format(", {}", fault.where);
  fault.where = check.line == 0 ? fault.where : fmt::format("record of line {}{}", check.line, place);
  fault.message = fmt::format("{}: {}", check.id, fault.message);
  return error_of(path, std::move(fault));
}

}  // namespace

void Work::open() {
  if (const std::shared_ptr<TraceCheck> check = std::exchange(unread, nullptr)) {
    check->read();
    if (!check->value) {
      *this = unread_check(input, *check);
      return;
    }
    value = *std::move(check->value);
  }
  if (dataflow) value.dataflow = *dataflow;
}

/// A plan table without a graph, with the table of --instance if it is given.
Work WorkSource::plan_of(const std::string& path, PlanTable table) const {
  Work work;
  work.kind = Work::Kind::plan;
  work.input = path;
  work.id = stem_of(path);
  work.what = "plan";
  work.capacity = options_.capacity;
  work.table = std::move(table);
  if (options_.instance.empty()) return work;
  auto wanted = read_file(options_.instance);
  if (!wanted) return error_of(options_.instance, wanted.fault());
  auto instance = read_plan_csv(*std::move(wanted));
  if (!instance) return error_of(options_.instance, instance.fault());
  work.instance = *std::move(instance);
  return work;
}

Work WorkSource::work_of(const std::string& path, FileCheck check) const {
  if (check.table) return plan_of(path, *std::move(check.table));
  if (!check.left_out.empty()) {
    const char* reason = check.id.ends_with(kInvariantsId) ? "broken-invariant" : "not-recorded";
    return unknown_of(path, std::move(check.id), std::move(check.what), {reason, std::move(check.left_out)});
  }
  Work work;
  if (check.unread) {
    work.input = path;
    work.id = std::move(check.id);
    work.what = std::move(check.what);
    work.alike = check.unread->alike;
    work.unread = std::move(check.unread);
  } else {
    if (!check.value) return error_of(path, check.value.fault());
    work = check_of(path, *std::move(check.value), std::move(check.what));
    if (!check.id.empty()) work.id = std::move(check.id);
  }
  work.unchecked = std::move(check.unchecked);
  return work;
}

void WorkSource::load(const std::string& path, Opened opened) {
  std::uint64_t position = 0;
  for (FileCheck& check : opened.checks) {
    std::string id = check.id;
    if (id.empty()) id = check.value && !check.value->name.empty() ? check.value->name : stem_of(path);
    if (options_.only.accepts(id, position++)) push(work_of(path, std::move(check)));
  }
  if (opened.truncated) push(unknown_of(path, "tail", "trace", {"truncated-input", {}}));
  if (opened.is_log || !opened.notes.empty()) push(note_of(path, opened));
}

void WorkSource::load(const FoundInput& found) {
  switch (found.kind) {
    case FoundInput::Kind::file:
      return load_file(found.path);
    case FoundInput::Kind::tlparse:
      return load(found.path, opened_log(read_tlparse_folder(found.path)));
    case FoundInput::Kind::debug:
      return load(found.path, opened_log(read_debug_folder(found.path)));
    case FoundInput::Kind::thunder:
      Opened traces;
      for (TraceCheck& own : read_thunder_directory(found.path))
        traces.checks.push_back(file_check(std::move(own), false));
      return load(found.path, std::move(traces));
  }
}

void WorkSource::load_records(const std::string& path, const std::string& text) {
  if (!options_.records)
    return push(error_of(path, {"", "holds records of a run: `noclobber render` shows them"}));
  Report report = read_records(text, path);
  for (const ErrorRecord& error : report.errors) push(error_of(error.input, {error.where, error.message}));
  for (std::size_t k = 0; k < report.checks.size(); ++k) {
    Work work;
    work.kind = Work::Kind::record;
    work.record = std::move(report.checks[k]);
    work.input = work.record.input;
    if (options_.only.accepts(work.record.id, k)) push(std::move(work));
  }
}

void WorkSource::load_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return push(error_of(path, text.fault()));
  if (is_records(*text)) return load_records(path, *text);
  auto opened = open_file({path, *std::move(text)});
  opened ? load(path, *std::move(opened)) : push(error_of(path, opened.fault()));
}

}  // namespace noclobber
