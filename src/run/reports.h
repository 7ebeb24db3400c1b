// Reports that a run writes beside what it prints.
#pragma once
#include "src/report/report.h"
#include "src/run/options.h"

namespace noclobber {

/// Does any report need all records at the end?
bool wants_report(const Options& options);

/// Writes the files that are asked for, each whole or not at all; inside of GitHub Actions also annotations
/// and the job summary. False, and an error was printed, if something could not be written.
bool write_reports(const Options& options, const Report& report);

/// The folder that paths in reports are shown from: that of the checkout in GitHub Actions and GitLab, else
/// this one.
std::string report_root();

}  // namespace noclobber
