// The questions of one check to the solver: how much effort each may cost, how many there may be, and
// where they are written down.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "src/prover/solver.h"

namespace noclobber {

class Questions {
 public:
  /// `effort`: rlimit per question; 0: what each question asks for. `folder`: "" or where every question is
  /// left as <name>-<nnn>.smt2. `most`: further ones are not asked.
  explicit Questions(std::uint64_t effort = 0, std::string folder = "", std::string name = "check",
                     std::uint64_t most = 3000)
      : effort_(effort), folder_(std::move(folder)), name_(std::move(name)), most_(most) {}

  SolverAnswer ask(const std::string& script, std::uint64_t usual_effort);
  /// What the steps of the graph say, for comments in what is written down.
  void name_steps(std::vector<std::string> steps) { steps_ = std::move(steps); }
  /// "" for one that nobody named.
  std::string step(std::uint32_t k) const { return k < steps_.size() ? steps_[k] : ""; }
  /// Questions put to the solver; what was asked before is not put again.
  std::uint64_t asked() const { return asked_; }
  /// Did a question stay without an answer for want of effort, size or number?
  bool limited() const { return limited_; }
  void limit() { limited_ = true; }

 private:
  Solver solver_;
  std::map<std::pair<std::uint64_t, std::string>, SolverAnswer> known_;  // by effort and script
  std::uint64_t effort_;
  std::string folder_, name_;
  std::vector<std::string> steps_;
  std::uint64_t most_, asked_ = 0;
  bool limited_ = false;
};

}  // namespace noclobber
