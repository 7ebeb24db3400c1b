// Answers many reachability queries, 512 targets a pass.
#include "src/prover/order_reach.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

namespace noclobber {

namespace {

constexpr std::size_t kWords = 8;
constexpr std::size_t kTargets = kWords * 64;

using TargetMask = std::array<std::uint64_t, kWords>;

/// A query with its position in the caller's list.
struct PlacedQuery {
  OrderQuery query;
  std::size_t place = 0;
  int reach = 0;  // half the number of bits of second - first; each value has passes of its own
};

bool direct(const OrderGraph& graph, const OrderQuery& query) {
  const auto before = graph.before(query.second);
  return std::ranges::find(before, query.first) != before.end();
}

/// One pass: at most kTargets different targets.
class ReachPass {
 public:
  ReachPass(const OrderGraph& graph, std::span<const PlacedQuery> queries)
      : graph_(graph), queries_(queries) {
    lowest_ = queries.front().query.first;
    highest_ = queries.front().query.second;
    for (const PlacedQuery& q : queries) {
      lowest_ = std::min(lowest_, q.query.first);
      highest_ = std::max(highest_, q.query.second);
    }
  }

  void run(std::vector<TargetMask>& masks, std::vector<bool>& answers) {
    masks.assign(std::size_t{highest_} - lowest_ + 1, TargetMask{});
    std::size_t bit = 0;
    std::vector<std::size_t> bits;
    for (std::size_t k = 0; k < queries_.size(); ++k) {
      if (k > 0 && queries_[k].query.second != queries_[k - 1].query.second) ++bit;
      bits.push_back(bit);
      masks[queries_[k].query.second - lowest_][bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    for (std::uint32_t at = highest_; at > lowest_; --at) spread(masks, at);
    for (std::size_t k = 0; k < queries_.size(); ++k) {
      const TargetMask& seen = masks[queries_[k].query.first - lowest_];
      answers[queries_[k].place] = ((seen[bits[k] / 64] >> (bits[k] % 64)) & 1) != 0;
    }
  }

 private:
  void spread(std::vector<TargetMask>& masks, std::uint32_t at) const {
    const TargetMask from = masks[at - lowest_];
    std::uint64_t any = 0;
    for (const std::uint64_t word : from) any |= word;
    if (any == 0) return;
    for (const std::uint32_t before : graph_.before(at)) {
      if (before < lowest_) continue;
      TargetMask& to = masks[before - lowest_];
      for (std::size_t w = 0; w < kWords; ++w) to[w] |= from[w];
    }
  }

  const OrderGraph& graph_;
  std::span<const PlacedQuery> queries_;
  std::uint32_t lowest_ = 0, highest_ = 0;
};

}  // namespace

std::vector<bool> ordered(const OrderGraph& graph, std::span<const OrderQuery> queries) {
  std::vector<bool> answers(queries.size(), false);
  std::vector<PlacedQuery> open;
  for (std::size_t k = 0; k < queries.size(); ++k) {
    answers[k] = direct(graph, queries[k]);
    // Distances are classed by factors of four.
    const int reach = static_cast<int>(std::bit_width(queries[k].second - queries[k].first)) / 2;
    if (!answers[k]) open.push_back({queries[k], k, reach});
  }
  std::ranges::sort(open, {}, [](const PlacedQuery& q) {
    return std::tuple(q.reach, q.query.second, q.query.first, q.place);
  });
  std::vector<TargetMask> masks;
  for (std::size_t start = 0; start < open.size();) {
    std::size_t end = start, targets = 0;
    for (; end < open.size() && open[end].reach == open[start].reach; ++end) {
      const bool other = end == start || open[end].query.second != open[end - 1].query.second;
      if (other && targets++ == kTargets) break;
    }
    ReachPass(graph, std::span(open).subspan(start, end - start)).run(masks, answers);
    start = end;
  }
  return answers;
}

}  // namespace noclobber
