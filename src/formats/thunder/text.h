// Printed Lightning Thunder traces, parsed into statements without any analysis.
//
//   # Constructed by PASS                         provenance
//   def computation(a, b):                        parameters
//     # a: "cpu f32[2]"                           type of a name
//     # FILE.py:3: <TAB>    a.sin_()              the user's line of what follows
//     t6 = ltorch.sin_(a)  # t6: "cpu f32[2]"     statement of depth 0
//       # t5 = prims.sin(a)                       what it is made of: depth 1, 2, ...
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/text/python_tree.h"

namespace noclobber {

struct ThunderStatement {
  enum class Kind : std::uint8_t { call, unpack, leave, drop };  // leave: return, drop: del
  Kind kind = Kind::call;
  PythonExpr target;  // bound names; kind none if there are none
  PythonExpr value;   // call: the call (or a name or subscript, without computation); else the rest
  std::string type;   // text of the type comment, or ""
  std::vector<ThunderStatement> inner;
  std::size_t at = 0;     // offset in the text
  int line = 0;           // 1-based
  std::string loc, code;  // "model.py:29", the user's line
};

struct ThunderTrace {
  std::string pass;  // "Dead Code Elimination"; "" for the first trace
  std::string name;  // "computation", "backward_fn", "prologue"
  std::vector<std::string> parameters;
  std::map<std::string, std::string> types;  // declared at level 1, by name
  std::vector<ThunderStatement> statements;
  int line = 0;  // of `def`
};

/// One or more traces, one after the other. error: `where` is "line N, column M".
Result<std::vector<ThunderTrace>> parse_thunder(std::string_view text);

/// "line N, column M" of an offset. Linear in the text.
std::string thunder_place(std::string_view text, std::size_t at);

}  // namespace noclobber
