#include "src/text/zip.h"

#include <zip.h>

#include <algorithm>
#include <utility>

namespace noclobber {
namespace {

constexpr std::size_t kMostMembers = 1000000;
constexpr std::size_t kMostGrowth = 1100;  // unpacked bytes per deflated byte, at most
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string zip_message(zip_error_t& error) {
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

struct MemberCloser {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }

void Pt2Archive::Closer::operator()(zip* archive) const { zip_discard(archive); }

Result<Pt2Archive> Pt2Archive::open(std::string_view bytes) {
  const std::string end = "byte " + std::to_string(bytes.size());  // the table of members is at the end
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (!source) return Diagnostic{end, "the archive cannot be opened: " + zip_message(error)};
  Pt2Archive result;
  result.size_ = bytes.size();
  result.zip_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (!result.zip_) {
    zip_source_free(source);
    return Diagnostic{end, "the archive cannot be opened: " + zip_message(error)};
  }
  const zip_int64_t count = zip_get_num_entries(result.zip_.get(), 0);
  if (count < 0 || static_cast<std::size_t>(count) > kMostMembers)
    return Diagnostic{end, "the archive has too many members"};
  for (zip_int64_t k = 0; k < count; ++k) {
    const char* name = zip_get_name(result.zip_.get(), static_cast<zip_uint64_t>(k), 0);
    result.names_.emplace_back(name ? name : "");
  }
  return result;
}

std::string Pt2Archive::find(std::string_view path) const {
  const std::string below = "/" + std::string(path);
  for (const std::string& name : names_) {
    const bool is_below = name.ends_with(below) && name.find('/') == name.size() - below.size();
    if (name == path || is_below) return name;
  }
  return "";
}

std::optional<std::size_t> Pt2Archive::size(const std::string& name) const {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(zip_.get(), name.c_str(), 0, &stat) != 0 || !(stat.valid & ZIP_STAT_SIZE)) return std::nullopt;
  return stat.size;
}

Result<std::string> Pt2Archive::read(const std::string& name, std::size_t max_bytes) const {
  const auto bytes = size(name);
  if (!bytes) return Diagnostic{name, "is not in the archive"};
  if (*bytes > max_bytes) return Diagnostic{name, "is larger than " + std::to_string(max_bytes) + " bytes"};
  const std::unique_ptr<zip_file_t, MemberCloser> file(zip_fopen(zip_.get(), name.c_str(), 0));
  const auto fault = [&](const char* why) {
    return Diagnostic{name, std::string("cannot be unpacked: ") + why};
  };
  if (!file) return fault(zip_strerror(zip_.get()));
  std::string text;  // grows as bytes come: the size that an archive gives may be far too large
  text.reserve(std::min(*bytes, kMostGrowth * size_));
  while (text.size() < *bytes) {
    const std::size_t at = text.size(), piece = std::min(*bytes - at, kPiece);
    text.resize(at + piece);
    const zip_int64_t got = zip_fread(file.get(), text.data() + at, piece);
    if (got < 0) return fault(zip_file_strerror(file.get()));
    if (got == 0) return fault("it ends too early");
    text.resize(at + static_cast<std::size_t>(got));
  }
  char more = 0;  // the checksum is verified only at the end
  if (zip_fread(file.get(), &more, 1) != 0) return fault("its size or its checksum is wrong");
  return text;
}

}  // namespace noclobber
