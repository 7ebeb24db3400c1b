#include "src/prover/questions.h"

#include "src/base/write_file.h"

namespace noclobber {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // a larger question is not asked
constexpr std::size_t kMostKept = std::size_t{16} << 10;  // the answer to a larger one is not remembered

const char* status_of(SolverAnswer::Kind kind) {
  switch (kind) {
    case SolverAnswer::Kind::unsat:
      return "unsat";
    case SolverAnswer::Kind::sat:
      return "sat";
    case SolverAnswer::Kind::none:
      return "unknown";
  }
  return "unknown";
}

/// The model as a comment; "" if it has more than 40 values.
std::string model_comment(const SolverAnswer& answer) {
  constexpr std::size_t kMostShown = 40;
  if (answer.kind != SolverAnswer::Kind::sat || answer.model.empty() || answer.model.size() > kMostShown)
    return "";
  std::string out;
  for (const auto& [name, value] : answer.model)
    out += (out.empty() ? "; " : ", ") + name + " = " + std::to_string(value);
  return out + "\n";
}

}  // namespace

SolverAnswer Questions::ask(const std::string& script, std::uint64_t usual_effort) {
  if (script.empty()) return {};
  if (asked_ >= most_ || script.size() > kMostBytes) {
    limited_ = true;
    return {};
  }
  const std::pair key(effort_ == 0 ? usual_effort : effort_, script);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  ++asked_;
  const SolverAnswer out = solver_.ask(script, key.first);
  if (script.size() <= kMostKept) known_.emplace(key, out);
  limited_ = limited_ || out.kind == SolverAnswer::Kind::none;
  if (folder_.empty()) return out;
  std::string number = std::to_string(asked_);
  number.insert(0, 3 - std::min<std::size_t>(3, number.size()), '0');
  const std::string path = folder_ + "/" + name_ + "-" + number + ".smt2";
  const std::string text = "(set-info :smt-lib-version 2.6)\n(set-info :status " +
                           std::string(status_of(out.kind)) + ")\n(set-logic ALL)\n" + script +
                           "(check-sat)\n" + model_comment(out);
  if (!write_file(path, text) && unwritten_ != nullptr) *unwritten_ = Diagnostic{path, "cannot be written"};
  return out;
}

}  // namespace noclobber
