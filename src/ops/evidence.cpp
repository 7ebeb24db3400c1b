#include "src/ops/evidence.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// Sorted; tools/ops_evidence.py makes it.
constexpr std::string_view kTestedRows[] = {
#include "src/ops/evidence.inc"
};

bool listed_as_tested(std::string_view op) {
  return std::binary_search(std::begin(kTestedRows), std::end(kTestedRows), op);
}

}  // namespace

bool row_tested(std::string_view op) {
  if (listed_as_tested(op)) return true;
  const std::string functional = functional_op(op);
  return !functional.empty() && functional != op && listed_as_tested(functional);
}

}  // namespace noclobber
