// Folders that PyTorch's tools write.
#pragma once
#include <string>
#include <string_view>

#include "src/lower/checks.h"

namespace noclobber {

/// Reads a folder that tlparse wrote, or the folder of one compilation in it: the records of raw.jsonl and
/// the files that they name, or without raw.jsonl the graph files of the compilations' folders. The graphs
/// are not parsed yet.
TraceLog read_tlparse_folder(const std::string& path);
/// Reads a folder of TORCH_COMPILE_DEBUG: fx_graph_readable.py and fx_graph_transformed.py are a pair, and
/// fx_graph_runnable.py states which inputs share storage.
TraceLog read_debug_folder(const std::string& path);
/// True if tlparse names the folder of a compilation like this: "-_0_0_0", "0_0_0", "unknown_17".
bool is_compilation_folder(std::string_view name);

}  // namespace noclobber
