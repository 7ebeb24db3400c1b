// Runs of both graphs of a pair on the same contents, and what one determines for the other.
#pragma once
#include "src/interp/replay_session.h"

namespace noclobber {

class PairRuns {
 public:
  explicit PairRuns(Session& session);

 protected:
  /// `turned`: other undefined bytes, and elementwise kernels go from the last element to the first.
  static RunOptions options_of(const Trial& trial, bool turned);
  /// For runs of `after`: the very contents that `before` has, by name.
  RunOptions options_after(const Trial& trial, bool turned);
  /// Inputs that a run of `before` stores into; they may be written, and must hold what it leaves.
  void note_written(const Run& run);
  /// What `before` determines under this trial; nothing if it raises there.
  std::optional<Expectation> meant_by(const Trial& trial, std::optional<Run>& first);
  /// A difference counts only where many more choices of undefined bytes agree. False if one of them raises.
  bool narrow_further(Expectation& expected, const Trial& trial);
  static std::vector<Difference> compare(const Case& value, const Expectation& expected, const Run& run);

  Session& session_;
  const Case& value_;
  const Graph& before_;
  std::set<std::string> written_;
  bool same_inputs_ = true;  // same names in the same order: contents come out alike by themselves
};

}  // namespace noclobber
