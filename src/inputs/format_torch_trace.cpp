// A TORCH_TRACE log.
#include "src/formats/torch_trace/records.h"
#include "src/inputs/format.h"
#include "src/lower/checks.h"
#include "src/lower/torch_trace/torch_trace.h"

namespace noclobber {
namespace {

bool begins_log(std::string_view text) {
  for (text = begin_of(text); !text.empty();) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (is_glog_line(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

Looks looks_log(const Glimpse&) { return Looks::ours; }

Result<Opened> open_log(FileText file) { return opened_log(read_torch_trace(std::move(file.text))); }

Result<Side> side_of_log(const std::string&, bool) {
  return Diagnostic{"", "is a log, not one graph; `noclobber check` reads it"};
}

}  // namespace

Opened opened_log(TraceLog log) {
  Opened out;
  out.is_log = true;
  out.truncated = log.truncated;
  out.unchecked = std::move(log.unchecked);
  out.notes = std::move(log.notes);
  if (out.notes.empty() && !log.any_graph) out.notes.push_back({"", "no graphs in this log"});
  if (out.notes.empty() && log.checks.empty())
    out.notes.push_back({"", "no graph in this log can be checked"});
  for (TraceCheck& own : log.checks) out.checks.push_back(file_check(std::move(own), true));
  return out;
}

FileCheck file_check(TraceCheck own, bool later) {
  FileCheck out;
  out.id = own.id;
  out.what = own.what == TraceCheck::What::pair ? "pair" : "single";
  out.unchecked = std::move(own.unchecked);
  if (later)
    out.unread = std::make_shared<TraceCheck>(std::move(own));
  else
    out.value = std::move(own.value);
  return out;
}

const InputFormat kTorchTraceFormat = {"TORCH_TRACE log", begins_log, looks_log, open_log, side_of_log};

}  // namespace noclobber
