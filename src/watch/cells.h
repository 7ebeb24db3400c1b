// Views of a Trace under given symbols: which cells of its storage each element shows.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/trace/trace.h"

namespace noclobber {

/// Positions in a storage's own index space, row-major, its lanes innermost.
using CellList = std::vector<std::int64_t>;

class Cells {
 public:
  /// `most`: cells that one storage or view may have.
  Cells(const Space& space, const Trace& trace, const std::map<std::string, std::int64_t>& symbols,
        std::int64_t most)
      : space_(space), trace_(trace), symbols_(symbols), most_(most) {}

  /// A small number; nothing where it is none under these symbols.
  std::optional<std::int64_t> number(PolyId poly) const;
  std::optional<std::vector<std::int64_t>> numbers(const Shape& shape) const;
  /// Of the storage; nothing where it has more than `most` or its sizes are no numbers.
  std::optional<std::int64_t> count(StorageId storage) const;
  /// Element by element, row-major; with lanes as many per element. Nothing where a size is no number, there
  /// are too many, or one lies outside of the storage.
  std::optional<CellList> of(const TraceView& view) const;

 private:
  std::optional<std::int64_t> elements(const std::vector<std::int64_t>& shape) const;

  const Space& space_;
  const Trace& trace_;
  const std::map<std::string, std::int64_t>& symbols_;
  std::int64_t most_;
  mutable std::unordered_map<PolyId, std::optional<std::int64_t>> numbers_;  // met before
};

}  // namespace noclobber
