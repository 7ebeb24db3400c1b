#include "src/certify/difference.h"
#include "checker/check.h"
#include "checker/refute/refute.h"

#include <algorithm>

#include "src/certify/certificate_text.h"
#include "src/certify/fields.h"

namespace noclobber {
namespace {

using Kind = Obligation::Kind;
using checker::Refutation;
using Place = std::vector<std::int64_t>;
using Path = std::vector<std::pair<std::uint32_t, Place>>;

constexpr std::uint64_t kElements = 20000;  // elements looked at in all
constexpr int kDeep = 300;

/// Replaces symbols by their values.
class Concrete {
 public:
  Concrete(Space& space, const std::map<std::string, std::int64_t>& symbols)
      : space_(space), symbols_(symbols) {}
  template <class... T>
  void operator()(T&&... all) {
    (value(all), ...);
  }

 private:
  void put(PolyId& p) {
    if (const auto at = space_.value(p, symbols_)) p = space_.constant(*at);
  }
  void value(Map& m) { (*this)(Num{m.from}, Num{m.to}, Num{m.start}, Num{m.step}, Num{m.strides}); }
  void value(const Num<PolyId>& n) { put(n.at); }
  void value(const Num<std::vector<PolyId>>& n) {
    for (PolyId& p : n.at) put(p);
  }
  void value(const Num<Shared<std::vector<PolyId>>>& n) { value(Num{n.at.edit()}); }
  template <class T>
  void value(const Form<T>& f) {
    form(*this, f.of);
  }
  template <class T>
  void value(const Entries<T>& all) {
    for (auto& one : all.of) value(one);
  }
  template <class T>
  void value(std::vector<T>& all) {
    if constexpr (std::is_class_v<T>)
      for (T& one : all) value(one);
  }
  template <class T>
  void value(Shared<std::vector<T>>& all) {
    value(all.edit());
  }
  template <class T>
  void value(std::optional<T>& one) {
    if (one) value(*one);
  }
  template <class T>
  requires requires(Concrete& c, T& t) { fields(c, t); }
  void value(T& noun) { fields(*this, noun); }
  template <class T>
  requires(!requires(Concrete & c, T& t) { fields(c, t); }) void value(const T&) {  // has no number
    static_assert(!kIsNum<T>);
  }

  Space& space_;
  const std::map<std::string, std::int64_t>& symbols_;
};

class Looking {
 public:
  Looking(Space& space, const Certificate& certificate, Check check, std::vector<std::uint32_t> order)
      : space_(space),
        certificate_(certificate),
        order_(std::move(order)),
        check_(std::move(check)),
        before_(check_.before ? &*check_.before : nullptr),
        terms_(space),
        rules_(space, terms_, before_, check_.after, check_.boundary) {}

  std::optional<Refutation> run() {
    for (const Obligation& o : enumerate(before_, check_.after, check_.boundary)) {
      if (rules_.shown(o)) continue;
      Refutation found{o, {}, {}, {}, order_};
      if (fill(found) && breaks(found)) return found;
    }
    return std::nullopt;
  }

 private:
  bool breaks(const Refutation& found) {
    certificate_.refutation = found;
    Space space;
    return checker::check(certificate_text(space_, certificate_), space).said ==
           checker::Answer::Said::refuted;
  }
  bool fill(Refutation& out) {
    switch (out.about.kind) {
      case Kind::value:
      case Kind::exit:
      case Kind::current:
      case Kind::current_output:
        return equality(out);
      case Kind::sharing:
      case Kind::together:
        return sharing(out);
      case Kind::frame:
      case Kind::type:
      case Kind::claim:
      case Kind::store:
        return true;
      case Kind::clean:
        return disturbs(out);
      case Kind::defined:
        return undefined(out);
      case Kind::modelled:
      case Kind::order:
      case Kind::placed:  // shown() leaves both to the checker
        return false;
    }
    return false;
  }

  /// Calls `use` with each index of the shape until it returns true. False if none does, or after kElements.
  template <class Use>
  bool each_place(const Shape& shape, const Use& use) {
    Place at(shape.size(), 0), extents;
    for (PolyId p : shape) extents.push_back(space_.value(p).value_or(0));
    if (std::any_of(extents.begin(), extents.end(), [](std::int64_t e) { return e <= 0; })) return false;
    for (;;) {
      if (looked_++ > kElements) return false;
      if (use(at)) return true;
      std::size_t k = at.size();
      while (k > 0 && ++at[k - 1] == extents[k - 1]) at[--k] = 0;
      if (k == 0) return false;
    }
  }
  Index index(const Place& at) {
    Index out;
    for (std::int64_t v : at) out.push_back(space_.constant(v));
    return out;
  }

