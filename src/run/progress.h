// Narration on standard error while checks run.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace noclobber {

/// On a terminal one line, redrawn at most ten times a second; elsewhere a plain line every 30 s, so that
/// a long run in CI is not taken for a dead one.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(bool on_terminal, bool silent = false)
      : on_terminal_(on_terminal), silent_(silent), start_(Clock::now()), last_(start_) {}

  /// True if enough time has passed to say something again.
  bool due() const;
  /// `slowest`: name of the item that has run longest, "" if none runs.
  void say(std::uint64_t done, const std::string& slowest, double slowest_seconds);
  /// Takes the line away before other text is written.
  void clear();

 private:
  bool on_terminal_, silent_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

/// The line itself.
std::string progress_text(std::uint64_t done, double seconds, const std::string& slowest,
                          double slowest_seconds);

}  // namespace noclobber
