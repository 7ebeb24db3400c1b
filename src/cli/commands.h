// The commands. Each returns the exit code.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/result.h"
#include "src/check/check.h"
#include "src/report/report.h"
#include "src/run/inputs.h"
#include "src/run/options.h"
#include "src/run/reports.h"
#include "src/run/settings.h"

namespace noclobber {

int run_check(const Options& options);
int run_compare(const Options& options);
int run_advise(const Options& options);
/// `advise --repair`: prints the repaired cases of inputs. Exit code 0: each check is proved or repaired.
int run_repair(const Options& options);
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

/// The records in files, as one run; "-" is standard input. Faulty lines are printed and are in `damage` of
/// the report. Prints an error and returns empty if a file cannot be read or has no records.
std::optional<Report> records_of(const std::vector<std::string>& paths);
/// The one piece of work of `compare`: a check, or an error that names the file.
Work work_of_pair(const std::string& before, const std::string& after);

}  // namespace noclobber
