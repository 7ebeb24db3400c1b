// Output that may fail: files, and streams to a full disk.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace noclobber {

/// Prints an error that names the file and the reason in errno. Returns false.
bool not_written(const std::string& path);

/// Writes a file, and the folders above it if they are missing. Prints an error that names the file and
/// returns false if that fails.
bool write_or_error(const std::string& path, std::string_view text);

/// Writes to a stream and never throws, which a thread could not handle: a failure stays in
/// std::ferror(file), and flush_output() and records_written() tell it at the end.
void write_out(std::FILE* file, std::string_view text);

}  // namespace noclobber
