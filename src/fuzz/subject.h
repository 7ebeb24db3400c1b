// A program under test: a shell command that reads a text and writes a text.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>

namespace noclobber::fuzz {

/// The outcome of one question.
struct Answer {
  enum class Kind : std::uint8_t {
    said,
    crash,    // ended by a signal or with an exit code other than 0
    hang,     // no answer in time
    silent,   // ended normally and wrote nothing
    surplus,  // more than one answer
  };
  Kind kind = Kind::silent;
  std::string text;        // for `said`: the answer
  std::string why;         // otherwise: "exit code 3", "signal 11", with the end of its standard error
  bool is_absent = false;  // the shell does not know the command
};

/// Asks one command, one question at a time. Not thread-safe.
class Subject {
 public:
  /// `command`: a shell command, or "-": this process' own standard input and output, one line each.
  /// `persistent`: one process, one line per question; otherwise one process per question.
  /// `seconds`: the time limit of an answer; 0: none. If `stop` becomes true, waiting ends.
  Subject(std::string command, bool persistent, double seconds, const std::atomic<bool>& stop);
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// `question`: one line without a newline where it is persistent.
  Answer ask(const std::string& question);
  bool persistent() const { return persistent_; }

 private:
  struct Process;
  Answer ask_once(const std::string& question);
  Answer ask_line(const std::string& question);
  Answer ended(Process& process, const std::string& said);
  bool start(Process& process) const;
  void stop();

  std::string command_;
  bool persistent_;
  double seconds_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<Process> running_;
};

}  // namespace noclobber::fuzz
