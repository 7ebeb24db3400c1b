#include "src/effects/dispatch.h"

#include <algorithm>

#include "src/effects/collectives.h"
#include "src/effects/control.h"
#include "src/effects/fills.h"
#include "src/effects/items.h"
#include "src/effects/moves.h"
#include "src/effects/opaque.h"
#include "src/effects/raises.h"
#include "src/effects/remembered.h"
#include "src/effects/renames.h"
#include "src/effects/tracer.h"
#include "src/effects/view_steps.h"

namespace noclobber::effects {

namespace {

/// True for a type without a name here: Dtype::other stands for several types of PyTorch.
bool names_no_type(const Arg& arg) { return arg.kind == Arg::Kind::dtype && arg.dtype == Dtype::other; }

std::size_t arguments_of(Meaning meaning) {
  std::size_t out = 0;
  switch (meaning) {
#define NC_MEANING(name, arguments, runs) \
  case Meaning::name:                     \
    out = arguments;                      \
    break;
#include "src/effects/meanings.def"
#undef NC_MEANING
  }
  return out;
}

Meaning meaning_of_call(std::string_view op, const Schema& schema) {
  const Meaning meaning = meaning_of(op, schema);
  return schema.arguments.size() < arguments_of(meaning) ? Meaning::unsupported : meaning;
}

}  // namespace

void run(Tracer& t, const Step& step, std::uint32_t number) {
  t.form.step = nullptr;
  if (step.op->starts_with("higher_order.")) return control(t, step, number);
  if (recalled(t, step, number)) return;
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
  remember(t);
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
  switch (call.declared ? Meaning::opaque : meaning_of_call(call.op, *call.schema)) {
#define NC_MEANING(name, arguments, runs) \
  case Meaning::name:                     \
    return runs;
#include "src/effects/meanings.def"
#undef NC_MEANING
  }
}

}  // namespace noclobber::effects
