#include "src/certify/lemmas.h"

#include <algorithm>
#include <array>

namespace noclobber {
namespace {

using checker::Lemma;
using LemmaKind = Lemma::Kind;

constexpr std::uint32_t kDisplaced = 4096;  // writes of one storage that may be in another order
constexpr int kLooks = 3;                   // elementwise steps in a row that is_seen() looks through
constexpr std::size_t kTried = 8;           // steps of `before` that match() compares with one of `after`
constexpr std::size_t kAlike = 64;          // steps or contents of `before` paired with one of `after`

class Lemmas {
 public:
  Lemmas(Space& space, Terms& terms, Contents& was, Contents& is, bool every)
      : every_(every),
        before_(was.trace()),
        after_(is.trace()),
        terms_(terms),
        was_(was),
        is_(is),
        equality_(space, terms),
        matched_(before_.steps.size()),
        version_(after_.storages.size()) {}

  std::vector<Lemma> run() {
    if (&before_ != &after_) identities(was_, 0);
    identities(is_, 1);
    for (std::uint32_t step = 0; step < before_.steps.size(); ++step)
      if (makes(before_.steps[step])) {
        if (Makers* const made = made_by(was_, step)) made->second.before.push_back(step);
        named_[*before_.steps[step].key].steps.push_back(step);
      }
    made_here_.resize(after_.steps.size());
    for (std::uint32_t step = 0; step < after_.steps.size(); ++step)
      if (makes(after_.steps[step]) && (made_here_[step] = made_by(is_, step)) != nullptr)
        ++made_here_[step]->second.here;
    out_.reserve(out_.size() + after_.steps.size());
    for (std::uint32_t step = 0; step < after_.steps.size(); ++step) of_step(step);
    return std::move(out_);
  }

 private:
  using Place = std::pair<StorageId, std::uint32_t>;  // storage, version
  using What = std::pair<TermId, std::size_t>;        // a content, and the form of the step that makes it
  struct WhatHash {
    std::size_t operator()(const What& what) const { return mix(what.second, what.first); }
  };
  /// Steps that make one content by one form.
  struct Made {
    Few<std::uint32_t> before = {};
    std::uint32_t here = 0, seen = 0;  // steps of `after`: in all, and so far
  };
  using Makers = std::pair<const What, Made>;
  /// The steps of `before` with one key. Those before `open` are matched with steps of `after` already.
  struct Named {
    std::vector<std::uint32_t> steps;
    std::size_t open = 0;
  };

