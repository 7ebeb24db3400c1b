// Operators whose effects are not on storages: assertions, collectives, host reads, random draws; and lists
// of calls (_foreach_*).
#pragma once
#include "src/interp/run_machine.h"

namespace noclobber {

void note_effect(Machine& m, const Invocation& invocation, std::uint64_t extra,
                 const std::string& device = "");
bool run_special(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);
bool run_foreach(Machine& m, Frame& frame, const Step& step, const Invocation& invocation);

}  // namespace noclobber
