#include "src/effects/loop_reach.h"

#include <algorithm>
#include <vector>

namespace noclobber::effects {
namespace {

/// All that `next` leads to from k, k included.
template <class Next>
std::set<std::uint32_t> closure(std::uint32_t k, Next next) {
  std::set<std::uint32_t> out{k};
  std::vector<std::uint32_t> open{k};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (std::uint32_t j : next(at))
      if (out.insert(j).second) open.push_back(j);
  }
  return out;
}

}  // namespace

std::set<std::uint32_t> places(const BodyFacts& facts, std::uint32_t k) {
  return closure(k, [&](std::uint32_t at) {
    std::set<std::uint32_t> out;
    for (std::uint32_t r = 0; r < facts.from.size(); ++r)
      if (facts.from[r].contains(at)) out.insert(r);
    return out;
  });
}

std::set<std::uint32_t> reachable(const LoopUse& use, std::uint32_t k) {
  return closure(k, [&](std::uint32_t at) {
    return at < use.own.from.size() ? use.own.from[at] : std::set<std::uint32_t>{};
  });
}

std::set<std::uint32_t> passed_on(const LoopUse& use, std::uint32_t k) {
  std::set<std::uint32_t> out;
  if (k < use.own.from.size())
    for (const std::uint32_t at : use.own.from[k]) out.merge(reachable(use, at));
  return out;
}

std::set<std::uint32_t> counted(const LoopUse& use) {
  std::set<std::uint32_t> out;
  for (const BodyFacts* facts : {&use.own, &use.other})
    for (const std::uint32_t k : facts->from_start) out.merge(reachable(use, k));
  return out;
}

bool only_read(const LoopUse& use, std::uint32_t k) {
  const auto unwritten = [&](const BodyFacts& facts) {
    return std::ranges::none_of(places(facts, k), [&](std::uint32_t p) { return facts.written.contains(p); });
  };
  return unwritten(use.own) && unwritten(use.other) && !use.scratch.contains(k);
}

}  // namespace noclobber::effects
