// Reduces a case while its finding stays the same: removes steps, inputs and outputs, and shrinks sizes.
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

/// `same`: returns whether a smaller case still has the finding of the first one. It is called at most `most`
/// times, and only with cases that read back from their own text.
Case reduce_case(const Case& value, const std::function<bool(const Case&)>& same, std::size_t most);

}  // namespace noclobber::fuzz
