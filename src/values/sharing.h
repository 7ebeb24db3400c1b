// Sharing of outputs: which places of an output are on one element of a storage with places of inputs, of
// other outputs, or of the same output. A place is an element of a tensor (and a byte of it, if the storage
// has bytes). Sharing has grown if two places coincide now and did not before. A permuted view of the same
// storage shares differently.
#pragma once
#include <unordered_map>

#include "src/values/obligation.h"

namespace noclobber {

/// Decides whether every pair of places that coincide in `is` also coincides in `was`. Asked with `after` as
/// `is`, and with `before` as `is` if sharing may not shrink either.
class Sharing {
 public:
  Sharing(Space& space, const Trace& was, const Trace& is, const Boundary& boundary);
  /// True if its sharing with storages of the caller has not grown.
  bool with_inputs(std::uint32_t output);
  /// True if its sharing with itself and with earlier outputs has not grown.
  bool with_outputs(std::uint32_t output);
  /// Pairs of outputs whose elements were compared so far.
  std::size_t work() const { return compared_; }

 private:
  /// Constant bounds of each index into the storage, inclusive; a bound that is not known is far away.
  using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;
  /// The constant distance, in each dimension of the storage, from the place of every element in `was` to its
  /// place in `is`. Empty if it is not constant, or not known.
  using Shift = std::optional<std::vector<std::int64_t>>;
  struct Two {
    TraceView is, was;
  };
  const Box& box(std::uint32_t output);
  const Shift& shift(std::uint32_t output);
  Shift between(const TraceView& a, const TraceView& b);
  bool seen(const TraceView& view);
  bool bad(const TraceView& view);
  bool together(std::uint32_t a, std::uint32_t b);
  bool follows(const Two& x, const Two& y);
  bool lies_there(const Two& x, const Two& y, const Inverse& found);

  Space& space_;
  const Trace &was_, &is_;
  const Boundary& boundary_;
  std::unordered_map<StorageId, std::vector<std::uint32_t>> inputs_, outputs_;
  std::vector<std::uint32_t> kept_;  // per output: how many of its storage, from the first, have one shift
  std::vector<std::optional<Shift>> shifts_;
  std::vector<std::optional<Box>> boxes_;
  std::size_t pairs_ = 0, compared_ = 0;
};

/// True if the caller makes this output anew. Its sharing with other outputs cannot be observed then.
bool made_anew(const Boundary& boundary, std::uint32_t output);

}  // namespace noclobber
