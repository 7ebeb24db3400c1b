// `advise --repair`: the cheapest set of copies that makes a refuted graph right.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/check/check.h"

namespace noclobber {

/// One copy: of a value whose contents are still needed, or of what a step would overwrite.
struct RepairCopy {
  bool keeps = true;       // false: the step writes to the copy
  std::string value;       // that is copied
  std::uint32_t step = 0;  // of the graph as it was read: the copy stands before it
  std::uint64_t bytes = 0;
  bool is_known = true;  // false: nobody says how large it is, and 1 MiB was taken
};

struct Repair {
  Status status = Status::unknown;  // proved: `value` is right
  Case value;                       // with the copies in `after`
  std::vector<RepairCopy> copies;
  std::uint64_t bytes = 0;
  std::string why;  // there is none
};

/// Hazards are read off the findings, a cover of them is tried, and what is still refuted tells more hazards;
/// so the copies cost as little as any set that removes the hazards that were seen, and the result is proved
/// or none is given. require: the check of `value` is refuted.
Repair repair_case(const Case& value, const CheckOptions& options);

}  // namespace noclobber
