#include "src/run/reports.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "src/base/write_file.h"
#include "src/report/render.h"
#include "src/run/output.h"
#include "src/run/settings.h"
#include "src/run/terminal.h"

namespace noclobber {

namespace {

namespace fs = std::filesystem;

struct FileReport {
  std::string_view format;
  std::string Options::*file;
};
constexpr std::array kFiles = {
    FileReport{"sarif", &Options::sarif},   FileReport{"junit", &Options::junit},
    FileReport{"gitlab", &Options::gitlab}, FileReport{"markdown", &Options::markdown},
    FileReport{"html", &Options::html},
};

bool in_actions(const Options& options) {
  if (options.github != "auto") return options.github == "always";
  return environment("GITHUB_ACTIONS") == "true";
}

/// Appends, since the steps of a job share the file. Beyond the size limit GitHub rejects all of it, so the
/// text gets only the room that is left.
bool add_summary(const std::string& path, const Report& report) {
  std::error_code fault;
  const auto size = fs::file_size(path, fault);
  const std::size_t used = fault ? 0 : static_cast<std::size_t>(size);
  const std::string text = to_markdown(report, kJobSummaryBytes - std::min(used, kJobSummaryBytes));
  if (text.empty()) return true;
  std::FILE* file = std::fopen(path.c_str(), "a");
  return (file != nullptr && put_and_close(file, text)) || not_written(path);
}

/// GitHub reads both streams for commands, so they go to standard error if standard output is for a program.
bool annotate(const Options& options, const Report& report) {
  const bool data = options.json || options.output_format != "text";
  if (options.output_format != "github") write_out(data ? stderr : stdout, to_github(report));
  const std::string summary(environment("GITHUB_STEP_SUMMARY"));
  return summary.empty() || add_summary(summary, report);
}

/// Writes a file atomically: to a temporary file that is then renamed. A special file is written directly.
bool write_whole(const std::string& path, const std::string& text) {
  std::error_code fault;
  const bool special = fs::exists(path, fault) && !fs::is_regular_file(path, fault);  // /dev/stdout
  const std::string begun = special ? path : fmt::format("{}.{}.part", path, getpid());
  std::FILE* file = std::fopen(begun.c_str(), "w");
  if (file == nullptr) return not_written(path);
  if (!put_and_close(file, text)) {
    not_written(path);
    if (!special) fs::remove(begun, fault);
    return false;
  }
  if (special) return true;
  fs::rename(begun, path, fault);
  if (!fault) return true;
  errno = fault.value();
  return not_written(path);
}

}  // namespace

std::string report_root() {
  for (const char* name : {"GITHUB_WORKSPACE", "CI_PROJECT_DIR"})
    if (const std::string_view folder = environment(name); !folder.empty()) return std::string(folder);
  std::error_code fault;
  return fs::current_path(fault).string();
}

bool wants_report(const Options& options) {
  if (in_actions(options) || (options.output_format != "text" && options.output_format != "json"))
    return true;
  return std::ranges::any_of(kFiles, [&](const FileReport& one) { return !(options.*one.file).empty(); });
}

bool write_reports(const Options& options, const Report& report) {
  bool written = true;
  for (const FileReport& one : kFiles) {
    const std::string& path = options.*one.file;
    if (!path.empty()) written = write_whole(path, find_format(one.format)->render(report)) && written;
  }
  if (in_actions(options)) written = annotate(options, report) && written;
  return written;
}

}  // namespace noclobber
