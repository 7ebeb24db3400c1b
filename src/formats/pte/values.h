// Values of a method: numbers, tensors, and lists that name other values.
#pragma once
#include <cstdint>
#include <vector>

#include "src/formats/pte/program.h"
#include "src/text/flat.h"

namespace noclobber {

/// Faults are those of `flat`.
PteValue read_pte_value(FlatBytes& flat, const FlatTable& table);
/// Lists name values of one kind; only lists of optional tensors name none.
void check_pte_items(FlatBytes& flat, const std::vector<PteValue>& values);
/// `number`, which is named at byte `at`, if it is one of `bound`.
std::uint32_t pte_index(FlatBytes& flat, std::int64_t number, std::size_t bound, std::size_t at);

}  // namespace noclobber
