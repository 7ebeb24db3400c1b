// Replays a refutation on the Traces of the last check, with symbols as values.
#include "checker/refute/refute.h"

#include "checker/kernel/rules.h"

namespace noclobber::checker {
namespace {

using Kind = Obligation::Kind;
using Place = std::vector<std::int64_t>;

class Breaking {
 public:
  Breaking(Space& space, const Check& check, const Refutation& refutation)
      : space_(space), check_(check), after_(check.after),
        before_(check.before ? *check.before : check.after), refutation_(refutation), rules_(space, check) {}

  bool run() {
    const Obligation& o = refutation_.about;
    const auto all = enumerate(check_.before ? &before_ : nullptr, after_, check_.boundary);
    if (std::ranges::find(all, o) == all.end()) return false;
    switch (o.kind) {
      case Kind::value:
      case Kind::exit:
      case Kind::current:
      case Kind::current_output: return differs(o);
      case Kind::frame:
      case Kind::type: return !shown(o);
      case Kind::claim: {
        const auto& [said, computed] = (o.of_before ? before_ : after_).claims[o.a];
        return said != computed && space_.value(said) && space_.value(computed);
      }
      case Kind::store:
        return std::ranges::any_of(after_.writes(after_.steps[o.a]), [&](const View& v) {
          return !after_.storages[v.storage].form->writable && !empty(v.form->shape);
        });
      case Kind::sharing:
      case Kind::together: return sharing(o);
      case Kind::placed: return misplaced(o.a, refutation_.path.empty() ? o.a : refutation_.path[0].first);
      case Kind::clean: return disturbs(after_.steps[o.a]);
      case Kind::defined: return differs(o);
      case Kind::modelled:
      case Kind::order: return false;
    }
    return false;
  }

