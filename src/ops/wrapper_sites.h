// Calls of auto_functionalized and with_effects, and the properties of the wrapped operator that they imply.
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

/// How a wrapper call passes one argument of the wrapped operator.
struct Given {
  std::string name;
  bool written = false;
  bool list = false;                     // written, v2: a list of tensors
  Arg plain;                             // not written, or of v1
  std::vector<std::string> view_prefix;  // written, v2: "_x" or "_x_0", "_x_1"
  Arg fallback = {};                     // for a call that does not name the argument
};

struct Site {
  const Graph* graph = nullptr;
  const Step* step = nullptr;
};

bool is_wrapper(const Step& step);
const Arg* keyword(const Step& step, const std::string& name);
/// An argument that the wrapper does not mark as written; a schema, or copies back into inputs, may mark it
/// later.
Given unwritten(std::string name, Arg plain);
/// The arguments of the wrapped operator as one wrapper call names them. v1 does not say which are written.
std::vector<Given> given(const Step& step);
std::string wrapped_op(const Step& step);
/// The calls of `op` inside a wrapper, or the direct ones.
std::vector<Site> sites(const Case& value, const std::string& op, bool wrapped);
bool gives_tensor(const std::vector<Site>& all);
/// The number of results of the operator: those of the wrapper in front of the replaced bases. There is
/// always at least one place. An unused result is not in the text, so the longest call counts.
std::size_t result_count(const std::vector<Site>& wrapped, const std::vector<Site>& calls,
                         const Schema* known);
/// The largest number of readings of a case that are tried.
inline constexpr std::size_t kReadings = 8;
/// The possible orders of arguments, with the written ones marked: the one of the operator's declared schema,
/// or those that fit.
std::vector<std::vector<Given>> signatures(const std::vector<Site>& wrapped, const std::vector<Site>& calls,
                                           const Schema* known);
OpDecl declaration(const std::string& op, const std::vector<Given>& order, std::size_t returns);
/// Declarations of undeclared operators in with_effects(token, op, args...). One that wrote its arguments
/// would be inside auto_functionalized as well, so these do not; they are impure all the same.
std::vector<OpDecl> effectful_ops(const Case& value);

}  // namespace noclobber
