// Runs of both graphs of a pair on the same contents, and the expectation that `before` gives for `after`.
#pragma once
#include "src/interp/replay_session.h"

namespace noclobber {

class PairRuns {
 public:
  explicit PairRuns(Session& session);

 protected:
  /// `turned`: other undefined bytes, and elementwise kernels run from the last element to the first.
  static RunOptions options_of(const Trial& trial, bool turned);
  /// For runs of `after`, on exactly the contents that `before` has, by name.
  RunOptions options_after(const Trial& trial, bool turned);
  /// Records the inputs that a run of `before` writes. `after` may write them, and must leave the same
  /// contents.
  void note_written(const Run& run);
  /// The expectation that `before` gives in this trial; its first run is in `first`. Empty if a run raises.
  std::optional<Expectation> meant_by(const Trial& trial, std::optional<Run>& first);
  /// Drops what depends on undefined bytes, by many more choices of them. False if one of the runs fails.
  bool narrow_further(Expectation& expected, const Trial& trial);
  static std::vector<Difference> compare(const Case& value, const Expectation& expected, const Run& run);

  Session& session_;
  const Case& value_;
  const Graph& before_;
  std::set<std::string> written_;
  bool same_inputs_ = true;  // same names in the same order: the seed alone gives equal contents
};

}  // namespace noclobber
