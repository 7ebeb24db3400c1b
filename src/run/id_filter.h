// --only: which graphs of an input to look at.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"

namespace noclobber {

/// "0,5,10-20,>30" as the graph filters of torch.compile are written: frame ids of a log, positions
/// elsewhere; or ids as records hold them or reports print them: "[0/0]", "0/0", "[0/0] post-grad". Empty:
/// everything.
class IdFilter {
 public:
  /// error: `where` is "column N".
  static Result<IdFilter> parse(std::string_view text);
  /// `id`: of the check; `position`: its place in its input, from 0, used where the id has no frame.
  bool accepts(std::string_view id, std::uint64_t position) const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // both ends included
  std::vector<std::string> names_;
};

}  // namespace noclobber
