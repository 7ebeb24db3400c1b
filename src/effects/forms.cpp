#include "src/effects/forms.h"

#include "src/ops/accepted.h"

namespace noclobber::effects {

namespace {

/// True if the types of its arguments decide whether PyTorch accepts the call. Views and moves accept all.
/// Draws and other effects are compared as a sequence, so that none can be added.
bool asks_for_types(const Call& call) {
  if (call.schema->ns != "aten" && call.schema->ns != "prims") return false;
  switch (meaning_of(call.op, *call.schema)) {
    case Meaning::opaque:
    case Meaning::self_if_real:
    case Meaning::random_or_self:
    case Meaning::reduce_or_self:
    case Meaning::normalize_running:
      return !is_impure(call.op, *call.schema) && !draws(call.op, *call.schema, call.arguments);
    default:
      return false;
  }
}

}  // namespace

void note_form(Tracer& t, const Call& call) {
  if (!asks_for_types(call)) return;
  const auto form = call_form(*call.schema, call.arguments, [&](const Arg& arg) {
    const Binding* const bound = t.seen(arg);
    return bound != nullptr ? bound->dtype : Dtype::other;
  });
  if (!form) return;
  std::string noted = std::string(call.functional_name()) + " " + *form;
  if (t.request.forms != nullptr && t.request.forms->contains(noted)) return;
  if (!t.noted.forms.insert(std::move(noted)).second || t.request.forms == nullptr) return;
  const std::string& overload = call.functional.empty() ? *call.step->op : call.functional;
  if (!seen_accepted(overload, *form)) t.trace.unknown.emplace_back("may-raise", call.step->op);
}

}  // namespace noclobber::effects
