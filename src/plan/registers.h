// Checks that a register program is sound in itself. On no path is a register read before it is written;
// constants keep their contents; inputs, outputs and states are registers of those kinds, each listed once.
#pragma once
#include "src/graph/registers.h"
#include "src/plan/plan.h"

namespace noclobber {

PlanAnswer check_registers(const RegisterProgram& program);

/// Positions in the main chain of instructions whose results are dead: not read by a live instruction, not
/// returned and not state. Instructions that run chains, and instructions of an unknown kind, count as
/// reading every register.
std::vector<std::size_t> dead_steps(const RegisterProgram& program);

/// The number of instructions of all chains.
std::size_t steps_of(const RegisterProgram& program);

/// The same check for the checker: a Trace of one graph. All reads of all instructions run through one
/// storage, which is returned with the outputs: it is defined only if each register was written before it is
/// read. Empty if chains are entered too often.
std::optional<Trace> trace_of(const RegisterProgram& program);

}  // namespace noclobber
