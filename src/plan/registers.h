// Is a register program sound in itself? Nothing is read that nothing wrote, on any path; constants keep what
// they hold; what the caller gives, takes and what lasts are registers of those kinds, each once.
#pragma once
#include "src/graph/registers.h"
#include "src/plan/plan.h"

namespace noclobber {

PlanAnswer check_registers(const RegisterProgram& program);

}  // namespace noclobber