  bool equality(Refutation& out) {
    const auto both = rules_.sides(out.about);
    if (!both) return false;
    of_ = {both->first.of, both->second.of};
    return each_place(both->first.view.shape, [&](const Place& at) {
      const auto content = [&](const Rules::Side& s) { return s.of->at(s.view, index(at), s.time); };
      out.path.clear();
      out.index = at;
      return differ(content(both->first), content(both->second), out.path, 0);
    });
  }

  /// True if the terms differ. `path` is then the way to a leaf that differs.
  bool differ(TermId a, TermId b, Path& path, int depth) {
    if (terms_.same(a, b) || depth > kDeep || !tried_.emplace(a, b).second) return false;
    const Term x = terms_[a], y = terms_[b];
    for (const Term* t : {&x, &y})
      if (t->kind == Term::Kind::bad || t->kind >= Term::Kind::choose) return false;
    if (x.kind == Term::Kind::undefined) return false;
    if (x.kind != y.kind || x.text != y.text || x.number != y.number || x.index != y.index) return true;
    if (x.kind == Term::Kind::result) return operands(x.terms[0], y.terms[0], path, depth);
    const bool bytes = x.kind == Term::Kind::byte || x.kind == Term::Kind::pack;  // are not on a path
    for (std::uint32_t k = 0; k < std::min(x.terms.size(), y.terms.size()); ++k) {
      if (!bytes) path.push_back({k, {}});
      if (differ(x.terms[k], y.terms[k], path, depth + 1)) return true;
      if (!bytes) path.pop_back();
    }
    return false;
  }
  bool operands(TermId a, TermId b, Path& path, int depth) {
    const Term x = terms_[a], y = terms_[b];
    if (x.text != y.text || x.index != y.index) return true;
    const std::uint32_t step = of_.first->step_of(a);
    if (step == of_.first->trace().steps.size()) return false;
    for (std::uint32_t k = 0; k < x.terms.size(); ++k) {
      const Shape& shape = of_.first->trace().steps[step].reads[k].shape;
      if (terms_.same(x.terms[k], y.terms[k])) continue;
      path.push_back({k, {}});
      const bool found = each_place(shape, [&](const Place& at) {
        path.back().second = at;
        return differ(of_.first->operand(a, k, index(at)), of_.second->operand(b, k, index(at)), path,
                      depth + 1);
      });
      if (found) return true;
      path.pop_back();
    }
    return false;
  }

  /// The index into the storage of the first byte of an element.
  Index root(const TraceView& view, const Place& at) {
    Index all = index(at);
    if (view.lanes > 0) all.push_back(0);
    return root_index(space_, view, all);
  }
  /// Finds elements i of x and j of y that are one element of a storage and satisfy `wanted`.
  template <class Wanted>
  bool meeting(const TraceView& x, const TraceView& y, Refutation& out, const Wanted& wanted) {
    if (x.storage != y.storage) return false;
    std::multimap<Index, Place> seen;
    each_place(x.shape, [&](const Place& at) {
      seen.emplace(root(x, at), at);
      return false;
    });
    return each_place(y.shape, [&](const Place& at) {
      const auto [from, to] = seen.equal_range(root(y, at));
      const auto found = std::find_if(from, to, [&](const auto& one) { return wanted(one.second, at); });
      if (found == to) return false;
      out.index = found->second;
      out.other = at;
      return true;
    });
  }

  /// Finds another output, or an input, and two elements that are one now and were not before.
  bool sharing(Refutation& out) {
    const Obligation& o = out.about;
    if (!check_.before) return false;
    const Trace &is = o.of_before ? *check_.before : check_.after,
                &was = o.of_before ? check_.after : *check_.before;
    const TraceView *const x = output_view(is, o.a), *const was_x = output_view(was, o.a);
    if (x == nullptr || was_x == nullptr) return false;
    const auto grown = [&](std::uint32_t other, const TraceView* y, const auto& wanted) {
      out.path = {{other, {}}};
      return y != nullptr && meeting(*x, *y, out, wanted);
    };
    if (o.kind == Kind::together) {
      for (std::uint32_t other = 0; other <= o.a; ++other) {
        const TraceView* const was_y = output_view(was, other);
        const auto apart_before = [&](const Place& i, const Place& j) {
          return was_y != nullptr && (was_x->storage != was_y->storage || root(*was_x, i) != root(*was_y, j));
        };
        if (grown(other, output_view(is, other), apart_before)) return true;
      }
      return false;
    }
    const TraceStorage &s = is.storages[x->storage], &t = was.storages[was_x->storage];
    const auto moved = [&](const Place& i, const Place&) {
      return s.start != t.start || s.key != t.key || root(*was_x, i) != root(*x, i);
    };
    for (std::uint32_t k = 0; k < is.inputs.size(); ++k)
      if (grown(k, &is.inputs[k].view, moved)) return true;
    out.path.clear();
    return each_place(x->shape, [&](const Place& at) {
      out.index = at;
      return moved(at, at);
    });
  }

