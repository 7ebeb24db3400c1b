// What logs and sequences of traces let us check.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// A Case with an id as tlparse names it.
struct TraceCheck {
  enum class What : std::uint8_t { pair, single };
  What what = What::pair;
  std::string id;  // "-_0_0_0/post_grad", "-_0_0_0/joint", "rank_3/-_0_0_0/post_grad"
  Result<Case> value = Diagnostic{};
  std::function<Result<Case>()> unread;  // makes `value`; keeps the text alive; empty once that is done
  std::vector<std::string> unchecked;    // "output_code", "backward", "pre_grad", ...
  std::size_t line = 0;                  // of the record that holds `after`, 1-based
  std::string file;                      // that holds `after`, if it is not the log itself
  /// Checks of a log that are read from the same texts and facts have the same number: their Cases are equal
  /// but for the name, and so are their answers but for the place. 0: no other check has this one's.
  std::uint64_t alike = 0;

  /// Reads `value` if that is still to be done. Different checks can be read at the same time.
  void read();
};
struct TraceLog {
  std::vector<TraceCheck> checks;      // in order of the log
  std::vector<std::string> unchecked;  // of the whole log, names as in cli.md, sorted
  std::vector<Diagnostic> notes;       // records that could not be read; a cut tail
  bool truncated = false;
  bool any_graph = false;
  std::size_t records = 0;
};

}  // namespace noclobber
