#include <fmt/format.h>

#include "src/report/rules.h"

namespace noclobber {

namespace {

struct Explanation {
  std::string_view code, text;
};

#define NC_EXPLAIN(code, text) Explanation{#code, text},
constexpr Explanation kExplanations[] = {
#include "src/report/explain_values.def"
// Both files together are one table.
#include "src/report/explain_places.def"
};
#undef NC_EXPLAIN

}  // namespace

std::string explain_text(const Rule& rule) {
  const std::string kind = rule.lint ? "lint, never changes the exit code" : "refuted only by a replayed run";
  std::string out = fmt::format("{} {}: {}\n({})\n", rule.code, rule.property, rule.title, kind);
  for (const auto& [code, text] : kExplanations) {
    if (code == rule.code) out += text;
  }
  return out;
}

}  // namespace noclobber
