// Collectives: what they are given and what they make is in use until somebody waits for it.
#include "src/effects/builder.h"

namespace noclobber {

/// Notes what a collective has in use from now on.
void Builder::take_off(const Call& call, const Parts& parts) {
  const OpRow* row = find_row(call.op);
  if (row == nullptr || row->in_flight == Flight::none) return;
  for (const Binding& write : parts.writes) {
    std::vector<Binding>& used = in_flight_[write.view.storage];
    for (const Operand& o : parts.operands)
      if (row->in_flight == Flight::all && !o.written) used.push_back(o.bound);
  }
}

/// A collective runs until its wait: what it was given and what it makes are read there once more, so that a
/// write in between makes a difference.
void Builder::wait_one(const Call& call, std::size_t result, const Binding& bound) {
  const auto flight = in_flight_.find(bound.view.storage);
  if (flight == in_flight_.end()) return bind_view(call, result, bound);
  std::vector<Binding> reads{bound};
  reads.insert(reads.end(), flight->second.begin(), flight->second.end());
  in_flight_.erase(flight);
  TraceStep step;
  step.key = "wait";
  step.origin = call.number;
  step.writes = {bound.view};
  std::vector<std::uint32_t> means;
  for (const Binding& read : reads) {
    step.reads.push_back(read.view);
    step.access.push_back({Access::before_write});
    means.push_back(read.since);
  }
  push(std::move(step), means);
  bind(call, result, bound);
}

void Builder::wait(const Call& call) {
  const Arg& arg = call.arguments[0];
  const std::vector<Arg> items = arg.kind == Arg::Kind::list ? arg.list : std::vector<Arg>{arg};
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto bound = bound_of(items[k]);
    if (!bound) return unknown("no-metadata", call.step->op);
    wait_one(call, k, *bound);
  }
}

}  // namespace noclobber
