// Plans as tables: `id,lower,upper,size,offset`, one buffer a line; without `offset` a problem to be solved.
#include <algorithm>
#include <charconv>
#include <utility>

#include "src/formats/plan_table/plan_csv.h"

namespace noclobber {
namespace {

constexpr std::string_view kProblemHeader = "id,lower,upper,size";
constexpr std::string_view kPlanHeader = "id,lower,upper,size,offset";
constexpr std::int64_t kLargest = std::int64_t{1} << 62;  // so that sums of two stay within 64 bits

class PlanCsvReader {
 public:
  explicit PlanCsvReader(std::string text) { table_.text = std::move(text); }

  Result<PlanTable> read() {
    const std::string_view header = line_at(0);
    if (header != kProblemHeader && header != kPlanHeader)
      return fault(0,
                   "expected the header 'id,lower,upper,size,offset', or without ',offset' of an instance");
    table_.has_offsets = header == kPlanHeader;
    at_ = next_line(0);
    count_lines();
    while (at_ < table_.text.size()) {
      ++line_;
      const std::size_t begin = at_;
      if (line_at(begin).empty()) {
        at_ = next_line(begin);
        continue;
      }
      if (!row()) return fault(at_, message_);
    }
    return std::move(table_);
  }

 private:
  /// Reserves exact room: a growing vector would hold every row twice for a moment.
  void count_lines() {
    const auto lines = static_cast<std::size_t>(std::count(table_.text.begin(), table_.text.end(), '\n'));
    table_.rows.reserve(lines);
    table_.names.reserve(lines);
  }

  std::string_view line_at(std::size_t begin) const {
    const std::string_view rest = std::string_view(table_.text).substr(begin);
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  std::size_t next_line(std::size_t begin) const {
    const std::size_t end = table_.text.find('\n', begin);
    return end == std::string::npos ? table_.text.size() : end + 1;
  }

  Diagnostic fault(std::size_t at, std::string message) const {
    return {"line " + std::to_string(line_) + ", byte " + std::to_string(at), std::move(message)};
  }

  bool row() {
    table_.names.push_back(at_);
    while (at_ < table_.text.size() && table_.text[at_] != ',' && table_.text[at_] != '\n') ++at_;
    if (at_ == table_.names.back()) return no("expected an id");
    Placement& out = table_.rows.emplace_back();
    for (std::int64_t* field : {&out.first, &out.last, &out.size})
      if (!comma() || !number(*field)) return false;
    if (table_.has_offsets && (!comma() || !number(out.offset))) return false;
    if (at_ < table_.text.size() && table_.text[at_] == '\r') ++at_;
    if (at_ < table_.text.size() && table_.text[at_] != '\n') return no("expected the end of the line");
    ++at_;
    return true;
  }

  bool no(const char* message) {
    message_ = message;
    return false;
  }

  bool comma() {
    if (at_ >= table_.text.size() || table_.text[at_] != ',') return no("expected ','");
    ++at_;
    return true;
  }

  bool number(std::int64_t& out) {
    const char* const begin = table_.text.data() + at_;
    const char* const end = table_.text.data() + table_.text.size();
    const auto [stop, error] = std::from_chars(begin, end, out);
    if (error == std::errc::invalid_argument) return no("expected an integer");
    if (error != std::errc() || out > kLargest || out < -kLargest) return no("the integer is too large");
    at_ += static_cast<std::size_t>(stop - begin);
    return true;
  }

  PlanTable table_;
  std::size_t at_ = 0, line_ = 1;
  const char* message_ = "";
};

}  // namespace

bool is_plan_csv(std::string_view text) { return text.starts_with(kProblemHeader); }

Result<PlanTable> read_plan_csv(std::string text) { return PlanCsvReader(std::move(text)).read(); }

}  // namespace noclobber
