// Whole numbers that a program computes as it runs: counters of loops, sizes, conditions of jumps. Loops run
// as often as they say; where a number is not known, what it decides is not either.
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
