// What the forward statements of a trace write, as far as gradients care. Internal to thunder_*.cpp.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "src/formats/thunder_text.h"

namespace noclobber {

class ThunderWrites {
 public:
  /// What happened to a tensor, the worst of it: `shift` adds numbers, `sum` adds tensors.
  enum class Kind : std::uint8_t { none, shift, sum, other };
  explicit ThunderWrites(std::span<const ThunderStatement> statements);
  /// Of the statements from the `at`-th on, to what may be the tensor of this name. Names that may share
  /// storage are taken to be one tensor. Linear in the number of writes.
  Kind since(std::size_t at, const std::string& name) const;

 private:
  struct Write {
    std::size_t at = 0;
    std::string to;
    Kind kind = Kind::other;
  };
  void note(std::size_t at, const ThunderStatement& s);
  void note_leaf(std::size_t at, const ThunderStatement& s);
  void join(const std::string& a, const std::string& b);
  std::string root(std::string name) const;
  Kind kind_of(const ThunderStatement& copy) const;

  std::vector<Write> writes_;
  std::map<std::string, std::string> parent_;
  std::map<std::string, const ThunderStatement*> made_by_;
};

/// Is the result of this prim a tensor of its own?
bool thunder_result_is_fresh(const std::string& name);

}  // namespace noclobber
