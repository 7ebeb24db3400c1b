// Lemmas: what a certificate says is equal in both graphs, each shown by those before it.
#include "checker/kernel/contents.h"

namespace noclobber::checker {

void Equality::learn(const Lemma& lemma, const std::vector<std::string>& assumed) {
  begin(learned_++, std::nullopt);
  if (lemma.kind == Lemma::Kind::identity) return identity(lemma, assumed);
  lemma.kind == Lemma::Kind::calls ? calls(lemma.a, lemma.c) : contents(lemma);
}

std::vector<bool> Equality::used() const {
  std::vector<bool> out(learned_);
  for (auto use = uses_.rbegin(); use != uses_.rend(); ++use)
    if (use->first == learned_ || out[use->first]) out[use->second] = true;
  return out;
}

void Equality::calls(std::uint32_t a, std::uint32_t b) {
  require(a < before_.exit() && b < after_.exit(), "no such step");
  const Step &s = before_.trace.steps[a], &t = after_.trace.steps[b];
  require(one_operator(before_.trace, s, after_.trace, t, true), "two steps are different operators");
  for (std::uint32_t k = 0; k < s.form->reads; ++k)
    equal(at_all(before_, before_.trace.reads(s)[k], a), at_all(after_, after_.trace.reads(t)[k], b), {});
  if (always_[b].second == kUnset) always_[b] = {a, proving_};
  else more_[b].emplace_back(a, proving_), same_calls_[std::uint64_t{a} << 32 | b] = proving_;
}

void Equality::contents(const Lemma& l) {
  require(l.a < before_.trace.storages.size() && l.c < after_.trace.storages.size(), "no such storage");
  require(l.b <= before_.version(l.a, before_.exit()) && l.d <= after_.version(l.c, after_.exit()),
          "no such write");
  const StorageForm &s = *before_.trace.storages[l.a].form, &t = *after_.trace.storages[l.c].form;
  require(s.shape == t.shape && s.lanes == t.lanes, "two storages of different shapes");
  const Index index = running(space_, s);
  if (l.kind == Lemma::Kind::writes) writes(l);
  else equal({&before_, l.a, l.b, {}, index}, {&after_, l.c, l.d, {}, index}, {});
  const std::uint64_t was = before_.number(l.a, l.b), is = after_.number(l.c, l.d);
  same_contents_[was << 32 | is] = proving_;
  told_[was * 2] = told_[is * 2 + 1] = 1;
}

/// Shows that the latest writes of both are the same, and that those in another order are apart.
void Equality::writes(Lemma l) {
  const std::vector<std::uint32_t> order = l.order();
  const std::size_t n = order.size();
  const auto own = latest(before_, l.a, l.b, n), other = latest(after_, l.c, l.d, n);
  const std::set<std::uint32_t> all(order.begin(), order.end());
  require(n > 0 && all.size() == n && *all.rbegin() == n - 1, "no such writes");
  const std::uint32_t old = same_contents_.at(before_.number(l.a, l.b) << 32 | after_.number(l.c, l.d));
  require(old != kUnset && rests_on(old), "what was there before is not the same");
  for (std::size_t k = 0; k < n; ++k) {
    same_write(own[k], other[order[k]]);
    for (std::size_t i = 0; i < k; ++i)
      require(order[i] < order[k] || apart(space_, *before_.view(own[i]).form, *before_.view(own[k]).form),
              "two writes meet that are in another order");
  }
}

/// The latest `count` writes, the latest first. A move of a whole storage is looked through and not counted.
/// `storage` and `version` become those of the content before these writes.
std::vector<Run::Write> Equality::latest(Run& run, StorageId& storage, std::uint32_t& version,
                                         std::size_t count) {
  std::vector<Run::Write> out;
  while (out.size() < count) {
    require(version > 0, "no such write");
    const Run::Write w = run.write(storage, version);
    const Step& step = run.trace.steps[w.step];
    const ViewForm &to = *run.view(w).form, &from = *run.trace.views[step.views].form;
    require(run.clean(w.step), "a step that disturbs itself was met");
    --version;
    if (step.form->kind != StepKind::move || !to.maps.empty() || !from.maps.empty() || from.type != to.type ||
        from.lanes != to.lanes) {
      out.push_back(w);
    } else {
      storage = run.trace.views[step.views].storage;
      version = run.version(storage, w.step);
    }
  }
  return out;
}

void Equality::same_write(Run::Write a, Run::Write b) {
  const ViewForm& view = *before_.view(a).form;
  require(view.place == after_.view(b).form->place, "two writes go elsewhere");
  const Index index = running(space_, view);
  equal(source(before_, a, index, {}), source(after_, b, index, {}), {});
}

}  // namespace noclobber::checker
