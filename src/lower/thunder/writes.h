// What the forward statements of a trace write, as far as gradients care. Internal to thunder_*.cpp.
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
  /// What happened to a tensor, the worst of it: `shift` adds numbers, `sum` adds tensors.
  enum class Kind : std::uint8_t { none, shift, sum, other };
  explicit ThunderWrites(std::span<const ThunderStatement> statements);
  /// Of the statements from the `at`-th on, to what may be the tensor of this name. Names that may share
  /// storage are taken to be one tensor. Linear in the number of writes.
  Kind since(std::size_t at, const std::string& name) const;
  /// Of the statements before the `at`-th, to what may be the tensor of this name, by names that it does not
  /// come from: derivatives are made along names, so this one does not know of them.
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
  std::map<std::string, std::set<std::string>> from_;  // names of one tensor: which a name was made from
  std::map<std::string, const ThunderStatement*> made_by_;
};

/// Is the result of this prim a tensor of its own?
bool thunder_result_is_fresh(const std::string& name);

/// Calls `visit` with every name in an expression, in the order of the text.
void each_thunder_name(const PythonExpr& expr, const auto& visit) {
  if (expr.kind == PythonExpr::Kind::name) visit(expr.text);
  for (const PythonExpr& item : expr.items) each_thunder_name(item, visit);
  for (const auto& [key, value] : expr.entries) each_thunder_name(value, visit);
}

using ThunderRenamed = std::map<std::string, std::string>;
/// Other names for what an expression reads.
void rename_thunder(PythonExpr& expr, const ThunderRenamed& names);
/// For what a statement reads, and the lines below it as long as they bind no such name themselves.
void rename_thunder(ThunderStatement& s, const ThunderRenamed& names);

}  // namespace noclobber
