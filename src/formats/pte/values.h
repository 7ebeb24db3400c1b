// Values of a method: numbers, tensors, and lists that refer to other values.
#pragma once
#include <cstdint>
#include <vector>

#include "src/formats/pte/program.h"
#include "src/text/flat.h"

namespace noclobber {

/// Faults are recorded in `flat`.
PteValue read_pte_value(FlatBytes& flat, const FlatTable& table);
/// Checks that each list refers to values of its kind or of kind none. Lists of tensors may also contain -1.
void check_pte_items(FlatBytes& flat, const std::vector<PteValue>& values);
/// `number` from byte `at`, checked to be in [0, bound); 0 after a fault.
std::uint32_t pte_index(FlatBytes& flat, std::int64_t number, std::size_t bound, std::size_t at);

}  // namespace noclobber
