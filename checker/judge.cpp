// The verdict of a certificate.
#include <algorithm>

#include "checker/certificate.h"

namespace noclobber {

namespace {
using Kind = Obligation::Kind;

const Trace* before_of(const Check& check) { return check.before ? &*check.before : nullptr; }

/// The first fault outside of the Traces' obligations; "" if there is none.
std::string prepare(Space& space, const Certificate& certificate) {
  for (PolyId fact : space.facts())
    if (space.value(fact, certificate.symbols).value_or(-1) < 0)
      return "the symbols' values do not show a fact";
  for (std::size_t k = 0; k < certificate.evidence.size(); ++k)
    if (!space.derive(certificate.evidence[k])) return "derivation " + std::to_string(k) + " is wrong";
  std::set<std::string> bodies;
  for (const Check& check : certificate.checks) {
    for (const Trace* trace : {before_of(check), &check.after})
      for (std::size_t k = 0; trace != nullptr && k < trace->steps.size(); ++k)
        for (const std::string& body : trace->steps[k].bodies)
          if (!bodies.contains(body)) return "no check shows body " + body;
    if (check.before && !bodies.insert(check.key).second) return "two checks are called " + check.key;
  }
  return "";
}

/// Does a refutation break a check, where symbols are values?
class Breaking {
 public:
  Breaking(Space& space, const Check& check, const Refutation& refutation)
      : space_(space), after_(check.after), refutation_(refutation), before_(before_of(check)), terms_(space),
        rules_(space, terms_, before_, check.after, check.boundary),
        all_(enumerate(before_, check.after, check.boundary)) {}

  bool run() {
    const Obligation& o = refutation_.about;
    if (std::find(all_.begin(), all_.end(), o) == all_.end()) return false;
    switch (o.kind) {
      case Kind::value:
      case Kind::exit:
      case Kind::current:
      case Kind::current_output: return equality(o);
      case Kind::frame:
      case Kind::type: return !rules_.shown(o);
      case Kind::claim: {
        const TraceClaim& c = (o.of_before ? *before_ : after_).claims[o.a];
        return c.said != c.computed && space_.value(c.said) && space_.value(c.computed);
      }
      case Kind::store:
        return std::any_of(after_.steps[o.a].writes.begin(), after_.steps[o.a].writes.end(), [&](auto& v) {
          return !after_.storages[v.storage].writable && less(0, element_count(space_, v.shape));
        });
      case Kind::sharing:
      case Kind::together: return sharing(o);
      case Kind::placed: return misplaced(o.a, refutation_.path.empty() ? o.a : refutation_.path[0].first);
      case Kind::clean: return disturbs(after_.steps[o.a]);
      case Kind::defined: return undefined(*output_view(after_, o.a));
      case Kind::modelled:
      case Kind::order: return false;
    }
    return false;
  }

 private:
  using Place = std::vector<std::int64_t>;

