// `explain CODE`: the meaning of a rule or of a reason for unknown; without a code, a list of all.
#include <fmt/format.h>

#include <vector>

#include "src/base/suggest.h"
#include "src/cli/commands.h"
#include "src/report/names.h"
#include "src/report/reasons.h"
#include "src/report/rules.h"

namespace noclobber {

int run_explain(const Options& options) {
  if (options.inputs.empty()) {
    for (const Rule& rule : rules()) fmt::print("{}  {:<20}  {}\n", rule.code, rule.property, rule.title);
    fmt::print("\nReasons for unknown:\n");
    for (const UnknownReason& reason : unknown_reasons())
      fmt::print("{:<16}  {}\n", reason.code, reason.title);
    return 0;
  }
  const std::string& asked = options.inputs.front();
  if (const Rule* rule = find_rule(asked)) {
    fmt::print("{}", explain_text(*rule));
    return 0;
  }
  if (const UnknownReason* reason = find_reason(asked)) {
    fmt::print("{}", explain_text(*reason));
    return 0;
  }
  std::vector<std::string_view> known;
  for (const Rule& rule : rules()) known.insert(known.end(), {rule.code, rule.property});
  for (const UnknownReason& reason : unknown_reasons()) known.push_back(reason.code);
  const std::string_view near = nearest(asked, known);
  const std::string hint =
      near.empty() ? "`noclobber explain` lists all" : fmt::format("did you mean {}?", near);
  print_error("", "", fmt::format("no rule or reason '{}'; {}", printable(asked), hint));
  return kUsageError;
}

}  // namespace noclobber
