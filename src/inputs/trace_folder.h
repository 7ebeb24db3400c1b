// Folders that PyTorch's tools write.
#pragma once
#include <string>
#include <string_view>

#include "src/lower/checks.h"

namespace noclobber {

/// A folder that tlparse wrote, or one compilation's folder in it: the records of raw.jsonl with the files
/// they name, or without it whatever graphs the compilations' folders hold. Its graphs are left unread.
TraceLog read_tlparse_folder(const std::string& path);
/// A folder of TORCH_COMPILE_DEBUG: fx_graph_readable.py and fx_graph_transformed.py are a pair, and
/// fx_graph_runnable.py tells which inputs share storage.
TraceLog read_debug_folder(const std::string& path);
/// "-_0_0_0", "0_0_0", "unknown_17": how tlparse calls the folder of a compilation.
bool is_compilation_folder(std::string_view name);

}  // namespace noclobber
