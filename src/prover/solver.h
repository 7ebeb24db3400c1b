// The solver as a function from text to an answer.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace noclobber {

struct SolverAnswer {
  enum class Kind : std::uint8_t { none, unsat, sat };
  Kind kind = Kind::none;  // none: the solver gave no answer
  std::map<std::string, std::int64_t> model;
};

/// A sequence of questions to one Z3 context. Making a context costs more than most questions do, so they
/// share one; what the context has seen may change the cost of a later answer, so different checks do not
/// share one.
class Solver {
 public:
  /// Asks Z3, which is loaded at the first question. `none` if it cannot be loaded, gave up or failed.
  SolverAnswer ask(const std::string& script, std::uint64_t rlimit);

 private:
  struct Close {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Close> context_;
};
/// "z3 5.4.0", or "" if it cannot be loaded.
std::string solver_version();
/// Why no solver can be asked: the missing file and the folders that were searched; "" if a solver can be
/// asked.
std::string solver_fault();

}  // namespace noclobber
