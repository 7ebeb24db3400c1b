// The boundary of a graph: contents of inputs, outputs, final contents.
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

/// Prefix of an error of write_finals.
inline constexpr std::string_view kLeftMisfit = "what is left in ";

void make_inputs(Machine& m, Frame& frame);
void write_finals(Machine& m, Frame& frame);
void make_outputs(Machine& m, Frame& frame);

}  // namespace noclobber
