#include "src/effects/emit.h"

#include "src/effects/collectives.h"
#include "src/effects/identities.h"
#include "src/effects/raises.h"
#include "src/effects/shown.h"
#include "src/effects/tracer.h"
#include "src/effects/widened.h"

namespace noclobber::effects {

void push(Tracer& t, TraceStep&& step, const std::vector<std::uint32_t>& reaching) {
  if (!t.shadows.empty()) refresh(t, step);
  if (t.request.names_are_values) step.reaching = reaching;
  for (const TraceView& written : step.writes) {
    t.known.constants.erase(written.storage);
    t.known.reals.erase(written.storage);
    t.known.of(written.storage).written = t.trace.steps.size() + 1;
    if (t.loops.shared.contains(written.storage))
      t.unknown("unsupported-op", "a write to what a loop may share");
  }
  meet_flights(t, step);
  if (t.request.value->before) hash_step(t, step);
  t.trace.steps.push_back(std::move(step));
}

void move(Tracer& t, const Binding& to, const Binding& of, std::uint32_t origin) {
  std::optional<Dtype> source;
  const Binding from = unwidened(t, of, to.dtype, source);
  TraceStep step;
  step.kind = TraceStep::Kind::move;
  step.reads = {from.view};
  step.writes = {to.view};
  step.access = {{Access::elementwise}};
  step.origin = origin;
  const auto number = constant_of(t, from);
  const bool shown = from.dtype == to.dtype && number && t.known.constants.at(from.view.storage).shown;
  const auto real = t.known.reals.find(from.view.storage);
  const bool is_real = real != t.known.reals.end() && real->second.second == from.dtype;
  const double real_number = is_real ? real->second.first : 0;
  if (t.request.use == Identities::none && source)
    step.identity = new NotedIdentity(
        {"convert-wider", TraceIdentity::Form::converts, 0, 0, std::string(name(*source)), ""});
  push(t, std::move(step), {from.since});
  if (number) holds(t, to, *number, {}, shown);
  if (is_real && to.dtype == from.dtype) holds_real(t, to, real_number);
  note_widened(t, to, from);
}

/// Records that each element of the storage of `to` is that number, if `to` is all of the storage.
void holds(Tracer& t, const Binding& to, std::int64_t number, const Arg& device, bool shown) {
  if (to.view.maps.empty() && to.view.lanes == 0 && holds_whole(to.dtype, number))
    t.known.constants[to.view.storage] = {number, to.dtype, device, shown};
}

/// The same for a number that the type holds and that is not whole.
void holds_real(Tracer& t, const Binding& to, double number) {
  if (to.view.maps.empty() && to.view.lanes == 0) t.known.reals[to.view.storage] = {number, to.dtype};
}

void fill_with(Tracer& t, const Binding& to, const std::string& scalar, std::uint32_t origin) {
  TraceStep step;
  step.kind = TraceStep::Kind::fill;
  step.key = scalar;
  step.writes = {to.view};
  step.origin = origin;
  push(t, std::move(step), {});
}

}  // namespace noclobber::effects
