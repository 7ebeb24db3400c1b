// Which places (elements of tensors, byte by byte if their storage has bytes) are one element of a storage.
#pragma once
#include <map>

#include "checker/kernel/certificate.h"

namespace noclobber::checker {

/// Shows that two places are one element in `is` only if they were one in `was`. docs/trust.md, lemma 12.
class Sharing {
 public:
  Sharing(Space& space, const Trace& was, const Trace& is, const Boundary& boundary);
  /// For places of the output and of the caller's storages.
  bool with_inputs(std::uint32_t output);
  /// For two places of the output, or one of it and one of an earlier output.
  bool with_outputs(std::uint32_t output);

 private:
  using Box = std::vector<std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>>;
  using Shift = std::optional<std::vector<std::int64_t>>;
  struct Shown {  // the view of one output in both graphs
    ViewForm is, was;
  };
  const Shift& shift(std::uint32_t output);
  const Box& box(std::uint32_t output);
  bool beside(std::uint32_t a, std::uint32_t b);
  bool pair(std::uint32_t a, std::uint32_t b);
  bool implied(Shown& x, Shown& y);

  Space& space_;
  const Trace &was_, &is_;
  const Boundary& boundary_;
  std::map<StorageId, std::vector<std::uint32_t>> inputs_, outputs_;
  std::vector<std::size_t>
      staying_;  // per output: how many outputs of its storage, from the first, moved by one shift
  std::map<std::uint32_t, Shift> shifts_;
  std::map<std::uint32_t, Box> boxes_;
  std::size_t pairs_ = 0, compared_ = 0;
};

/// The view of output k; nullptr if it is a scalar, or there is no such output.
const View* output_view(const Trace& trace, std::size_t k);
/// True if the caller makes the output anew, so that what it shares with other outputs is not observable.
bool made_anew(const Boundary& boundary, std::uint32_t output);

}  // namespace noclobber::checker
