// Runs a proved case once, as an independent check of the proof. It is not a search for a witness.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "src/interp/interp.h"

namespace noclobber {

struct ConfirmOptions {
  std::int64_t work = 0;  // bound on the elements of all values of both graphs, each counted once
  bool exact = true;      // the proof used no identity that holds only up to rounding or the sign of a zero
  /// Number of elements of all values of one graph, `before` or `after`, under these symbols. If absent,
  /// types are used.
  std::function<std::int64_t(bool before, const Symbols& symbols)> elements;
  /// Makes the onlooker of a run of one graph, `before` or `after`, under these symbols. If absent, none is
  /// used.
  std::function<Onlooker*(bool before, const Symbols& symbols)> onlooker;
  /// Called with an onlooker and its run when the run is over.
  std::function<void(Onlooker&, const Run&)> finish;
};

struct Confirmed {
  bool ran = false;        // both graphs (or the single one) ran to their end, and no difference is doubtful
  std::string difference;  // the first difference, or what is wrong with the single graph; "" if none
};

/// Prefix of `difference` if `before` runs and `after` raises an error.
inline constexpr std::string_view kAfterRaises = "after raises: ";

/// Runs a proved case, under the largest of a few assignments of symbols that `work` allows, on contents that
/// distinguish values (kTelling). `ran` is false if nothing could be run.
Confirmed confirm(const Case& value, const ConfirmOptions& options);

}  // namespace noclobber
