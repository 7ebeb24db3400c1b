// Advice about the orders of a graph. It is reported beside the verdict and never changes it.
#pragma once
#include "src/check/decided.h"
#include "src/report/record.h"

namespace noclobber {

/// If another order was refuted: reports dependences that make every order right, also as help of the
/// findings. If there are barriers: reports those that order nothing.
void advise_order(CheckRecord& record, const Case& value, Engine& engine);
/// The place of a step of `after`.
FindingPlace place_of_statement(const Graph& graph, std::uint32_t step);

}  // namespace noclobber
