// The commands. Each returns the exit code.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/result.h"
#include "src/cli/inputs.h"
#include "src/cli/options.h"
#include "src/cli/pipeline.h"
#include "src/report/report.h"

namespace noclobber {

inline constexpr int kUsageError = 2;

int run_check(const Options& options);
int run_compare(const Options& options);
int run_advise(const Options& options);
int run_trace(const Options& options);
int run_extract(const Options& options);
int run_explain(const Options& options);
int run_ops(const Options& options);
int run_fuzz(const Options& options);
int run_reduce(const Options& options);
int run_bisect(const Options& options);
int run_program(const Options& options);
int run_diff(const Options& options);
int run_config(const Options& options);
int run_baseline(const Options& options);
int run_render(const Options& options);
int run_replay(const Options& options);
int run_completions(const Options& options);
/// `noclobber --version`, with --json as one object: tool, operator table, Z3 and build.
int print_version(bool json);

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

/// The records in files, as one run; "-" is standard input. What is wrong with single lines is printed, and
/// in the report. Nothing, and an error was printed, where a file cannot be read or holds none.
std::optional<Report> records_of(const std::vector<std::string>& paths);
/// The folder that paths in reports are shown from: that of the checkout in GitHub Actions and GitLab, else
/// this one.
std::string report_root();
/// Writes out what standard output holds back; false, and an error is printed, if that cannot be done.
bool flush_output();

/// The one piece of work of `compare`: a check, or an error that names the file.
Work work_of_pair(const std::string& before, const std::string& after);

}  // namespace noclobber
