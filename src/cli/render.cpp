// `render`: the records of a run in another form.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "src/base/suggest.h"
#include "src/cli/commands.h"
#include "src/report/names.h"
#include "src/report/report.h"
#include "src/run/output.h"
#include "src/run/terminal.h"
#include "src/text/file.h"

namespace noclobber {

namespace {

std::string no_format(const std::string& asked) {
  std::string all;
  std::vector<std::string_view> names;
  for (const Format& format : formats()) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", format.name);
    names.push_back(format.name);
  }
  const std::string hint = suggestion(asked, names);
  return fmt::format("no format '{}'{} There are: {}", printable(asked), hint.empty() ? "." : hint, all);
}

/// error: the file cannot be read or has no records. Faulty lines are in `damage` of the report.
Result<Report> read_records_of(const std::string& path) {
  auto text = read_file(path);
  if (!text) return Diagnostic{"", text.fault().message};
  if (!is_records(*text)) return Diagnostic{"", "holds no records: they are what --json prints"};
  return read_records(*text, path);
}

/// Prints the first few errors in the text of the records.
void print_damage(const Report& report) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(report.damage.size(), kShown);
  for (std::size_t k = 0; k < shown; ++k)
    print_error(report.damage[k].input, report.damage[k].where, report.damage[k].message);
  if (report.damage.size() > shown)
    print_error(report.damage[shown].input, "",
                fmt::format("{} more lines are no records", report.damage.size() - shown));
}

}  // namespace

std::optional<Report> records_of(const std::vector<std::string>& paths) {
  Report out;
  for (const std::string& path : paths) {
    auto report = read_records_of(path);
    if (!report) {
      print_error(path, "", report.fault().message);
      return std::nullopt;
    }
    print_damage(*report);
    out.append(*std::move(report));
  }
  return out;
}

int run_render(const Options& options) {
  const Format* format = find_format(options.to);
  if (format == nullptr) {
    print_error("--to", "", no_format(options.to));
    return kUsageError;
  }
  auto all = records_of(options.inputs);
  if (!all) return kUsageError;
  all->root = report_root();
  const bool text = format->name == "text";
  write_out(stdout, text ? to_text(*all, look_of(options)) : format->render(*all));
  return flush_output() && all->damage.empty() ? 0 : kUsageError;
}

}  // namespace noclobber
