// The writes of the forward statements of a trace, classified by their effect on gradients. Internal to
// lower/thunder.
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/formats/thunder/text.h"

namespace noclobber {

class ThunderWrites {
 public:
  /// The most severe write to a tensor: `shift` adds numbers, `sum` adds tensors.
  enum class Kind : std::uint8_t { none, shift, sum, other };
  explicit ThunderWrites(std::span<const ThunderStatement> statements);
  /// The writes of the statements from the `at`-th on to any tensor that may alias this name. Names that may
  /// share storage are taken to be one tensor. Linear in the number of writes.
  Kind since(std::size_t at, const std::string& name) const;
  /// The writes of the statements before the `at`-th to any tensor that may alias this name, through names
  /// that it does not derive from. Derivatives follow names, so that of this name misses such a write.
  Kind behind_its_back(std::size_t at, const std::string& name) const;

 private:
  struct Write {
    std::size_t at = 0;
    std::string to, result;
    Kind kind = Kind::other;
  };
  void note(std::size_t at, const ThunderStatement& s);
  void note_leaf(std::size_t at, const ThunderStatement& s);
  void join(const std::string& name, const std::string& from);
  std::string root(std::string name) const;
  std::set<std::string> sources_of(const std::string& name) const;
  Kind kind_of(const ThunderStatement& copy) const;

  std::vector<Write> writes_;
  std::map<std::string, std::string> parent_;
  std::map<std::string, std::set<std::string>> from_;  // names of one tensor: those that a name derives from
  std::map<std::string, const ThunderStatement*> made_by_;
};

/// True if the result of this prim is a tensor of its own.
bool thunder_result_is_fresh(const std::string& name);

/// Calls `visit` with every name in an expression, in the order of the text.
void each_thunder_name(const PythonExpr& expr, const auto& visit) {
  if (expr.kind == PythonExpr::Kind::name) visit(expr.text);
  for (const PythonExpr& item : expr.items) each_thunder_name(item, visit);
  for (const auto& [key, value] : expr.entries) each_thunder_name(value, visit);
}

using ThunderRenamed = std::map<std::string, std::string>;
/// Renames what an expression reads.
void rename_thunder(PythonExpr& expr, const ThunderRenamed& names);
/// Renames what a statement reads, and what the lines below it read until they bind such a name themselves.
void rename_thunder(ThunderStatement& s, const ThunderRenamed& names);

}  // namespace noclobber