 private:
  bool shown(const Obligation& o) try {
    rules_.show(o);
    return true;
  } catch (const Open&) { return false; }
  bool less(PolyId a, PolyId b) { return space_.value(space_.beyond(b, a)).value_or(-1) >= 0; }
  Index index(const Place& values) {
    Index out;
    for (std::int64_t v : values) out.push_back(space_.constant(v));
    return out;
  }
  bool inside(const Shape& shape, const Place& at) {
    return std::ranges::equal(
        at, shape, [&](auto k, PolyId extent) { return k >= 0 && k < space_.value(extent).value_or(0); });
  }
  /// True if the contents at the named element differ, for some contents at entry and some operators. The
  /// path leads from there to the operands that differ.
  bool differs(const Obligation& o) try {
    const View* const view = rules_.view(o);
    const Shape& shape = view != nullptr ? view->form->shape : after_.storages[o.a].form->shape;
    if (!inside(shape, refutation_.index)) return false;
    const Index at = index(refutation_.index);
    const auto both = rules_.sides(o, &at);
    if (!both) return false;
    auto [x, y] = *both;
    for (auto to = refutation_.path.begin();; ++to) {
      for (Content* c : {&x, &y}) *c = rules_.equality().followed(*c);
      if (o.kind == Kind::defined && unwritten(y)) return to == refutation_.path.end();
      if (unwritten(x) || moved(x) || moved(y)) return false;
      if (o.kind != Kind::defined && heads_differ(x, y)) return true;
      if (to == refutation_.path.end() || !x.stored) return false;
      for (Content* c : {&x, &y}) *c = part(*c, *to);
    }
  } catch (const Open&) { return false; }
  /// True if different operators made them, or they are different elements of what one operator made.
  bool heads_differ(const Content& x, const Content& y) {
    const Trace &s = x.run->trace, &t = y.run->trace;
    if (x.stored.has_value() != y.stored.has_value()) return true;
    if (!x.stored) {
      const Storage &a = s.storages[x.storage], &b = t.storages[y.storage];
      return a.form->start != b.form->start || a.key != b.key || differ(x.index, y.index);
    }
    const Step &a = s.steps[x.stored->step], &b = t.steps[y.stored->step];
    const bool whole = a.form->kind == StepKind::opaque && !a.form->elementwise;
    return !one_operator(s, a, t, b, whole) ||
           (whole && (x.stored->slot != y.stored->slot || differ(x.index, y.index)));
  }
  /// True if the indices of elements differ. A byte that only one of them has is ignored.
  bool differ(const Index& a, const Index& b) {
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
      if (a[k] != b[k] && space_.value(a[k]) && space_.value(b[k])) return true;
    return false;  // indices that are no numbers may be equal
  }
  /// True if a move stored it that is no cast: it only carries bytes between elements of two widths.
  static bool moved(const Content& c) {
    const Step* const step = c.stored ? &c.run->trace.steps[c.stored->step] : nullptr;
    return step != nullptr && step->form->kind == StepKind::move &&
           c.run->trace.reads(*step)[0].form->type == c.run->view(*c.stored).form->type;
  }
  /// The operand that an entry of the path leads to; of a whole operand, one of its elements.
  Content part(const Content& c, const std::pair<std::uint32_t, Place>& to) {
    const Step& step = c.run->trace.steps[c.stored->step];
    const bool whole = step.form->kind == StepKind::opaque && !step.form->elementwise;
    if (whole && to.first < step.form->reads &&
        !inside(c.run->trace.reads(step)[to.first].form->shape, to.second))
      throw Open{"there is no such element"};
    return rules_.equality().operand(c, to.first, index(to.second));
  }
  static bool unwritten(const Content& c) {
    return !c.stored && c.run->trace.storages[c.storage].form->start == Start::undefined;
  }
  /// `path` names another output, or an input, whose element `other` and element `index` of the output are
  /// one now and were not before. Empty: that element lies on an input's storage, but in no input.
  bool sharing(const Obligation& o) {
    const Trace &is = o.of_before ? before_ : after_, &was = o.of_before ? after_ : before_;
    const auto now = spot(output_view(is, o.a), is, refutation_.index),
               then = spot(output_view(was, o.a), was, refutation_.index);
    const std::uint32_t other = refutation_.path.empty() ? 0 : refutation_.path[0].first;
    if (!now || !then || made_anew(check_.boundary, o.a)) return false;
    if (o.kind == Kind::together) {
      const auto to = spot(output_view(is, other), is, refutation_.other),
                 from = spot(output_view(was, other), was, refutation_.other);
      return !refutation_.path.empty() && other <= o.a && !made_anew(check_.boundary, other) && now == to &&
             from && then != from;
    }
    if (!now->given || now == then) return false;
    if (!refutation_.path.empty())
      return other < is.inputs.size() && now == spot(&is.inputs[other].second, is, refutation_.other);
    const View& view = *output_view(is, o.a);
    return std::ranges::all_of(is.inputs, [&](const auto& in) { return apart(space_, view, in.second); });
  }
  /// Where the first byte of an element lies. Storages of the caller are the same in both graphs.
  struct Spot {
    bool given = false;
    Text key;
    StorageId storage = 0;
    std::int64_t lanes = 0;
    Index at;
    friend bool operator==(const Spot&, const Spot&) = default;
  };
  std::optional<Spot> spot(const View* view, const Trace& of, const Place& element) {
    if (view == nullptr || !inside(view->form->shape, element)) return std::nullopt;
    const Storage& s = of.storages[view->storage];
    Index at = index(element);
    if (view->form->lanes > 0) at.push_back(0);
    at = root_index(space_, *view->form, at);
    if (!std::ranges::all_of(at, [&](PolyId p) { return p != Space::kBad && space_.value(p); }))
      return std::nullopt;
    const bool given = s.form->start == Start::given;
    return Spot{given, given ? s.key : Text(), given ? 0 : view->storage, view->form->lanes, at};
  }
  /// `path` names the write, then the read that meets it; no read: the write meets itself.
  bool disturbs(const Step& step) {
    const auto& path = refutation_.path;
    if (path.empty() || path[0].first >= step.form->writes) return false;
    const View& write = after_.writes(step)[path[0].first];
    const bool same_place = refutation_.index == refutation_.other;
    if (path.size() == 1) return !same_place && meet(write, write);
    if (path[1].first >= step.form->reads) return false;
    const Access access = step.form->access[path[1].first][path[0].first];
    return access != Access::before_write && (access == Access::any_time || !same_place) &&
           meet(write, after_.reads(step)[path[1].first]);
  }
  /// True if element `index` of a and element `other` of b lie on one element of a storage.
  bool meet(const View& a, const View& b) {
    if (a.storage != b.storage || a.form->lanes != b.form->lanes) return false;
    if (!inside(a.form->shape, refutation_.index) || !inside(b.form->shape, refutation_.other)) return false;
    Index i = index(refutation_.index), j = index(refutation_.other);
    if (a.form->lanes > 0) i.push_back(0), j.push_back(0);
    const Index at = root_index(space_, *a.form, i);
    return std::ranges::find(at, Space::kBad) == at.end() && at == root_index(space_, *b.form, j);
  }
  bool misplaced(std::uint32_t a, std::uint32_t b) {
    const auto& all = after_.placements;
    if (b >= all.size() || all[a].arena >= after_.arenas.size()) return false;
    const auto end = [&](const Placement& p) { return space_.add(p.offset, p.size); };
    const Placement &p = all[a], &q = all[b];
    if (a == b) return less(p.offset, 0) || less(after_.arenas[p.arena], end(p));
    return p.arena == q.arena && p.first < q.last && q.first < p.last && less(p.offset, end(q)) &&
           less(q.offset, end(p));
  }

  Space& space_;
  const Check& check_;
  const Trace &after_, &before_;
  const Refutation& refutation_;
  Rules rules_;
};

/// Puts the graph steps in another order. False if the edges forbid it, or names are values.
bool reorder(Trace& trace, const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t k = 0; k < order.size(); ++k) place.emplace(order[k], k);
  const auto at = [&](std::uint32_t step) {  // stores at exit, not in `order`, come last
    const auto found = place.find(step);
    return found == place.end() ? order.size() + step : found->second;
  };
  bool good = trace.any_order && trace.reaching.empty() && place.size() == order.size();
  for (const auto& [earlier, later] : trace.edges) good = good && at(earlier) < at(later);
  std::ranges::stable_sort(trace.steps, {}, [&](const Step& s) { return at(s.origin); });
  return good;
}

}  // namespace

/// Lemma 14.
bool breaks(Space& space, Certificate& certificate) {
  for (PolyId fact : space.facts())
    if (space.value(fact).value_or(0) < 0) return false;
  Check& check = certificate.checks.back();
  const Refutation& refutation = *certificate.refutation;
  if (!refutation.order.empty() && !reorder(check.after, refutation.order)) return false;
  return Breaking(space, check, refutation).run();
}

}  // namespace noclobber::checker
