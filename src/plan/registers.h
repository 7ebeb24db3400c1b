// Is a register program sound in itself? Nothing is read that nothing wrote, on any path; constants keep what
// they hold; what the caller gives, takes and what lasts are registers of those kinds, each once.
#pragma once
#include "src/graph/registers.h"
#include "src/plan/plan.h"

namespace noclobber {

PlanAnswer check_registers(const RegisterProgram& program);

/// Positions in the main chain of instructions whose results no instruction reads and nobody takes, also not
/// through each other. Chains that are run, and kinds of instructions that are not known, read everything.
std::vector<std::size_t> dead_steps(const RegisterProgram& program);

/// How many instructions all chains have.
std::size_t steps_of(const RegisterProgram& program);

/// The same for the checker: a Trace of one graph. What all instructions read runs through one storage, which
/// is returned with the outputs: it is defined only if each register was written before it is read. Nothing:
/// chains are entered too often.
std::optional<Trace> trace_of(const RegisterProgram& program);

}  // namespace noclobber
