// Constants of a method, matched with those of the functional program: by contents if both state them, else
// by order.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

std::vector<std::uint32_t> constants(const PteBuilder& p);
bool may_be(const PteBuilder& p, const Input& input, std::uint32_t id);
std::vector<std::optional<std::uint32_t>> match_contents(PteBuilder& p, std::vector<std::uint32_t>& constant);
void add_lifted(PteBuilder& p, std::vector<std::uint32_t>& constant, std::size_t wanted);
void add_unmatched(PteBuilder& p, const std::vector<std::uint32_t>& constant);

}  // namespace noclobber
