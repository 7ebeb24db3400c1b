#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "src/text/file.h"

namespace noclobber {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

Diagnostic too_large(const std::string& path, std::size_t max_bytes) {
  return {path, "is larger than " + std::to_string(max_bytes) + " bytes"};
}

Result<std::string> read_stream(std::FILE* file, const std::string& path, std::size_t max_bytes) {
  std::string bytes;
  std::array<char, kChunk> chunk;
  struct stat known {};  // a file of known size is read without a second copy
  if (::fstat(::fileno(file), &known) == 0 && S_ISREG(known.st_mode) && known.st_size > 0 &&
      static_cast<std::size_t>(known.st_size) <= max_bytes) {
    bytes.resize(static_cast<std::size_t>(known.st_size));
    bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  }
  while (const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), file)) {
    if (size > max_bytes - bytes.size()) return too_large(path, max_bytes);
    bytes.append(chunk.data(), size);
  }
  if (std::ferror(file)) return Diagnostic{path, std::string("cannot be read: ") + std::strerror(errno)};
  return bytes;
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// Unpacks the gzip member at byte `at` of `packed`, appends it to `out` and moves `at` after it. Returns
/// zlib's last status; Z_MEM_ERROR also means that `max_bytes` is exceeded.
int inflate_member(z_stream& stream, std::string_view packed, std::size_t& at, std::string& out,
                   std::size_t max_bytes) {
  std::array<char, kChunk> chunk;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t take = std::min(packed.size() - at, kChunk);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + at));
    stream.avail_in = static_cast<uInt>(take);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = kChunk;
    state = inflate(&stream, Z_NO_FLUSH);
    at += take - stream.avail_in;
    const std::size_t made = kChunk - stream.avail_out;
    if (made > max_bytes - out.size()) return Z_MEM_ERROR;
    out.append(chunk.data(), made);
  }
  return state;
}

/// Unpacks all members; zeros after the last one are padding.
Result<std::string> gunzip(std::string_view packed, const std::string& path, std::size_t max_bytes) {
  std::string out;
  std::size_t at = 0;
  while (at < packed.size() && is_gzip(packed.substr(at))) {
    z_stream stream{};
    constexpr int kGzipOnly = 15 + 16;
    if (inflateInit2(&stream, kGzipOnly) != Z_OK)
      return Diagnostic{path, "cannot be unpacked: out of memory"};
    const int state = inflate_member(stream, packed, at, out, max_bytes);
    const std::string reason = stream.msg ? stream.msg : "it ends too early";
    inflateEnd(&stream);
    if (state == Z_MEM_ERROR) return too_large(path, max_bytes);
    if (state != Z_STREAM_END) return Diagnostic{path, "cannot be unpacked: " + reason};
  }
  if (packed.find_first_not_of('\0', at) != packed.npos)
    return Diagnostic{path, "cannot be unpacked: other bytes follow the gzip data"};
  return out;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
  const bool is_input = path == "-";
  std::FILE* const file = is_input ? stdin : std::fopen(path.c_str(), "rb");
  if (!file) return Diagnostic{path, std::string("cannot be opened: ") + std::strerror(errno)};
  auto bytes = read_stream(file, path, max_bytes);
  if (!is_input) std::fclose(file);
  if (!bytes || !is_gzip(*bytes)) return bytes;
  return gunzip(*bytes, path, max_bytes);
}

std::string stem_of(const std::string& path) {
  if (path == "-") return "stdin";
  std::string name = std::filesystem::path(path).filename().string();
  for (const std::string_view ending :
       {".gz", ".json", ".txt", ".csv", ".pte", ".log", ".case", ".trace", ".pt2"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

}  // namespace noclobber
