// The verdict of a certificate.
#include <algorithm>

#include "checker/certificate.h"

namespace noclobber {

namespace {
using Kind = Obligation::Kind;

/// The first fault outside of the Traces' obligations; "" if there is none.
std::string prepare(Space& space, const Certificate& certificate) {
  for (PolyId fact : space.facts())
    if (space.value(fact, certificate.symbols).value_or(-1) < 0)
      return "the symbols' values do not show a fact";
  for (std::size_t k = 0; k < certificate.evidence.size(); ++k)
    if (!space.derive(certificate.evidence[k])) return "derivation " + std::to_string(k) + " is wrong";
  std::set<std::string> bodies;
  for (const Check& check : certificate.checks) {
    for (const Trace* trace : {check.before ? &*check.before : nullptr, &check.after})
      for (std::size_t k = 0; trace != nullptr && k < trace->steps.size(); ++k)
        for (const std::string& body : trace->steps[k].bodies)
          if (!bodies.contains(body)) return "no check shows body " + body;
    if (check.before && !bodies.insert(check.key).second) return "two checks are called " + check.key;
  }
  return "";
}

/// Two contents at constant indices that differ for some contents at entry and some operators.
bool differ(const Terms& terms, TermId a, TermId b, const std::pair<Contents*, Contents*>& of,
            const std::vector<std::pair<std::uint32_t, Index>>& path) {
  for (std::size_t at = 0;; ++at) {
    Term x = terms[a], y = terms[b];
    for (const Term* t : {&x, &y})
      if (t->kind == Term::Kind::bad || t->kind >= Term::Kind::choose) return false;
    if (x.kind == Term::Kind::undefined) return false;
    if (x.kind != y.kind || x.text != y.text || x.number != y.number || x.index != y.index) return true;
    if (at == path.size()) return false;
    const auto& [number, index] = path[at];
    if (x.kind == Term::Kind::result) {
      const Term p = terms[x.terms[0]], q = terms[y.terms[0]];
      if (p.text != q.text || p.index != q.index) return true;
      a = of.first->operand(x.terms[0], number, index);
      b = of.second->operand(y.terms[0], number, index);
    } else {
      if (number >= x.terms.size() || number >= y.terms.size()) return false;
      a = x.terms[number], b = y.terms[number];
    }
  }
}

class Breaking {
 public:
  Breaking(Space& space, const Check& check, const Refutation& refutation)
      : space_(space),
        check_(check),
        refutation_(refutation),
        before_(check_.before ? &*check_.before : nullptr),
        terms_(space),
        rules_(space, terms_, before_, check_.after, check_.boundary) {}

  bool run() {
    const Obligation& o = refutation_.about;
    const auto all = enumerate(before_, check_.after, check_.boundary);
    if (std::find(all.begin(), all.end(), o) == all.end()) return false;
    switch (o.kind) {
      case Kind::value:
      case Kind::exit:
      case Kind::current:
      case Kind::current_output: return equality(o);
      case Kind::frame:
      case Kind::type:
      case Kind::claim:
      case Kind::store: return !rules_.shown(o) && constant(o);
      case Kind::sharing:
      case Kind::together: return sharing(o);
      case Kind::placed: return placed_apart(o.a, refutation_.path.empty() ? o.a : refutation_.path[0].first);
      case Kind::clean: return disturbs(check_.after.steps[o.a]);
      case Kind::defined: return undefined(o.a);
      case Kind::modelled:
      case Kind::order: return false;
    }
    return false;
  }

