// Exhaustive small scope: every straight-line program of k steps over views, pointwise operators, copies, a
// scatter and an operator that may read anything at any time; every in-place choice; every order that names
// allow; every plan of up to m buffers. Verdicts are compared with runs.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/fuzz/draft.h"
#include "src/report/record.h"

namespace noclobber::fuzz {

struct ScopeCount {
  std::uint64_t programs = 0, rewrites = 0, plans = 0;
  std::uint64_t proved = 0, refuted = 0;
  std::uint64_t open = 0;    // undecided, and no run shows a difference
  std::uint64_t shown = 0;   // undecided, and a run or live ranges show a difference
  std::uint64_t wrong = 0;   // proved although a run, or the live ranges of a plan's buffers, show a fault
  std::uint64_t alarms = 0;  // refuted although neither runs nor live ranges show a fault
  std::string text() const;
};

class Explorer {
 public:
  /// `go_on`: called before each program; the exploration stops if it returns false.
  Explorer(std::function<Status(const Case&)> check, std::function<bool()> go_on)
      : check_(std::move(check)), go_on_(std::move(go_on)) {}

  /// Returns false if it was stopped early.
  bool rewrites(int steps);
  bool plans(int steps, int buffers);

  const ScopeCount& count() const { return count_; }
  /// Up to 20 of the wrong verdicts, with the reason.
  const std::vector<std::pair<std::string, Case>>& wrong() const { return wrong_; }
  /// Up to 20 undecided cases each: without a difference, and with one that a run or live ranges show.
  const std::vector<std::pair<std::string, Case>>& undecided() const { return undecided_; }
  const std::vector<std::pair<std::string, Case>>& undecided_but_shown() const {
    return undecided_but_shown_;
  }

 private:
  void choices(const Draft& program);
  void orders(const Draft& program, const Draft& chosen);
  void compare(const Case& value);
  void place(const Draft& program, int buffers);
  void leave(std::string difference, const Case& value);
  void note(std::string why, const Case& value);

  std::function<Status(const Case&)> check_;
  std::function<bool()> go_on_;
  ScopeCount count_;
  std::vector<std::pair<std::string, Case>> wrong_, undecided_, undecided_but_shown_;
};

}  // namespace noclobber::fuzz
