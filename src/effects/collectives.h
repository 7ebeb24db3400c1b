// Operations in flight. A collective uses its operands and results until its wait; a non-blocking copy uses
// host memory until the host waits for the device.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void take_off(Tracer& t, const Call& call, const Parts& parts);
void copy_off(Tracer& t, const Call& call, const Binding& from, const Binding& to);
void may_land(Tracer& t, const Call& call);
void meet_flights(Tracer& t, const TraceStep& step);
void return_flights(Tracer& t);
void wait(Tracer& t, const Call& call);

}  // namespace noclobber::effects
