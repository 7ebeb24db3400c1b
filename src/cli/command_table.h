// The table of commands, from which the command line and the completions are made.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "src/run/options.h"

namespace noclobber {

struct Command {
  std::string_view name;
  enum class Takes : std::uint16_t {
    checks = 1,
    reads = 2,
    fuzz = 4,
    reduce = 8,
    render = 16,
    extract = reads + 32,
    replay = 64,
    launch = checks + 128,
    ask = 256,
    advise = checks + 512,
    all = 1023,
    nothing = 0
  } takes;          // the scopes of its options
  int least, most;  // number of positional arguments
  const char* positional;
  const char* positional_help;
  const char* help;
  int (*run)(const Options&);
};

constexpr int kManyInputs = 1 << 20;

/// All commands, in the order in which the help lists them.
std::span<const Command> command_table();

}  // namespace noclobber
