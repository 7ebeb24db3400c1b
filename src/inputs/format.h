// Every kind of file that is read, a row each: how its text begins, what is said of one that lies in a
// folder, which checks it holds, and what it is as one side of a comparison.
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

/// What is said of a file in a folder before it is read for good.
enum class Looks : std::uint8_t {
  ours,     // a format that is read; or named like one, and reading it will say what is wrong
  thunder,  // a Thunder trace: with others it is one input
  strange   // none
};

/// A file as it is met in a folder.
struct Glimpse {
  std::string path;
  std::string begin;  // its first 64 kB, unpacked
  /// What follows, a little of it at a time; "" at the end, nothing if it cannot be read.
  std::function<std::optional<std::string>()> more;
};

/// A file as it is read.
struct FileText {
  std::string path;  // "-": standard input
  std::string text;  // unpacked
};

/// One thing to check in a file.
struct FileCheck {
  std::string id;                      // "" where the file holds one alone and does not name it
  std::string what;                    // "pair", "single", "plan", "program"
  Result<Case> value = Diagnostic{};   // error: `where` is a place in the text
  std::shared_ptr<TraceCheck> unread;  // what `value` is still to be read from
  std::optional<PlanTable> table;      // a plan without a graph, instead of `value`
  std::vector<std::string> unchecked;  // names as in TraceCheck
  std::vector<std::string> left_out;   // what a recorder saw and did not write, instead of `value`
};

/// What a file holds.
struct Opened {
  std::vector<FileCheck> checks;
  std::vector<Diagnostic> notes;       // records that could not be read, or why there is nothing to check
  bool is_log = false;                 // then these two say more
  std::vector<std::string> unchecked;  // of the whole log
  bool truncated = false;
};

struct InputFormat {
  std::string_view name;  // as the error for a file of no format lists it
  /// Does it begin so?
  bool (*begins)(std::string_view text);
  Looks (*looks)(const Glimpse& file);
  /// error: nothing in it can be read; `where` is a place in the text.
  Result<Opened> (*open)(FileText file);
  /// Of a case with two graphs BEFORE takes `before` and AFTER takes `after`.
  Result<Side> (*side)(const std::string& text, bool is_before);
};

/// The first row whose text begins so; null: none.
const InputFormat* format_of(std::string_view text);
/// The checks of a file. error: it is of no format, or nothing in it can be read.
Result<Opened> open_file(FileText file);
/// error: it is no graph, or cannot be read; `where` is a place in the text.
Result<Side> read_side(const std::string& text, bool is_before);
/// Sniffed as a file that is named on the command line, but for what every text of Python or JSON begins
/// with: a class is a graph if it was printed as one, or reads as one; an object is a case if it says so,
/// wherever it does.
Looks looks_of(const std::string& path);

/// The first 64 kB of a text behind a byte order mark and white space.
std::string_view begin_of(std::string_view text);
/// Does a line that begins so stand in front, behind nothing but comments, decorators and imports?
bool begins_with_line(std::string_view text, bool (*is_it)(std::string_view line));
/// Does an object say `"format": "NAME/..."`, of this version or another?
bool says_format(std::string_view text, std::string_view name);
bool has_any(std::string_view text, std::initializer_list<std::string_view> words);

/// A check that a reader of logs or traces found, as one of a file. `later`: it is read when it is opened.
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
