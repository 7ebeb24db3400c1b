#include "src/values/sharing.h"

#include <algorithm>
#include <limits>

namespace noclobber {
namespace {
// Bounds on pairs of outputs on one storage, and on pairs that are compared by element. Beyond: not shown.
constexpr std::size_t kPairs = std::size_t{1} << 23, kCompared = std::size_t{1} << 17;
constexpr std::int64_t kFarApart = std::numeric_limits<std::int64_t>::max();
}  // namespace

bool made_anew(const Boundary& boundary, std::uint32_t output) {
  const auto at = boundary.may_share.lower_bound({output, 0});
  return at != boundary.may_share.end() && at->first == output;
}

Sharing::Sharing(Space& space, const Trace& was, const Trace& is, const Boundary& boundary)
    : space_(space),
      was_(was),
      is_(is),
      boundary_(boundary),
      kept_(is.outputs.size()),
      shifts_(is.outputs.size()),
      boxes_(is.outputs.size()) {
  for (std::uint32_t x = 0; x < is.inputs.size(); ++x) inputs_[is.inputs[x].view.storage].push_back(x);
  for (std::uint32_t k = 0; k < is.outputs.size(); ++k) {
    const TraceView* view = output_view(is, k);
    if (view == nullptr || made_anew(boundary, k)) continue;
    std::vector<std::uint32_t>& all = outputs_[view->storage];
    const TraceView *old = output_view(was, k), *first = all.empty() ? old : output_view(was, all.front());
    const std::size_t so_far = all.empty() ? 0 : kept_[all.back()];
    const bool more = so_far == all.size() && old != nullptr && first != nullptr &&
                      old->storage == first->storage && shift(k) &&
                      shift(k) == shift(all.empty() ? k : all.front());
    kept_[k] = static_cast<std::uint32_t>(more ? so_far + 1 : so_far);
    all.push_back(k);
  }
}

const Sharing::Shift& Sharing::shift(std::uint32_t output) {
  std::optional<Shift>& known = shifts_[output];
  const TraceView *a = output_view(was_, output), *b = output_view(is_, output);
  if (!known) known = a != nullptr && b != nullptr ? between(*a, *b) : Shift();
  return *known;
}

Sharing::Shift Sharing::between(const TraceView& a, const TraceView& b) {
  if (a.shape != b.shape || a.lanes != b.lanes) return std::nullopt;
  const Index at = running(space_, a);
  if (a.maps.empty() && b.maps.empty()) return std::vector<std::int64_t>(at.size());
  const Index was = root_index(space_, a, at), is = root_index(space_, b, at);
  if (was.size() != is.size()) return std::nullopt;
  Shift out(std::in_place);
  for (std::size_t d = 0; d < is.size(); ++d) {
    if (was[d] == Space::kBad || is[d] == Space::kBad) return std::nullopt;
    const PolyId by = space_.sub(is[d], was[d]);
    const bool none = by != Space::kBad && holds(space_, {true, by}, {}) == Truth::yes;
    const auto number = none ? std::optional<std::int64_t>(0) : space_.value(by);
    if (!number) return std::nullopt;
    out->push_back(*number);
  }
  return out;
}

/// Whether the view has no element, or may share elements with an input. Elements of an input's storage that
/// no input view covers also belong to the caller.
bool Sharing::seen(const TraceView& view) {
  return apart(space_, view, view) || std::ranges::any_of(inputs_[view.storage], [&](std::uint32_t x) {
           return !apart(space_, is_.inputs[x].view, view);
         });
}

bool Sharing::with_inputs(std::uint32_t output) {
  const TraceView *view = output_view(is_, output), *old = output_view(was_, output);
  const TraceStorage& storage = is_.storages[view->storage];
  const TraceStorage* had = old != nullptr ? &was_.storages[old->storage] : nullptr;
  if (had != nullptr && had->start == TraceStorage::Start::given && storage.start == had->start &&
      storage.key == had->key && shift(output) &&
      std::ranges::count(*shift(output), 0) == std::ssize(*shift(output)))
    return true;
  for (const std::uint32_t x : inputs_[view->storage])
    if (!boundary_.may_share.contains({output, x}) && !apart(space_, *view, is_.inputs[x].view)) return false;
  return seen(*view);
}

bool Sharing::with_outputs(std::uint32_t output) {
  const TraceView& view = *output_view(is_, output);
  const std::vector<std::uint32_t>& all = outputs_[view.storage];
  const auto end = std::ranges::upper_bound(all, output);
  if (kept_[output] == end - all.begin()) return true;
  return std::all_of(all.begin(), end, [&](std::uint32_t other) { return together(output, other); });
}

const Sharing::Box& Sharing::box(std::uint32_t output) {
  std::optional<Box>& out = boxes_[output];
  if (out) return *out;
  const TraceView& view = *output_view(is_, output);
  out.emplace();
  for (PolyId at : root_index(space_, view, running(space_, view))) {
    const bool bad = at == Space::kBad;
    out->emplace_back(bad ? -kFarApart : space_.bound(at, false).value_or(-kFarApart),
                      bad ? kFarApart : space_.bound(at, true).value_or(kFarApart));
  }
  return *out;
}

bool Sharing::together(std::uint32_t a, std::uint32_t b) {
  if (++pairs_ > kPairs) return false;
  const TraceView &x = *output_view(is_, a), &y = *output_view(is_, b);
  const auto beside = [](const auto& p, const auto& q) { return p.second < q.first || q.second < p.first; };
  if (a != b && !std::ranges::equal(box(a), box(b), std::not_fn(beside))) return true;
  if (++compared_ > kCompared) return false;
  if (a == b && view_inverse(space_, x, root_index(space_, x, running(space_, x)))) return true;
  const TraceView *was_x = output_view(was_, a), *was_y = output_view(was_, b);
  const bool one = was_x != nullptr && was_y != nullptr && was_x->storage == was_y->storage;
  if (one && shift(a) && shift(a) == shift(b)) return true;
  if (apart(space_, x, y)) return true;
  if (!one || was_x->shape != x.shape || was_y->shape != y.shape) return false;
  Two first{x, *was_x}, second{y, *was_y};
  if (follows(first, second) || (a != b && follows(second, first))) return true;
  if (bad(first.is) || bad(first.was) || bad(second.is) || bad(second.was)) return false;
  // A last map that both graphs share repeats or drops the same places of its operand: it is taken off.
  bool shorter = false;
  for (Two* two : {&first, &second})
    while (!two->is.maps.empty() && !two->was.maps.empty() && two->is.maps.back() == two->was.maps.back()) {
      two->is.shape = two->was.shape = two->is.maps.back().from;
      two->is.maps.edit().pop_back(), two->was.maps.edit().pop_back();
      shorter = true;
    }
  return shorter && (follows(first, second) || (a != b && follows(second, first)));
}

/// True if the place of an element is not known.
bool Sharing::bad(const TraceView& view) {
  const Index at = root_index(space_, view, running(space_, view));
  return std::ranges::find(at, Space::kBad) != at.end();
}

/// True if, wherever an element of x coincides with one of y, the two coincided in `was`.
bool Sharing::follows(const Two& x, const Two& y) {
  const auto found = view_inverse(space_, y.is, root_index(space_, x.is, running(space_, x.is)));
  return found && lies_there(x, y, *found);
}

/// `found`: the place in y of an element of x.
bool Sharing::lies_there(const Two& x, const Two& y, const Inverse& found) {
  std::vector<PolyId> facts;
  for (const Condition& c : found.conditions) {
    if (c.poly == Space::kBad) return false;
    if (holds(space_, c, {}) == Truth::yes) continue;
    facts.push_back(c.poly);
    if (c.zero) facts.push_back(space_.scale(c.poly, -1));
  }
  const auto equal = [&](PolyId p, PolyId q) {
    return space_.same(p, q) || holds(space_, {true, space_.sub(p, q)}, facts) == Truth::yes;
  };
  Index here = running(space_, x.is), there = found.index;
  if (x.is.lanes != x.was.lanes || y.is.lanes != y.was.lanes) {  // only one graph splits into bytes
    if (x.is.lanes != y.is.lanes || x.was.lanes + y.was.lanes > 0 || !equal(here.back(), there.back()))
      return false;
    here.pop_back(), there.pop_back();
  }
  return std::ranges::equal(root_index(space_, x.was, std::move(here)),
                            root_index(space_, y.was, std::move(there)), equal);
}

}  // namespace noclobber
