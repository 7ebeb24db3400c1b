// One row for each input format: how its text begins, how a file in a folder is classified, which checks it
// holds, and what it is as one side of a comparison.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/placement.h"
#include "src/lower/checks.h"
#include "src/lower/pairs/side.h"

namespace noclobber {

/// How a file in a folder is classified before it is read in full.
enum class Looks : std::uint8_t {
  ours,     // a known format; or unreadable and named like one, so that reading it reports why
  thunder,  // a Thunder trace: all traces of a folder are one input
  strange   // none of the formats
};

/// The beginning of a file in a folder.
struct Glimpse {
  std::string path;
  std::string begin;  // its first 64 KiB, decompressed
  /// Returns the next piece of the text; "" at the end, empty if it cannot be read.
  std::function<std::optional<std::string>()> more;
};

/// A file that was read in full.
struct FileText {
  std::string path;  // "-": standard input
  std::string text;  // decompressed
};

/// One thing to check in a file.
struct FileCheck {
  std::string id;                      // "" if the file holds one check and does not name it
  std::string what;                    // "pair", "single", "plan", "program"
  Result<Case> value = Diagnostic{};   // error: `where` is a place in the text
  std::shared_ptr<TraceCheck> unread;  // if not null, `value` is still to be read from it
  std::optional<PlanTable> table;      // a plan without a graph, instead of `value`
  std::vector<std::string> unchecked;  // names as in TraceCheck
  std::vector<std::string> left_out;   // instead of `value`: graphs not recorded, or broken promises
};

/// The contents of a file.
struct Opened {
  std::vector<FileCheck> checks;
  std::vector<Diagnostic> notes;       // records that could not be read, or why there is nothing to check
  bool is_log = false;                 // true: the next two are set
  std::vector<std::string> unchecked;  // of the whole log
  bool truncated = false;
};

struct InputFormat {
  std::string_view name;  // as printed in the error for a file of no format
  /// True if a text that begins like this is of the format.
  bool (*begins)(std::string_view text);
  Looks (*looks)(const Glimpse& file);
  /// error: nothing in it can be read; `where` is a place in the text.
  Result<Opened> (*open)(FileText file);
  /// Reads one side of a comparison. Of a case with two graphs, BEFORE is `before` and AFTER is `after`.
  Result<Side> (*side)(const std::string& text, bool is_before);
};

/// The first row whose `begins` accepts the text; nullptr if there is none.
const InputFormat* format_of(std::string_view text);
/// Reads the checks of a file. error: it is of no format, or nothing in it can be read.
Result<Opened> open_file(FileText file);
/// Reads a text as one side of a comparison. error: it is no graph, or cannot be read; `where` is a place in
/// the text.
Result<Side> read_side(const std::string& text, bool is_before);
/// Classifies a file in a folder. It is recognized as on the command line, but ordinary Python and JSON files
/// are no inputs: a class must look like a printed graph or parse as one, and an object must state the format
/// of a case, at any position.
Looks looks_of(const std::string& path);

/// The first 64 KiB of a text, without a byte order mark and leading white space.
std::string_view begin_of(std::string_view text);
/// True if `is_it` accepts a line that only comments, decorators, imports and empty lines precede. Leading
/// spaces are removed from a line.
bool begins_with_line(std::string_view text, bool (*is_it)(std::string_view line));
/// True if an object contains `"format": "NAME/..."`, with any version.
bool says_format(std::string_view text, std::string_view name);
bool has_any(std::string_view text, std::initializer_list<std::string_view> words);

/// Converts a check that a reader of logs or traces found. `later`: `value` stays unset, and `unread` holds
/// the check.
FileCheck file_check(TraceCheck own, bool later);
Opened opened_log(TraceLog log);

// The rows.
extern const InputFormat kMlxFormat;
extern const InputFormat kPteFormat;
extern const InputFormat kPt2Format;
extern const InputFormat kPlanTableFormat;
extern const InputFormat kRecordingFormat;
extern const InputFormat kCaseFormat;
extern const InputFormat kThunderFormat;
extern const InputFormat kFxTextFormat;
extern const InputFormat kTorchTraceFormat;

}  // namespace noclobber
