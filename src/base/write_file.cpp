#include "src/base/write_file.h"

#include <cerrno>

namespace noclobber {

bool put_and_close(std::FILE* file, std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int why = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = why;
  return written && closed;
}

bool write_file(const std::string& path, std::string_view text) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  return file != nullptr && put_and_close(file, text);
}

}  // namespace noclobber
