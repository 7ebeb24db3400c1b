// `noclobber run -- python train.py`: runs the program with the traces of its compiler written into a folder,
// and checks that folder afterwards.
#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "src/cli/commands.h"
#include "src/report/names.h"

namespace noclobber {
namespace {

namespace fs = std::filesystem;

/// Environment of the program. Only compilations are logged, so caches are disabled.
constexpr std::array kTraceVariables = {"TORCHINDUCTOR_FORCE_DISABLE_CACHES=1",
                                        "TORCHINDUCTOR_FX_GRAPH_CACHE=0", "TORCHINDUCTOR_AUTOGRAD_CACHE=0"};

/// The folder for the traces: --out, which must be empty, or a new temporary folder.
Result<std::string> trace_folder(const std::string& wanted) {
  std::error_code fault;
  if (wanted.empty()) {
    std::string name = (fs::temp_directory_path(fault) / "noclobber_XXXXXX").string();
    if (fault || mkdtemp(name.data()) == nullptr) return Diagnostic{name, "cannot be made"};
    return name;
  }
  fs::create_directories(wanted, fault);
  if (fault) return Diagnostic{wanted, "cannot be made: " + fault.message()};
  if (!fs::is_empty(wanted, fault) || fault)
    return Diagnostic{wanted, "is not empty: traces go to a new folder"};
  return fs::absolute(wanted).string();
}

/// The environment of this process with the variables "NAME=VALUE" of `changes` set.
std::vector<std::string> changed_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> out = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view known = *entry;
    bool is_changed = false;
    for (const std::string& change : changes)
      is_changed = is_changed || known.starts_with(change.substr(0, change.find('=') + 1));
    if (!is_changed) out.emplace_back(known);
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Runs the program and returns its exit code, or 128 + the signal that ended it. error: it could not be
/// started. `apart`: its standard output goes to standard error, as another program reads the reports on
/// standard output.
Result<int> run_to_end(std::vector<std::string> command, const std::string& folder, bool apart) {
  std::vector<std::string> changes{"TORCH_TRACE=" + folder};
  changes.insert(changes.end(), kTraceVariables.begin(), kTraceVariables.end());
  std::vector<std::string> environment = changed_environment(changes);
  const auto ignored = std::signal(SIGINT, SIG_IGN);  // only the program handles it
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (apart) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const std::string name = command[0];
  const int fault = posix_spawnp(&child, name.c_str(), &actions, &attributes, pointers(command).data(),
                                 pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  int status = 0;
  while (fault == 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  std::signal(SIGINT, ignored);
  if (fault != 0) return Diagnostic{name, fmt::format("cannot be run: {}", std::strerror(fault))};
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/// The exit code of the checks, in which a failed program counts as 2. The priority is 4, 1, 2, 3, 0.
int with_program(int checks, int program) {
  return program == 0 || checks == 4 || checks == 1 ? checks : kUsageError;
}

}  // namespace

int run_program(const Options& options) {
  auto folder = trace_folder(options.out);
  if (!folder) {
    print_error(folder.fault().where, "", folder.fault().message);
    return kUsageError;
  }
  const auto ended = run_to_end(options.inputs, *folder, options.json || options.output_format != "text");
  std::error_code ignored;
  if (!ended) {
    print_error(ended.fault().where, "", ended.fault().message);
    fs::remove(*folder, ignored);
    return kUsageError;
  }
  Options asked = options;
  asked.inputs = {*folder};
  int checks = kUsageError;
  if (fs::is_empty(*folder, ignored))
    print_error(options.inputs[0], "", "compiled nothing: no trace was written");
  else
    checks = run_check(asked);
  if (*ended != 0) print_error(options.inputs[0], "", fmt::format("ended with exit code {}", *ended));
  const bool is_kept = !options.out.empty() || checks != 0;
  if (is_kept && !options.quiet) print_note("", "", "traces: " + printable(*folder));
  if (!is_kept) fs::remove_all(*folder, ignored);
  return with_program(checks, *ended);
}

}  // namespace noclobber
