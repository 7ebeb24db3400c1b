// The solver as a function from text to an answer.
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace noclobber {

struct SolverAnswer {
  enum class Kind : std::uint8_t { none, unsat, sat };
  Kind kind = Kind::none;  // silence unless the engine said otherwise
  std::map<std::string, std::int64_t> model;
};

/// Asks Z3, loading it at the first question. No answer if it cannot be loaded, gave up or fell over.
SolverAnswer ask_solver(const std::string& script, std::uint64_t rlimit);
/// "z3 5.4.0", or "" if it cannot be loaded.
std::string solver_version();

}  // namespace noclobber
