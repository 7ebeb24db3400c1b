// The cursor behind parse_schema(): one method per piece of the grammar. Each returns false after a fault.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/ops/schema.h"

namespace noclobber {

/// A type as read, before it is assigned to an argument or a return.
struct TypeReading {
  std::string base;      // innermost name: "Tensor", "SymInt", "Dict"
  std::string text;      // without alias marks
  std::string spelling;  // with alias marks
  std::string alias;     // of the innermost mark
  bool written = false;  // true if any mark has a "!"
  bool list = false;
  std::optional<std::int64_t> list_size;  // of the outermost list: 2 of "int[2]"
};

/// Bounds for hostile text: the depth of nested types and defaults, and the N that `int[N] x=1` repeats.
inline constexpr int kMaxSchemaDepth = 16;
inline constexpr std::int64_t kMaxSizedList = 64;

class SchemaReader {
 public:
  explicit SchemaReader(std::string_view text) : text_(text) {}
  Result<Schema> read();

 private:
  // Pieces of text. All but `at` and the two `take`s record a fault when they fail.
  bool fail(std::string message);
  void skip_space();
  bool at(char c);
  bool take(char c);
  bool take(std::string_view word);
  bool expect(char c);
  std::string_view identifier();  // "" if there is none; no fault
  bool expect_identifier(std::string& into, std::string_view what);

  // schema.cpp
  bool read_name(Schema& schema);
  bool read_arguments(std::vector<SchemaSlot>& into);
  bool read_argument(SchemaSlot& slot);
  bool read_returns(std::vector<SchemaSlot>& into);
  bool read_return(SchemaSlot& slot);

  // schema_type.cpp
  bool read_type(TypeReading& type, int depth = 0);
  bool read_type_name(TypeReading& type, int depth);
  bool read_type_parameters(TypeReading& type, int depth);
  bool read_suffix(TypeReading& type, bool& again);
  bool read_alias(TypeReading& type);
  bool read_alias_set(std::string& into);

  // schema_default.cpp
  bool read_default(const TypeReading& type, Arg& into);
  bool read_list(const TypeReading& type, Arg& into, int depth);
  bool read_single(const TypeReading& type, Arg& into);
  bool read_text(std::string& into);
  bool read_escape(std::string& into);
  bool read_number(const TypeReading& type, Arg& into);
  bool read_word(const TypeReading& type, std::string_view word, bool negative, Arg& into);

  std::string_view text_;
  std::size_t at_ = 0;
  int fresh_aliases_ = 0;  // for "Tensor! x", which names no set
  std::optional<Diagnostic> fault_;
};

/// The numbers that PyTorch prints for enumerators, both ways; empty if the enumeration has no such member.
std::optional<Dtype> dtype_of_code(std::int64_t code);
std::optional<std::int64_t> code_of_dtype(Dtype type);
/// `base` is "MemoryFormat" or "Layout".
std::optional<std::string> word_of_code(std::string_view base, std::int64_t code);
std::optional<std::int64_t> code_of_word(std::string_view base, std::string_view word);

}  // namespace noclobber
