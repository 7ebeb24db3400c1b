// Inductor does not draw numbers where a program does. It draws seeds, all at once, and makes the numbers
// from these:
//
//   x = rand([4])            s = inductor_seeds(2)
//   y = randn([4])           x = inductor_random([4], inductor_lookup_seed(s, 0), 'rand')
//                            y = inductor_random([4], inductor_lookup_seed(s, 1), 'randn')
//
// The numbers are others than eager mode's, of the same distribution. So the program means: the k-th draw of
// a device is the function of the k-th seed. A seed that two draws share, or a draw that is made twice from
// two calls for seeds, is still another program.
#pragma once
#include <vector>

#include "src/graph/case.h"

namespace noclobber {

/// The sentence that a verdict rests on where draw_by_seeds() did something.
inline constexpr const char* kDrawsBySeeds =
    "numbers made from seeds are distributed as those of the generator, one seed to a draw";

/// Where `after` draws as many seeds of a device as `before` draws numbers from its generator, `before` is
/// written by seeds, too. Returns whether it was.
bool draw_by_seeds(Case& value);

}  // namespace noclobber
