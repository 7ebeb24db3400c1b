// What pictures of a finding are drawn from: lanes, the slice, view chains, types.
#pragma once
#include <string>

#include "src/graph/case.h"
#include "src/interp/replay.h"
#include "src/report/record.h"

namespace noclobber {

/// "i64[4,6], 192 B" of the input or value of that name; no bytes where sizes are symbols, "" if the dump
/// does not say.
std::string type_and_bytes(const Graph& graph, const std::string& name);

/// What the witness says of the storages at fault, and its inputs in numbers.
void put_lanes(Finding& out, const Witness& w);

/// Slice, view chains and types. require: places and lanes of the finding.
/// The slice: the steps that the finding names and those that its lanes name, in order; what `before` makes
/// comes last.
void put_picture(Finding& finding, const Case& value);

/// What the step is told to make, else what its result is described as; `other` where nothing says it.
Dtype dtype_made(const Graph& graph, std::uint32_t step);

}  // namespace noclobber