  bool disturbs(Refutation& out) {
    const TraceStep& step = check_.after.steps[out.about.a];
    const auto other = [](const Place& a, const Place& b) { return a != b; };
    for (std::uint32_t w = 0; w < step.writes.size(); ++w) {
      out.path = {{w, {}}};
      if (meeting(step.writes[w], step.writes[w], out, other)) return true;
      for (std::uint32_t r = 0; r < step.reads.size(); ++r) {
        const Access access = step.access[r][w];
        if (access == Access::before_write) continue;
        out.path = {{w, {}}, {r, {}}};
        if (meeting(step.writes[w], step.reads[r], out,
                    [&](const Place& a, const Place& b) { return access == Access::any_time || a != b; }))
          return true;
      }
    }
    return false;
  }

  bool undefined(Refutation& out) {
    const TraceView& view = *check_.after.outputs[out.about.a].view;
    return each_place(view.shape, [&](const Place& at) {
      out.index = at;
      out.path.clear();
      return unwritten(
          rules_.of_after().at(view, index(at), static_cast<std::uint32_t>(check_.after.steps.size())),
          out.path, 0);
    });
  }
  /// True if the term depends on an undefined element. `path` is then the way to it.
  bool unwritten(TermId at, Path& path, int depth) {
    const Term t = terms_[at];
    if (t.kind == Term::Kind::undefined) return true;
    if (depth > kDeep || !tried_.emplace(at, at).second) return false;
    if (t.kind == Term::Kind::bad || t.kind >= Term::Kind::choose) return false;
    Contents& of = rules_.of_after();
    const bool call = t.kind == Term::Kind::result;
    const std::uint32_t step = call ? of.step_of(t.terms[0]) : 0;
    const std::size_t count = call ? terms_[t.terms[0]].terms.size() : t.terms.size();
    const bool bytes = t.kind == Term::Kind::byte || t.kind == Term::Kind::pack;
    for (std::uint32_t k = 0; k < count; ++k) {
      if (!bytes) path.push_back({k, {}});
      const bool found =
          call ? each_place(check_.after.steps[step].reads[k].shape,
                            [&](const Place& place) {
                              path.back().second = place;
                              return unwritten(of.operand(t.terms[0], k, index(place)), path, depth + 1);
                            })
               : unwritten(t.terms[k], path, depth + 1);
      if (found) return true;
      if (!bytes) path.pop_back();
    }
    return false;
  }

  Space& space_;
  Certificate certificate_;
  std::vector<std::uint32_t> order_;
  Check check_;
  const Trace* before_;
  Terms terms_;
  Rules rules_;
  std::pair<Contents*, Contents*> of_;
  std::set<std::pair<TermId, TermId>> tried_;
  std::uint64_t looked_ = 0;
};

/// The trace with its graph steps in another order. Empty if its edges forbid it, or names are values.
std::optional<Trace> reordered(const Trace& trace, const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t k = 0; k < order.size(); ++k) place.emplace(order[k], k);
  const auto at = [&](std::uint32_t step) {  // stores at exit, not in `order`, come last
    const auto found = place.find(step);
    return found == place.end() ? order.size() + step : found->second;
  };
  Trace out = trace;
  bool good = trace.any_order && place.size() == order.size();
  for (const auto& [earlier, later] : trace.edges) good = good && at(earlier) < at(later);
  for (const TraceStep& s : trace.steps) good = good && s.reaching.empty();
  if (!good) return std::nullopt;
  std::ranges::stable_sort(out.steps, {}, [&](const TraceStep& s) { return at(s.origin); });
  return out;
}

}  // namespace

std::optional<Refutation> find_difference(Space& space, const Certificate& certificate,
                                          const std::vector<std::uint32_t>& order) {
  if (certificate.checks.empty()) return std::nullopt;
  Check check = certificate.checks.back();
  if (!order.empty()) {
    const auto other = reordered(check.after, order);
    if (!other) return std::nullopt;
    check.after = *other;
  }
  Concrete concrete(space, certificate.symbols);
  if (check.before) concrete(*check.before);
  concrete(check.after);
  return Looking(space, certificate, std::move(check), order).run();
}

}  // namespace noclobber
