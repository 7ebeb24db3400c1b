// Where values that are equal as numbers, but not bit for bit, may be treated as equal.
#pragma once
#include <span>

#include "src/effects/effects.h"
#include "src/values/certificate.h"

namespace noclobber {

/// True if the identities that the Trace's steps note may be followed as far as `use` says. Values that agree
/// up to rounding, the sign of zero or the payload of a NaN have other bits, and some operators tell -0 from
/// 0. Such a value must not reach a view of its bits or such an operator.
bool may_follow(const Trace& trace, Identities use);
/// The same for the rows that Traces were built with (Traced::built_by). `plain`: the Traces without
/// identities, which show where bits are read.
bool may_build(const Traced& built, const Traced& plain);
/// True if proofs of bodies that follow identities may stand for the bodies that these Traces run.
bool may_stand(std::span<const Check> bodies, const Traced& traced);

}  // namespace noclobber
