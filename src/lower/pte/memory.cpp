#include "src/lower/pte/memory.h"

#include <algorithm>
#include <iterator>

namespace noclobber {

/// Splits the piece that reaches over `at`, if there is one.
void PteMemory::split(Pieces& pieces, std::int64_t at) {
  auto next = pieces.upper_bound(at);
  if (next == pieces.begin()) return;
  Piece& piece = std::prev(next)->second;
  if (piece.begin >= at || piece.end <= at) return;
  const Piece tail{at, piece.end, piece.by};
  piece.end = at;
  pieces.emplace(at, tail);
}

void PteMemory::write(std::uint32_t arena, std::int64_t begin, std::int64_t end, std::int32_t by) {
  if (begin >= end) return;
  Pieces& pieces = arenas_[arena];
  split(pieces, begin);
  split(pieces, end);
  pieces.erase(pieces.lower_bound(begin), pieces.lower_bound(end));
  pieces[begin] = {begin, end, by};
}

std::vector<PteMemory::Piece> PteMemory::read(std::uint32_t arena, std::int64_t begin,
                                              std::int64_t end) const {
  std::vector<Piece> out;
  const auto add = [&](std::int64_t from, std::int64_t to, std::int32_t by) {
    if (from >= to) return;
    if (!out.empty() && out.back().by == by) {
      out.back().end = to;
    } else {
      out.push_back({from, to, by});
    }
  };
  std::int64_t at = begin;
  const auto known = arenas_.find(arena);
  if (known != arenas_.end()) {
    const Pieces& pieces = known->second;
    auto next = pieces.upper_bound(begin);
    if (next != pieces.begin()) --next;
    for (; next != pieces.end() && next->second.begin < end; ++next) {
      const Piece& piece = next->second;
      if (piece.end <= at) continue;
      add(at, std::max(at, piece.begin), kNobody);
      add(std::max(at, piece.begin), std::min(end, piece.end), piece.by);
      at = std::min(end, piece.end);
    }
  }
  add(at, end, kNobody);
  return out;
}

}  // namespace noclobber
