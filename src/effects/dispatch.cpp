#include "src/effects/dispatch.h"

#include <algorithm>

#include "src/effects/collectives.h"
#include "src/effects/control.h"
#include "src/effects/fills.h"
#include "src/effects/items.h"
#include "src/effects/moves.h"
#include "src/effects/opaque.h"
#include "src/effects/raises.h"
#include "src/effects/renames.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

/// Is it a type that has no name here? Several of PyTorch's are one then.
bool names_no_type(const Arg& arg) { return arg.kind == Arg::Kind::dtype && arg.dtype == Dtype::other; }

/// How many arguments that meaning looks at. TorchScript's overloads for lists and dictionaries have fewer.
std::size_t arguments_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::opaque:
    case Meaning::fill:
    case Meaning::empty:
    case Meaning::ignored:
    case Meaning::unsupported:
      return 0;
    case Meaning::set:
    case Meaning::resize:
    case Meaning::copy_into:
    case Meaning::copy:
    case Meaning::view_scatter:
    case Meaning::concatenate:
    case Meaning::stack:
    case Meaning::moved:
    case Meaning::reduce_or_self:
      return 2;
    case Meaning::random_or_self:
      return 3;
    default:
      return 1;
  }
}

Meaning meaning_of_call(std::string_view op, const Schema& schema) {
  const Meaning meaning = meaning_of(op, schema);
  return schema.arguments.size() < arguments_of(meaning) ? Meaning::unsupported : meaning;
}

}  // namespace

void run(Tracer& t, const Step& step, std::uint32_t number) {
  if (step.op.starts_with("higher_order.")) return control(t, step, number);
  const Schema* schema = t.ops.find(step.op);
  if (schema == nullptr) return t.unknown("unsupported-op", step.op);
  auto arguments = bind_arguments(*schema, step);
  if (!arguments) return t.unknown("unsupported-op", step.op + " (" + arguments.fault().message + ")");
  if (std::ranges::any_of(*arguments, names_no_type))
    return t.unknown("unsupported-op", step.op + " (dtype)");
  for (std::size_t k = 0; k < std::min(arguments->size(), schema->arguments.size()); ++k)
    if ((*arguments)[k].kind == Arg::Kind::text && schema->arguments[k].name == "layout" &&
        (*arguments)[k].text->find("strided") == std::string::npos)
      return t.unknown("unsupported-op", step.op + " (layout)");
  const Call call = call_of(t, step, *schema, std::move(*arguments), number);
  note_raising(t, call);
  may_land(t, call);
  dispatch(t, call);
}

namespace {

const OpRow* row_of_functional(const std::string& functional) {
  const OpRow* row = functional.empty() ? nullptr : find_row(base_name(functional));
  return row != nullptr && !row->same_as.empty() ? find_row(row->same_as) : row;
}

}  // namespace

Call call_of(const Tracer& t, const Step& step, const Schema& schema, std::vector<Arg> arguments,
             std::uint32_t number) {
  std::string functional = t.ops.functional(step.op);
  const OpDecl* const declared = t.ops.declaration(step.op);
  const OpRow* const row = declared == nullptr ? row_of_functional(functional) : nullptr;
  return {
      &step,    &schema, std::string(base_name(step.op)), std::move(arguments), number, std::move(functional),
      declared, row};
}

void dispatch(Tracer& t, const Call& call) {
  if (!call.declared && (out_variant(t, call) || moved_in_place(t, call) || each_item(t, call))) return;
  switch (const Meaning m = call.declared ? Meaning::opaque : meaning_of_call(call.op, *call.schema); m) {
    case Meaning::opaque:
      return opaque(t, call);
    case Meaning::view:
      return view(t, call);
    case Meaning::may_view:
      return may_view(t, call);
    case Meaning::view_each:
      return view_each(t, call);
    case Meaning::rebind:
      return rebind(t, call);
    case Meaning::set:
      return set(t, call);
    case Meaning::resize:
      return resize(t, call);
    case Meaning::clone:
      return clone(t, call);
    case Meaning::view_copy:
      return view_copy(t, call);
    case Meaning::moved:
      return moved(t, call);
    case Meaning::convert:
      return convert(t, call);
    case Meaning::may_convert:
      return may_convert(t, call);
    case Meaning::copy_into:
      return copy_into(t, call);
    case Meaning::copy_each:
      return copy_each(t, call);
    case Meaning::copy:
      return copy(t, call);
    case Meaning::fill_into:
      return fill_into(t, call);
    case Meaning::fill:
      return fill(t, call);
    case Meaning::empty:
      return empty(t, call);
    case Meaning::view_scatter:
      return view_scatter(t, call);
    case Meaning::concatenate:
    case Meaning::stack:
      return concatenate(t, call, m == Meaning::stack);
    case Meaning::self_if_real:
    case Meaning::random_or_self:
    case Meaning::reduce_or_self:
      return self_if(t, call, is_itself(t, call));
    case Meaning::normalize_running:
      return normalize_running(t, call);
    case Meaning::describe:
      return describe(t, call);
    case Meaning::wait:
      return wait(t, call);
    case Meaning::ignored:
      return;
    case Meaning::unsupported:
      return t.unknown("unsupported-op", call.step->op);
  }
}

}  // namespace noclobber::effects
