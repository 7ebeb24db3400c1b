#include "src/check/finding_unbound.h"

#include <algorithm>

#include "src/check/findings.h"
#include "src/graph/uses.h"
#include "src/lower/thunder/undefined.h"

namespace noclobber {

namespace {

/// The first step that uses the name, apart from the one that the reader of the trace added to make `seen`.
std::optional<std::uint32_t> first_use(const Graph& graph, ValueId name, ValueId seen) {
  for (std::uint32_t s = 0; s < graph.steps.size(); ++s) {
    const std::vector<ValueId> used = uses_of(graph.steps[s]);
    const bool is_seen = std::ranges::find(graph.steps[s].results, seen) != graph.steps[s].results.end();
    if (!is_seen && std::ranges::find(used, name) != used.end()) return s;
  }
  return std::nullopt;
}

}  // namespace

void tell_unbound(Finding& finding, const Case& value, const Witness& w) {
  if (w.rule != "NC002" || !finding.define) return;
  const std::string name = finding.define->name;
  const ValueId id = value.after.find(name), seen = value.after.find(seen_as_undefined(name));
  if (!id.valid() || !seen.valid()) return;
  finding.define->statement = name;
  finding.define->note = "no statement defines it";
  const auto use = first_use(value.after, id, seen);
  finding.read =
      place_of_step(value.after, use.value_or(static_cast<std::uint32_t>(value.after.steps.size())));
  finding.read->note = "uses it";
  finding.message = finding.read->name + " uses " + name + ", which no statement defines: " + w.where +
                    " should be " + w.expected + " and is " + w.actual;
  finding.aspect = "undefined name";
  std::erase_if(finding.witness_inputs,
                [&](const auto& input) { return input.first == name_as_meant(name); });
}

}  // namespace noclobber
