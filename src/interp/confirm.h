// What is proved, run once: the second opinion of a proof, not a search for a witness.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "src/interp/interp.h"

namespace noclobber {

struct ConfirmOptions {
  std::int64_t work = 0;  // elements that the steps of both graphs may make, each counted once
  bool exact = true;      // no identity was used that holds but for rounding or the sign of a zero
  /// Elements of all values of a graph (`before`: of that one) under these sizes. Absent: as types say.
  std::function<std::int64_t(bool before, const Symbols& symbols)> elements;
  /// Looks on while a graph runs (`before`: that one), under these sizes. Absent: nobody does.
  std::function<Onlooker*(bool before, const Symbols& symbols)> onlooker;
  /// What an onlooker has seen when its run is over.
  std::function<void(Onlooker&, const Run&)> finish;
};

struct Confirmed {
  bool ran = false;        // both graphs (or the single one) ran to their end, and nothing was left in doubt
  std::string difference;  // in what they differ, or what is wrong with the single one; "" for nothing
};

/// How a difference begins that is none of contents: `before` runs, and `after` ends in an error.
inline constexpr std::string_view kAfterRaises = "after raises: ";

/// Of a case that is proved. Sizes are the largest of a few that the work allows; contents tell apart.
Confirmed confirm(const Case& value, const ConfirmOptions& options);

}  // namespace noclobber
