#include "src/run/output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "src/run/settings.h"

namespace noclobber {

bool write_or_error(const std::string& path, std::string_view text) {
  const auto failed = [&](const std::string& why) {
    print_error(path, "", "cannot be written: " + why);
    return false;
  };
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code missing;
  if (!folder.empty()) std::filesystem::create_directories(folder, missing);
  if (missing) return failed(missing.message());
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return failed(std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int why = errno;
  if (std::fclose(file) == 0 && written) return true;
  return failed(std::strerror(written ? errno : why));
}

void write_out(std::FILE* file, std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), file) == text.size());
}

}  // namespace noclobber
