// Conversion of options to settings of the stages, and messages on standard error.
#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/check/check.h"
#include "src/run/inputs.h"
#include "src/run/options.h"

namespace noclobber {

inline constexpr int kUsageError = 2;

/// Prints `noclobber: error: FILE: WHERE: MESSAGE` on one line of standard error, without empty parts.
void print_error(std::string_view file, std::string_view where, std::string_view message);
void print_note(std::string_view file, std::string_view where, std::string_view message);

/// --engine, --effort, --no-assumptions, --strict, --run, --ops, --recheck; --certificate and --dump-smt2,
/// whose folders it creates. error: `where` is the option or a place in a file.
Result<CheckOptions> check_options(const Options& options);
/// --only, --order, --capacity, --instance.
Result<InputOptions> input_options(const Options& options);
/// Both. Prints an error and returns empty if one of them is invalid.
std::optional<std::pair<InputOptions, CheckOptions>> work_options(const Options& options);
/// Declarations of custom operators: a JSON list of OPDECL, or one schema per line with `#` comments.
/// error: `where` is a JSON pointer or "line N, ...".
Result<std::vector<OpDecl>> read_operators(std::string_view text);

/// Flushes standard output. Prints an error and returns false if that fails.
bool flush_output();

}  // namespace noclobber
