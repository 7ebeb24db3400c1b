#include "checker/kernel/sharing.h"

namespace noclobber::checker {
namespace {

// Pairs of outputs that are looked at, and those that bounds do not tell apart. Beyond, nothing is shown.
constexpr std::size_t kLooked = std::size_t{1} << 23, kCompared = std::size_t{1} << 17;

bool one_map(const Map& a, const Map& b) {
  const auto one = [](const Map::Factor& f, const Map::Factor& g) {
    return f.to == g.to && f.from == g.from && f.by == g.by;
  };
  return a.reshape == b.reshape && a.from == b.from && a.to == b.to && a.groups == b.groups &&
         a.start == b.start && std::ranges::equal(a.factors, b.factors, one);
}

/// Drops the map that is applied to an index first.
void shorten(ViewForm& view) {
  view.shape = view.maps.back().from;
  view.maps.pop_back();
  view.injective.reset();
}

}  // namespace

const View* output_view(const Trace& trace, std::size_t k) {
  return k < trace.outputs.size() && trace.outputs[k].view ? &*trace.outputs[k].view : nullptr;
}

bool made_anew(const Boundary& boundary, std::uint32_t output) {
  const auto at = boundary.may_share.lower_bound({output, 0});
  return at != boundary.may_share.end() && at->first == output;
}

/// Lemma 12.
Sharing::Sharing(Space& space, const Trace& was, const Trace& is, const Boundary& boundary)
    : space_(space), was_(was), is_(is), boundary_(boundary), staying_(is.outputs.size()) {
  for (std::uint32_t x = 0; x < is.inputs.size(); ++x) inputs_[is.inputs[x].second.storage].push_back(x);
  for (std::uint32_t k = 0; k < is.outputs.size(); ++k) {
    const View* const view = output_view(is, k);
    if (view == nullptr || made_anew(boundary, k)) continue;
    auto& all = outputs_[view->storage];
    all.push_back(k);
    const std::size_t so_far = all.size() == 1 ? 0 : staying_[all[all.size() - 2]];
    const bool one = output_view(was, k) != nullptr && output_view(was, all[0]) != nullptr &&
                     output_view(was, k)->storage == output_view(was, all[0])->storage;
    const bool more = so_far + 1 == all.size() && one && shift(k) && shift(k) == shift(all[0]);
    staying_[k] = so_far + (more ? 1 : 0);
  }
}

/// By how much, in each dimension of its storage, every element of an output has moved. Empty if it is not
/// shown to be one number per dimension.
const Sharing::Shift& Sharing::shift(std::uint32_t output) {
  const auto [at, is_new] = shifts_.emplace(output, std::nullopt);
  const View *a = output_view(was_, output), *b = output_view(is_, output);
  if (!is_new || a == nullptr || b == nullptr) return at->second;
  const ViewForm &v = *a->form, &w = *b->form;
  if (v.shape != w.shape || v.lanes != w.lanes) return at->second;
  const Index i = running(space_, v), was = root_index(space_, v, i), is = root_index(space_, w, i);
  std::vector<std::int64_t> out;
  for (std::size_t d = 0; d < is.size() && d < was.size(); ++d) {
    const bool good = was[d] != Space::kBad && is[d] != Space::kBad;
    const bool same_place = good && same(space_, {was[d]}, {is[d]});
    const auto by = same_place ? std::optional<std::int64_t>(0)
                    : good     ? space_.value(space_.sub(is[d], was[d]))
                               : std::nullopt;
    if (by) out.push_back(*by);
  }
  if (out.size() == is.size() && is.size() == was.size()) at->second = std::move(out);
  return at->second;
}

bool Sharing::with_inputs(std::uint32_t output) {
  const View &view = *output_view(is_, output), *const old = output_view(was_, output);
  const Storage& storage = is_.storages[view.storage];
  if (old != nullptr && storage.form->start == Start::given) {
    const Storage& had = was_.storages[old->storage];
    if (had.form->start == Start::given && had.key == storage.key && shift(output) &&
        std::ranges::count(*shift(output), 0) == std::ssize(*shift(output)))
      return true;
  }
  // Elements of an input's storage that no input views belong to the caller, too.
  bool seen = apart(space_, view, view);
  for (const std::uint32_t x : inputs_[view.storage]) {
    const bool meets = !apart(space_, view, is_.inputs[x].second);
    if (meets && !boundary_.may_share.contains({output, x})) return false;
    seen = seen || meets;
  }
  return seen;
}

bool Sharing::with_outputs(std::uint32_t output) {
  const auto& all = outputs_[output_view(is_, output)->storage];
  const auto end = std::ranges::upper_bound(all, output);
  return staying_[output] == static_cast<std::size_t>(end - all.begin()) ||
         std::all_of(all.begin(), end, [&](std::uint32_t other) { return pair(output, other); });
}

/// Constant bounds of each index of the output into its storage.
const Sharing::Box& Sharing::box(std::uint32_t output) {
  const auto [at, is_new] = boxes_.emplace(output, Box());
  const ViewForm& view = *output_view(is_, output)->form;
  if (is_new)
    for (PolyId p : root_index(space_, view, running(space_, view))) {
      at->second.emplace_back();
      if (p != Space::kBad) at->second.back() = {space_.bound(p, false), space_.bound(p, true)};
    }
  return at->second;
}

bool Sharing::beside(std::uint32_t a, std::uint32_t b) {
  return std::ranges::mismatch(box(a), box(b), [](const auto& p, const auto& q) {
           const bool below = p.second && q.first && *p.second < *q.first;
           return !below && !(q.second && p.first && *q.second < *p.first);
         }).in1 != box(a).end();
}

bool Sharing::pair(std::uint32_t a, std::uint32_t b) {
  space_.work(1);
  if (++pairs_ > kLooked) return false;
  if (a != b && beside(a, b)) return true;
  if (++compared_ > kCompared) return false;
  const View &x = *output_view(is_, a), &y = *output_view(is_, b);
  if (a == b && injective(space_, *x.form)) return true;
  const View *const was_x = output_view(was_, a), *const was_y = output_view(was_, b);
  const bool one = was_x != nullptr && was_y != nullptr && was_x->storage == was_y->storage;
  if ((one && shift(a) && shift(a) == shift(b)) || apart(space_, x, y)) return true;
  if (!one || was_x->form->shape != x.form->shape || was_y->form->shape != y.form->shape) return false;
  Shown v{*x.form, *was_x->form}, w{*y.form, *was_y->form};
  const auto either = [&] { return implied(v, w) || implied(w, v); };
  if (either()) return true;
  // If both graphs apply the same map last, places meet if and only if those meet that it leads to.
  bool shorter = false;
  for (Shown* s : {&v, &w})
    while (!s->is.maps.empty() && !s->was.maps.empty() && one_map(s->is.maps.back(), s->was.maps.back()))
      shorten(s->is), shorten(s->was), shorter = true;
  return shorter && either();
}

/// True if wherever an element of x is one of y, an injective view, the two were one element before as well.
bool Sharing::implied(Shown& x, Shown& y) {
  if (!injective(space_, y.is)) return false;
  Index here = running(space_, x.is);
  std::vector<Condition> conditions;
  Index there = inverse(space_, y.is, root_index(space_, x.is, here), conditions);
  std::vector<PolyId> facts;
  for (const Condition& c : conditions) {
    if (c.poly == Space::kBad) return false;
    facts.push_back(c.poly);
    if (c.zero) facts.push_back(space_.scale(c.poly, -1));
  }
  if (x.is.lanes != x.was.lanes || y.is.lanes != y.was.lanes) {  // one graph alone has bytes
    const bool whole = x.is.lanes == y.is.lanes && x.was.lanes == 0 && y.was.lanes == 0;
    if (!whole || !same(space_, {here.back()}, {there.back()}, facts)) return false;
    here.pop_back(), there.pop_back();
  }
  return same(space_, root_index(space_, x.was, here), root_index(space_, y.was, there), facts);
}

}  // namespace noclobber::checker
