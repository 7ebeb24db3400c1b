#include "src/effects/remembered.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/effects/emit.h"
#include "src/effects/results.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

/// Appends texts and numbers, so that no two lists of them give the same text.
class FormText {
 public:
  explicit FormText(std::string& out) : out_(out) { out_.clear(); }
  void number(std::uint64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }
  void text(std::string_view value) {
    number(value.size());
    out_.append(value);
  }
  void sizes(const std::vector<PolyId>& values) {
    number(values.size());
    out_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(PolyId));
  }

 private:
  std::string& out_;
};

/// True if contents of the storage are known, which may change how a call is modelled.
bool holds_known(const Tracer& t, StorageId storage) {
  return t.known.constants.contains(storage) || t.known.reals.contains(storage);
}

/// Writes the form of one call.
class Form {
 public:
  Form(Tracer& t, FormAtHand& out) : t_(t), text_(out.text), refs_(out.refs) { refs_.clear(); }

  /// Writes the form of the step. False if the step depends on more than a form holds.
  bool of(const Step& step) {
    if (!step.extras->tells.empty() || step.barrier) return false;
    text_.text(step.op);
    text_.number(step.args.size());
    for (const Arg& arg : step.args)
      if (!argument(arg)) return false;
    text_.number(step.kwargs.size());
    for (const auto& [name, arg] : step.kwargs) {
      text_.text(name);
      if (!argument(arg)) return false;
    }
    text_.number(step.results.size());
    for (const ValueId result : step.results) {
      text_.number(result.valid() ? 1 : 0);
      if (result.valid()) text_.number(type(t_.request.graph->value(result).type));
    }
    return true;
  }

 private:
  /// A number for the type that the dump gives; 0: none. Graphs share equal types, and outlive the forms.
  std::size_t type(const SharedType& said) {
    auto& types = t_.request.remembered->types;
    return said ? types.try_emplace(&*said, types.size() + 1).first->second : 0;
  }

  bool argument(const Arg& arg) {
    text_.number(static_cast<std::uint64_t>(arg.kind));
    switch (arg.kind) {
      case Arg::Kind::none:
        return true;
      case Arg::Kind::ref:
        return tensor(arg);
      case Arg::Kind::sym:
        if (!arg.sym.is_constant()) return false;
        text_.number(static_cast<std::uint64_t>(arg.sym.constant()));
        return true;
      case Arg::Kind::real:
        text_.number(std::bit_cast<std::uint64_t>(arg.real));
        return true;
      case Arg::Kind::boolean:
        text_.number(arg.boolean ? 1 : 0);
        return true;
      case Arg::Kind::text:
      case Arg::Kind::device:
        text_.text(*arg.text);
        return true;
      case Arg::Kind::dtype:
        text_.number(static_cast<std::uint64_t>(arg.dtype));
        return true;
      case Arg::Kind::list:
        text_.number(arg.list.size());
        return std::ranges::all_of(arg.list, [this](const Arg& item) { return argument(item); });
      case Arg::Kind::graph:
        return false;
    }
    return false;
  }

  bool tensor(const Arg& arg) {
    const Binding* const bound = t_.seen(arg);
    if (bound == nullptr || bound->view.lanes != 0 || holds_known(t_, bound->view.storage)) return false;
    // The position of the first argument that is this tensor.
    text_.number(static_cast<std::uint64_t>(std::ranges::find(refs_, arg.ref) - refs_.begin()));
    refs_.push_back(arg.ref);
    text_.number(static_cast<std::uint64_t>(bound->dtype));
    text_.sizes(bound->view.shape);
    text_.number(bound->strides ? 1 : 0);
    if (bound->strides) text_.sizes(*bound->strides);
    return true;
  }

  Tracer& t_;
  FormText text_;
  std::vector<ValueId>& refs_;
};

/// True if a step depends on nothing but its form and what storages hold. False if sizes are introduced or
/// elements are split into bytes; with operations in flight, several devices, or identities in use.
bool forms_count(const Tracer& t) {
  return t.request.remembered != nullptr && t.request.use == Identities::none && t.request.lanes->empty() &&
         t.request.sizes.empty() && t.flights.empty() && t.storages.more_lanes.empty() &&
         !t.at_hand.effectful && !t.at_hand.hushed && !t.devices.several && t.devices.kinds.size() < 2 &&
         t.devices.generators.empty();
}

/// The counts of all that a step may add to.
FormAtHand::Mark mark_of(const Tracer& t) {
  return {t.trace.steps.size(),
          t.trace.storages.size(),
          t.trace.claims.size(),
          t.trace.unknown.size(),
          t.noted.raised.size(),
          t.noted.flown.size(),
          t.identities.simpler,
          t.flights.size(),
          t.storages.more_lanes.size(),
          t.shadows.size(),
          t.in_place};
}

