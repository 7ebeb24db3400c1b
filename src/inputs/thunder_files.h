// Recorded traces of Lightning Thunder in a directory.
#pragma once
#include <string>
#include <vector>

#include "src/lower/checks.h"

namespace noclobber {

/// Files NN_PASS.trace.txt in the directory, and numbered text files that begin like a trace, in their order.
std::vector<std::string> thunder_traces_in(const std::string& directory);
/// Its numbered traces (those of the backward are called bwNN_...) with its inputs.json.
std::vector<TraceCheck> read_thunder_directory(const std::string& directory);
/// The text of the inputs.json in the folder of a trace, or "".
std::string thunder_inputs_beside(const std::string& path);

}  // namespace noclobber
