// What a run left: everything that a page, a machine format or a comparison is made from. Nothing here or in
// what renders it sees a graph.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/report/record.h"

namespace noclobber {

/// The records of a run, in order.
struct Report {
  std::vector<CheckRecord> checks;
  std::vector<ErrorRecord> errors;
  std::vector<std::size_t> errors_after;  // of each: how many checks stand before it
  std::optional<SummaryRecord> summary;   // nothing: a run did not come to its end
  std::vector<ErrorRecord> damage;        // of the records themselves; these are among `errors`
  std::string root;                       // a folder: paths below it are shown from there; "" for none

  void add(ErrorRecord error);
  void append(Report&& more);
};

/// Do these records begin the text? Also where the first line is cut.
bool is_records(std::string_view text);

/// Reads JSON Lines as `--json` prints them (reader.cpp); `name` is what errors say of the text. Kinds and
/// members that are not known are passed over. A line that is no record, a last line that is cut and a
/// missing summary are errors of the report, "line N" each; the other records are all there. Findings are
/// counted anew, so texts may be joined.
Report read_records(std::string_view text, const std::string& name);

/// The records as lines again: to_jsonl(read_records(text)) == text for what this version wrote.
std::string to_jsonl(const Report& report);

/// The same as `noclobber check` says it on a terminal, without the time.
std::string to_text(const Report& report, const Look& look);

/// A way to show a report.
struct Format {
  std::string_view name;  // "sarif"
  std::string_view help;  // one clause
  std::string (*render)(const Report& report);
};

/// All of them (formats.cpp).
const std::vector<Format>& formats();
/// By name; nullptr if there is none.
const Format* find_format(std::string_view name);

}  // namespace noclobber
