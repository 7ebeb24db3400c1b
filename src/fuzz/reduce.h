// The smallest case with the same finding: steps, inputs, outputs and sizes are taken away as long as it
// stays.
#pragma once
#include <functional>
#include <string>

#include "src/graph/case.h"

namespace noclobber::fuzz {

struct CaseSize {
  std::size_t steps = 0, inputs = 0, outputs = 0;
  std::int64_t elements = 0;  // of inputs with known sizes
  std::string text() const;
};
CaseSize size_of(const Case& value);

/// `same`: does a smaller case still show what the first one shows? Asked at most `most` times, and only
/// about cases that read back from their own text.
Case reduce_case(const Case& value, const std::function<bool(const Case&)>& same, std::size_t most);

}  // namespace noclobber::fuzz
