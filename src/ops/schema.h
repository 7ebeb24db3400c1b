// PyTorch's schema language, the source of effects: which arguments are written, and which results are views.
//
//   aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
//
// The vocabulary (vocabulary.cpp, generated from corpus/schemas) holds, as text, every schema that PyTorch
// and some of its libraries register. A schema is parsed at its first use.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// One argument or one return value. A type_text of "..." stands for any number of them, without names;
/// higher-order operators have no other slot, and print as "(...) -> ...".
struct SchemaSlot {
  enum class Type : std::uint8_t { tensor, tensor_list, other };
  std::string name;         // "" for most returns
  Type type = Type::other;  // optional tensors and lists of optional tensors count as tensor / tensor_list
  std::string type_text;    // "Tensor?", "SymInt[]", "ScalarType?"
  std::string alias;        // alias set: "a"; "" = none
  bool written = false;     // "(a!)"
  bool keyword_only = false;
  std::optional<Arg> fallback;  // default value
  std::string spelling;         // the type with its alias marks: "Tensor(a! -> *)[]"
};

enum class Tag : std::uint16_t {
  pointwise = 1,
  inplace_view = 2,
  nondeterministic_seeded = 4,
  maybe_aliasing_or_mutating = 8,
  view_copy = 16,
  data_dependent_output = 32,
  dynamic_output_shape = 64,
  out = 128,
  inplace = 256,
  core = 512,
  reduction = 1024,
  higher_order = 2048,
};

struct Schema {
  std::string op;  // "aten.add_.Tensor"; overload "default" spelt out
  std::string ns, name, overload;
  std::vector<SchemaSlot> arguments;
  std::vector<SchemaSlot> returns;
  std::uint16_t tags = 0;
  bool has(Tag tag) const { return (tags & static_cast<std::uint16_t>(tag)) != 0; }
  bool writes() const;  // true if any argument is written
};

/// Parses one schema string ("ns::name.overload(...) -> ..."). error: `where` is "column N".
Result<Schema> parse_schema(std::string_view text);

/// One line that parse_schema() parses to the same schema.
std::string schema_text(const Schema& schema);

/// The vocabulary's schema of `op` ("aten.add.Tensor"; a missing overload means "default"), or nullptr. The
/// pointer stays valid for the whole run. Thread-safe.
const Schema* find_schema(std::string_view op);
/// True if the vocabulary has a schema of `op`. Does not parse it.
bool has_schema(std::string_view op);
/// Every operator name of the vocabulary, sorted.
std::span<const std::string_view> vocabulary();
/// Digest of the vocabulary's text (FNV-1a 64, hex; not sha256), part of table_digest.
std::string vocabulary_digest();

/// The pure operator that computes the same contents as an in-place or out operator of the vocabulary:
/// aten.add_.Tensor -> aten.add.Tensor, aten.mm.out -> aten.mm.default, aten._foreach_add_.List ->
/// aten._foreach_add.List. The operator itself if it writes nothing; "" if there is none. An overload whose
/// name differs (add_.Scalar/add.Scalar, scatter_.src/scatter.src) is matched by argument types. It takes the
/// same arguments except the keyword-only written ones. Its first results are those that the operator does
/// not merely return (or the keyword-only written ones), then the other written ones in order.
std::string functional_op(std::string_view op);
/// The operator that an operator over lists applies to each item: aten.mul.Scalar for
/// aten._foreach_mul.ScalarList, with every list replaced by its item. "" if no operator takes such
/// arguments.
std::string item_op(std::string_view op);
/// For each argument of `item`, the operator named by item_op(): the argument of `list` that it takes. Empty:
/// its default.
std::vector<std::optional<std::size_t>> item_places(const Schema& list, const Schema& item);

/// The arguments of a step in the order of the schema's arguments, with defaults filled in. Absent optional
/// arguments without a default are Arg::Kind::none. Keyword-only arguments may come by position. A "..."
/// binds a list: the other positional values, then a list [name, value] for each keyword. error: too many,
/// unknown keyword, missing, given twice (`where` is the argument's name).
Result<std::vector<Arg>> bind_arguments(const Schema& schema, const Step& step);

}  // namespace noclobber
