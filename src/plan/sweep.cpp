#include "src/plan/sweep.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace noclobber {
namespace {

using Live = std::map<std::int64_t, std::uint32_t>;  // by offset

/// The state of one sweep.
class Sweeper {
 public:
  Sweeper(std::span<const Placement> placements, const SweepHooks& hooks) : all_(placements), hooks_(hooks) {}

  SweepAnswer run() {
    answer_.below.assign(all_.size(), SweepAnswer::kNone);
    const auto births = sorted_by(&Placement::first), deaths = sorted_by(&Placement::last);
    std::size_t dead = 0;
    for (const std::uint32_t born : births) {
      const std::int64_t now = all_[born].first;
      if (now != now_) replaced_.clear();
      now_ = now;
      while (dead < deaths.size() && all_[deaths[dead]].last <= now) leave(deaths[dead++]);
      if (!enter(born)) break;
    }
    return std::move(answer_);
  }

 private:
  std::vector<std::uint32_t> sorted_by(std::int64_t Placement::*time) const {
    std::vector<std::uint32_t> out;
    out.reserve(all_.size());
    std::int64_t low = std::numeric_limits<std::int64_t>::max(),
                 high = std::numeric_limits<std::int64_t>::min();
    for (std::uint32_t k = 0; k < all_.size(); ++k) {
      if (all_[k].empty()) continue;
      out.push_back(k);
      low = std::min(low, all_[k].*time);
      high = std::max(high, all_[k].*time);
    }
    std::int64_t span = 0;
    if (!out.empty() && !__builtin_sub_overflow(high, low, &span) &&
        span < static_cast<std::int64_t>(4 * out.size()))
      return counted(out, time, low, static_cast<std::size_t>(span) + 1);
    std::ranges::sort(out, [&](std::uint32_t a, std::uint32_t b) {
      return all_[a].*time != all_[b].*time ? all_[a].*time < all_[b].*time : a < b;
    });
    return out;
  }

  /// Counting sort, for times in a small range: linear, and stable.
  std::vector<std::uint32_t> counted(const std::vector<std::uint32_t>& rows, std::int64_t Placement::*time,
                                     std::int64_t low, std::size_t span) const {
    std::vector<std::uint32_t> begin(span + 1, 0), out(rows.size());
    for (const std::uint32_t k : rows) ++begin[static_cast<std::size_t>(all_[k].*time - low) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const std::uint32_t k : rows) out[begin[static_cast<std::size_t>(all_[k].*time - low)]++] = k;
    return out;
  }

  Live& live_of(std::uint32_t arena) {
    if (arena >= live_.size()) live_.resize(arena + 1);
    return live_[arena];
  }

  void leave(std::uint32_t dead) {
    Live& live = live_of(all_[dead].arena);
    const auto at = live.find(all_[dead].offset);
    if (at != live.end() && at->second == dead) live.erase(at);  // else another placement took over its bytes
  }

  bool may_take_over(std::uint32_t dying, std::uint32_t born) const {
    return hooks_.takes_over && all_[dying].last == all_[born].first + 1 && hooks_.takes_over(dying, born);
  }

  /// Removes the neighbours whose bytes `born` may take over; false if it overlaps one that stays.
  bool clear(Live& live, std::uint32_t born) {
    for (;;) {
      auto at = live.lower_bound(all_[born].offset);  // the first that begins at or behind
      if (at == live.end() || all_[at->second].offset >= all_[born].end()) {
        if (at == live.begin()) return true;
        --at;
        if (all_[at->second].end() <= all_[born].offset) return true;
      }
      if (!may_take_over(at->second, born)) {
        answer_.clash = std::minmax(at->second, born);
        return false;
      }
      replaced_.push_back(at->second);
      live.erase(at);
    }
  }

  bool enter(std::uint32_t born) {
    Live& live = live_of(all_[born].arena);
    if (!clear(live, born)) return false;
    for (const std::uint32_t gone : replaced_) {
      if (!meet_in_bytes(all_[gone], all_[born]) || may_take_over(gone, born)) continue;
      answer_.clash = std::minmax(gone, born);
      return false;
    }
    const auto at = live.emplace(all_[born].offset, born).first;
    if (at != live.begin()) answer_.below[born] = std::prev(at)->second;
    if (!hooks_.neighbours) return true;
    if (at != live.begin()) hooks_.neighbours(std::prev(at)->second, born);
    if (std::next(at) != live.end()) hooks_.neighbours(born, std::next(at)->second);
    return true;
  }

  std::span<const Placement> all_;
  const SweepHooks& hooks_;
  SweepAnswer answer_;
  std::vector<Live> live_;               // per arena
  std::vector<std::uint32_t> replaced_;  // replaced placements; their last moment is now
  std::int64_t now_ = 0;
};

}  // namespace

bool meet_in_bytes(const Placement& a, const Placement& b) {
  return a.arena == b.arena && a.size > 0 && b.size > 0 && a.offset < b.end() && b.offset < a.end();
}

bool meet_in_time(const Placement& a, const Placement& b) {
  return a.first < a.last && b.first < b.last && a.first < b.last && b.first < a.last;
}

SweepAnswer sweep(std::span<const Placement> placements, const SweepHooks& hooks) {
  return Sweeper(placements, hooks).run();
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> all_meetings(std::span<const Placement> placements) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> out;
  for (std::uint32_t b = 0; b < placements.size(); ++b)
    for (std::uint32_t a = 0; a < b; ++a)
      if (meet_in_bytes(placements[a], placements[b]) && meet_in_time(placements[a], placements[b]))
        out.emplace_back(a, b);
  return out;
}

}  // namespace noclobber
