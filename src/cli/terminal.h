// What the streams are connected to.
#pragma once

namespace noclobber {

/// Colours are for a terminal that wants them: NO_COLOR and TERM=dumb say no.
bool wants_colour(bool no_color_option);
/// May a line of standard error be redrawn?
bool can_redraw();

}  // namespace noclobber
