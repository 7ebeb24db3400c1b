// Draws that a checkpoint repeats from the saved state of the generator, as functions of that state:
//
//   s, d = run_and_save_rng_state(dropout, x, 0.5)    s = inductor_seed(); _ = dropout(x, 0.5)
//                                                     d = from_state.dropout(s, x, 0.5)
//   e = run_with_rng_state(s, dropout, y, 0.5)        e = from_state.dropout(s, y, 0.5)
//   r = dropout(x, 0.5)    (if states are saved)      as the first, with a state that is not saved
//
// The drawn numbers are a function of the state, of all arguments of the call, and of their layout. The seed
// stands for the state; the call itself, with unread results, advances the generator as it did. So two
// programs find the generator in the same state only if they have made the same calls on the same contents,
// in the same order. Drawing from a saved state does not advance it.
#pragma once
#include "src/graph/case.h"

namespace noclobber {

/// Rewrites both graphs if one uses a saved state. Calls that write an argument stay, and so do calls inside
/// bodies. Nothing is changed if a saved state is used by anything but such a call or the return, or if the
/// device of a draw, or the layout of its operands, is unknown: steps that save and use states are not
/// modelled then.
void draw_from_states(Case& value);

}  // namespace noclobber
