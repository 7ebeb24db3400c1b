// Traces of two statements, and what the reader makes of them.
#pragma once
#include <string>
#include <vector>

#include "src/lower/thunder/graph.h"
#include "src/lower/thunder/thunder.h"
#include "tests/catch.h"

namespace noclobber::thunder_program {

inline constexpr std::string_view kHead =
    "# Constructed by Dead Code Elimination (took 3 milliseconds)\nimport thunder\n\n@torch.no_grad()\n"
    "@no_autocast\n";

inline std::string trace(const std::string& parameters, const std::string& body) {
  std::string out(kHead);
  out.append("def computation(").append(parameters).append("):\n").append(body);
  return out;
}

/// a and b are f32[2, 3].
inline std::string program(const std::string& body) {
  return trace("a, b", "  # a: \"cpu f32[2, 3]\"\n  # b: \"cpu f32[2, 3]\"\n" + body);
}

inline Graph graph_of(const std::string& text) {
  const auto checks = read_thunder({"t", text}, "");
  REQUIRE(checks.size() == 1);
  INFO((checks[0].value ? "" : checks[0].value.fault().where + " " + checks[0].value.fault().message));
  REQUIRE(static_cast<bool>(checks[0].value));
  return checks[0].value->after;
}

inline Diagnostic fault_of(const std::string& text) {
  const auto checks = read_thunder({"t", text}, "");
  REQUIRE(checks.size() == 1);
  REQUIRE_FALSE(static_cast<bool>(checks[0].value));
  return checks[0].value.fault();
}

inline std::vector<std::string> ops_of(const Graph& graph) {
  std::vector<std::string> out;
  for (const Step& step : graph.steps) out.push_back(step.op);
  return out;
}

using Ops = std::vector<std::string>;

}  // namespace noclobber::thunder_program
