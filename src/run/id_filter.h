// --only: the filter of the checks of an input.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"

namespace noclobber {

/// A list such as "0,5,10-20,>30", in the syntax of torch.compile's graph filters. Numbers are frame ids of a
/// log, else positions in the input. An item can also be an id as records or reports have it: "[0/0]", "0/0",
/// "[0/0] post-grad". An empty filter accepts everything.
class IdFilter {
 public:
  /// error: `where` is "column N".
  static Result<IdFilter> parse(std::string_view text);
  /// `id`: of the check. `position`: its index in its input, from 0, used if the id has no frame.
  bool accepts(std::string_view id, std::uint64_t position) const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;  // both ends included
  std::vector<std::string> names_;
};

}  // namespace noclobber
