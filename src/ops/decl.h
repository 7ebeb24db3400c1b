// The operators of one Case: PyTorch's vocabulary and what the Case (or --ops FILE) declares itself.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/ops/schema.h"

namespace noclobber {

/// A declaration that agrees with its own schema. In `decl`, `functional` is a full operator name or ""
/// and `result` is empty or has one entry per result of the schema.
struct DeclaredOp {
  Schema schema;
  OpDecl decl;
};

/// Do both say the same of their operator, whatever its schema is?
bool declared_alike(const OpDecl& a, const OpDecl& b);

/// error: `where` is a JSON pointer that begins with `place`.
Result<DeclaredOp> declare_op(const OpDecl& decl, const std::string& place);

/// Do the old contents of a written argument matter? By default all but those of a keyword-only `out`.
bool reads_old(const OpDecl& decl, const SchemaSlot& slot);
/// May elements of a written argument keep what they held? By default those of all but a keyword-only `out`.
bool writes_some(const OpDecl& decl, const SchemaSlot& slot);

class OpSet {
 public:
  /// The pointer stays valid as long as this set, or the set it is moved to; nullptr: unknown operator.
  /// A missing overload means "default".
  const Schema* find(std::string_view op) const;
  /// nullptr for operators that are not declared.
  const OpDecl* declaration(std::string_view op) const;
  /// As functional_op; a declared operator without `functional` stands for itself.
  std::string functional(std::string_view op) const;
  std::span<const DeclaredOp> declared() const { return declared_; }

 private:
  friend Result<OpSet> make_op_set(std::span<const OpDecl> decls);
  const DeclaredOp* find_declared(std::string_view op) const;

  std::vector<DeclaredOp> declared_;  // sorted by schema.op
};

/// error: `where` is "/ops/N/...". The same declaration twice is fine, two different ones of a name are not,
/// nor is one of an operator that is built in and otherwise.
Result<OpSet> make_op_set(std::span<const OpDecl> decls);

/// The content of an --ops file: one schema per line ("#" begins a comment line), or a JSON array of
/// OPDECL. error: `where` is "line N" or a JSON pointer.
Result<std::vector<OpDecl>> read_ops_file(std::string_view text);

/// "zoo::scale", "zoo.scale" or "zoo::scale.default" as "zoo.scale.default"; "" if it is no name.
std::string full_op_name(std::string_view text);
/// The JSON pointer of the member `key` of what stands at `place`.
std::string member_pointer(const std::string& place, std::string_view key);

}  // namespace noclobber
