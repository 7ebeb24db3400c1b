// Applies the rows of the identity table (src/ops/identities.def) to the calls of a graph: neutral arguments,
// arithmetic on constants. The assumption of a row that does not hold to the bit is listed as inexact.
#pragma once
#include "src/effects/tracer.h"

namespace noclobber::effects {

std::optional<std::int64_t> whole(const Arg& arg, Dtype dtype);
std::optional<double> real_number(const Arg& arg, Dtype dtype);
std::optional<std::int64_t> constant_of(const Tracer& t, const Binding& bound);
bool simplified(Tracer& t, const Call& call);
void note_product(Tracer& t, const Call& call, const Parts& parts);
void product_first(Tracer& t, const Call& call, std::vector<Operand>& operands);
std::optional<Call> with_scalars(Tracer& t, const Call& call);

}  // namespace noclobber::effects
