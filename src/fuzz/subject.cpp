#include "src/fuzz/subject.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

namespace noclobber::fuzz {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostSaid = std::size_t{256} << 20;  // bytes of one answer
constexpr std::size_t kMostErrors = 2000;                  // bytes of standard error that are kept
constexpr int kPollMilliseconds = 100;                     // interval of checks for --timeout and Ctrl-C
constexpr int kNotFound = 127;                             // the shell's code for an unknown command

void close_end(int& end) {
  if (end >= 0) close(end);
  end = -1;
}

}  // namespace

/// One process and the ends of its pipes.
struct Subject::Process {
  pid_t id = -1;
  int in = -1, out = -1, errors = -1;
  std::string said, complaint;  // read, but not yet used
  bool borrowed = false;        // the ends belong to this process

  ~Process() {
    if (borrowed) return;
    close_end(in), close_end(out), close_end(errors);
  }
  /// Reads what is available. False if the other side has closed.
  static bool drain(int& end, std::string& into, std::size_t most) {
    std::array<char, 65536> piece{};
    const ssize_t n = read(end, piece.data(), piece.size());
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    into.append(piece.data(), static_cast<std::size_t>(n));
    if (into.size() > most) into.erase(0, into.size() - most);
    return true;
  }
  /// Writes what the pipe accepts. False if there is no reader any more.
  bool feed(const std::string& text, std::size_t& at) const {
    const ssize_t n = write(in, text.data() + at, text.size() - at);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    at += static_cast<std::size_t>(n);
    return true;
  }
  struct Patience {
    double seconds;
    const std::atomic<bool>& stop;
  };
  /// Feeds `question` and reads until `enough` holds, the output is closed, or time is over (false).
  template <class Enough>
  bool talk(const std::string& question, const Patience& patience, bool close_after, const Enough& enough);
};

template <class Enough>
bool Subject::Process::talk(const std::string& question, const Patience& patience, bool close_after,
                            const Enough& enough) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(patience.seconds);
  std::size_t fed = 0;
  bool writing = true;
  while (!enough(said)) {
    if (writing && fed == question.size()) {
      writing = false;
      if (close_after) close_end(in);
    }
    std::array<pollfd, 3> ends{{{out, POLLIN, 0}, {errors, POLLIN, 0}, {writing ? in : -1, POLLOUT, 0}}};
    if (patience.stop.load() || (patience.seconds > 0 && Clock::now() >= deadline)) return false;
    if (poll(ends.data(), ends.size(), kPollMilliseconds) < 0 && errno != EINTR) return true;
    if (ends[1].revents != 0 && !drain(errors, complaint, kMostErrors)) {
      if (!borrowed) close_end(errors);
      errors = -1;
    }
    if (ends[2].revents != 0 && !feed(question, fed)) writing = false;
    if (ends[0].revents != 0 && !drain(out, said, kMostSaid)) return true;
  }
  return true;
}

Subject::Subject(std::string command, bool persistent, double seconds, const std::atomic<bool>& stop)
    : command_(std::move(command)),
      persistent_(persistent || command_ == "-"),
      seconds_(seconds),
      stop_(stop) {
  std::signal(SIGPIPE, SIG_IGN);
}

Subject::~Subject() { stop(); }

bool Subject::start(Process& process) const {
  std::array<int, 2> in{}, out{}, errors{};
  if (pipe2(in.data(), O_CLOEXEC) != 0) return false;
  process.in = in[1];
  const bool piped = pipe2(out.data(), O_CLOEXEC) == 0 && pipe2(errors.data(), O_CLOEXEC) == 0;
  process.out = out[0], process.errors = errors[0];
  process.id = piped ? fork() : -1;
  if (process.id > 0) setpgid(process.id, process.id);  // also here: it may be ended at once
  if (process.id == 0) {
    setpgid(0, 0);
    dup2(in[0], STDIN_FILENO), dup2(out[1], STDOUT_FILENO), dup2(errors[1], STDERR_FILENO);
    std::signal(SIGPIPE, SIG_DFL), std::signal(SIGINT, SIG_DFL);
    execl("/bin/sh", "sh", "-c", command_.c_str(), static_cast<char*>(nullptr));
    _exit(kNotFound);
  }
  close(in[0]);
  if (piped) close(out[1]), close(errors[1]);
  for (const int end : {process.in, process.out, process.errors})
    if (end >= 0) fcntl(end, F_SETFL, O_NONBLOCK);
  return process.id > 0;
}

