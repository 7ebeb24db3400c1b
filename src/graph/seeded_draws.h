// Inductor does not draw random numbers where the program does. It draws all seeds at once and computes the
// numbers from them:
//
//   x = rand([4])            s = inductor_seeds(2)
//   y = randn([4])           x = inductor_random([4], inductor_lookup_seed(s, 0), 'rand')
//                            y = inductor_random([4], inductor_lookup_seed(s, 1), 'randn')
//
// The numbers differ from those of eager mode but have the same distribution. So the k-th draw of a device is
// modelled as the function of the k-th seed. A seed that two draws share, or a draw made twice from two calls
// for seeds, is still a different program.
#pragma once
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// The assumption of a verdict if draw_by_seeds() changed the case.
inline constexpr const char* kDrawsBySeeds =
    "numbers made from seeds are distributed as those of the generator, one seed to a draw";

/// Rewrites the draws of `before` with seeds, for each device for which `after` draws as many seeds as
/// `before` makes draws. Returns whether anything was rewritten.
bool draw_by_seeds(Case& value);

}  // namespace noclobber
