// Where a row of the table of identities (src/ops/identities.def) is met in a graph: neutral arguments,
// arithmetic on whole numbers. What is assumed of a row is listed as
// inexact.
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
