#include "src/lower/pairs/silent_constants.h"

#include <algorithm>
#include <set>

#include "src/graph/uses.h"

namespace noclobber {
namespace {

/// The names of constants that the graph reads and whose contents it does not state.
std::set<std::string> silent_constants(const Graph& graph) {
  std::vector<ValueId> used;
  for (const Step& step : graph.steps) {
    const auto more = uses_of(step);
    used.insert(used.end(), more.begin(), more.end());
  }
  for (const Arg& arg : graph.outputs) collect_uses(arg, used);
  for (const auto& [input, arg] : graph.finals) collect_uses(arg, used);
  std::vector<bool> is_read(graph.values.size(), false);
  for (const ValueId id : used)
    if (id.valid()) is_read[id.index] = true;
  std::set<std::string> out;
  for (const Input& input : graph.inputs)
    if (input.kind == Input::Kind::constant && is_read[input.value.index] && !input.contents &&
        input.digest.empty())
      out.insert(graph.value(input.value).name);
  return out;
}

}  // namespace

std::string listed_names(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 3;
  std::string out;
  for (std::size_t k = 0; k < std::min(names.size(), kNamed); ++k) out += (k > 0 ? ", " : "") + names[k];
  return names.size() > kNamed ? out + " and " + std::to_string(names.size() - kNamed) + " more" : out;
}

std::string same_constants(const std::vector<std::string>& names) {
  return "constants of one name hold the same: " + listed_names(names);
}

void assume_same_constants(Case& value) {
  if (!value.before) return;
  const std::set<std::string> before = silent_constants(*value.before), after = silent_constants(value.after);
  std::vector<std::string> both;
  std::ranges::set_intersection(before, after, std::back_inserter(both));
  if (!both.empty()) value.assumed.push_back(same_constants(both));
}

}  // namespace noclobber
