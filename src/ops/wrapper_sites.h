// Calls of auto_functionalized and with_effects, and what they tell of the operator inside.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "src/graph/case.h"
#include "src/ops/schema.h"

namespace noclobber {

constexpr std::string_view kV1 = "higher_order.auto_functionalized";
constexpr std::string_view kV2 = "higher_order.auto_functionalized_v2";
constexpr std::string_view kEffects = "higher_order.with_effects";

/// How one argument of the wrapped operator is given.
struct Given {
  std::string name;
  bool written = false;
  bool list = false;                     // written, v2: of several tensors
  Arg plain;                             // not written, or of v1
  std::vector<std::string> view_prefix;  // written, v2: "_x" or "_x_0", "_x_1"
  Arg fallback = {};                     // of a call that does not name it
};

struct Site {
  const Graph* graph = nullptr;
  const Step* step = nullptr;
};

bool is_wrapper(const Step& step);
const Arg* keyword(const Step& step, const std::string& name);
/// As the wrapper says; a schema, or what is copied back, may say that it is written.
Given unwritten(std::string name, Arg plain);
/// The wrapped operator's arguments as one wrapper call names them; v1 does not say which are written.
std::vector<Given> given(const Step& step);
std::string wrapped_op(const Step& step);
/// Calls of `op`, inside a wrapper or direct ones.
std::vector<Site> sites(const Case& value, const std::string& op, bool wrapped);
bool gives_tensor(const std::vector<Site>& all);
/// How many results the operator has: those of the wrapper that stand before the replaced bases. At least one
/// place is always there. A result that nobody asks for is not in the text, so the longest call counts.
std::size_t result_count(const std::vector<Site>& wrapped, const std::vector<Site>& calls,
                         const Schema* known);
/// More ways than these to read a case are too many.
inline constexpr std::size_t kReadings = 8;
/// The orders of arguments, with the written ones marked, that the operator's declared schema gives or that
/// fit.
std::vector<std::vector<Given>> signatures(const std::vector<Site>& wrapped, const std::vector<Site>& calls,
                                           const Schema* known);
OpDecl declaration(const std::string& op, const std::vector<Given>& order, std::size_t returns);
/// with_effects(token, op, args...): operators that nobody declares. One that wrote its arguments would be
/// inside auto_functionalized as well, so this one does not; in the sequence of effects it stands anyway.
std::vector<OpDecl> effectful_ops(const Case& value);

}  // namespace noclobber
