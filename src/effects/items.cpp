// Operators over lists, as what they do to each item.
#include <algorithm>

#include "src/effects/builder.h"

namespace noclobber {

/// In whatever order items are computed: none writes what another one touches.
bool Builder::apart_items(const Call& call) {
  struct Touched {
    TraceView view;
    std::size_t item;
    bool written;
  };
  std::vector<Touched> all;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const std::vector<Arg> single{arg};
    const std::vector<Arg>& items = arg.kind == Arg::Kind::list ? arg.list : single;
    for (std::size_t j = 0; j < items.size(); ++j)
      if (const auto bound = bound_of(items[j]))
        all.push_back({bound->view, arg.kind == Arg::Kind::list ? j : ~std::size_t{0},
                       call.schema->arguments[k].written});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Touched& a, const Touched& b) { return a.view.storage < b.view.storage; });
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size() && all[a].view.storage == all[b].view.storage; ++b)
      if (all[a].item != all[b].item && (all[a].written || all[b].written) &&
          !apart(space_, all[a].view, all[b].view))
        return false;
  return true;
}

/// _foreach_add(a, b) is add(a[k], b[k]) for every k. false: not of this kind.
bool Builder::each_item(const Call& call) {
  if (call.op.find("._foreach_") == std::string::npos) return false;
  const std::string name = item_op(call.step->op);
  const Schema* schema = name.empty() ? nullptr : ops_.find(name);
  if (schema == nullptr || call.arguments.empty()) return false;
  const std::size_t count = call.arguments[0].list.size();
  for (const Arg& arg : call.arguments)
    if (arg.kind == Arg::Kind::list && arg.list.size() != count) return false;
  const bool writes = call.schema->arguments[0].written;
  if (writes && !apart_items(call)) return false;
  const auto places = item_places(*call.schema, *schema);
  for (std::size_t k = 0; k < count; ++k) {
    Step step;
    step.op = name;
    if (!writes) {
      if (k >= call.step->results.size() || !call.step->results[k].valid()) continue;  // nobody asks for it
      step.results = {call.step->results[k]};
    }
    std::vector<Arg> arguments;
    for (std::size_t at = 0; at < places.size(); ++at) {
      const Arg& arg = places[at] ? call.arguments[*places[at]] : *schema->arguments[at].fallback;
      arguments.push_back(places[at] && arg.kind == Arg::Kind::list ? arg.list[k] : arg);
    }
    dispatch(call_of(step, *schema, std::move(arguments), call.number));
  }
  return true;
}

}  // namespace noclobber
