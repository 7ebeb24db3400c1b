// Tracks the definition that each byte of the arenas holds, as instructions run in order. Internal to the
// .pte reader.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

namespace noclobber {

class PteMemory {
 public:
  static constexpr std::int32_t kNobody = -1;
  /// Bytes [begin, end) hold what definition `by` wrote there.
  struct Piece {
    std::int64_t begin = 0, end = 0;
    std::int32_t by = kNobody;
  };

  void write(std::uint32_t arena, std::int64_t begin, std::int64_t end, std::int32_t by);
  /// All of [begin, end) in order; neighbours of one definition are one piece.
  std::vector<Piece> read(std::uint32_t arena, std::int64_t begin, std::int64_t end) const;

 private:
  using Pieces = std::map<std::int64_t, Piece>;  // by begin; disjoint
  static void split(Pieces& pieces, std::int64_t at);
  std::map<std::uint32_t, Pieces> arenas_;
};

}  // namespace noclobber
