// From options to what the stages need, and what is said on standard error.
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

/// `noclobber: error: FILE: WHERE: MESSAGE`, one line on standard error; empty parts are left out.
void print_error(std::string_view file, std::string_view where, std::string_view message);
void print_note(std::string_view file, std::string_view where, std::string_view message);

/// --engine, --effort, --no-assumptions, --ops. error: `where` says which option or place.
Result<CheckOptions> check_options(const Options& options);
/// --only, --order.
Result<InputOptions> input_options(const Options& options);
/// Both. Nothing: one of them makes no sense, and an error was printed.
std::optional<std::pair<InputOptions, CheckOptions>> work_options(const Options& options);
/// Declarations of custom operators: a JSON list of OPDECL, or one schema per line with `#` comments.
/// error: `where` is a JSON pointer or "line N".
Result<std::vector<OpDecl>> read_operators(std::string_view text);

/// Writes out what standard output holds back; false, and an error is printed, if that cannot be done.
bool flush_output();

}  // namespace noclobber
