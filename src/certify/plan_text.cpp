#include "src/certify/plan_text.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "checker/plan/plan.h"
#include "checker/text/hash.h"

namespace noclobber {
namespace {

constexpr std::int64_t kLargestWritten = std::int64_t{1} << 57;
constexpr std::uint32_t kNobody = 0xffffffffU;

class PlanWriter {
 public:
  PlanWriter(std::span<const Placement> rows, const std::vector<std::uint32_t>& below)
      : rows_(rows), below_(below), slot_(rows.size(), 0) {
    for (std::uint32_t k = 0; k < rows.size(); ++k)
      if (!rows[k].empty()) born_.push_back(k);
    gone_ = born_;
    std::ranges::stable_sort(born_, {}, [&](std::uint32_t k) { return rows_[k].first; });
    std::ranges::stable_sort(gone_, {}, [&](std::uint32_t k) { return rows_[k].last; });
  }

  std::string write(const Certificate& about, std::int64_t capacity) {
    measure();
    header(about);
    line("capacity", capacity);
    line("rows", static_cast<std::int64_t>(born_.size()));
    std::string rest = std::exchange(out_, {});
    out_.reserve(24 * born_.size() + 64);
    std::int64_t moments = 0;
    for (std::size_t b = 0, g = 0; b < born_.size(); ++moments) moment(b, g);
    std::swap(rest, out_);
    line("moments", moments);
    out_ += rest;
    out_ += "sum ";
    out_ += checksum(std::string_view(out_).substr(0, out_.size() - 4)) + "\n";
    return std::move(out_);
  }

 private:
  void header(const Certificate& about) {
    out_ = std::string(checker::kPlanFormat) + "\n";
    text("about ", about.about);
    out_ += "\n";
    line("inputs", static_cast<std::int64_t>(about.inputs.size()));
    for (const auto& [hash, name] : about.inputs) text("", hash), text(" ", name), out_ += "\n";
    line("assumptions", static_cast<std::int64_t>(about.assumptions.size()));
    for (const std::string& one : about.assumptions) text("", one), out_ += "\n";
  }
  void text(const char* before, const std::string& content) {
    out_ += before + std::to_string(content.size()) + ":" + content;
  }
  void line(const char* name, std::int64_t value) {
    out_ += name;
    out_ += " " + std::to_string(value) + "\n";
  }
  /// Pads the numbers of a column to one width, so that a reader predicts where they end.
  void number(std::int64_t value, char end, std::size_t width = 1) {
    char digits[24];
    char* const stop = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    const auto length = static_cast<std::size_t>(stop - digits);
    *stop = end;
    if (length < width) out_.append(width - length, '0');
    out_.append(digits, stop + 1);
  }
  static std::size_t width(std::int64_t most) { return std::to_string(most).size(); }
  void measure() {
    std::int64_t size = 0, offset = 0;
    for (const std::uint32_t k : born_) {
      size = std::max(size, rows_[k].size);
      offset = std::max(offset, rows_[k].offset);
    }
    sizes_ = width(size), offsets_ = width(offset);
    std::size_t alive = 0, most = 0;
    for (std::size_t b = 0, g = 0; b < born_.size(); ++b) {
      for (; rows_[gone_[g]].last <= rows_[born_[b]].first; ++g) --alive;
      most = std::max(most, ++alive);
    }
    slots_wide_ = width(static_cast<std::int64_t>(most));
  }

  /// Writes the next time at which rows begin to live: all that have ended until then, and all that begin.
  void moment(std::size_t& b, std::size_t& g) {
    const std::int64_t now = rows_[born_[b]].first;
    std::size_t comes = b, leaves = g;
    while (comes < born_.size() && rows_[born_[comes]].first == now) ++comes;
    while (leaves < gone_.size() && rows_[gone_[leaves]].last <= now) ++leaves;
    number(b == 0 ? 0 : now - before_, ' ');
    number(static_cast<std::int64_t>(leaves - g), ' ');
    for (; g < leaves; ++g) {
      number(slot_[gone_[g]], ' ', slots_wide_);
      left_.push_back(slot_[gone_[g]]);
    }
    number(static_cast<std::int64_t>(comes - b), '\n');
    for (; b < comes; ++b) {
      const std::uint32_t row = born_[b];
      if (left_.empty()) left_.push_back(++slots_);
      slot_[row] = left_.back();
      left_.pop_back();
      number(rows_[row].size, ' ', sizes_);
      number(rows_[row].offset, ' ', offsets_);
      number(below_[row] == kNobody ? 0 : slot_[below_[row]], '\n', slots_wide_);
    }
    before_ = now;
  }

  std::span<const Placement> rows_;
  const std::vector<std::uint32_t>& below_;
  std::vector<std::uint32_t> born_, gone_, slot_, left_;
  std::uint32_t slots_ = 0;
  std::size_t sizes_ = 1, offsets_ = 1, slots_wide_ = 1;
  std::int64_t before_ = 0;
  std::string out_;
};

}  // namespace

std::string certified_plan(const Certificate& about, std::span<const Placement> rows,
                           const std::vector<std::uint32_t>& below, std::int64_t capacity) {
  const auto fits = [](std::int64_t value) { return value <= kLargestWritten && value >= -kLargestWritten; };
  for (const Placement& row : rows)
    if (!fits(row.offset) || !fits(row.size) || !fits(row.first) || !fits(row.last)) return "";
  return PlanWriter(rows, below).write(about, capacity);
}

}  // namespace noclobber
