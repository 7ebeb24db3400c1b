// The checks that a log or a sequence of traces allows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// A Case with the id that tlparse gives it.
struct TraceCheck {
  enum class What : std::uint8_t { pair, single };
  What what = What::pair;
  std::string id;  // "-_0_0_0/post_grad", "-_0_0_0/joint", "rank_3/-_0_0_0/post_grad"
  Result<Case> value = Diagnostic{};
  std::function<Result<Case>()> unread;  // computes `value` and keeps the text alive; empty afterwards
  std::vector<std::string> unchecked;    // "output_code", "backward", "pre_grad", ...
  std::size_t line = 0;                  // of the record that holds `after`, 1-based
  std::string file;                      // file that holds `after`; "" if it is the log itself
  /// Checks of a log that are read from the same texts and facts have the same number: their Cases differ
  /// only in the name, and their answers only in the place. 0 if no other check is read from the same.
  std::uint64_t alike = 0;

  /// Computes `value` unless that is done already. Different checks can be read concurrently.
  void read();
};
struct TraceLog {
  std::vector<TraceCheck> checks;      // in log order
  std::vector<std::string> unchecked;  // of the whole log, named as in cli.md, sorted
  std::vector<Diagnostic> notes;       // records that could not be read; a cut tail
  bool truncated = false;
  bool any_graph = false;
  std::size_t records = 0;
};

}  // namespace noclobber
