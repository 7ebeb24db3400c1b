// A program under test: a command of the shell that is given a text and says a text.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>

namespace noclobber::fuzz {

/// What became of one question.
struct Answer {
  enum class Kind : std::uint8_t {
    said,
    crash,    // it ended by a signal or with an exit code other than 0
    hang,     // no answer in time
    silent,   // it ended well and said nothing
    surplus,  // more than one answer
  };
  Kind kind = Kind::silent;
  std::string text;        // said: what it said
  std::string why;         // else: "exit code 3", "signal 11", with the end of its standard error
  bool is_absent = false;  // the shell does not know the command
};

/// Asks one command, one question at a time. Not for two threads at once.
class Subject {
 public:
  /// `command`: of the shell, or "-": this process' own standard input and output, a line each.
  /// `persistent`: one process, a line each; else a process for each question.
  /// `seconds`: how long an answer may take; 0: for ever. Where `stop` becomes true nothing is waited for.
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
