// Where what is the same as numbers, and not to the bit, may be taken for the same.
#pragma once
#include <span>

#include "src/effects/effects.h"
#include "src/values/certificate.h"

namespace noclobber {

/// May the identities that the Trace's steps note be followed as far as `use` says? A number that differs in
/// its last digit has other bits, and so have -0, which some operators tell from 0 as well, and another NaN:
/// not where somebody looks at them.
bool may_follow(const Trace& trace, Identities use);
/// The same of the rows that Traces were built by (Traced::built_by), where the plain ones tell who looks at
/// what.
bool may_build(const Traced& built, const Traced& plain);
/// May what was shown of bodies by identities stand for what these Traces run?
bool may_stand(std::span<const Check> bodies, const Traced& traced);

}  // namespace noclobber
