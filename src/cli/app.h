// The program without its main: reads the command line and runs one command.
#pragma once

namespace noclobber {

/// Returns the exit code (design: 0 proved, 1 refuted, 2 usage or unreadable, 3 unknown, 4 our bug).
int run_app(int argc, char** argv);

}  // namespace noclobber
