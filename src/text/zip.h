// A zip archive in memory, as torch.export writes it. Only this file's source includes libzip.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"

struct zip;

namespace noclobber {

class Pt2Archive {
 public:
  /// require: `bytes` outlive the archive. error: `where` is empty.
  static Result<Pt2Archive> open(std::string_view bytes);

  /// Names of all members, in the order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  /// The name of the member with this path, or with it below the archive's root folder. "" if there is none.
  std::string find(std::string_view path) const;
  /// The contents of a member. Bound: `max_bytes` after unpacking. error: `where` is the member.
  Result<std::string> read(const std::string& name, std::size_t max_bytes) const;
  /// Unpacked size in bytes, as the archive gives it; empty if there is no such member.
  std::optional<std::size_t> size(const std::string& name) const;

 private:
  struct Closer {
    void operator()(zip* archive) const;
  };
  std::unique_ptr<zip, Closer> zip_;
  std::size_t size_ = 0;  // bytes of the archive
  std::vector<std::string> names_;
};

/// True if the bytes begin like a zip archive.
bool is_zip(std::string_view bytes);

}  // namespace noclobber
