#include "src/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace noclobber {

namespace {
constexpr std::size_t kLongestWord = 64;
}  // namespace

std::size_t edit_distance(std::string_view from, std::string_view to) {
  from = from.substr(0, kLongestWord);
  to = to.substr(0, kLongestWord);
  std::array<std::array<std::size_t, kLongestWord + 1>, kLongestWord + 1> cost{};
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::string_view found;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
  const std::string_view near = nearest(word, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

}  // namespace noclobber
