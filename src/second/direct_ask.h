// The second engine's access to the solver: whether a formula can ever be true.
#pragma once
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/prover/questions.h"
#include "src/second/direct_view.h"

namespace noclobber {

class DirectAsk {
 public:
  DirectAsk(DirectSizes& sizes, Questions& questions) : sizes_(sizes), questions_(questions) {}
  enum class About : std::uint8_t { overlap, equality };
  /// True if `truth` is false for all sizes and all indices in range. False if it may be true, or the solver
  /// gives no answer.
  bool never(FormulaId truth, About about);
  bool always(FormulaId truth) { return never(sizes_.formulas().inverted(truth), About::overlap); }
  /// True if two contents are equal wherever their indices are in range.
  bool equal(FormulaId a, FormulaId b);

  /// The number of questions that needed the solver, and the values of symbols in its counterexamples.
  std::uint64_t asked() const { return asked_; }
  const std::vector<std::map<std::string, std::int64_t>>& models() const { return models_; }

 private:
  bool asked_never(FormulaId truth, About about);

  DirectSizes& sizes_;
  Questions& questions_;
  std::unordered_map<FormulaId, bool> known_;
  std::vector<std::map<std::string, std::int64_t>> models_;
  std::uint64_t asked_ = 0;
};

}  // namespace noclobber
