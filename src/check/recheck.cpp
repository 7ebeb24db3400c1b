#include "src/check/recheck.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace noclobber {

std::string rechecker() {
  std::error_code fault;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", fault);
  const std::string program = (self.parent_path() / "nc-recheck").string();
  return !fault && ::access(program.c_str(), X_OK) == 0 ? program : "";
}

bool rechecked(const std::string& program, const std::string& certificate) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  if (!file || std::fwrite(certificate.data(), 1, certificate.size(), file.get()) != certificate.size() ||
      std::fflush(file.get()) != 0)
    return false;
  std::rewind(file.get());
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  posix_spawn_file_actions_adddup2(&actions, fileno(file.get()), STDIN_FILENO);
  for (const int out : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, out, "/dev/null", O_WRONLY, 0);
  std::string name = "nc-recheck", input = "/dev/stdin";
  const std::array<char*, 3> arguments{name.data(), input.data(), nullptr};
  pid_t child = 0;
  const bool started =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  return started && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace noclobber