  /// True if the step computes its result: it is an opaque step or a cast, no plain move or fill.
  static bool makes(const TraceStep& step) {
    return (step.kind == TraceStep::Kind::opaque && !step.writes.empty()) ||
           (step.kind == TraceStep::Kind::move && step.reads[0].type != step.writes[0].type);
  }
  static bool partial(const Contents& of, StorageId storage, std::uint32_t version) {
    const auto [step, slot] = of.latest(storage, version);
    return !of.trace().steps[step].writes[slot].maps.empty();
  }
  /// A hash of operator, types and shapes, which the checker requires to be equal.
  static std::size_t form_of(const TraceStep& step) {
    std::size_t out = std::hash<std::string>{}(step.key) * 4 + static_cast<std::size_t>(step.kind);
    const auto mix = [&](std::size_t part) { out = (out ^ part) * 0x9e3779b97f4a7c15ULL + (out >> 32U); };
    for (const auto* views : {&step.reads, &step.writes})
      for (const TraceView& view : *views) {
        mix(view.type.number() + view.shape.size());
        for (const PolyId extent : view.shape) mix(extent);
      }
    return out;
  }
  /// nullptr if the content that the step makes is unknown.
  Makers* made_by(Contents& of, std::uint32_t step) {
    const TermId term = of.put(step, 0);
    if (term == Terms::kBad) return nullptr;
    return &*made_.try_emplace({term, form_of(of.trace().steps[step])}).first;
  }
  /// The entries of `all` that number `own` of `ours` is paired with. Equally many are paired in order; if
  /// one side has fewer, its last one is paired with all that are left. `ours` 0: their number is unknown.
  template <class List>
  std::vector<typename List::value_type> alike(const List& all, std::size_t own, std::size_t ours) const {
    if (every_ || (all.size() <= 2 && all.size() != ours))
      return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kAlike))};
    if (own >= all.size()) return {all.back()};
    const std::size_t end = own + 1 == ours ? std::min(all.size(), own + kAlike) : own + 1;
    return {all.begin() + static_cast<std::ptrdiff_t>(own), all.begin() + static_cast<std::ptrdiff_t>(end)};
  }

  void identities(const Contents& of, std::uint32_t side) {
    for (std::uint32_t step : of.simplified()) {
      const TraceIdentity& known = *of.trace().steps[step].identity;
      out_.push_back({LemmaKind::identity, step, known.argument, side, 0, {{{}, known.row}}});
    }
  }
  void of_step(std::uint32_t number) {
    const TraceStep& step = after_.steps[number];
    if (makes(step)) made(number);
    for (const TraceView& to : step.writes) {
      const std::uint32_t version = ++version_[to.storage];
      if (partial(is_, to.storage, version)) of_version(to.storage, version);
    }
  }
  /// True if it is elementwise, and one of several on either side that make the same.
  bool is_one_of_several(std::uint32_t number) {
    const Makers* const own = made_here_[number];
    return own != nullptr && after_.steps[number].elementwise &&
           (own->second.here > 1 || own->second.before.size() > 1);
  }
  /// True if the checker finds within few steps back that it equals another, so that it needs no lemma. Which
  /// of several is needed is not known in advance, and a surplus lemma costs another reading of the text.
  bool is_seen(std::uint32_t number, int looks = kLooks) {
    if (every_ || looks == 0 || !is_one_of_several(number)) return false;
    return std::ranges::all_of(after_.steps[number].reads, [&](const TraceView& read) {
      const std::uint32_t version = is_.version(read.storage, number);
      if (version == 0) return true;
      const std::uint32_t maker = is_.latest(read.storage, version).first;
      const TraceStep& made = after_.steps[maker];
      return made.kind == TraceStep::Kind::fill ||
             (makes(made) && (!is_one_of_several(maker) || is_seen(maker, looks - 1)));
    });
  }
  void made(std::uint32_t number) {
    const TraceStep& step = after_.steps[number];
    Makers* const own = made_here_[number];
    if (own == nullptr || is_seen(number)) return;
    Few<std::uint32_t> same;
    if (Made& all = own->second; !all.before.empty())
      for (std::uint32_t other : alike(all.before, all.seen++, all.here))
        if (before_.steps[other].key == step.key && before_.steps[other].kind == step.kind)
          same.push_back(other);
    if (same.empty()) match(number, own->first.first, same);
    for (std::uint32_t other : same) {
      matched_[other] = true;
      out_.push_back({LemmaKind::calls, other, 0, number, 0});
    }
  }
  /// Looks for a step of `before` whose content is equal but is another term.
  void match(std::uint32_t number, TermId term, Few<std::uint32_t>& same) {
    const auto at = named_.find(*after_.steps[number].key);
    if (at == named_.end()) return;
    auto& [steps, open] = at->second;
    while (open < steps.size() && matched_[steps[open]]) ++open;
    std::size_t tried = 0;
    for (std::size_t k = open; k < steps.size() && tried < kTried && same.empty(); ++k)
      if (!matched_[steps[k]]) {
        ++tried;
        if (equality_.shown(was_.put(steps[k], 0), term, {}, {})) same.push_back(steps[k]);
      }
  }
  /// The contents of storages of `before` at entry, and after each write to a part of them.
  const std::unordered_map<TermId, std::vector<Place>>& all_held() {
    if (!held_) {
      held_.emplace();
      for (StorageId s = 0; s < before_.storages.size(); ++s)
        for (std::uint32_t v = 0; v <= was_.versions(s); ++v)
          if (v == 0 || partial(was_, s, v)) (*held_)[was_.whole(s, v)].emplace_back(s, v);
    }
    return *held_;
  }
  void of_version(StorageId storage, std::uint32_t version) {
    const TermId term = is_.whole(storage, version);
    if (term == Terms::kBad) return;
    const auto at = all_held().find(term);
    if (at == held_->end()) return;
    for (const Place& was : alike(at->second, held_seen_[term]++, 0)) {
      const TraceStorage &s = before_.storages[was.first], &t = after_.storages[storage];
      if (s.shape == t.shape && s.lanes == t.lanes) held(was, {storage, version});
    }
  }
  void held(const Place& was, const Place& is) {
    if (!done_.insert({was.first, was.second, is.first, is.second}).second) return;
    Place old_was = was, old_is = is;
    const std::vector<std::uint32_t> order = same_writes(old_was, old_is);
    if (!order.empty()) held(old_was, old_is);
    out_.push_back({LemmaKind::contents, was.first, was.second, is.first, is.second});
    if (!order.empty()) out_.back().kind = LemmaKind::writes, out_.back().rest.emplace_front(order, "");
  }
  /// What the latest write puts where, as a text; empty if unknown. `place` becomes what was there before.
  std::string written(Contents& of, Place& place) {
    for (;;) {
      if (place.second == 0) return "";
      const auto [step, slot] = of.latest(place.first, place.second);
      const TraceStep& s = of.trace().steps[step];
      const TraceView& v = s.writes[slot];
      const bool move = s.kind == TraceStep::Kind::move && v.maps.empty() && s.reads[0].maps.empty() &&
                        s.reads[0].type == v.type && s.reads[0].lanes == v.lanes;
      if (move) {
        place = {s.reads[0].storage, of.version(s.reads[0].storage, step)};
        continue;
      }
      --place.second;
      const TermId put = of.put(step, slot);
      if (put == Terms::kBad) return "";
      return std::to_string(terms_.chain(v.maps)) + " " + std::to_string(put);
    }
  }
  /// For each of the latest writes of `was`, the latest first, the equal one of `is`: as few as lead back to
  /// equal contents, which `was` and `is` then are. Empty if there are none.
  std::vector<std::uint32_t> same_writes(Place& was, Place& is) {
    std::map<std::string, int> left;
    std::vector<std::string> first, second;
    int open = 0;
    const auto count = [&](const std::string& key, int by) {
      int& n = left[key];
      open += std::abs(n + by) - std::abs(n);
      n += by;
    };
    while (first.size() < kDisplaced) {
      first.push_back(written(was_, was));
      second.push_back(written(is_, is));
      if (first.back().empty() || second.back().empty()) return {};
      count(first.back(), 1), count(second.back(), -1);
      const TermId old = open == 0 ? was_.whole(was.first, was.second) : Terms::kBad;
      if (old != Terms::kBad && old == is_.whole(is.first, is.second)) return matched(first, second);
    }
    return {};
  }
  /// Pairs equal writes in order.
  static std::vector<std::uint32_t> matched(const std::vector<std::string>& first,
                                            const std::vector<std::string>& second) {
    std::map<std::string, std::deque<std::uint32_t>> places;
    const auto n = static_cast<std::uint32_t>(first.size());
    for (std::uint32_t k = 0; k < n; ++k) places[second[k]].push_back(k);
    std::vector<std::uint32_t> out;
    for (std::uint32_t k = 0; k < n; ++k) {
      std::deque<std::uint32_t>& all = places[first[k]];
      out.push_back(all.front());
      all.pop_front();
    }
    return out;
  }

  bool every_;
  const Trace &before_, &after_;
  Terms& terms_;
  Contents &was_, &is_;
  Equality equality_;
  std::unordered_map<What, Made, WhatHash> made_;
  std::vector<Makers*> made_here_;                     // by each step of `after`
  std::unordered_map<std::string_view, Named> named_;  // by keys in the Traces, which outlive this
  std::vector<bool> matched_;                          // by step of `before`
  std::optional<std::unordered_map<TermId, std::vector<Place>>> held_;
  std::unordered_map<TermId, std::uint32_t> held_seen_;
  std::vector<std::uint32_t> version_;  // by storage of `after`
  std::set<std::array<std::uint32_t, 4>> done_;
  std::vector<Lemma> out_;
};

}  // namespace

std::vector<Lemma> find_lemmas(Space& space, Terms& terms, Contents& was, Contents& is) {
  return Lemmas(space, terms, was, is, false).run();
}

std::vector<Lemma> find_lemmas(Space& space, const Check& check, bool every) {
  Terms terms(space);
  Contents was(space, terms, check.before ? *check.before : check.after), is(space, terms, check.after);
  return Lemmas(space, terms, was, is, every).run();
}

}  // namespace noclobber
