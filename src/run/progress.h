// Progress on standard error while checks run.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace noclobber {

/// On a terminal, one line that is redrawn at most ten times a second. Elsewhere, a line every 30 s, so that
/// a long run in CI is not taken for dead.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Progress(bool on_terminal, bool silent = false)
      : on_terminal_(on_terminal), silent_(silent), start_(Clock::now()), last_(start_) {}

  /// True if it is time for the next line.
  bool due() const;
  /// Prints the line. `slowest`: the name of the item that has run longest; "" if none runs.
  void say(std::uint64_t done, const std::string& slowest, double slowest_seconds);
  /// Erases the line, before other text is written.
  void clear();

 private:
  bool on_terminal_, silent_;
  bool drawn_ = false;
  Clock::time_point start_, last_;
};

/// The text of the line.
std::string progress_text(std::uint64_t done, double seconds, const std::string& slowest,
                          double slowest_seconds);

}  // namespace noclobber
