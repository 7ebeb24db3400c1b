// Integers that a program computes at run time: loop counters, sizes, conditions of jumps. Loops are unrolled
// with them; a jump on an unknown number ends the graph.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

void add_numbers(PteBuilder& p);
bool numeric(PteBuilder& p, const std::string& op, const PteInstruction& instruction);
bool kernels_take(const PteBuilder& p, std::uint32_t id, const SchemaSlot& slot);
bool numbers_return(const PteBuilder& p);
std::size_t jump(PteBuilder& p, std::size_t at, std::size_t begin, std::size_t end);
void store_row(PteBuilder& p, const PteInstruction& instruction);

}  // namespace noclobber
