// How much of a long sweep a run of the tests takes.
#pragma once
#include <cstddef>

namespace noclobber::testing {

/// Of operators, recorded calls or seeds one in so many is looked at: every one, but under
/// sanitizers, which take a dozen times as long, one in twelve. The environment's NC_EVERY says otherwise.
std::size_t every();
inline bool is_sampled(std::size_t number) { return number % every() == 0; }
/// Of so many, how many at least.
inline std::size_t sampled(std::size_t count) { return count / every(); }

}  // namespace noclobber::testing
