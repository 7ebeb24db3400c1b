// Python expressions as trees: names, literals, tuples, lists, dicts, calls. Thunder prints its traces in
// this form, and sympy's srepr prints sizes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/text/cursor.h"

namespace noclobber {

struct PythonEntry;

struct PythonExpr {
  enum class Kind : std::uint8_t {
    name,  // dotted: "t6", "dtypes.float32"
    integer,
    real,
    boolean,
    none,
    text,
    ellipsis,
    sequence,  // tuple or list
    dict,
    call,   // text: the callee
    opaque  // read, but without meaning for storages: subscripts, attributes of calls
  };
  Kind kind = Kind::none;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  bool list = false;                 // of a sequence: in brackets; as an index it is one tensor
  std::vector<PythonExpr> items;     // sequence; positional arguments of a call
  std::vector<PythonEntry> entries;  // dict; keyword arguments of a call
  std::size_t at = 0;                // offset in the text

  bool is_name(std::string_view wanted) const { return kind == Kind::name && text == wanted; }
  /// The argument of a call or the entry of a dict, or nullptr.
  const PythonExpr* entry(std::string_view key) const;
};

/// Not a std::pair, which asks whether PythonExpr can be copied while that type is still incomplete.
struct PythonEntry {
  std::string first;
  PythonExpr second;
};

/// Reads one expression, or several joined by commas (then a sequence). The cursor ends after it, on the same
/// line. Faults are recorded in the cursor. Bound: 64 nested brackets.
PythonExpr python_expressions(FxCursor& cursor);
/// Reads exactly one, no bare tuple, with at most `deepest` nested brackets.
PythonExpr python_expression(FxCursor& cursor, int deepest = 64);

}  // namespace noclobber
