// `trace`: the Trace of every graph of an input, as text.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "src/cli/commands.h"
#include "src/report/names.h"
#include "src/run/output.h"
#include "src/run/sink.h"

namespace noclobber {

namespace {

std::string trace_record(const Work& work, const std::string& text) {
  const nlohmann::ordered_json out{{"schema", "noclobber.result/1"},
                                   {"kind", "trace"},
                                   {"input", work.input},
                                   {"id", work.id},
                                   {"what", work.what},
                                   {"text", text}};
  return record_text(out) + "\n";
}

/// Makes each line printable(), as lines of a trace may contain names from the input.
std::string printable_lines(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += printable(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace

int run_trace(const Options& options) {
  auto asked = work_options(options);
  if (!asked) return kUsageError;
  const CheckOptions& check = asked->second;
  WorkSource source(options.inputs, std::move(asked->first));
  std::size_t printed = 0;
  bool fault = false;
  while (auto work = source.next()) {
    work->open();
    if (work->kind == Work::Kind::error) {
      fault = true;
      print_error(work->input, work->fault.where, work->fault.message);
      if (options.json) {
        print_record(stdout, to_json(ErrorRecord{work->input, work->fault.where, work->fault.message}));
      }
    } else if (work->kind == Work::Kind::note && !work->fault.message.empty()) {
      print_note(work->input, work->fault.where, work->fault.message);
    } else if (work->kind == Work::Kind::check) {
      const std::string text = trace_text(std::move(work->value), check);
      const std::string head =
          fmt::format("{}# {} {}\n", printed > 0 ? "\n" : "", printable(work->input), shown_id(work->id));
      write_out(stdout, options.json ? trace_record(*work, text) : head + printable_lines(text));
      ++printed;
    }
  }
  if (printed == 0 && !fault) print_error(options.inputs.at(0), "", "nothing to trace");
  return fault || printed == 0 ? kUsageError : 0;
}

}  // namespace noclobber