/// The answer that the end of a process means. Reads its output to the end.
Answer Subject::ended(Process& process, const std::string& said) {
  Answer out;
  int status = 0;
  if (process.id > 0) waitpid(process.id, &status, 0);
  process.id = -1;
  while (process.errors >= 0 && Process::drain(process.errors, process.complaint, kMostErrors) &&
         errno != EAGAIN)
    errno = 0;
  const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const bool blank = said.find_first_not_of(" \t\r\n") == std::string::npos;
  out.kind = !well ? Answer::Kind::crash : blank ? Answer::Kind::silent : Answer::Kind::said;
  out.text = said;
  out.is_absent = WIFEXITED(status) && WEXITSTATUS(status) == kNotFound;
  if (WIFSIGNALED(status)) out.why = fmt::format("signal {}", WTERMSIG(status));
  if (WIFEXITED(status) && !well) out.why = fmt::format("exit code {}", WEXITSTATUS(status));
  if (out.kind == Answer::Kind::silent) out.why = "it ended and said nothing";
  if (!process.complaint.empty()) out.why += ": " + process.complaint;
  return out;
}

Answer Subject::ask_once(const std::string& question) {
  Process process;
  if (!start(process)) return {Answer::Kind::crash, "", "it cannot be started", true};
  const bool in_time =
      process.talk(question, {seconds_, stop_}, true, [](const std::string&) { return false; });
  if (in_time) return ended(process, process.said);
  kill(-process.id, SIGKILL);
  waitpid(process.id, nullptr, 0);
  return {Answer::Kind::hang, "", fmt::format("no answer in {} s", seconds_), false};
}

Answer Subject::ask_line(const std::string& question) {
  if (running_ == nullptr) {
    running_ = std::make_unique<Process>();
    running_->borrowed = command_ == "-";
    if (running_->borrowed)
      running_->in = STDOUT_FILENO, running_->out = STDIN_FILENO;
    else if (!start(*running_))
      return stop(), Answer{Answer::Kind::crash, "", "it cannot be started", true};
  }
  Process& process = *running_;
  const auto whole_line = [](const std::string& said) { return said.find('\n') != std::string::npos; };
  std::array<pollfd, 1> early{{{process.out, POLLIN, 0}}};
  if (poll(early.data(), 1, 0) > 0 && Process::drain(process.out, process.said, kMostSaid) &&
      !process.said.empty())
    return stop(), Answer{Answer::Kind::surplus, "", "a line that nobody asked for", false};
  process.said.clear();
  const bool in_time = process.talk(question + "\n", {seconds_, stop_}, false, whole_line);
  const std::size_t end = process.said.find('\n');
  if (in_time && end == std::string::npos) {  // the process has ended
    Answer out = ended(process, "");
    out.is_absent = out.is_absent || process.borrowed;
    if (out.kind == Answer::Kind::silent) out.kind = Answer::Kind::crash;
    return stop(), out;
  }
  if (!in_time)
    return stop(), Answer{Answer::Kind::hang, "", fmt::format("no answer in {} s", seconds_), false};
  const std::string line = process.said.substr(0, end), rest = process.said.substr(end + 1);
  if (rest.find_first_not_of(" \t\r\n") != std::string::npos)
    return stop(), Answer{Answer::Kind::surplus, "", "more than one line", false};
  const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
  return {blank ? Answer::Kind::silent : Answer::Kind::said, line, blank ? "an empty line" : "", false};
}

void Subject::stop() {
  if (running_ == nullptr) return;
  if (running_->id > 0) {
    kill(-running_->id, SIGKILL);
    waitpid(running_->id, nullptr, 0);
  }
  running_.reset();
}

Answer Subject::ask(const std::string& question) {
  return persistent_ ? ask_line(question) : ask_once(question);
}

}  // namespace noclobber::fuzz
