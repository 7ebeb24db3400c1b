#include "src/formats/torch_trace/records.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "src/text/plain_json.h"

namespace noclobber {
namespace {

using json = OrderedJson;

constexpr std::size_t kMostNotes = 100;  // about broken records; the rest is counted

/// The most frequent kinds of records that are not used.
constexpr std::array<std::string_view, 6> kSkippedKinds = {
    "chromium_event",     "str", "bwd_compilation_metrics", "dynamo_guards", "dynamo_cpp_guards_str",
    "expression_created",
};

bool is_skipped_kind(std::string_view object) {
  if (!object.starts_with("{\"")) return false;
  const std::string_view rest = object.substr(2);
  const std::string_view key = rest.substr(0, rest.find('"'));
  return std::find(kSkippedKinds.begin(), kSkippedKinds.end(), key) != kSkippedKinds.end();
}

bool is_upper_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool is_glog_line(std::string_view line) {
  if (line.size() < 6 || std::string_view("VIWEC").find(line[0]) == std::string_view::npos) return false;
  return is_upper_digit(line[1]) && is_upper_digit(line[2]) && is_upper_digit(line[3]) &&
         is_upper_digit(line[4]) && line[5] == ' ';
}

std::string_view TraceScanner::take_line() {
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Takes the lines that begin with a TAB. An empty line between two of them lost its TAB in an editor.
std::string_view TraceScanner::take_payload() {
  const std::size_t start = at_;
  while (at_ < text_.size()) {
    const bool is_line = text_[at_] == '\t';
    const bool is_blank = at_ > start && text_.substr(at_).starts_with("\n\t");
    if (!is_line && !is_blank) break;
    take_line();
  }
  return text_.substr(start, at_ - start);
}

void TraceScanner::note(std::size_t line, std::string message) {
  if (++broken_ <= kMostNotes) notes_.push_back({"line " + std::to_string(line), std::move(message)});
}

bool TraceScanner::read_header(std::string_view line, TraceRecord& record) {
  const std::size_t brace = line.find("] {");
  if (!is_glog_line(line) || brace == line.npos) return false;
  const std::string_view object = line.substr(brace + 2);
  record.line = line_;
  const bool is_skipped = is_skipped_kind(object);
  if (is_skipped) {
    if (const auto has_payload = plain_header_has(object, "has_payload")) {
      record.meta = json::object();
      record.has_payload = *has_payload;
      return true;
    }
  }
  auto plain = read_plain_header(object);
  record.meta = plain ? *std::move(plain) : json::parse(object.begin(), object.end(), nullptr, false);
  if (record.meta.is_object()) {
    record.has_payload = record.meta.contains("has_payload");
    if (is_skipped) record.meta = json::object();
    return true;
  }
  record.has_payload = object.find("\"has_payload\"") != object.npos;
  const bool is_last = at_ == text_.size() && !text_.ends_with('\n');
  cut_ = cut_ || is_last;
  note(line_, is_last ? "the log ends inside a record" : "the record's JSON is broken");
  record.meta = nullptr;
  return true;
}

/// True if the payload of the last record is cut. A payload in JSON shows its end; a cut graph is left to the
/// reader of graphs.
bool TraceScanner::ends_early(const TraceRecord& record) const {
  if (record.payload.empty()) return record.has_payload;
  if (text_.ends_with('\n')) return false;
  const std::string payload = trace_payload(record.payload);
  if (payload.starts_with('{') || payload.starts_with('[')) return !json::accept(payload);
  return !payload.starts_with("class ");
}

bool TraceScanner::next(TraceRecord& record) {
  while (at_ < text_.size()) {
    const std::string_view line = take_line();
    if (!read_header(line, record)) {
      if (!line.empty() && strays_++ == 0) first_stray_ = line_;
      continue;
    }
    const std::size_t header = line_;
    record.payload = take_payload();
    if (!record.meta.is_object()) continue;
    if (at_ == text_.size() && ends_early(record)) {
      cut_ = true;
      note(header, "the log ends inside the record's payload");
    }
    return true;
  }
  return false;
}

void TraceScanner::note_strays() {
  if (broken_ > kMostNotes)
    notes_.push_back({"", std::to_string(broken_ - kMostNotes) + " more records could not be read"});
  if (strays_ > 0)
    notes_.push_back({"line " + std::to_string(first_stray_),
                      std::to_string(strays_) + " lines belong to no record, the first is this"});
}

std::string trace_payload(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t end = std::min(raw.find('\n'), raw.size());
    std::string_view line = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (line.starts_with('\t')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text += line;
    if (!raw.empty()) text += '\n';
  }
  return text;
}

namespace {

/// The member of that name; nullptr if there is none, or if `object` is no object.
const json* member(const json& object, std::string_view key) {
  return object.is_object() ? find_member(object, key) : nullptr;
}

}  // namespace

const json* trace_object(const json& object, const char* key) {
  const json* const found = member(object, key);
  return found != nullptr && found->is_object() ? found : nullptr;
}

std::string trace_text(const json& object, const char* key) {
  const json* const found = member(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

namespace {

std::optional<std::int64_t> trace_number(const json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return value.get<std::int64_t>();
}

}  // namespace

std::optional<std::int64_t> trace_integer(const json& object, const char* key) {
  const json* const found = member(object, key);
  return found != nullptr ? trace_number(*found) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> trace_integers(const json& object, const char* key) {
  const json* const found = member(object, key);
  if (found == nullptr || !found->is_array()) return std::nullopt;
  std::vector<std::int64_t> list;
  for (const json& item : *found) {
    const auto number = trace_number(item);
    if (!number) return std::nullopt;
    list.push_back(*number);
  }
  return list;
}

}  // namespace noclobber
