// The records of a run, from which a page, a machine format or a comparison is made. Neither a report nor its
// renderers refer to a graph.
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
  std::vector<std::size_t> errors_after;  // for each error: the number of checks before it
  std::optional<SummaryRecord> summary;   // empty: a run did not finish
  std::vector<ErrorRecord> damage;        // errors in the text of the records; they are in `errors` too
  std::string root;                       // paths below this folder are shown relative to it; "": none

  void add(ErrorRecord error);
  void append(Report&& more);
};

/// True if the text begins with a record, even a truncated one, or is a page.
bool is_records(std::string_view text);

/// Reads JSON Lines as `--json` prints them, or a page (reader.cpp). `name` is the input in error messages.
/// Unknown kinds and members are ignored. A line that is not a record, a truncated last line and a missing
/// summary are errors of the report, each with "line N"; all other records are read. Findings are numbered
/// again, so texts may be concatenated.
Report read_records(std::string_view text, const std::string& name);

/// The records as JSON Lines. to_jsonl(read_records(text)) == text for a text of this version without
/// `change` and `diff` records, which are not kept.
std::string to_jsonl(const Report& report);

/// The errors, then the text that `noclobber check` prints on a terminal, without the time.
std::string to_text(const Report& report, const Look& look);

/// An output format of `render`.
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
