// Which places of outputs lie on one element of a storage: of inputs, of other outputs, of one output itself.
// A place is an element of a tensor (with its byte, where a storage has bytes). Sharing has grown where two
// places are one now and were not before; a permuted view of the same storage shares otherwise.
#pragma once
#include <unordered_map>

#include "src/values/obligation.h"

namespace noclobber {

/// Is every pair of places of `is` that share one that shares in `was`? Asked of `after` for `before`, and
/// the other way round where sharing may not shrink either.
class Sharing {
 public:
  Sharing(Space& space, const Trace& was, const Trace& is, const Boundary& boundary);
  /// With what the caller has of the output's storage: each element lies where it lay.
  bool with_inputs(std::uint32_t output);
  /// With itself and with the outputs before it.
  bool with_outputs(std::uint32_t output);
  /// Pairs of outputs whose elements were compared so far.
  std::size_t work() const { return compared_; }

 private:
  /// Constant bounds of each index into the storage; an end that is not known is far away.
  using Box = std::vector<std::pair<std::int64_t, std::int64_t>>;
  /// By how much, in each dimension of its storage, every element lies further on than it did; nothing: not
  /// by one number, or it is not known.
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
  std::vector<std::uint32_t> kept_;  // per output: as many outputs of its storage, from the first, stay there
  std::vector<std::optional<Shift>> shifts_;
  std::vector<std::optional<Box>> boxes_;
  std::size_t pairs_ = 0, compared_ = 0;
};

/// Does the caller make this output anew? Then what it shares with other outputs nobody sees.
bool made_anew(const Boundary& boundary, std::uint32_t output);

}  // namespace noclobber
