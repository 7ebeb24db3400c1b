// The obligations of a check, and the rules that discharge them.
#pragma once
#include <array>

#include "checker/kernel/contents.h"
#include "checker/kernel/sharing.h"

namespace noclobber::checker {

/// All obligations of `after` against `before` (nullptr: of a single graph), from the Traces alone.
std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary);

class Rules {
 public:
  Rules(Space& space, const Check& check);
  /// Throws Open if the obligation is not shown for all contents, sizes and indices.
  void show(const Obligation& obligation);
  /// The contents that must be equal: of `before`, or of the reaching definition, and of `after`. At `index`,
  /// or at the running index of the view. Empty if there is no such pair of one shape.
  std::optional<std::pair<Content, Content>> sides(const Obligation& obligation,
                                                   const Index* index = nullptr);
  /// The view of `after` that an equality is about. nullptr: a storage at exit, or a scalar.
  const View* view(const Obligation& obligation) const;
  /// True if the claim of a solver counts for the obligation. Lemma 13.
  bool may_be_claimed(const Obligation& obligation);
  Equality& equality() { return equality_; }

 private:
  void equality(const Obligation& obligation);
  void same_frame() const;
  bool same_type(std::uint32_t output) const;
  bool sharing(const Obligation& obligation);
  std::optional<StorageId> partner(bool in_before, const Storage& storage) const;

  Space& space_;
  const Check& check_;
  const Trace &before_, &after_;  // the same for a single graph
  Run run_before_, run_after_;
  Equality equality_;
  std::array<std::map<std::pair<Start, Text>, StorageId>, 2> at_entry_;  // of `before`, of `after`
  std::optional<std::vector<bool>> placed_;
  std::optional<Sharing> grown_, shrunk_;  // made on first use
};

}  // namespace noclobber::checker