void make(Tracer& t, const RememberedCall& known, const Step& step, std::uint32_t number) {
  const std::vector<ValueId>& refs = t.form.refs;
  TraceStep out;
  out.key = known.key;
  out.elementwise = known.elementwise;
  out.access = known.access;
  out.origin = number;
  out.writes.reserve(known.writes.size());
  bool in_place = false;
  for (const RememberedCall::Written& written : known.writes) {
    in_place = in_place || written.ref;
    if (written.ref) {
      out.writes.push_back(t.names.bound[refs[*written.ref].index]->view);
      continue;
    }
    out.writes.push_back(written.view);
    out.writes.back().storage = static_cast<StorageId>(t.trace.storages.size());
    t.trace.storages.push_back(written.storage);
    t.trace.storages.back().key = fresh_key(t, "fresh");
    t.storages.layouts.push_back(written.layout);
  }
  t.in_place += in_place ? 1 : 0;
  std::vector<std::uint32_t> reaching;
  out.reads.reserve(known.reads.size());
  for (const auto& [ref, spread] : known.reads) {
    const Binding& read = *t.names.bound[refs[ref].index];
    if (t.request.names_are_values) reaching.push_back(read.since);
    out.reads.push_back(spread ? broadcast_to(t, read, out.writes[0].shape)->view : read.view);
  }
  push(t, std::move(out), reaching);
  for (std::size_t k = 0; k < known.writes.size(); ++k) {
    const RememberedCall::Written& written = known.writes[k];
    if (written.result == RememberedCall::kUnnamed) continue;
    Binding bound = written.ref ? *t.names.bound[refs[*written.ref].index] : written.bound;
    bound.view.storage = t.trace.steps.back().writes[k].storage;
    bound.strides = written.bound.strides;
    bound.since = t.now();
    t.names.bound[step.results[written.result].index] = std::move(bound);
  }
}

}  // namespace

bool recalled(Tracer& t, const Step& step, std::uint32_t number) {
  FormAtHand& form = t.form;
  form.proposed.reset();
  if (!forms_count(t) || !Form(t, form).of(step)) return false;
  const auto known = t.request.remembered->forms.find(form.text);
  if (known != t.request.remembered->forms.end()) {
    make(t, known->second, step, number);
    return true;
  }
  form.step = &step;
  form.mark = mark_of(t);
  return false;
}

void propose(Tracer& t, const Call& call, const Parts& parts) {
  if (t.form.step == nullptr || call.step != t.form.step) return;
  const TraceStep& step = t.trace.steps.back();
  if (step.identity || !step.bodies.empty() || step.writes.size() != parts.writes.size()) return;
  auto out = std::make_shared<RememberedCall>();
  out->key = step.key;
  out->elementwise = step.elementwise;
  out->access = step.access;
  const auto ref_of = [&](const Operand& o) -> std::optional<std::size_t> {
    const auto at = std::ranges::find(t.form.refs, items_of(call.arguments[o.argument])[o.item].ref);
    if (at == t.form.refs.end()) return std::nullopt;
    return static_cast<std::size_t>(at - t.form.refs.begin());
  };
  for (const Operand& o : parts.operands) {
    if (!o.read) continue;
    const auto ref = ref_of(o);
    if (!ref) return;
    const bool spread =
        parts.elementwise && !parts.writes.empty() && o.bound.view.shape != parts.writes[0].view.shape;
    out->reads.push_back({*ref, spread});
  }
  if (out->reads.size() != step.reads.size()) return;
  std::size_t named = 0;
  for (std::size_t k = 0; k < parts.writes.size(); ++k) {
    const StorageId storage = parts.writes[k].view.storage;
    const std::size_t result = parts.results[k];
    RememberedCall::Written written{RememberedCall::kUnnamed};
    if (result < call.step->results.size() && call.step->results[result].valid()) {
      ++named;
      written.result = result;
      written.bound = *t.names.bound[call.step->results[result].index];
    }
    if (parts.write_operands[k] != kNoPart) {
      written.ref = ref_of(parts.operands[parts.write_operands[k]]);
      if (!written.ref || t.names.bound[t.form.refs[*written.ref].index]->view != parts.writes[k].view)
        return;
    } else {
      if (storage != t.form.mark.storages + out->made()) return;
      written.layout = t.storages.layouts[storage];
      written.storage = t.trace.storages[storage];
      written.view = parts.writes[k].view;
    }
    out->writes.push_back(std::move(written));
  }
  // A result that is a view of an operand that is not written is bound elsewhere.
  if (named != static_cast<std::size_t>(std::ranges::count_if(call.step->results, &ValueId::valid))) return;
  t.form.proposed = std::move(out);
}

void remember(Tracer& t) {
  FormAtHand& form = t.form;
  if (form.step == nullptr || form.proposed == nullptr || t.at_hand.failed) return;
  FormAtHand::Mark expected = form.mark;
  expected.steps += 1, expected.storages += form.proposed->made();
  expected.in_place += form.proposed->made() < form.proposed->writes.size() ? 1 : 0;
  if (expected == mark_of(t) && t.trace.steps.back().kind == TraceStep::Kind::opaque && forms_count(t))
    t.request.remembered->forms.emplace(form.text, std::move(*form.proposed));
}

}  // namespace noclobber::effects
