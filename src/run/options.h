// The options of the command line, generated from options.def.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace noclobber {

namespace option_type {
using flag = bool;
using number = std::uint64_t;
using text = std::string;
}  // namespace option_type

/// Sets of commands as bits, joined by `+`.
namespace option_scope {
inline constexpr unsigned checks = 1, reads = 1 + 2, fuzzing = 4, reducing = 8, rendering = 16,
                          extracting = 32, replaying = 64, launching = 128, asking = 256, advising = 512;
}

struct Options {
#define NC_OPTION(field, type, fallback, flag, value, scope, help) option_type::type field = fallback;
#include "src/run/options.def"
#undef NC_OPTION
  std::vector<std::string> inputs;             // positional: INPUT..., BEFORE AFTER, or CODE
  bool only_changes = false;                   // `diff`: prints `change` and `diff` records, not all records
  bool until_refuted = false;                  // `bisect`: stops at the first refuted check
  std::map<std::string, std::string> origins;  // by setting that is not a default: where it comes from
};

/// A line of options.def.
struct OptionLine {
  std::string_view flag, value, help;  // flag: "--start,--seed" if it has two names; value: "" if it has none
  unsigned scope = 0;
};
/// All of them, in order.
std::span<const OptionLine> option_lines();

/// docs/cli-options.md, one table row per option.
std::string options_markdown();

}  // namespace noclobber
