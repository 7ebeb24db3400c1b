// Results of calls: their types and the places that the program gives them.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

bool may_hold(const Type& type, const PteTensor& in);
void write_results(PteBuilder& p, Step step, const std::vector<std::uint32_t>& outs);
bool names_results(const PteBuilder& p, std::uint32_t name, const std::vector<std::uint32_t>& outs);

}  // namespace noclobber
