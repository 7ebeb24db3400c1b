// `--version`: the versions that a verdict depends on, and the build of the program.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/cli/commands.h"
#include "src/ops/evidence.h"
#include "src/prover/solver.h"

namespace noclobber {

namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string machine() {
#if defined(__x86_64__)
  const std::string cpu = "x86_64";
#elif defined(__aarch64__)
  const std::string cpu = "aarch64";
#else
  const std::string cpu = "other";
#endif
#if defined(__APPLE__)
  return cpu + " macos";
#elif defined(__linux__)
  return cpu + " linux";
#else
  return cpu;
#endif
}

}  // namespace

int print_version(bool json) {
  const std::string solver = solver_version(), build = fmt::format("{}, {}", compiler(), machine());
  const std::string z3 = solver.starts_with("z3 ") ? solver.substr(3) : solver;
  if (json) {
    const nlohmann::ordered_json out{{"schema", "noclobber.version/1"}, {"version", NC_VERSION},
                                     {"tables", table_digest()},        {"z3", z3},
                                     {"z3_fault", solver_fault()},      {"build", build}};
    fmt::print("{}\n", out.dump());
  } else {
    fmt::print("noclobber {}\ntables {}\nz3     {}\nbuild  {}\n", NC_VERSION, table_digest(),
               z3.empty() ? "none: " + solver_fault() : z3, build);
  }
  return flush_output() ? 0 : kUsageError;
}

}  // namespace noclobber
