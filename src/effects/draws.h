// The parts of an opaque step's key beyond its attributes: shapes of operands that are not read, devices, the
// order in which random numbers are drawn. Also the tokens that order draws and effects.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

std::vector<StorageId> generators_of(Tracer& t, const Call& call);
std::string shapes_text(const Tracer& t, const Parts& parts);
std::string numbers_text(const Call& call, const Parts& parts);
/// Notes the devices that the graphs name. Must be called before the first step is walked.
void look_at_devices(Tracer& t);
std::string device_text(Tracer& t, const Call& call, const Parts& parts);
std::string told_text(const Call& call);
std::string drawn_text(const Tracer& t, const Call& call, const Parts& parts);
void add_tokens(Tracer& t);

}  // namespace noclobber::effects
