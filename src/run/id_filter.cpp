#include "src/run/id_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "src/report/names.h"

namespace noclobber {

namespace {

constexpr std::uint64_t kLastId = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "7", "10-20", ">30".
std::optional<std::pair<std::uint64_t, std::uint64_t>> range_of(std::string_view text) {
  if (text.starts_with('>')) {
    const auto low = number_of(text.substr(1));
    if (!low || *low == kLastId) return std::nullopt;
    return std::pair{*low + 1, kLastId};
  }
  const std::size_t dash = text.find('-');
  const auto low = number_of(text.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : number_of(text.substr(dash + 1));
  if (!low || !high || *low > *high) return std::nullopt;
  return std::pair{*low, *high};
}

/// The frame of "[rank_N/]{compiled_autograd}_{frame}_{frame_compile}_{attempt}/...".
std::optional<std::uint64_t> frame_of(std::string_view id) {
  if (id.starts_with("rank_")) id.remove_prefix(std::min(id.find('/'), id.size() - 1) + 1);
  id = id.substr(0, id.find('/'));
  if (std::ranges::count(id, '_') != 3) return std::nullopt;
  const std::size_t first = id.find('_');
  const std::string_view autograd = id.substr(0, first);
  if (autograd != "-" && !number_of(autograd)) return std::nullopt;
  return number_of(id.substr(first + 1, id.find('_', first + 1) - first - 1));
}

/// True for an id such as "[0/0] post-grad", false for numbers and ranges.
bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789->") != std::string_view::npos;
}

}  // namespace

Result<IdFilter> IdFilter::parse(std::string_view text) {
  IdFilter out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, end - at);
    const auto range = range_of(item);
    if ((!range && !is_name(item)) || end + 1 == text.size()) {
      return Diagnostic{fmt::format("column {}", at + 1), "expected ids such as 0,5,10-20,>30 or [0/0]"};
    }
    if (range) out.ranges_.push_back(*range);
    if (!range) out.names_.emplace_back(item);
    at = end + 1;
  }
  return out;
}

bool IdFilter::accepts(std::string_view id, std::uint64_t position) const {
  if (ranges_.empty() && names_.empty()) return true;
  const std::string shown = shown_id(id);
  const auto named = [&](const std::string& name) {
    return name == id || name == shown || shown.starts_with(name + " ") ||
           shown.starts_with("[" + name + "] ");
  };
  if (std::ranges::any_of(names_, named)) return true;
  const std::uint64_t key = frame_of(id).value_or(position);
  return std::ranges::any_of(ranges_, [&](const auto& r) { return r.first <= key && key <= r.second; });
}

}  // namespace noclobber
