// Recorded traces of Lightning Thunder in a directory.
#pragma once
#include <string>
#include <vector>

#include "src/lower/checks.h"

namespace noclobber {

/// The traces in the directory, in order: files NN_PASS.trace.txt, and numbered text files that begin like a
/// trace.
std::vector<std::string> thunder_traces_in(const std::string& directory);
/// Reads the numbered traces of the directory (backward traces are named bwNN_...) with its inputs.json.
std::vector<TraceCheck> read_thunder_directory(const std::string& directory);
/// The text of inputs.json in the folder of a trace, or "".
std::string thunder_inputs_beside(const std::string& path);

}  // namespace noclobber
