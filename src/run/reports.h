// Reports that a run writes besides its standard output.
#pragma once
#include "src/report/report.h"
#include "src/run/options.h"

namespace noclobber {

/// True if some report needs all records at the end of the run.
bool wants_report(const Options& options);

/// Writes the requested files, each atomically unless it is a special file; in GitHub Actions also
/// annotations and the job summary. Prints an error and returns false if one of them could not be written.
bool write_reports(const Options& options, const Report& report);

/// The folder to which paths in reports are relative: the checkout in GitHub Actions and GitLab, else the
/// current folder.
std::string report_root();

}  // namespace noclobber
