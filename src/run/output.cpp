#include "src/run/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "src/base/write_file.h"
#include "src/run/settings.h"

namespace noclobber {

bool not_written(const std::string& path) {
  print_error(path, "", std::string("cannot be written: ") + std::strerror(errno));
  return false;
}

bool write_or_error(const std::string& path, std::string_view text) {
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code missing;
  if (!folder.empty()) std::filesystem::create_directories(folder, missing);
  if (missing) errno = missing.value();
  return (!missing && write_file(path, text)) || not_written(path);
}

void write_out(std::FILE* file, std::string_view text) { std::fwrite(text.data(), 1, text.size(), file); }

}  // namespace noclobber
