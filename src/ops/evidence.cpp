#include "src/ops/evidence.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "checker/text/hash.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

/// Sorted; tools/ops_evidence.py makes it.
constexpr std::string_view kTestedRows[] = {
#include "src/ops/evidence.inc"
};

/// Sorted; tools/ops_evidence.py makes it, of what tools/rows_agree.py saw.
constexpr std::string_view kSeenOverloads[] = {
#include "src/ops/evidence_overloads.inc"
};

bool listed_as_tested(std::string_view op) {
  return std::binary_search(std::begin(kTestedRows), std::end(kTestedRows), op);
}

bool seen_to_agree(std::string_view op) {
  return std::binary_search(std::begin(kSeenOverloads), std::end(kSeenOverloads), op);
}

/// Rows as text, one after the other.
constexpr std::string_view kRowTexts[] = {
#define OP(...) #__VA_ARGS__,
#define IDENTITY(...) #__VA_ARGS__,
#include "src/ops/identities.def"
#include "src/ops/table_compute.def"
#include "src/ops/table_effects.def"
#include "src/ops/table_moves.def"
#include "src/ops/table_pointwise.def"
#include "src/ops/table_views.def"
#undef IDENTITY
#undef OP
};

std::string digest_of_table() {
  std::string text = vocabulary_digest();
  for (const std::string_view row : kRowTexts) text.append("\n").append(row);
  return sha256(text);
}

}  // namespace

std::string table_digest() {
  static const std::string digest = digest_of_table();
  return digest;
}

bool row_tested(std::string_view op) {
  if (listed_as_tested(op)) return true;
  const std::string functional = functional_op(op);
  return !functional.empty() && functional != op && listed_as_tested(functional) && seen_to_agree(op);
}

}  // namespace noclobber
