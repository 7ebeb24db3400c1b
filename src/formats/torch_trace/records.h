// Records of a TORCH_TRACE log: a glog line whose text is one JSON object, then the lines of its payload,
// each after a TAB.
//
//   V0521 11:50:42.931000 305411 torch/_inductor/compile_fx.py:1194] {"aot_joint_graph": {}, "frame_id": 0,
//   ...} <TAB>class inner_f(torch.nn.Module):
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "src/text/json.h"

#include "src/base/result.h"

namespace noclobber {

struct TraceRecord {
  std::size_t line = 0;      // 1-based
  OrderedJson meta;          // an object; empty for kinds that are not used
  bool has_payload = false;  // the header announces one
  std::string_view payload;  // raw: the TABs are still there
  std::string file;          // file that holds the payload, without TABs; "": the log itself
};

class TraceScanner {
 public:
  TraceScanner(std::string_view text, std::vector<Diagnostic>& notes) : text_(text), notes_(notes) {}
  /// Reads the next readable record; false at the end.
  bool next(TraceRecord& record);
  /// At the end: true if the text stops inside a record.
  bool is_cut() const { return cut_; }
  /// At the end: adds a note about lines that belong to no record.
  void note_strays();

 private:
  std::string_view take_line();
  std::string_view take_payload();
  bool ends_early(const TraceRecord& record) const;
  bool read_header(std::string_view line, TraceRecord& record);
  void note(std::size_t line, std::string message);

  std::string_view text_;
  std::vector<Diagnostic>& notes_;
  std::size_t at_ = 0;
  std::size_t line_ = 0;  // number of the line taken last
  std::size_t strays_ = 0, first_stray_ = 0;
  std::size_t broken_ = 0;
  bool cut_ = false;
};

/// True if the line begins like a glog line.
bool is_glog_line(std::string_view line);
/// The payload as it was logged: without the TABs and without the last line end.
std::string trace_payload(std::string_view raw);

/// A member as text, or "". `object` may be anything.
std::string trace_text(const OrderedJson& object, const char* key);
/// A member as an integer; empty if it is none or exceeds 64 bits.
std::optional<std::int64_t> trace_integer(const OrderedJson& object, const char* key);
/// A member that is an object, or nullptr.
const OrderedJson* trace_object(const OrderedJson& object, const char* key);
/// A member that is a list of integers; empty if an element is anything else.
std::optional<std::vector<std::int64_t>> trace_integers(const OrderedJson& object, const char* key);

}  // namespace noclobber
