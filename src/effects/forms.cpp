#include "src/effects/forms.h"

#include "src/effects/call_text.h"
#include "src/ops/accepted.h"
#include "src/ops/infer.h"

namespace noclobber::effects {

namespace {

/// True if a pass may add the call. Draws and other effects are compared as a sequence.
bool may_be_added(const Call& call) {
  return call.declared == nullptr && (call.schema->ns == "aten" || call.schema->ns == "prims") &&
         !is_impure(call.op, *call.schema) && !draws(call.op, *call.schema, call.arguments);
}

/// True if the types of its arguments decide whether PyTorch accepts the call. Views and moves accept all.
bool asks_for_types(const Call& call) {
  switch (meaning_of(call.op, *call.schema)) {
    case Meaning::opaque:
    case Meaning::self_if_real:
    case Meaning::random_or_self:
    case Meaning::reduce_or_self:
    case Meaning::normalize_running:
      return may_be_added(call);
    default:
      return false;
  }
}

/// Notes the form. True if `after` has it and `before` does not, the first time.
bool is_new(Tracer& t, std::string form) {
  if (t.request.forms != nullptr && t.request.forms->contains(form)) return false;
  return t.noted.forms.insert(std::move(form)).second && t.request.forms != nullptr;
}

}  // namespace

void note_form(Tracer& t, const Call& call) {
  if (!asks_for_types(call)) return;
  const auto form = call_form(*call.schema, call.arguments, [&](const Arg& arg) {
    const Binding* const bound = t.seen(arg);
    return bound != nullptr ? bound->dtype : Dtype::other;
  });
  if (!form) return;
  if (!is_new(t, std::string(call.functional_name()) + " " + *form)) return;
  const std::string& overload = call.functional.empty() ? *call.step->op : call.functional;
  if (!seen_accepted(overload, *form)) t.trace.unknown.emplace_back("may-raise", call.step->op);
}

void note_sizes(Tracer& t, const Call& call) {
  if (!t.request.value->before || !may_be_added(call)) return;
  if (has_shape_rule(call.functional_name()) || is_elementwise(call.op, *call.schema)) return;
  if (is_new(t, attributes(t, call) + argument_types(t, call)))
    t.trace.unknown.emplace_back("may-raise", call.step->op);
}

}  // namespace noclobber::effects
