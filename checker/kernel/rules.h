// The obligations of a check, and the rules that show them.
#pragma once
#include <array>

#include "checker/kernel/contents.h"
#include "checker/kernel/sharing.h"

namespace noclobber::checker {

/// All obligations of `after` for `before` (nullptr: of a single graph), from the Traces alone.
std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary);

class Rules {
 public:
  Rules(Space& space, const Check& check);
  /// Throws Open where the obligation is not shown for all contents, sizes and indices.
  void show(const Obligation& obligation);
  /// What must be the same: what `before` shows, or what a name means, and what is there. At every index of
  /// the view of `after`, or at this one; nothing where the views have not one shape.
  std::optional<std::pair<Content, Content>> sides(const Obligation& obligation,
                                                   const Index* index = nullptr);
  /// The view of `after` that an equality is about; nullptr: of a storage at exit, or none.
  const View* view(const Obligation& obligation) const;
  /// The only questions a solver is asked: nothing it says about another kind counts.
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
  const Trace &before_, &after_;  // one, of a single graph
  Run run_before_, run_after_;
  Equality equality_;
  std::array<std::map<std::pair<Start, Text>, StorageId>, 2> at_entry_;  // of each graph
  std::optional<std::vector<bool>> placed_;
  std::optional<Sharing> grown_, shrunk_;  // once it was asked
};

}  // namespace noclobber::checker
