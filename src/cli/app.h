// The program without main(): parses the command line and runs one command.
#pragma once

namespace noclobber {

/// Returns the exit code: 0 proved, 1 refuted, 2 usage, unreadable or nothing to check, 3 unknown, 4 internal
/// error, 130 interrupted.
int run_app(int argc, char** argv);

}  // namespace noclobber
