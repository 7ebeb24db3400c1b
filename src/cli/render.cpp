// `render`: the records of a run in another form.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "src/cli/commands.h"
#include "src/cli/suggest.h"
#include "src/cli/terminal.h"
#include "src/formats/formats.h"
#include "src/report/names.h"
#include "src/report/report.h"

namespace noclobber {

namespace {

std::string no_format(const std::string& asked) {
  std::string all;
  std::vector<std::string_view> names;
  for (const Format& format : formats()) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", format.name);
    names.push_back(format.name);
  }
  const std::string_view near = nearest(asked, names);
  const std::string hint = near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
  return fmt::format("no format '{}'{} There are: {}", printable(asked), hint.empty() ? "." : hint, all);
}

}  // namespace

Result<Report> read_records_of(const std::string& path) {
  auto text = read_file(path);
  if (!text) return Diagnostic{"", text.fault().message};
  if (!is_records(*text)) return Diagnostic{"", "holds no records: they are what --json prints"};
  return read_records(*text, path);
}

void print_damage(const Report& report) {
  constexpr std::size_t kShown = 3;
  const std::size_t shown = std::min(report.damage.size(), kShown);
  for (std::size_t k = 0; k < shown; ++k)
    print_error(report.damage[k].input, report.damage[k].where, report.damage[k].message);
  if (report.damage.size() > shown)
    print_error(report.damage[shown].input, "",
                fmt::format("{} more lines are no records", report.damage.size() - shown));
}

int run_render(const Options& options) {
  const Format* format = find_format(options.to);
  if (format == nullptr) {
    print_error("--to", "", no_format(options.to));
    return kUsageError;
  }
  Report all;
  for (const std::string& path : options.inputs) {
    auto report = read_records_of(path);
    if (!report) {
      print_error(path, "", report.fault().message);
      return kUsageError;
    }
    print_damage(*report);
    all.append(*std::move(report));
  }
  all.root = report_root();
  const bool text = format->name == "text";
  fmt::print("{}", text ? to_text(all, look_of(options)) : format->render(all));
  return flush_output() && all.damage.empty() ? 0 : kUsageError;
}

}  // namespace noclobber
