#include "src/plan/table.h"

#include <algorithm>
#include <bit>

namespace noclobber {
namespace {

constexpr std::size_t kListed = 256;     // faults reported of one plan
constexpr std::size_t kPairwise = 4096;  // rows; beyond it, only the first overlap is looked for
constexpr std::uint32_t kFree = 0xffffffffU;

std::string number(std::int64_t value) { return std::to_string(value); }

std::string span_text(std::int64_t begin, std::int64_t end) {
  return "[" + number(begin) + ", " + number(end) + ")";
}

/// "17" -> 17. Empty unless the text is the canonical decimal form of a number below `bound`.
std::optional<std::size_t> plain_number(std::string_view text, std::size_t bound) {
  std::size_t out = 0;
  if (text.empty() || text.size() > 12 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    out = out * 10 + static_cast<std::size_t>(c - '0');
  }
  return out < bound ? std::optional(out) : std::nullopt;
}

/// Rows by name. Small numbers have slots of their own; other names share a hash table that is at most half
/// full.
class RowsByName {
 public:
  explicit RowsByName(const PlanTable& table) : table_(table), numbered_(table.rows.size() * 2 + 2, kFree) {}

  /// The row of that name: an earlier one, or `row` itself, which is then inserted.
  std::uint32_t insert(std::uint32_t row) {
    std::uint32_t& slot = slot_of(table_.name(row));
    if (slot == kFree) slot = row;
    return slot;
  }
  std::uint32_t find(std::string_view name) { return slot_of(name); }

 private:
  std::uint32_t& slot_of(std::string_view name) {
    if (const auto number = plain_number(name, numbered_.size())) return numbered_[*number];
    if (named_.empty()) named_.assign(std::bit_ceil(numbered_.size()), kFree);
    const std::size_t mask = named_.size() - 1;
    std::size_t at = std::hash<std::string_view>()(name) & mask;
    while (named_[at] != kFree && table_.name(named_[at]) != name) at = (at + 1) & mask;
    return named_[at];
  }

  const PlanTable& table_;
  std::vector<std::uint32_t> numbered_, named_;
};

class TableCheck {
 public:
  TableCheck(const PlanTable& table, const TableLimits& limits) : table_(table), limits_(limits) {}

  PlanAnswer run() {
    answer_.obligations = 2 * table_.rows.size();
    for (std::uint32_t k = 0; k < table_.rows.size(); ++k) bounds(k);
    RowsByName rows(table_);
    for (std::uint32_t k = 0; k < table_.rows.size(); ++k)
      if (rows.insert(k) != k) twice(k);
    if (limits_.instance != nullptr) instance(*limits_.instance, rows);
    overlaps();
    if (!answer_.faults.empty())
      for (std::uint32_t k = 0; k < table_.rows.size(); ++k)
        answer_.drawn.push_back({name(k), table_.rows[k]});
    return std::move(answer_);
  }

 private:
  std::string name(std::uint32_t row) const { return std::string(table_.name(row)); }

  void report(PlanFault::Kind kind, const char* aspect, std::string first, const std::string& message,
              std::string expected, std::string actual) {
    if (answer_.faults.size() >= kListed) return;
    PlanFault out;
    out.kind = kind;
    out.message = first + message;
    out.aspect = aspect;
    out.first = std::move(first);
    out.expected = std::move(expected);
    out.actual = std::move(actual);
    answer_.faults.push_back(std::move(out));
  }

  void bounds(std::uint32_t k) {
    const Placement& row = table_.rows[k];
    const auto bad = [&](const char* aspect, const char* message, std::string expected, std::string actual) {
      report(PlanFault::Kind::bounds, aspect, name(k), message, std::move(expected), std::move(actual));
    };
    if (row.size < 0) return bad("negative-size", " has a negative size", "at least 0", number(row.size));
    if (row.offset < 0)
      return bad("begins-before", " begins before the arena", "at least 0", number(row.offset));
    if (row.last < row.first)
      return bad("ends-before-begins", " ends before it begins", "lower <= upper",
                 span_text(row.first, row.last));
    if (limits_.capacity && row.end() > *limits_.capacity)
      bad("ends-behind", " ends behind the arena", "at most " + number(*limits_.capacity), number(row.end()));
  }

  void twice(std::uint32_t k) {
    report(PlanFault::Kind::bounds, "placed-twice", name(k), " is placed twice", "one place",
           "row " + number(k + 2));
  }

  void instance(const PlanTable& wanted, RowsByName& rows) {
    answer_.obligations += wanted.rows.size();
    for (std::uint32_t k = 0; k < wanted.rows.size(); ++k) {
      const Placement& asked = wanted.rows[k];
      const std::string_view id = wanted.name(k);
      const std::uint32_t at = rows.find(id);
      if (at == kFree) {
        report(PlanFault::Kind::bounds, "not-placed", std::string(id), " is required and not placed",
               "one place", "none");
        continue;
      }
      const Placement& given = table_.rows[at];
      if (asked.first < asked.last && (given.first > asked.first || given.last < asked.last))
        report(PlanFault::Kind::lifetime, "too-short", std::string(id), " lives shorter than it is used",
               span_text(asked.first, asked.last), span_text(given.first, given.last));
      if (given.size < asked.size)
        report(PlanFault::Kind::size_fit, "too-small", std::string(id), " does not fit into its place",
               number(asked.size) + " bytes", number(given.size) + " bytes");
    }
  }

  void overlaps() {
    const SweepAnswer swept = sweep(table_.rows, {});
    answer_.below = swept.below;
    if (!swept.clash) return;
    if (table_.rows.size() > kPairwise) return overlap(swept.clash->first, swept.clash->second);
    for (const auto& [a, b] : all_meetings(table_.rows)) overlap(a, b);
  }

  void overlap(std::uint32_t a, std::uint32_t b) {
    const Placement &x = table_.rows[a], &y = table_.rows[b];
    if (answer_.faults.size() >= kListed) return;
    PlanFault out;
    out.kind = PlanFault::Kind::overlap;
    out.first = name(a);
    out.second = name(b);
    out.bytes = std::pair{std::max(x.offset, y.offset), std::min(x.end(), y.end())};
    out.expected = out.first;
    out.actual = out.second;
    out.message = out.first + " lives " + span_text(x.first, x.last) + ", " + out.second + " lives " +
                  span_text(y.first, y.last) + ", and they share bytes";
    out.aspect = "together";
    answer_.faults.push_back(std::move(out));
  }

  const PlanTable& table_;
  const TableLimits& limits_;
  PlanAnswer answer_;
};

}  // namespace

PlanAnswer check_table(const PlanTable& table, const TableLimits& limits) {
  return TableCheck(table, limits).run();
}

}  // namespace noclobber
