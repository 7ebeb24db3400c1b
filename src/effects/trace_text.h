// A Trace as lines of text, as `noclobber trace` prints it.
#pragma once
#include <string>

#include "src/trace/trace.h"

namespace noclobber {

/// Storages, views where they are used, steps with what they read and write, outputs; one fact a line.
std::string text_of(const Space& space, const Trace& trace);

}  // namespace noclobber
