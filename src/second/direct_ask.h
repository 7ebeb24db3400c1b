// The second engine's way to the solver: can this ever be so?
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
  /// true: for no sizes and indices in range. false: for some, or nobody knows.
  bool never(FormulaId truth, About about);
  bool always(FormulaId truth) { return never(sizes_.formulas().inverted(truth), About::overlap); }
  /// Two contents are one wherever their indices are in range.
  bool equal(FormulaId a, FormulaId b);

  /// Questions that needed the solver, and values of symbols in its counterexamples.
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
