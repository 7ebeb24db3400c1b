#include "src/effects/collectives.h"

#include <algorithm>

#include "src/effects/emit.h"
#include "src/effects/results.h"
#include "src/effects/tracer.h"

namespace noclobber::effects {

namespace {

/// True if two views that may overlap surely do: one is all of the storage or they are equal, neither empty.
bool surely_meet(const Space& space, const TraceView& a, const TraceView& b) {
  const auto holds = [&](const TraceView& view) {
    return std::ranges::none_of(view.shape,
                                [&](PolyId extent) { return space.value(extent).value_or(1) == 0; });
  };
  return holds(a) && holds(b) && (a == b || a.maps.empty() || b.maps.empty());
}

bool on_host(const std::string& device) { return device == "cpu"; }

/// True if the host waits in this operator until the device is done.
bool waits_for_device(std::string_view op) {
  constexpr std::string_view kWaits[] = {"aten._local_scalar_dense", "aten.item",
                                         "aten.masked_select",       "aten.nonzero",
                                         "aten.unique_dim",          "aten._unique2"};
  return std::ranges::find(kWaits, op) != std::end(kWaits);
}

/// The host waits: ends all copies in flight.
void land(Tracer& t) {
  std::erase_if(t.flights, [](const auto& entry) { return entry.second.copies; });
}

/// A collective runs until its wait. The wait reads its operands and its result once more, so that a write in
/// between makes a difference.
void wait_one(Tracer& t, const Call& call, std::size_t result, const Binding& bound) {
  const auto flight = t.flights.find(bound.view.storage);
  if (flight == t.flights.end()) return bind_view(t, call, result, bound);
  std::vector<Binding> reads{bound};
  reads.insert(reads.end(), flight->second.used.begin(), flight->second.used.end());
  t.flights.erase(flight);
  TraceStep step;
  step.key = "wait";
  step.origin = call.number;
  step.writes = {bound.view};
  std::vector<std::uint32_t> reaching;
  for (const Binding& read : reads) {
    step.reads.push_back(read.view);
    step.access.edit().push_back({Access::before_write});
    reaching.push_back(read.since);
  }
  push(t, std::move(step), reaching);
  bind(t, call, result, bound);
}

}  // namespace

/// Notes what a collective uses from now on.
void take_off(Tracer& t, const Call& call, const Parts& parts) {
  const OpRow* row = row_of_overload(call.op, *call.schema);
  if (row == nullptr || row->in_flight == Flight::none) return;
  for (const Binding& write : parts.writes) {
    InFlight& flight = t.flights[write.view.storage];
    flight.launched = call.number;
    flight.result = write.view;
    for (const Operand& o : parts.operands)
      if (row->in_flight == Flight::all && !o.written) flight.used.push_back(o.bound);
  }
}

/// A non-blocking copy between the host and a device uses host memory until the host waits. Device memory is
/// ordered by its stream. A copy whose devices are not known is not in flight.
void copy_off(Tracer& t, const Call& call, const Binding& from, const Binding& to) {
  bool blocks = true;
  for (std::size_t k = 0; k < call.arguments.size(); ++k)
    if (call.schema->arguments[k].name == "non_blocking")
      blocks = call.arguments[k].kind != Arg::Kind::boolean || !call.arguments[k].boolean;
  if (t.devices.generators.empty()) return;  // a single device
  if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
  const bool into = call.schema->arguments[0].written;
  const std::string& source = t.devices.placed->of(call.arguments[into ? 1 : 0]);
  const bool named = !call.step->results.empty() && call.step->results[0].valid();
  const std::string& target = into    ? t.devices.placed->of(call.arguments[0])
                              : named ? t.devices.placed->of(Arg::of(call.step->results[0]))
                                      : source;
  if (same_device(source, target) != false || on_host(source) == on_host(target)) return;
  if (blocks) return land(t);
  InFlight& flight = t.flights[to.view.storage];
  flight = {call.number, {}, {}, true};
  if (on_host(source)) flight.used.push_back(from);
  if (on_host(target)) flight.result = to.view;
}

void may_land(Tracer& t, const Call& call) {
  if (call.op == "cuda.synchronize") return land(t);
  if (t.flights.empty() || !waits_for_device(call.op) || call.arguments.empty()) return;
  if (!t.devices.placed) t.devices.placed.emplace(*t.request.graph);
  const std::string& device = t.devices.placed->of(call.arguments[0]);
  if (!device.empty() && !on_host(device)) land(t);
}

/// Notes a hazard if the step touches what is in flight.
void meet_flights(Tracer& t, const TraceStep& step) {
  for (const auto& [storage, flight] : t.flights) {
    if (flight.launched == step.origin) continue;
    const auto note = [&](const TraceView& touched, const TraceView& used, bool writes) {
      if (touched.storage != used.storage || !t.may_meet(touched, used)) return false;
      const bool known = !t.noted.flown.empty() && t.noted.flown.back().launched == flight.launched &&
                         t.noted.flown.back().at == step.origin;
      if (!known)
        t.noted.flown.push_back({flight.launched, step.origin, writes, surely_meet(t.space, touched, used)});
      return true;
    };
    bool met = false;
    for (const TraceView& write : step.writes) {
      for (const Binding& used : flight.used) met = met || note(write, used.view, true);
      met = met || (flight.result && note(write, *flight.result, true));
    }
    for (const TraceView& read : step.reads)
      met = met || (flight.result && note(read, *flight.result, false));
  }
}

/// Notes a hazard for each collective whose result is returned without a wait.
void return_flights(Tracer& t) {
  const auto end = static_cast<std::uint32_t>(t.request.graph->steps.size());
  for (const TraceOutput& output : t.trace.outputs) {
    const auto flight = output.view ? t.flights.find(output.view->storage) : t.flights.end();
    if (flight != t.flights.end() && !flight->second.copies && flight->second.result)
      t.noted.flown.push_back({flight->second.launched, end, false, true});
  }
}

void wait(Tracer& t, const Call& call) {
  const Arg& arg = call.arguments[0];
  const std::span<const Arg> items = items_of(arg);
  for (std::size_t k = 0; k < items.size(); ++k) {
    const auto bound = t.bound_of(items[k]);
    if (!bound) return t.unknown("no-metadata", call.step->op);
    wait_one(t, call, k, *bound);
  }
}

}  // namespace noclobber::effects
