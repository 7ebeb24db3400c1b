// `advise --repair`: the cheapest set of copies that makes a refuted graph correct.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/check/check.h"

namespace noclobber {

/// One copy: of a value that is still live, or of the tensor that a step would overwrite.
struct RepairCopy {
  bool keeps = true;       // true: keeps the value; false: the step writes to the copy
  std::string value;       // the name of what is copied
  std::uint32_t step = 0;  // in the graph as it was read; the copy is inserted before it
  std::uint64_t bytes = 0;
  bool is_known = true;  // false: the size is not known, and 1 MiB was assumed
};

struct Repair {
  Status status = Status::unknown;  // proved: `value` is correct
  Case value;                       // with the copies in `after`
  std::vector<RepairCopy> copies;
  std::uint64_t bytes = 0;
  std::string why;  // why there is no repair
};

/// Collects hazards from the findings, tries the cheapest cover of them, and collects further hazards while
/// the result is refuted. So the copies cost no more than the cheapest set that removes the hazards seen. The
/// result is proved, or there is none. require: the check of `value` is refuted.
Repair repair_case(const Case& value, const CheckOptions& options);

}  // namespace noclobber
