// What to do about the orders of a graph: reported beside the verdict, which it never changes.
#pragma once
#include "src/check/decided.h"
#include "src/report/record.h"

namespace noclobber {

/// Where another order was refuted: dependences that make every order right, also as help of the findings.
/// Where there are barriers: those that order nothing.
void advise_order(CheckRecord& record, const Case& value, Engine& engine);
/// A step as a place in `after`.
FindingPlace place_of_statement(const Graph& graph, std::uint32_t step);

}  // namespace noclobber