 private:
  Index index(const std::vector<std::int64_t>& values) {
    Index out;
    for (std::int64_t v : values) out.push_back(space_.constant(v));
    return out;
  }
  bool inside(const TraceView& view, const std::vector<std::int64_t>& at) {
    bool out = at.size() == view.shape.size();
    for (std::size_t k = 0; out && k < at.size(); ++k)
      out = at[k] >= 0 && at[k] < space_.value(view.shape[k]).value_or(0);
    return out;
  }
  bool equality(const Obligation& o) {
    const auto both = rules_.sides(o);
    if (!both || !inside(both->first.view, refutation_.index)) return false;
    std::vector<std::pair<std::uint32_t, Index>> path;
    for (const auto& [operand, at] : refutation_.path) path.emplace_back(operand, index(at));
    const auto content = [&](const Rules::Side& s) {
      return s.of->at(s.view, index(refutation_.index), s.time);
    };
    return differ(terms_, content(both->first), content(both->second), {both->first.of, both->second.of},
                  path);
  }
  /// A type or a claim that is not shown is wrong where both sides are numbers; a store, where it stores
  /// anything.
  bool constant(const Obligation& o) {
    if (o.kind == Kind::claim) {
      const TraceClaim& c = (o.of_before ? *before_ : check_.after).claims[o.a];
      return c.said != Space::kBad && c.computed != Space::kBad && space_.value(c.said) &&
             space_.value(c.computed);
    }
    if (o.kind != Kind::store) return true;
    const auto& writes = check_.after.steps[o.a].writes;
    return std::any_of(writes.begin(), writes.end(), [&](const TraceView& v) {
      return !check_.after.storages[v.storage].writable &&
             space_.value(element_count(space_, v.shape)).value_or(0) > 0;
    });
  }
  bool sharing(const Obligation& o) {
    const bool input = o.kind == Kind::sharing;
    const auto view = [&](const Trace& t, bool second) -> std::optional<TraceView> {
      if (second && input) return t.inputs[o.b].view;
      const std::uint32_t k = second ? o.b : o.a;
      return k < t.outputs.size() ? t.outputs[k].view : std::nullopt;
    };
    const auto x = view(check_.after, false), y = view(check_.after, true);
    if (!x || !y || !meet(*x, refutation_.index, *y, refutation_.other)) return false;
    const auto was_x = view(*before_, false);
    const auto was_y =
        input && (o.b >= before_->inputs.size() || check_.after.inputs[o.b].name != before_->inputs[o.b].name)
            ? std::nullopt
            : view(*before_, true);
    return was_x && was_y && apart(space_, *was_x, *was_y);
  }
  /// path: the write, then the read that meets it, or nothing: the write meets itself.
  bool disturbs(const TraceStep& step) {
    const auto& path = refutation_.path;
    if (path.empty() || path[0].first >= step.writes.size()) return false;
    const bool itself = path.size() == 1;
    if (!itself && path[1].first >= step.reads.size()) return false;
    const TraceView& write = step.writes[path[0].first];
    const TraceView& read = itself ? write : step.reads[path[1].first];
    const Access access = itself ? Access::any_time : step.access[path[1].first][path[0].first];
    const bool matters = access == Access::any_time && !itself;
    return access != Access::before_write && (matters || refutation_.index != refutation_.other) &&
           meet(write, refutation_.index, read, refutation_.other);
  }
  /// Is the element that the path leads to one that nothing has written?
  bool undefined(std::uint32_t output) {
    const TraceView& view = *check_.after.outputs[output].view;
    if (!inside(view, refutation_.index)) return false;
    Contents& of = rules_.of_after();
    TermId at = of.at(view, index(refutation_.index), static_cast<std::uint32_t>(check_.after.steps.size()));
    for (const auto& [number, place] : refutation_.path) {
      const Term t = terms_[at];
      const bool call = t.kind == Term::Kind::result;
      if (!call && number >= t.terms.size()) return false;
      at = call ? of.operand(t.terms[0], number, index(place)) : t.terms[number];
    }
    return terms_[at].kind == Term::Kind::undefined;
  }
  /// Do two elements of two views lie on one element of a storage?
  bool meet(const TraceView& a, const std::vector<std::int64_t>& i, const TraceView& b,
            const std::vector<std::int64_t>& j) {
    const auto root = [&](const TraceView& v, const std::vector<std::int64_t>& at) {
      Index all = index(at);
      if (v.lanes > 0) all.push_back(0);
      return root_index(space_, v, all);
    };
    if (a.storage != b.storage || a.lanes != b.lanes || !inside(a, i) || !inside(b, j)) return false;
    const Index at = root(a, i);
    return std::find(at.begin(), at.end(), Space::kBad) == at.end() && at == root(b, j);
  }
  bool placed_apart(std::uint32_t a, std::uint32_t b) {
    const auto& all = check_.after.placements;
    if (b >= all.size() || all[a].arena >= check_.after.arenas.size()) return false;
    const auto value = [&](PolyId p) { return space_.value(p).value_or(0); };
    const auto end = [&](const TracePlacement& p) { return value(space_.add(p.offset, p.size)); };
    const TracePlacement &p = all[a], &q = all[b];
    if (a == b) return value(p.offset) < 0 || end(p) > value(check_.after.arenas[p.arena]);
    return p.arena == q.arena && p.first < q.last && q.first < p.last && value(p.offset) < end(q) &&
           value(q.offset) < end(p);
  }

  Space& space_;
  const Check& check_;
  const Refutation& refutation_;
  const Trace* before_;
  Terms terms_;
  Rules rules_;
};
}  // namespace

Judgement judge(Space& space, const Certificate& certificate) {
  Judgement out;
  out.why = prepare(space, certificate);
  for (const Check& check : certificate.checks) {
    const Trace* before = check.before ? &*check.before : nullptr;
    Terms terms(space);
    Rules rules(space, terms, before, check.after, check.boundary);
    const auto obligations = enumerate(before, check.after, check.boundary);
    const Decision decision = decide(rules, obligations, {check.by_solver.begin(), check.by_solver.end()});
    out.obligations += obligations.size();
    out.by_rule += decision.by_rule;
    out.by_solver += decision.by_solver;
    if (!decision.proved && out.why.empty())
      out.why = std::to_string(decision.open.size()) + " obligations are open";
    if (decision.by_solver != check.by_solver.size() && out.why.empty())
      out.why = "surplus claims of a solver";
  }
  out.derivations = space.used().size();
  if (space.used().size() != space.derivations().size() && out.why.empty()) out.why = "surplus evidence";
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
  std::stable_sort(out.steps.begin(), out.steps.end(),
                   [&](const TraceStep& a, const TraceStep& b) { return at(a.origin) < at(b.origin); });
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
