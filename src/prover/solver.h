// The solver as a function from text to an answer.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace noclobber {

struct SolverAnswer {
  enum class Kind : std::uint8_t { none, unsat, sat };
  Kind kind = Kind::none;  // silence unless the engine said otherwise
  std::map<std::string, std::int64_t> model;
};

/// Questions that are asked one after the other. To make a Z3 costs more than most questions do, so they
/// share one; what it has seen may change what a later answer costs, so those of different checks do not.
class Solver {
 public:
  /// Asks Z3, loading it at the first question. No answer if it cannot be loaded, gave up or fell over.
  SolverAnswer ask(const std::string& script, std::uint64_t rlimit);

 private:
  struct Close {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, Close> context_;
};
/// "z3 5.4.0", or "" if it cannot be loaded.
std::string solver_version();
/// Why no solver can be asked: what is missing and where it was looked for; "" where one can be.
std::string solver_fault();

}  // namespace noclobber
