// Reports that a run writes beside what it prints.
#pragma once
#include "src/cli/options.h"
#include "src/report/report.h"

namespace noclobber {

/// Does any report need all records at the end?
bool wants_report(const Options& options);

/// Writes the files that are asked for, each whole or not at all; inside of GitHub Actions also annotations
/// and the job summary. False, and an error was printed, if something could not be written.
bool write_reports(const Options& options, const Report& report);

}  // namespace noclobber
