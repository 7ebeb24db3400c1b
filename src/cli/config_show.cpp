// `config show` and `baseline`: the settings and the baseline of a run.
#include <fmt/format.h>

#include <cstdio>

#include "src/cli/commands.h"
#include "src/cli/config.h"
#include "src/report/names.h"
#include "src/run/baseline.h"

namespace noclobber {

int run_config(const Options& options) {
  if (options.inputs.front() != "show") {
    print_error("", "", fmt::format("config knows 'show', not '{}'", printable(options.inputs.front())));
    return kUsageError;
  }
  fmt::print("{}", config_text(options, options.origins));
  return flush_output() ? 0 : kUsageError;
}

int run_baseline(const Options& options) {
  const auto all = records_of(options.inputs);
  if (!all) return kUsageError;
  fmt::print("{}", baseline_of(*all));
  return flush_output() && all->damage.empty() ? 0 : kUsageError;
}

}  // namespace noclobber
