#include "src/effects/tracer.h"

#include <algorithm>

namespace noclobber::effects {

void Tracer::unknown(const std::string& reason, const std::string& name) {
  at_hand.failed = true;
  const std::pair entry{reason, name};
  if (std::find(trace.unknown.begin(), trace.unknown.end(), entry) == trace.unknown.end())
    trace.unknown.push_back(entry);
}

const Binding* Tracer::seen(const Arg& arg) const {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return nullptr;
  const std::optional<Binding>& bound = names.bound[arg.ref.index];
  return bound ? &*bound : nullptr;
}

std::optional<Binding> Tracer::bound_of(const Arg& arg) const {
  const Binding* bound = seen(arg);
  return bound != nullptr ? std::optional(*bound) : std::nullopt;
}

std::optional<Binding> Tracer::tensor(const Call& call, std::size_t argument) {
  auto bound = bound_of(call.arguments[argument]);
  if (!bound) unknown("no-metadata", call.step->op);
  return bound;
}

}  // namespace noclobber::effects
