#include "src/run/progress.h"

#include <fmt/format.h>

#include <cstdio>

#include "src/report/names.h"
#include "src/run/output.h"

namespace noclobber {

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(30);
constexpr auto kQuietStart = std::chrono::milliseconds(300);  // a shorter run draws nothing
constexpr std::size_t kNameColumns = 48;

double seconds_since(Progress::Clock::time_point start) {
  return std::chrono::duration<double>(Progress::Clock::now() - start).count();
}

}  // namespace

std::string progress_text(std::uint64_t done, double seconds, const std::string& slowest,
                          double slowest_seconds) {
  std::string out = fmt::format("{} checked in {:.0f} s", done, seconds);
  if (slowest.empty()) return out;
  return fmt::format("{}; {:.0f} s in {}", out, slowest_seconds, shortened(printable(slowest), kNameColumns));
}

bool Progress::due() const {
  const auto now = Clock::now();
  if (silent_) return false;
  if (!on_terminal_) return now - last_ >= kPlainLine;
  return now - start_ >= kQuietStart && now - last_ >= kRedraw;
}

void Progress::say(std::uint64_t done, const std::string& slowest, double slowest_seconds) {
  const std::string text = progress_text(done, seconds_since(start_), slowest, slowest_seconds);
  last_ = Clock::now();
  if (on_terminal_) {
    write_out(stderr, fmt::format("\r{}\x1b[K", text));
    drawn_ = true;
  } else {
    write_out(stderr, fmt::format("noclobber: {}\n", text));
  }
  std::fflush(stderr);
}

void Progress::clear() {
  if (!drawn_) return;
  write_out(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace noclobber
