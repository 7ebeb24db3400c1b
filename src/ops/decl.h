// The operators of one Case: PyTorch's vocabulary and the declarations of the Case (or --ops FILE).
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/ops/schema.h"

namespace noclobber {

/// A declaration that is consistent with its own schema. In `decl`, `functional` is a full operator name or
/// "" and `result` is empty or has one entry per result of the schema.
struct DeclaredOp {
  Schema schema;
  OpDecl decl;
};

/// True if both declarations agree in everything but the schema.
bool declared_alike(const OpDecl& a, const OpDecl& b);

/// Checks a declaration against its schema. error: `where` is a JSON pointer that begins with `place`.
Result<DeclaredOp> declare_op(const OpDecl& decl, const std::string& place);

/// True if the operator reads the old contents of a written argument. By default true unless it is
/// keyword-only (`out`).
bool reads_old(const OpDecl& decl, const SchemaSlot& slot);
/// True if elements of a written argument may keep their old contents. By default true unless it is
/// keyword-only (`out`).
bool writes_some(const OpDecl& decl, const SchemaSlot& slot);

class OpSet {
 public:
  /// nullptr if the operator is unknown. A missing overload means "default". The pointer stays valid as long
  /// as this set, or the set it is moved to.
  const Schema* find(std::string_view op) const;
  /// nullptr if the operator is not declared.
  const OpDecl* declaration(std::string_view op) const;
  /// As functional_op(). A declared operator without `functional` stands for itself, unless it writes and the
  /// vocabulary knows its functional form.
  std::string functional(std::string_view op) const;
  std::span<const DeclaredOp> declared() const { return declared_; }

 private:
  friend Result<OpSet> make_op_set(std::span<const OpDecl> decls);
  const DeclaredOp* find_declared(std::string_view op) const;

  std::vector<DeclaredOp> declared_;  // sorted by schema.op
};

/// error: `where` is "/ops/N/...". A repeated declaration is fine; two different ones of a name are an error,
/// and so is one that contradicts a built-in operator.
Result<OpSet> make_op_set(std::span<const OpDecl> decls);

/// Reads an --ops file: one schema per line ("#" begins a comment line), or a JSON array of OPDECL. error:
/// `where` is "line N" or a JSON pointer.
Result<std::vector<OpDecl>> read_ops_file(std::string_view text);

/// "zoo::scale", "zoo.scale" or "zoo::scale.default" as "zoo.scale.default"; "" if it is not a name.
std::string full_op_name(std::string_view text);
/// The JSON pointer of the member `key` of the object at `place`.
std::string member_pointer(const std::string& place, std::string_view key);

}  // namespace noclobber
