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

  /// Of all members, in order of the archive.
  const std::vector<std::string>& names() const { return names_; }
  /// The member whose path is `path`, below whatever folder the archive has as its root. "" if there is none.
  std::string find(std::string_view path) const;
  /// Bound: `max_bytes` after unpacking. error: `where` is the member.
  Result<std::string> read(const std::string& name, std::size_t max_bytes) const;
  /// In bytes after unpacking, as the archive says; nothing for a member that it does not have.
  std::optional<std::size_t> size(const std::string& name) const;

 private:
  struct Closer {
    void operator()(zip* archive) const;
  };
  std::unique_ptr<zip, Closer> zip_;
  std::size_t size_ = 0;  // bytes of the archive
  std::vector<std::string> names_;
};

/// Do the bytes begin as a zip archive does?
bool is_zip(std::string_view bytes);

}  // namespace noclobber
