#include "src/lower/thunder/source.h"

#include <set>
#include <utility>

#include "src/lower/thunder/graph.h"

namespace noclobber {

ThunderSource thunder_source(std::string name, std::string_view text, ThunderTrace trace) {
  ThunderSource out{std::move(name), text, std::move(trace)};
  out.joint = is_thunder_joint(out.trace);
  out.undefined = thunder_undefined(out.trace);
  return out;
}

ThunderSource thunder_beside(const ThunderSource& source, const ThunderSource& other, bool before) {
  if (source.undefined.empty()) return source;
  std::set<std::string> given;
  for (const auto& [name, type] : source.undefined)
    if (before || other.undefined.contains(name)) given.insert(name);
  ThunderSource out = source;
  out.trace = with_undefined(source.trace, thunder_types(other.trace), given);
  return out;
}

ThunderSource thunder_alone(const ThunderSource& source, bool reported) {
  if (source.undefined.empty()) return source;
  std::set<std::string> given;
  for (const auto& [name, type] : source.undefined)
    if (reported) given.insert(name);
  ThunderSource out = source;
  out.trace = with_undefined(source.trace, {}, given);
  return out;
}

void gather_thunder_parameters(std::vector<ThunderSource>& all, const ThunderFacts& facts) {
  for (ThunderSource& source : all) {
    ThunderTied tied;
    auto trace = gathered_once(source.trace, facts, tied);
    if (!trace) continue;
    source = thunder_source(source.name, source.text, *std::move(trace));
    source.tied = std::move(tied);
  }
  for (std::size_t at = 1; at < all.size(); ++at) {
    ThunderGathered gathered = thunder_gathered(all[at - 1].trace, all[at].trace);
    gathered.tied = all[at].tied;
    for (std::size_t k = 0; k < at && !gathered.parameters.empty(); ++k) {
      auto trace = with_gathered(all[k].trace, gathered);
      if (!trace) continue;
      all[k] = thunder_source(all[k].name, all[k].text, *std::move(trace));
      all[k].whole = true;
    }
  }
}

}  // namespace noclobber
