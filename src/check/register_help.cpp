#include "src/check/register_help.h"

#include "src/lower/mlx/case.h"

namespace noclobber {

std::string odd_help(const Case& value) {
  for (const Step& step : value.after.steps) {
    const std::size_t at = step.source->code.find(kMlxOdd);
    if (at != std::string::npos)
      return step.source->loc + " (" + step.source->code.substr(0, at) +
             ") is the first that differs: " + step.source->code.substr(at + kMlxOdd.size());
  }
  return "";
}

std::string slot_help(const Finding& finding) {
  const bool returned = finding.read && finding.read->loc.empty();
  return "let " + finding.clobber->loc + " write another slot: " +
         (returned || !finding.read ? "the caller still takes " : finding.read->loc + " still reads ") +
         (finding.define ? finding.define->name : finding.storage) + " there";
}

}  // namespace noclobber
