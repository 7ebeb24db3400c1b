#include "src/effects/items.h"

#include <algorithm>

#include "src/effects/dispatch.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

/// True if the items may be computed in any order: none writes what another one touches.
bool apart_items(Tracer& t, const Call& call) {
  struct Touched {
    TraceView view;
    std::size_t item;
    bool written;
  };
  std::vector<Touched> all;
  for (std::size_t k = 0; k < call.arguments.size(); ++k) {
    const Arg& arg = call.arguments[k];
    const std::span<const Arg> items = items_of(arg);
    for (std::size_t j = 0; j < items.size(); ++j)
      if (const Binding* bound = t.seen(items[j]))
        all.push_back({bound->view, arg.kind == Arg::Kind::list ? j : ~std::size_t{0},
                       call.schema->arguments[k].written});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Touched& a, const Touched& b) { return a.view.storage < b.view.storage; });
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = a + 1; b < all.size() && all[a].view.storage == all[b].view.storage; ++b)
      if (all[a].item != all[b].item && (all[a].written || all[b].written) &&
          t.may_meet(all[a].view, all[b].view))
        return false;
  return true;
}

/// The arguments of `item` for item k of the lists that `list` is given.
std::vector<Arg> item_arguments(const Schema& list, const Schema& item, const std::vector<Arg>& arguments,
                                std::size_t k) {
  const auto places = item_places(list, item);
  std::vector<Arg> out;
  for (std::size_t at = 0; at < places.size(); ++at) {
    const Arg& arg = places[at] ? arguments[*places[at]] : *item.arguments[at].fallback;
    out.push_back(places[at] && arg.kind == Arg::Kind::list ? arg.list[k] : arg);
  }
  return out;
}

}  // namespace

/// The shape that is computed for item k of a list of targets: by `rules`, by the views that the operator
/// copies, or by the operator of a single item. Empty if no rule gives it.
std::optional<Shape> computed_item(Tracer& t, const Call& call, const std::vector<InferredMeta>& rules,
                                   std::size_t k) {
  if (k < rules.size()) return rules[k].shape;
  if (call.functional.empty()) return std::nullopt;
  if (const auto base = t.bound_of(call.arguments[0])) {
    const auto views = views_of(t, call, base_name(call.functional), *base);
    if (views) return k < views->size() ? std::optional((*views)[k].view.shape) : std::nullopt;
  }
  const Schema* list = t.ops.find(call.functional);
  const Schema* item = list == nullptr ? nullptr : t.ops.find(item_op(list->op));
  if (item == nullptr) return std::nullopt;
  for (const Arg& arg : call.arguments)
    if (arg.kind == Arg::Kind::list && arg.list.size() <= k) return std::nullopt;
  const std::vector<Arg> arguments = item_arguments(*list, *item, call.arguments, k);
  std::vector<TensorMeta> metas;
  for (const Arg& arg : arguments)
    if (const Binding* bound = t.seen(arg)) metas.push_back({bound->view.shape, bound->dtype});
  const auto computed = infer_meta({t.sizes, base_name(item->op), *item, arguments, metas});
  return computed.empty() ? std::nullopt : std::optional(computed[0].shape);
}

/// _foreach_add(a, b) is add(a[k], b[k]) for every k. False if the call cannot be taken item by item.
bool each_item(Tracer& t, const Call& call) {
  if (call.op.find("._foreach_") == std::string::npos) return false;
  const std::string name = item_op(call.step->op);
  const Schema* schema = name.empty() ? nullptr : t.ops.find(name);
  if (schema == nullptr || call.arguments.empty()) return false;
  const std::size_t count = call.arguments[0].list.size();
  for (const Arg& arg : call.arguments)
    if (arg.kind == Arg::Kind::list && arg.list.size() != count) return false;
  const bool writes = call.schema->arguments[0].written;
  if (writes && !apart_items(t, call)) return false;
  for (std::size_t k = 0; k < count; ++k) {
    Step step;
    step.op = name;
    if (!writes) {
      if (k >= call.step->results.size() || !call.step->results[k].valid()) continue;  // unused
      step.results = {call.step->results[k]};
    }
    std::vector<Arg> arguments = item_arguments(*call.schema, *schema, call.arguments, k);
    dispatch(t, call_of(t, step, *schema, std::move(arguments), call.number));
  }
  return true;
}

}  // namespace noclobber::effects
