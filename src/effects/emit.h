// Adds steps to a Trace under construction.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

void push(Tracer& t, TraceStep&& step, const std::vector<std::uint32_t>& reaching);
void move(Tracer& t, const Binding& to, const Binding& of, std::uint32_t origin);
void holds(Tracer& t, const Binding& to, std::int64_t number, const Arg& device = {}, bool shown = true);
void holds_real(Tracer& t, const Binding& to, double number);
void fill_with(Tracer& t, const Binding& to, const std::string& scalar, std::uint32_t origin);

}  // namespace noclobber::effects
