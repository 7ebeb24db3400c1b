// Views of a Trace under given symbols: the cells of the storage that each element covers.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/trace/trace.h"

namespace noclobber {

/// Row-major positions in the index space of a storage, its lanes innermost.
using CellList = std::vector<std::int64_t>;

class Cells {
 public:
  /// `most`: bound on the cells of one storage or view.
  Cells(const Space& space, const Trace& trace, const std::map<std::string, std::int64_t>& symbols,
        std::int64_t most)
      : space_(space), trace_(trace), symbols_(symbols), most_(most) {}

  /// The value of a polynomial. Empty if it has none under these symbols, or exceeds 2^40 in magnitude.
  std::optional<std::int64_t> number(PolyId poly) const;
  std::optional<std::vector<std::int64_t>> numbers(const Shape& shape) const;
  /// Number of cells of the storage. Empty if it exceeds `most` or a size has no value.
  std::optional<std::int64_t> count(StorageId storage) const;
  /// The cells of a view, by row-major element and, within an element, by lane. Empty if a size has no value,
  /// there are too many cells, or one lies outside of the storage.
  std::optional<CellList> of(const TraceView& view) const;

 private:
  std::optional<std::int64_t> elements(const std::vector<std::int64_t>& shape) const;

  const Space& space_;
  const Trace& trace_;
  const std::map<std::string, std::int64_t>& symbols_;
  std::int64_t most_;
  mutable std::unordered_map<PolyId, std::optional<std::int64_t>> numbers_;  // cache of number()
};

}  // namespace noclobber
