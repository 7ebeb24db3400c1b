// The data that pictures of a finding are drawn from: lanes, the slice, view chains, types.
#pragma once
#include <string>

#include "src/graph/case.h"
#include "src/interp/replay.h"
#include "src/report/record.h"

namespace noclobber {

/// The type of the input or value of that name, as "i64[4,6], 192 B"; without bytes if a size is symbolic, ""
/// if the dump does not state it.
std::string type_and_bytes(const Graph& graph, const std::string& name);

/// Adds the lanes of the storages at fault, and the witness's inputs in numbers.
void put_lanes(Finding& out, const Witness& w);

/// Adds the slice, view chains and types. require: places and lanes of the finding. The slice is the steps
/// that the finding and its lanes name, in order; the step of `before` comes last.
void put_picture(Finding& finding, const Case& value);

/// The dtype that the step is told to make, else the one of its result's type; `other` if neither is known.
Dtype dtype_made(const Graph& graph, std::uint32_t step);

}  // namespace noclobber
