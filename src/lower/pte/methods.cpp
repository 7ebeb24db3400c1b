// Methods of one program that share state. An arena is shared if two methods have state of the same name
// there, and in one method it holds nothing but named state. Other contents in other methods do not matter.
#include <algorithm>
#include <map>
#include <set>

#include "src/lower/pte/case.h"

namespace noclobber {
namespace {

using States = std::map<std::string, const PteTensor*>;

/// The named state of a method in an arena. `alone` becomes false if the method keeps other tensors there
/// too.
States states_in(const PteMethod& method, std::uint32_t arena, bool& alone) {
  States out;
  for (const PteValue& value : method.values) {
    const PteTensor& tensor = value.tensor;
    if (value.kind != PteValue::Kind::tensor || !tensor.place || tensor.place->arena != arena) continue;
    if (tensor.fqn.empty()) {
      alone = false;
    } else {
      out.emplace(tensor.fqn, &tensor);
    }
  }
  return out;
}

}  // namespace

void share_states(std::vector<PteMethod>& methods) {
  std::size_t arenas = 0;
  for (const PteMethod& method : methods) arenas = std::max(arenas, method.arenas.size());
  for (std::uint32_t arena = 1; arena < std::min(arenas, kMostSharedArenas); ++arena) {
    std::map<std::string, std::size_t> users;
    std::map<std::string, const PteTensor*> first;
    bool any_alone = false;
    for (const PteMethod& method : methods) {
      bool alone = true;
      const States own = states_in(method, arena, alone);
      any_alone = any_alone || (alone && !own.empty());
      for (const auto& [name, tensor] : own) ++users[name], first.emplace(name, tensor);
    }
    const bool shared = std::ranges::any_of(users, [](const auto& entry) { return entry.second > 1; });
    if (!shared || !any_alone) continue;
    std::vector<PteTensor> kept;
    for (const auto& [name, tensor] : first) kept.push_back(*tensor);
    for (PteMethod& method : methods) method.shared.insert(method.shared.end(), kept.begin(), kept.end());
  }
}

Result<std::vector<PteMethod>> open_pte(std::string_view bytes) {
  auto methods = read_pte(bytes);
  if (!methods) return methods;
  for (PteMethod& method : *methods) split_delegate_calls(method);
  share_states(*methods);
  return methods;
}

}  // namespace noclobber
