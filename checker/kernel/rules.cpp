#include "checker/kernel/rules.h"

namespace noclobber::checker {
namespace {

using Kind = Obligation::Kind;

/// Appends the obligations about what outputs share: with storages of the caller, viewed by an input or not,
/// and with each other. An output that the caller makes anew is not compared with other outputs.
void of_sharing(std::vector<Obligation>& out, const Trace& trace, const Boundary& boundary, bool of_before) {
  std::map<StorageId, std::vector<std::uint32_t>> inputs;
  for (std::uint32_t x = 0; x < trace.inputs.size(); ++x) inputs[trace.inputs[x].second.storage].push_back(x);
  for (std::uint32_t k = 0; k < trace.outputs.size(); ++k) {
    const View* const view = output_view(trace, k);
    if (view == nullptr) continue;
    const auto counts = [&](std::uint32_t x) { return !boundary.may_share.contains({k, x}); };
    const std::vector<std::uint32_t>& shown = inputs[view->storage];
    const bool unseen = shown.empty() && trace.storages[view->storage].form->start == Start::given;
    if (unseen || std::ranges::any_of(shown, counts)) out.push_back({Kind::sharing, of_before, k, 0});
    if (!made_anew(boundary, k)) out.push_back({Kind::together, of_before, k, 0});
  }
}

}  // namespace

std::vector<Obligation> enumerate(const Trace* before, const Trace& after, const Boundary& boundary) {
  std::vector<Obligation> out;
  const auto each = [&](Kind kind, std::size_t count, bool of_before = false) {
    for (std::uint32_t k = 0; k < count; ++k) out.push_back({kind, of_before, k, 0});
  };
  for (const Trace* trace : {&after, before})
    if (trace != nullptr)
      each(Kind::modelled, trace->unknown, trace == before),
          each(Kind::claim, trace->claims.size(), trace == before);
  each(Kind::order, after.any_order ? 1 : 0);
  each(Kind::placed, after.placements.size());
  each(Kind::store, after.steps.size());
  each(Kind::clean, after.steps.size());
  for (std::uint32_t step = 0; step < after.steps.size(); ++step)
    for (std::uint32_t k = 0; k < after.steps[step].reaching_end - after.steps[step].reaching; ++k)
      out.push_back({Kind::current, false, step, k});
  for (std::uint32_t k = 0; k < after.outputs.size(); ++k) {
    if (after.outputs[k].reaching) out.push_back({Kind::current_output, false, k, 0});
    if (before == nullptr && after.outputs[k].view) out.push_back({Kind::defined, false, k, 0});
  }
  if (before == nullptr) return out;
  each(Kind::frame, 1);
  for (StorageId s = 0; s < after.storages.size(); ++s)
    if (after.storages[s].form->compared) out.push_back({Kind::exit, false, s, 0});
  each(Kind::type, after.outputs.size());
  each(Kind::value, after.outputs.size());
  if (!boundary.sharing_may_grow) of_sharing(out, after, boundary, false);
  if (!boundary.sharing_may_shrink) of_sharing(out, *before, boundary, true);
  return out;
}

Rules::Rules(Space& space, const Check& check)
    : space_(space), check_(check), before_(check.before ? *check.before : check.after), after_(check.after),
      run_before_(space, before_), run_after_(space, after_),
      equality_(space, run_before_, run_after_, !check.before) {
  for (std::size_t side = 0; const Trace* trace : {&before_, &after_}) {
    for (StorageId s = 0; s < trace->storages.size(); ++s)
      if (const Storage& one = trace->storages[s]; one.form->start != Start::undefined)
        at_entry_[side].emplace(std::pair(one.form->start, one.key), s);
    ++side;
  }
}

void Rules::show(const Obligation& o) {
  switch (o.kind) {
    case Kind::modelled: throw Open{"something was not understood"};
    case Kind::claim: {
      const auto& [said, computed] = (o.of_before ? before_ : after_).claims[o.a];
      return require(space_.same(said, computed), "the dump says something else");
    }
    case Kind::frame: return same_frame();
    case Kind::type: return require(same_type(o.a), "an output has another type");
    case Kind::store:
      for (const View& v : after_.writes(after_.steps[o.a]))
        require(after_.storages[v.storage].form->writable, "a storage is written that must not be");
      return;
    case Kind::clean: return require(run_after_.clean(o.a), "a step disturbs itself");
    case Kind::sharing:
    case Kind::together: return require(sharing(o), "an output shares otherwise");
    case Kind::order: return require(ordered(space_, after_), "two steps are in no order");
    case Kind::placed:
      if (!placed_) placed_ = placed(space_, after_);
      return require((*placed_)[o.a], "a place is not free");
    case Kind::value:
    case Kind::exit:
    case Kind::current:
    case Kind::current_output:
    case Kind::defined: return equality(o);
  }
}

void Rules::equality(const Obligation& o) {
  const View* const shown = view(o);
  if (o.kind == Kind::value) {
    require(o.a < before_.outputs.size(), "there is no such output");
    if (shown == nullptr) return;  // scalars are compared by `type`
  }
  const auto both = sides(o);
  require(both.has_value(), "two contents have no one shape");
  if (empty(shown != nullptr ? shown->form->shape : after_.storages[o.a].form->shape)) return;
  const bool may_choose = o.kind == Kind::value && check_.claimed.empty();
  equality_.shown(both->first, both->second, may_choose ? std::optional(o.a) : std::nullopt);
}

/// Lemma 13.
bool Rules::may_be_claimed(const Obligation& o) {
  const auto clean = [](Run& run) {
    for (std::uint32_t k = 0; k < run.exit(); ++k)
      if (!run.clean(k)) return false;
    return true;
  };
  const bool equality = o.kind == Kind::value || o.kind == Kind::exit || o.kind == Kind::current ||
                        o.kind == Kind::current_output;
  return equality && sides(o) && clean(run_before_) && clean(run_after_);
}

const View* Rules::view(const Obligation& o) const {
  if (o.kind == Kind::exit) return nullptr;
  return o.kind == Kind::current ? &after_.reads(after_.steps[o.a])[o.b] : output_view(after_, o.a);
}

std::optional<std::pair<Content, Content>> Rules::sides(const Obligation& o, const Index* index) {
  const std::uint32_t end = run_after_.exit();
  if (o.kind == Kind::exit) {
    const Storage& s = after_.storages[o.a];
    const auto was = partner(true, s);
    if (!was) return std::nullopt;
    Index all = index != nullptr ? *index : running(space_, s.form->shape, 0);
    if (s.form->lanes > 0) all.push_back(space_.index(Space::kLane, space_.constant(s.form->lanes)));
    return std::pair{Content{&run_before_, *was, run_before_.version(*was, run_before_.exit()), {}, all},
                     Content{&run_after_, o.a, run_after_.version(o.a, end), {}, all}};
  }
  const View* const is = view(o);
  const bool within = o.kind == Kind::current || o.kind == Kind::current_output;
  const View* const was = within ? is : output_view(before_, o.a);
  if (is == nullptr || was == nullptr || was->form->shape != is->form->shape) return std::nullopt;
  const std::uint32_t then = o.kind == Kind::current ? after_.reaching[after_.steps[o.a].reaching + o.b]
                             : o.kind == Kind::current_output ? *after_.outputs[o.a].reaching
                                                              : run_before_.exit();
  const Index at = index != nullptr ? *index : running(space_, is->form->shape, 0);
  return std::pair{equality_.at(within ? run_after_ : run_before_, *was, at, then),
                   equality_.at(run_after_, *is, at, o.kind == Kind::current ? o.a : end)};
}

/// The storage of the other graph with the same start, key and shape. Undefined storages have none.
std::optional<StorageId> Rules::partner(bool in_before, const Storage& s) const {
  const auto& all = at_entry_[in_before ? 0 : 1];
  const auto at = all.find({s.form->start, s.key});
  if (at == all.end()) return std::nullopt;
  const StorageForm& t = *(in_before ? before_ : after_).storages[at->second].form;
  return t.shape == s.form->shape && t.lanes == s.form->lanes ? std::optional(at->second) : std::nullopt;
}

/// Requires equally many outputs, the same storages at entry, and one view of them for inputs of one name.
void Rules::same_frame() const {
  std::multimap<Text, const View*> named;
  for (const auto& [name, view] : after_.inputs) named.emplace(name, &view);
  for (const auto& [name, view] : before_.inputs)
    for (auto [at, end] = named.equal_range(name); at != end; ++at) {
      space_.work(10);
      const Storage &was = before_.storages[view.storage], &is = after_.storages[at->second->storage];
      const ViewForm &v = *view.form, &w = *at->second->form;
      require(v.type == w.type && (&v == &w || same_elements(space_, v, w)) && was.key == is.key &&
                  was.form->start == is.form->start,
              "inputs of one name show other storages");
    }
  for (const bool in_before : {false, true})
    for (const auto& [known, id] : at_entry_[in_before ? 1 : 0]) {
      const Storage& s = (in_before ? after_ : before_).storages[id];
      const auto found = partner(in_before, s);
      require(found && (in_before ? before_ : after_).storages[*found].form->compared == s.form->compared,
              "the graphs have other inputs");
    }
  require(before_.outputs.size() == after_.outputs.size(), "the graphs have not equally many outputs");
}

bool Rules::same_type(std::uint32_t output) const {
  if (output >= before_.outputs.size()) return false;
  const Output &a = before_.outputs[output], &b = after_.outputs[output];
  if (a.view.has_value() != b.view.has_value() || a.scalar != b.scalar) return false;
  if (!a.view) return true;
  if (a.view->form->shape != b.view->form->shape || a.view->form->type != b.view->form->type) return false;
  if (!check_.boundary.compare_strides || !a.strides_known || !b.strides_known) return true;
  for (std::size_t k = 0; k < a.strides.size(); ++k)
    if (space_.value(a.view->form->shape[k]) != 1 && !space_.same(a.strides[k], b.strides[k])) return false;
  return true;
}

/// If it is `of_before`, the graphs change roles: it is asked where sharing may not shrink.
bool Rules::sharing(const Obligation& o) {
  std::optional<Sharing>& all = o.of_before ? shrunk_ : grown_;
  if (!all)
    all.emplace(space_, o.of_before ? after_ : before_, o.of_before ? before_ : after_, check_.boundary);
  return o.kind == Kind::sharing ? all->with_inputs(o.a) : all->with_outputs(o.a);
}

}  // namespace noclobber::checker
