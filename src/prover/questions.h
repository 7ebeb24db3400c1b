// The solver questions of one check: the effort that each may cost, their largest number, and the folder that
// they are written to.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/prover/solver.h"

namespace noclobber {

class Questions {
 public:
  /// `effort`: rlimit per question; 0: the usual effort that the asker gives. `folder`: "", or where every
  /// question is stored as <name>-<nnn>.smt2. `most`: questions beyond this number are not asked. `unwritten`
  /// gets the fault of a file that cannot be written.
  explicit Questions(std::uint64_t effort = 0, std::string folder = "", std::string name = "check",
                     std::optional<Diagnostic>* unwritten = nullptr, std::uint64_t most = 3000)
      : effort_(effort),
        folder_(std::move(folder)),
        name_(std::move(name)),
        most_(most),
        unwritten_(unwritten) {}

  SolverAnswer ask(const std::string& script, std::uint64_t usual_effort);
  /// Sets the texts of the graph's steps, for comments in the stored questions.
  void name_steps(std::vector<std::string> steps) { steps_ = std::move(steps); }
  /// The text of step `k`; "" if it has none.
  std::string step(std::uint32_t k) const { return k < steps_.size() ? steps_[k] : ""; }
  /// The number of questions sent to the solver. A repeated question of at most 16 KiB is answered from
  /// memory.
  std::uint64_t asked() const { return asked_; }
  /// True if a question has no answer: out of effort, too large, or too many of them.
  bool limited() const { return limited_; }
  void limit() { limited_ = true; }

 private:
  Solver solver_;
  std::map<std::pair<std::uint64_t, std::string>, SolverAnswer> known_;  // keyed by effort and script
  std::uint64_t effort_;
  std::string folder_, name_;
  std::vector<std::string> steps_;
  std::uint64_t most_, asked_ = 0;
  std::optional<Diagnostic>* unwritten_;
  bool limited_ = false;
};

}  // namespace noclobber
