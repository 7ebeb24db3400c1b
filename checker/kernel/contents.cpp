#include "checker/kernel/contents.h"

namespace noclobber::checker {

bool one_operator(const Trace& s, const Step& a, const Trace& t, const Step& b, bool whole) {
  const StepForm &x = *a.form, &y = *b.form;
  const auto one_type = [&](const View& v, const View& w) {
    return v.form == w.form || (v.form->type == w.form->type && (!whole || v.form->shape == w.form->shape));
  };
  const bool one = x.kind == y.kind && x.elementwise == y.elementwise && x.bodies == y.bodies;
  return (&x == &y || (one && x.key == y.key)) && std::ranges::equal(s.reads(a), t.reads(b), one_type) &&
         std::ranges::equal(s.writes(a), t.writes(b), one_type);
}

Run::Run(Space& space, const Trace& of)
    : trace(of), space_(space), first_(of.storages.size() + 1), clean_(of.steps.size(), 2) {
  for (const Step& step : trace.steps)
    for (const View& view : trace.writes(step)) ++first_[view.storage + 1];
  for (StorageId s = 0; s < trace.storages.size(); ++s) first_[s + 1] += first_[s];
  writes_.resize(first_.back());
  std::vector<std::uint32_t> next = first_;
  for (std::uint32_t step = 0; step < trace.steps.size(); ++step)
    for (std::uint32_t slot = 0; slot < trace.steps[step].form->writes; ++slot)
      writes_[next[trace.writes(trace.steps[step])[slot].storage]++] = {step, slot};
}

std::uint32_t Run::version(StorageId storage, std::uint32_t time) const {
  const std::span all(writes_.begin() + first_[storage], writes_.begin() + first_[storage + 1]);
  const auto earlier = [&](const Write& w) { return w.step < time; };
  return static_cast<std::uint32_t>(std::partition_point(all.begin(), all.end(), earlier) - all.begin());
}

bool Run::clean(std::uint32_t step) {
  if (clean_[step] == 2) clean_[step] = clean_step(space_, trace, trace.steps[step]) ? 1 : 0;
  return clean_[step] == 1;
}

Content Equality::at(Run& run, const View& view, Index index, std::uint32_t time) {
  const std::int64_t lanes = view.form->lanes;
  require((outer_ >> std::min<std::int64_t>(lanes, 63) & 1) == 0, "an element depends on a byte of another");
  if (lanes > 0) index.push_back(space_.index(Space::kLane, space_.constant(lanes)));
  return byte_at(run, view, std::move(index), time);
}

Content Equality::byte_at(Run& run, const View& view, Index index, std::uint32_t time) {
  const std::uint32_t version = run.version(view.storage, time);
  return {&run, view.storage, version, {}, root_index(space_, *view.form, std::move(index))};
}

/// Follows a content one write back: to the content before it, to what a move read, or to what the step
/// stored. `open`: the condition that stays open. Lemma 6.
Equality::Went Equality::back(Content& c, const Facts& facts, Condition& open) {
  if (c.stored || c.version == 0) return Went::no_further;
  space_.work(20);
  const Run::Write w = c.run->write(c.storage, c.version);
  require(c.run->clean(w.step), "a step that disturbs itself was met");
  std::vector<Condition> conditions;
  const View& to = c.run->view(w);
  Index index = inverse(space_, *to.form, c.index, conditions);
  for (const Condition& one : conditions) {
    const Truth truth = holds(space_, one, facts);
    if (truth == Truth::unknown) open = one;
    if (truth == Truth::yes) continue;
    if (truth == Truth::no) --c.version;
    return truth == Truth::no ? Went::back : Went::open;
  }
  c = source(*c.run, w, std::move(index), c.byte);
  const Simpler* const same = c.stored ? simpler(*c.run, w.step) : nullptr;
  if (same != nullptr && same->converts)
    if (auto [type, of] = cast_of(c); type == to.form->type) c = std::move(of);
  return Went::back;
}

/// The content that a write puts at `index` of its view: what a move read there, or what the step stores. A
/// move between elements with bytes and whole elements carries along the byte that is meant.
Content Equality::source(Run& run, Run::Write w, Index index, const Byte& byte) {
  const Step& step = run.trace.steps[w.step];
  const ViewForm& to = *run.view(w).form;
  const Simpler* const same = simpler(run, w.step);
  const bool keeps = same != nullptr && same->keeps;
  if (keeps) rests_on(same->lemma);
  const View* const view =
      step.form->kind == StepKind::move || keeps ? &run.trace.reads(step)[keeps ? *same->keeps : 0] : nullptr;
  const Byte meant = to.lanes > 0 ? Byte({to.lanes, index.back()}) : byte;
  const std::int64_t lanes = view != nullptr ? view->form->lanes : 0;
  if (view == nullptr || view->form->type != to.type || (meant && lanes > 0 && meant->first != lanes))
    return {&run, 0, 0, w, std::move(index), byte};
  if (to.lanes > 0) index.pop_back();
  if (!meant || running_byte(meant)) return at(run, *view, std::move(index), w.step);
  if (lanes > 0) index.push_back(meant->second);
  Content out = byte_at(run, *view, std::move(index), w.step);
  if (lanes == 0) out.byte = meant;
  return out;
}

/// Notes that what is being shown rests on the lemma. Always true.
bool Equality::rests_on(std::uint32_t lemma) { return uses_.emplace_back(proving_, lemma), true; }

/// The latest lemma about both steps; kUnset if there is none.
std::uint32_t Equality::called(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t later = same_calls_.at(std::uint64_t{a} << 32 | b);
  return later == kUnset && always_[b].first == a ? always_[b].second : later;
}

bool Equality::meets(const Content& x, const Content& y, const Facts& facts) {
  if (x.stored || y.stored) return false;
  const auto there = [&] { return same(space_, x.index, y.index, facts) && one_byte(x.byte, y.byte, facts); };
  if (x.run == y.run) return x.storage == y.storage && x.version == y.version && there();
  const std::uint32_t lemma =
      same_contents_.at(x.run->number(x.storage, x.version) << 32 | y.run->number(y.storage, y.version));
  return lemma != kUnset && there() && rests_on(lemma);
}

/// True if a lemma is about the content, or both contents are of one run.
bool Equality::may_meet(const Content& c, const Content& other) const {
  return !c.stored &&
         (c.run == other.run || told_.at(c.run->number(c.storage, c.version) * 2 + (c.run == &after_)) == 1);
}

/// Lemma 7.
void Equality::equal(const Content& x, const Content& y, const Facts& facts) {
  require(++depth_ < kNested, "a question is nested too deep");
  std::vector<Content> xs, ys;  // contents on the way that the other side may still meet
  Content at_x = x, at_y = y;
  Condition of_x, of_y;
  for (Went went_x = Went::back, went_y = Went::back;;) {
    const bool new_x = went_x == Went::back && may_meet(at_x, at_y),
               new_y = went_y == Went::back && may_meet(at_y, at_x);
    if (new_x) xs.push_back(at_x);
    if (new_y) ys.push_back(at_y);
    const auto met_x = [&](const Content& c) { return meets(c, at_y, facts); };
    const auto met_y = [&](const Content& c) { return meets(at_x, c, facts); };
    space_.work(1 + (new_y ? xs.size() : 0) + (new_x ? ys.size() : 0));
    if ((new_y && std::ranges::any_of(xs, met_x)) || (new_x && std::ranges::any_of(ys, met_y))) break;
    require(--steps_ > 0, "a question is too long");
    if (went_x == Went::back) went_x = back(at_x, facts, of_x);
    if (went_y == Went::back) went_y = back(at_y, facts, of_y);
    if (went_x == Went::back || went_y == Went::back) continue;
    if (went_x == Went::open || went_y == Went::open) either(went_x == Went::open ? of_x : of_y, x, y, facts);
    else made_alike(at_x, at_y, facts);
    break;
  }
  --depth_;
}

/// Splits on an open condition and shows every case. A case that contradicts the facts has no place.
void Equality::either(const Condition& open, const Content& x, const Content& y, const Facts& facts) {
  require(--splits_ > 0, "a question has too many cases");
  const PolyId p = open.poly, minus = space_.scale(p, -1);
  require(p != Space::kBad, "a condition cannot be computed");
  const auto where = [&](std::vector<PolyId> more) {
    require(std::ranges::find(more, Space::kBad) == more.end(), "a condition cannot be computed");
    Facts with = facts;
    with.insert(with.end(), more.begin(), more.end());
    equal(x, y, with);
  };
  const auto otherwise = [&](PolyId fact) {
    if (holds(space_, {false, fact}, facts) != Truth::no) where({fact});
  };
  where(open.zero ? std::vector{p, minus} : std::vector{p});
  otherwise(space_.beyond(minus, 0));
  if (open.zero) otherwise(space_.beyond(p, 0));
}

bool Equality::running_byte(const Byte& byte) {
  return byte->second == space_.index(Space::kLane, space_.constant(byte->first));
}

/// True if both are one byte. A whole element stands for its running byte.
bool Equality::one_byte(const Byte& a, const Byte& b, const Facts& facts) {
  if (a && b) return a->first == b->first && same(space_, {a->second}, {b->second}, facts);
  return (!a || running_byte(a)) && (!b || running_byte(b));
}

bool Equality::same_bytes(const Content& x, const Content& y, bool elements, const Facts& facts) {
  Index i = x.index, j = y.index;
  Byte a = x.byte, b = y.byte;
  for (auto [content, index, byte] : {std::tuple(&x, &i, &a), std::tuple(&y, &j, &b)})
    if (const std::int64_t lanes = content->run->view(*content->stored).form->lanes; lanes > 0) {
      *byte = {lanes, index->back()};
      index->pop_back();
    }
  return one_byte(a, b, facts) && (!elements || same(space_, i, j, facts));
}

Content Equality::operand(const Content& c, std::uint32_t number, const Index& index) {
  const Trace& trace = c.run->trace;
  const Step& step = trace.steps[c.stored->step];
  require(number < step.form->reads, "there is no such operand");
  const View& read = trace.reads(step)[number];
  const bool each = step.form->kind == StepKind::move || step.form->elementwise;
  require(each || index.size() == read.form->shape.size(), "there is no such element");
  Index own = each ? c.index : index;
  own.resize(read.form->shape.size());  // drops the byte
  return at(*c.run, read, std::move(own), c.stored->step);
}

Content Equality::followed(Content content) {
  Condition open;
  Went went = Went::back;
  while (went == Went::back) went = back(content, {}, open);
  require(went == Went::no_further, "a condition is open");
  return content;
}

/// True if one step stored both, or two steps of `after` that are both one step of `before`.
bool Equality::one_of_both(const Content& x, const Content& y) {
  const std::uint32_t i = x.stored->step, j = y.stored->step;
  if (i == j || x.run != &after_) return i == j;
  const auto all = [&](std::uint32_t step) {
    std::vector<Places> out(always_[step].second == kUnset ? 0 : 1, always_[step]);
    if (const auto more = more_.find(step); more != more_.end())
      out.insert(out.end(), more->second.begin(), more->second.end());
    return out;
  };
  for (const auto& [a, lemma] : all(i))
    for (const auto& [b, other] : all(j)) {
      space_.work(1);
      if (a == b) {
        uses_.insert(uses_.end(), {{proving_, lemma}, {proving_, other}});
        return true;
      }
    }
  return false;
}

/// Both contents were stored by a step, or were there at the beginning. Lemma 7.
void Equality::made_alike(const Content& x, const Content& y, const Facts& facts) {
  if (!x.stored || !y.stored) return begin_alike(x, y, facts);
  const Trace &s = x.run->trace, &t = y.run->trace;
  const Step &a = s.steps[x.stored->step], &b = t.steps[y.stored->step];
  const auto there = [&] { return x.stored->slot == y.stored->slot && same_bytes(x, y, true, facts); };
  if (x.run == y.run) {
    if (there() && one_of_both(x, y)) return;
  } else if (const std::uint32_t lemma = called(x.stored->step, y.stored->step); lemma != kUnset) {
    if (there() && rests_on(lemma)) return;
  }
  require(same_bytes(x, y, false, facts), kDiffer);
  if (one_scalar(x, y)) return;
  const bool simple =
      simpler(*x.run, x.stored->step) != nullptr || simpler(*y.run, y.stored->step) != nullptr;
  require(
      (simple || one_operator(s, a, t, b, false)) && (a.form->kind == StepKind::move || a.form->elementwise),
      kDiffer);
  Facts whole = facts;  // a fact about one byte is none about all bytes
  std::erase_if(whole, [&](PolyId f) { return space_.has_lane(f); });
  const auto output = std::exchange(output_, std::nullopt);
  const std::uint64_t outer = outer_;
  for (const Content* c : {&x, &y})
    for (std::size_t k = 0; k < c->run->view(*c->stored).form->shape.size(); ++k)
      outer_ |= space_.lanes(c->index[k]);
  if (simple)
    for (const auto& [own, other] : parts(x, y)) equal(own, other, whole);
  for (std::uint32_t k = 0; !simple && k < a.form->reads; ++k) equal(operand(x, k), operand(y, k), whole);
  output_ = output, outer_ = outer;
}

/// Lemma 8.
void Equality::begin_alike(const Content& x, const Content& y, const Facts& facts) {
  require(!x.stored, kDiffer);
  const Storage &s = x.run->trace.storages[x.storage],
                &t = (y.stored ? x : y).run->trace.storages[(y.stored ? x : y).storage];
  const bool undefined = s.form->start == Start::undefined;
  if (undefined) shows_[x.storage].emplace(output_, x.index);
  const bool one = !y.stored && s.form->start == t.form->start && s.key == t.key &&
                   s.form->shape == t.form->shape && s.form->lanes == t.form->lanes &&
                   !(undefined && single_);
  if (one && same(space_, x.index, y.index, facts) && one_byte(x.byte, y.byte, facts)) return;
  const auto seen = [&](PolyId p) { return p == 0 || std::ranges::find(x.index, p) != x.index.end(); };
  require(
      undefined && !single_ && x.run == &before_ && output_ && !x.byte && std::ranges::all_of(running_, seen),
      kDiffer);
  chosen_.insert(x.storage);
}

void Equality::begin(std::uint32_t proving, std::optional<std::uint32_t> output) {
  steps_ = 200'000, splits_ = 256, depth_ = 0, outer_ = 0;
  proving_ = proving, output_ = output;
}

void Equality::shown(const Content& x, const Content& y, std::optional<std::uint32_t> output) {
  begin(learned_, output);
  const auto form = [&](const Run& run) { return run.trace.outputs[*output].view->form; };
  running_.clear();
  if (output)
    running_ = running(space_, form(after_)->shape, std::max(form(before_)->lanes, form(after_)->lanes));
  equal(x, y, {});
}

void Equality::chosen_once() const {
  for (StorageId s : chosen_) require(shows_.at(s).size() == 1, "what nobody wrote is chosen twice");
}

}  // namespace noclobber::checker
