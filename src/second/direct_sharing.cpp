// Which elements of outputs, inputs and storages coincide, asked of the views alone.
#include <algorithm>

#include "src/second/direct_access.h"
#include "src/second/direct_judge.h"
#include "src/values/sharing.h"

namespace noclobber {

/// True if each element of the output lies where it lay, or on no storage of the caller. Elements of a
/// caller's storage that no input view covers also belong to the caller.
bool DirectJudge::sharing(const Trace& was, const Trace& is, std::uint32_t output) {
  const TraceView& view = *output_view(is, output);
  const TraceView* old = output_view(was, output);
  const TraceStorage& storage = is.storages[view.storage];
  if (old != nullptr && storage.start == TraceStorage::Start::given &&
      partner_of(was, storage) == &was.storages[old->storage] && old->lanes == view.lanes &&
      equal_shapes(old->shape, view.shape)) {
    const DirectIndex i = any_place(sizes_, view, "i");
    const auto now = root_of(sizes_, view, i), then = root_of(sizes_, *old, i);
    if (now && then && ask_.never(f_.inverted(one_place(f_, *now, *then)), DirectAsk::About::overlap))
      return true;
  }
  bool seen = std::ranges::any_of(view.shape, [&](PolyId size) { return space_.value(size) == 0; });
  for (std::uint32_t x = 0; x < is.inputs.size(); ++x) {
    if (is.inputs[x].view.storage != view.storage) continue;
    const bool meets = !never_meet(sizes_, ask_, view, is.inputs[x].view);
    if (meets && !boundary_.may_share.contains({output, x})) return false;
    seen = seen || meets;
  }
  return seen;
}

bool DirectJudge::together(const Trace& was, const Trace& is, std::uint32_t output) {
  for (std::uint32_t other = 0; other <= output; ++other) {
    const TraceView* view = output_view(is, other);
    const bool asked =
        view != nullptr && view->storage == output_view(is, output)->storage && !made_anew(boundary_, other);
    if (asked && !together(was, is, output, other)) return false;
  }
  return true;
}

/// True if elements of the two outputs coincide only where they coincided before; also used for two elements
/// of one output.
bool DirectJudge::together(const Trace& was, const Trace& is, std::uint32_t a, std::uint32_t b) {
  const TraceView &x = *output_view(is, a), &y = *output_view(is, b);
  if (a != b && never_meet(sizes_, ask_, x, y)) return true;
  const DirectIndex i = any_place(sizes_, x, "i"), j = any_place(sizes_, y, "j");
  const auto now_x = root_of(sizes_, x, i), now_y = root_of(sizes_, y, j);
  if (!now_x || !now_y) return false;
  const FormulaId now = one_place(f_, *now_x, *now_y);
  if (a == b && ask_.never(f_.all({now, f_.inverted(one_place(f_, i, j))}), DirectAsk::About::overlap))
    return true;
  const TraceView *was_x = output_view(was, a), *was_y = output_view(was, b);
  if (was_x == nullptr || was_y == nullptr || was_x->storage != was_y->storage) return false;
  if (was_x->lanes != x.lanes || was_y->lanes != y.lanes || !equal_shapes(was_x->shape, x.shape) ||
      !equal_shapes(was_y->shape, y.shape))
    return false;
  const auto then_x = root_of(sizes_, *was_x, i), then_y = root_of(sizes_, *was_y, j);
  if (!then_x || !then_y) return false;
  return ask_.never(f_.all({now, f_.inverted(one_place(f_, *then_x, *then_y))}), DirectAsk::About::overlap);
}

}  // namespace noclobber
