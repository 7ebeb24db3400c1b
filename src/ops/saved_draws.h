// Draws that a checkpoint makes again from the generator's saved state, as functions of that state:
//
//   s, d = run_and_save_rng_state(dropout, x, 0.5)    s = inductor_seed(); _ = dropout(x, 0.5)
//                                                     d = from_state.dropout(s, x, 0.5)
//   e = run_with_rng_state(s, dropout, y, 0.5)        e = from_state.dropout(s, y, 0.5)
//   r = dropout(x, 0.5)    (where there is such a call)   as the first, of a state that nobody saves
//
// What is drawn is a function of the state, of all that the call is given and of how that lies. The seed
// stands for the state; the call itself, of which nobody reads the result, takes from the generator what it
// took. So two programs find the generator in one state only where they have made the same calls, in the same
// order, of the same contents; drawing from a saved state leaves it alone.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// In both graphs, wherever a saved state is used. Calls that write what they are given stay, and so do calls
/// inside bodies. Nothing is changed where a saved state goes anywhere else than to such a call or to the
/// caller, or where the device of a draw, or how its operands lie, is not known: what saves and uses states
/// is not modelled then.
void draw_from_states(Case& value);

}  // namespace noclobber
