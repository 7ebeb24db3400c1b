#include "src/cli/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "src/cli/thunder_files.h"
#include "src/formats/mlx.h"
#include "src/formats/pte_case.h"
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

std::string stem_of(const std::string& path) {
  if (path == "-") return "stdin";
  std::string name = fs::path(path).filename().string();
  for (const std::string_view ending :
       {".gz", ".json", ".txt", ".csv", ".pte", ".log", ".case", ".trace", ".pt2"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
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

/// "3 files (README.md, notes/a.txt, ...)"
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

Work note_of(const std::string& path, const TraceLog& log) {
  Work note;
  note.kind = Work::Kind::note;
  note.input = path;
  note.unchecked = log.unchecked;
  if (!log.notes.empty()) {
    note.fault = log.notes.front();
    if (log.notes.size() > 1) note.fault.message += fmt::format(" (and {} more)", log.notes.size() - 1);
  } else if (!log.any_graph) {
    note.fault.message = "no graphs in this log";
  } else if (log.checks.empty()) {
    note.fault.message = "no graph in this log can be checked";
  }
  return note;
}

Work truncated_of(const std::string& path) {
  Work work;
  work.kind = Work::Kind::record;
  work.input = path;
  work.record.input = path;
  work.record.id = "tail";
  work.record.what = "trace";
  work.record.unknown = {{"truncated-input", {}}};
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

void WorkSource::load_log(const std::string& path, TraceLog log) {
  std::uint64_t position = 0;
  for (TraceCheck& check : log.checks) {
    if (!options_.only.accepts(check.id, position++)) continue;
    Work work;
    work.input = path;
    work.id = check.id;
    work.what = check.what == TraceCheck::What::pair ? "pair" : "single";
    work.unchecked = std::move(check.unchecked);
    work.unread = std::make_shared<TraceCheck>(std::move(check));
    push(std::move(work));
  }
  if (log.truncated) push(truncated_of(path));
  push(note_of(path, log));
}

void WorkSource::load_program(const std::string& path, const std::string& bytes) {
  const auto methods = read_pte(bytes);
  if (!methods) return push(error_of(path, methods.fault()));
  std::uint64_t position = 0;
  for (const PteMethod& method : *methods) {
    const std::string id = methods->size() > 1 ? method.name : "";
    if (!options_.only.accepts(id.empty() ? stem_of(path) : id, position++)) continue;
    auto value = case_of_pte(method, nullptr);
    if (!value) {
      push(error_of(path, {value.fault().where, method.name + ": " + value.fault().message}));
      continue;
    }
    Work work = check_of(path, *std::move(value), "program");
    if (id.empty()) work.id = work.value.name = stem_of(path);
    push(std::move(work));
  }
}

/// What a recorder says of its folder: passes that changed nothing are a remark, what it left out is unknown.
void WorkSource::load_recording(const std::string& path, const Recording& recording) {
  if (recording.unchanged > 0) {
    Work note;
    note.kind = Work::Kind::note;
    note.input = path;
    note.fault.message =
        fmt::format("{} pass{} changed nothing", recording.unchanged, recording.unchanged == 1 ? "" : "es");
    push(std::move(note));
  }
  if (recording.left_out.empty() || !options_.only.accepts("recording", 0)) return;
  Work work;
  work.kind = Work::Kind::record;
  work.input = path;
  work.record.input = path;
  work.record.id = "recording";
  work.record.what = "pair";
  work.record.unknown = {{"not-recorded", recording.left_out}};
  work.record.version = NC_VERSION;
  push(std::move(work));
}

/// The payload of a delegate alone: no graph, its registers.
void WorkSource::load_payload(const std::string& path, const std::string& bytes) {
  auto program = read_mlx(bytes, 0);
  if (!program) return push(error_of(path, program.fault()));
  Case value;
  program->name = stem_of(path);
  value.registers.push_back(*std::move(program));
  if (options_.only.accepts(stem_of(path), 0)) push(check_of(path, std::move(value), "program"));
}

void WorkSource::load_checks(const std::string& path, std::vector<TraceCheck> checks) {
  std::uint64_t position = 0;
  for (TraceCheck& check : checks) {
    if (!options_.only.accepts(check.id, position++)) continue;
    if (!check.value) {
      push(error_of(path, check.value.fault()));
      continue;
    }
    Work work =
        check_of(path, *std::move(check.value), check.what == TraceCheck::What::pair ? "pair" : "single");
    work.id = check.id;
    work.unchecked = std::move(check.unchecked);
    push(std::move(work));
  }
}

void WorkSource::load_table(const std::string& path, std::string text) {
  auto table = read_plan_csv(std::move(text));
  if (!table) return push(error_of(path, table.fault()));
  if (!table->has_offsets)
    return push(error_of(path, {"", "is a problem without offsets; give it as --instance"}));
  Work work;
  work.kind = Work::Kind::plan;
  work.input = path;
  work.id = stem_of(path);
  work.what = "plan";
  work.capacity = options_.capacity;
  work.table = *std::move(table);
  if (!options_.instance.empty()) {
    auto wanted = read_file(options_.instance);
    if (!wanted) return push(error_of(options_.instance, wanted.fault()));
    auto instance = read_plan_csv(*std::move(wanted));
    if (!instance) return push(error_of(options_.instance, instance.fault()));
    work.instance = *std::move(instance);
  }
  if (options_.only.accepts(work.id, 0)) push(std::move(work));
}

void WorkSource::load_pt2(const std::string& path, Result<std::vector<Case>> programs) {
  if (!programs) return push(error_of(path, programs.fault()));
  std::uint64_t position = 0;
  for (Case& program : *programs) {
    if (programs->size() == 1) program.name.clear();
    Work work = check_of(path, std::move(program), "single");
    if (options_.only.accepts(work.id, position++)) push(std::move(work));
  }
}

void WorkSource::load(const FoundInput& found) {
  switch (found.kind) {
    case FoundInput::Kind::file:
      return load_file(found.path);
    case FoundInput::Kind::tlparse:
      return load_log(found.path, read_tlparse_folder(found.path));
    case FoundInput::Kind::debug:
      return load_log(found.path, read_debug_folder(found.path));
    case FoundInput::Kind::thunder:
      return load_checks(found.path, read_thunder_directory(found.path));
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
  switch (sniff(*text)) {
    case InputKind::torch_trace:
      return load_log(path, read_torch_trace(*std::move(text)));
    case InputKind::case_json: {
      if (is_records(*text)) return load_records(path, *text);
      if (is_recording(*text)) {
        const auto recording = read_recording(*text);
        return recording ? load_recording(path, *recording) : push(error_of(path, recording.fault()));
      }
      auto value = read_case_json(*text);
      if (!value) return push(error_of(path, value.fault()));
      const bool planned = value->plan.has_value();
      Work work = check_of(path, *std::move(value), "");
      work.what = planned ? "plan" : work.value.before ? "pair" : "single";
      if (options_.only.accepts(work.id, 0)) push(std::move(work));
      return;
    }
    case InputKind::fx_text: {
      auto graph = read_fx_text(*text);
      if (!graph) return push(error_of(path, graph.fault()));
      Case value;
      value.symbols = std::move(graph->symbols);
      value.ops = std::move(graph->ops);
      value.after = std::move(graph->graph);
      value.inputs_may_overlap = true;
      Work work = check_of(path, std::move(value), "single");
      if (options_.only.accepts(work.id, 0)) push(std::move(work));
      return;
    }
    case InputKind::pte:
      return load_program(path, *text);
    case InputKind::mlx:
      return load_payload(path, *text);
    case InputKind::plan_csv:
      return load_table(path, *std::move(text));
    case InputKind::thunder:
      return load_checks(path, read_thunder({stem_of(path), *std::move(text)}, thunder_inputs_beside(path)));
    case InputKind::pt2:
      return load_pt2(path, read_pt2(*text));
    case InputKind::unknown:
      break;
  }
  const char* what =
      text->empty() ? "is empty"
                    : "is no case, plan, FX graph text, exported program, Thunder trace or TORCH_TRACE log";
  push(error_of(path, {"", what}));
}

}  // namespace noclobber
