// Files that are written whole. Both functions leave the reason for a failure in errno.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace noclobber {

/// Writes the text and closes the file. False if either fails.
bool put_and_close(std::FILE* file, std::string_view text);

/// Writes a file of that text. False if that fails.
bool write_file(const std::string& path, std::string_view text);

}  // namespace noclobber
