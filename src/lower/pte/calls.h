// Instructions of a .pte as steps of a graph.
#pragma once
#include "src/lower/pte/builder.h"

namespace noclobber {

void run(PteBuilder& p, std::size_t begin, std::size_t end);
std::optional<Arg> plain_argument(PteBuilder& p, std::uint32_t id, const SchemaSlot& slot);

}  // namespace noclobber
