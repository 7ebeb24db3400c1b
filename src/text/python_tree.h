// Expressions of Python as trees: names, literals, tuples, lists, dicts, calls. Thunder writes its traces so,
// and sympy's srepr sizes.
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
    opaque  // what is read but has no meaning for storages: subscripts, attributes of calls
  };
  Kind kind = Kind::none;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  bool list = false;                 // of a sequence: in brackets, which as an index is one tensor
  std::vector<PythonExpr> items;     // sequence; positional arguments of a call
  std::vector<PythonEntry> entries;  // dict; keyword arguments of a call
  std::size_t at = 0;                // offset in the text

  bool is_name(std::string_view wanted) const { return kind == Kind::name && text == wanted; }
  /// The argument of a call or the entry of a dict, or nullptr.
  const PythonExpr* entry(std::string_view key) const;
};

/// Not a std::pair: that asks what can be copied before there is an answer.
struct PythonEntry {
  std::string first;
  PythonExpr second;
};

/// One expression, or several joined by commas (then a sequence). The cursor stands behind it
/// afterwards, on the same line. Faults are the cursor's. Bound: 64 nested brackets.
PythonExpr python_expressions(FxCursor& cursor);
/// Exactly one, without a bare tuple, that holds at most `deepest` nested brackets.
PythonExpr python_expression(FxCursor& cursor, int deepest = 64);

}  // namespace noclobber