  bool less(PolyId a, PolyId b) { return space_.value(space_.beyond(b, a)).value_or(-1) >= 0; }
  Index index(const Place& values) {
    Index out;
    for (std::int64_t v : values) out.push_back(space_.constant(v));
    return out;
  }
  bool inside(const TraceView& view, const Place& at) {
    return std::equal(at.begin(), at.end(), view.shape.begin(), view.shape.end(),
                      [&](auto k, PolyId extent) { return k >= 0 && k < space_.value(extent).value_or(0); });
  }
  bool differ(const Index& a, const Index& b) {
    return !std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](PolyId x, PolyId y) {
      return x == y || !space_.value(x) || !space_.value(y);  // what is no number may be equal
    });
  }
  /// The part of a term that an entry of a path leads to.
  TermId part(Contents& of, TermId whole, const std::pair<std::uint32_t, Place>& to) {
    const Term& t = terms_[whole];
    if (t.kind == Term::Kind::result) return of.operand(t.terms[0], to.first, index(to.second));
    return to.first < t.terms.size() ? t.terms[to.first] : Terms::kBad;
  }
  /// At constant indices: do the contents differ for some contents at entry and some operators?
  bool equality(const Obligation& o) {
    const auto both = rules_.sides(o);
    if (!both || !inside(both->first.view, refutation_.index)) return false;
    const auto& [p, q] = *both;
    TermId a = p.of->at(p.view, index(refutation_.index), p.time);
    TermId b = q.of->at(q.view, index(refutation_.index), q.time);
    for (auto to = refutation_.path.begin();; ++to) {
      const Term &x = terms_[a], &y = terms_[b];
      for (const Term* t : {&x, &y})
        if (t->kind == Term::Kind::bad || t->kind >= Term::Kind::choose) return false;
      if (x.kind == Term::Kind::undefined) return false;
      const bool calls = x.kind == Term::Kind::result && y.kind == x.kind;
      if (heads_differ(x, y) || (calls && heads_differ(terms_[x.terms[0]], terms_[y.terms[0]]))) return true;
      if (x.index != y.index || to == refutation_.path.end()) return false;
      a = part(*p.of, a, *to), b = part(*q.of, b, *to);
    }
  }
  bool heads_differ(const Term& x, const Term& y) {
    return x.kind != y.kind || x.text != y.text || x.number != y.number || differ(x.index, y.index);
  }
  bool sharing(const Obligation& o) {
    const auto [x, y] = both_views(after_, o);
    const auto [was_x, was_y] = both_views(*before_, o);
    if (o.kind == Kind::sharing && was_y != nullptr && after_.inputs[o.b].name != before_->inputs[o.b].name)
      return false;
    return x != nullptr && y != nullptr && meet(*x, *y) && was_x != nullptr && was_y != nullptr &&
           apart(space_, *was_x, *was_y);
  }
  /// path: the write, then the read that meets it, or nothing: the write meets itself.
  bool disturbs(const TraceStep& step) {
    const auto& path = refutation_.path;
    if (path.empty() || path[0].first >= step.writes.size()) return false;
    const TraceView& write = step.writes[path[0].first];
    const bool same_place = refutation_.index == refutation_.other;
    if (path.size() == 1) return !same_place && meet(write, write);
    if (path[1].first >= step.reads.size()) return false;
    const Access access = step.access[path[1].first][path[0].first];
    return access != Access::before_write && (access == Access::any_time || !same_place) &&
           meet(write, step.reads[path[1].first]);
  }
  /// Is the element that the path leads to one that nothing has written?
  bool undefined(const TraceView& view) {
    if (!inside(view, refutation_.index)) return false;
    Contents& of = rules_.of_after();
    TermId at = of.at(view, index(refutation_.index), of.exit());
    for (const auto& to : refutation_.path) at = part(of, at, to);
    return terms_[at].kind == Term::Kind::undefined;
  }
  /// Do elements `index` of a and `other` of b lie on one element of a storage?
  bool meet(const TraceView& a, const TraceView& b) {
    if (a.storage != b.storage || a.lanes != b.lanes) return false;
    if (!inside(a, refutation_.index) || !inside(b, refutation_.other)) return false;
    Index i = index(refutation_.index), j = index(refutation_.other);
    if (a.lanes > 0) i.push_back(0), j.push_back(0);
    const Index at = root_index(space_, a, i);
    return std::find(at.begin(), at.end(), Space::kBad) == at.end() && at == root_index(space_, b, j);
  }
  bool misplaced(std::uint32_t a, std::uint32_t b) {
    const auto& all = after_.placements;
    if (b >= all.size() || all[a].arena >= after_.arenas.size()) return false;
    const auto end = [&](const TracePlacement& p) { return space_.add(p.offset, p.size); };
    const TracePlacement &p = all[a], &q = all[b];
    if (a == b) return less(p.offset, 0) || less(after_.arenas[p.arena], end(p));
    return p.arena == q.arena && p.first < q.last && q.first < p.last && less(p.offset, end(q)) &&
           less(q.offset, end(p));
  }

  Space& space_;
  const Trace& after_;
  const Refutation& refutation_;
  const Trace* before_;
  Terms terms_;
  Rules rules_;
  std::vector<Obligation> all_;
};
}  // namespace

Judgement judge(Space& space, const Certificate& certificate) {
  Judgement out;
  out.why = prepare(space, certificate);
  const auto wrong = [&](bool is, const std::string& why) {
    if (is && out.why.empty()) out.why = why;
  };
  for (const Check& check : certificate.checks) {
    Terms terms(space);
    Rules rules(space, terms, before_of(check), check.after, check.boundary);
    const auto obligations = enumerate(before_of(check), check.after, check.boundary);
    const Decision decision = decide(rules, obligations, {check.by_solver.begin(), check.by_solver.end()});
    out.obligations += obligations.size();
    out.by_rule += decision.by_rule;
    out.by_solver += decision.by_solver;
    wrong(!decision.proved, std::to_string(decision.open.size()) + " obligations are open");
    wrong(decision.by_solver != check.by_solver.size(), "surplus claims of a solver");
  }
  out.derivations = space.used().size();
  wrong(space.used().size() != space.derivations().size(), "surplus evidence");
  if (out.why.empty()) out.verdict = Judgement::Verdict::proved;
  return out;
}

std::optional<Trace> reordered(const Trace& trace, const std::vector<std::uint32_t>& order) {
  std::map<std::uint32_t, std::size_t> place;
  for (std::size_t k = 0; k < order.size(); ++k) place.emplace(order[k], k);
  const auto at = [&](std::uint32_t step) {  // what is stored at exit comes after all
    const auto found = place.find(step);
    return found == place.end() ? order.size() + step : found->second;
  };
  Trace out = trace;
  bool good = trace.any_order && trace.guards.empty() && place.size() == order.size();
  for (const auto& [earlier, later] : trace.edges) good = good && at(earlier) < at(later);
  for (const TraceStep& s : trace.steps) good = good && s.means.empty();
  if (!good) return std::nullopt;
  std::ranges::stable_sort(out.steps, {}, [&](const TraceStep& s) { return at(s.origin); });
  return out;
}

bool breaks(Space& space, const Certificate& certificate) {
  for (PolyId fact : space.facts())
    if (space.value(fact).value_or(0) < 0) return false;
  if (!certificate.refutation || certificate.checks.empty()) return false;
  Check check = certificate.checks.back();
  if (!certificate.refutation->order.empty()) {
    const auto other = reordered(check.after, certificate.refutation->order);
    if (!other) return false;
    check.after = *other;
  }
  return Breaking(space, check, *certificate.refutation).run();
}

}  // namespace noclobber
