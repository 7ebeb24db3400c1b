// Predicates on a Draft and edits of it, for rewrites and faults.
#pragma once
#include <algorithm>
#include <string>

#include "src/fuzz/draft.h"
#include "src/fuzz/layout.h"

namespace noclobber::fuzz {

/// A random call that satisfies `fits`.
template <class Fits>
std::optional<std::size_t> pick(const Draft& draft, Random& random, Fits fits) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < draft.calls.size(); ++k)
    if (fits(draft.calls[k])) all.push_back(k);
  if (all.empty()) return std::nullopt;
  return random.one_of(all);
}

bool is_scatter(const Draft::Call& call);
/// True if the call writes nothing and can be dropped if its results are unused.
bool is_pure(const Draft::Call& call);
/// True if call `from`, a later call or an output uses the value.
bool uses(const Draft& draft, int value, std::size_t from);
/// aten.add_.Tensor for aten.add.Tensor; "" if there is none.
std::string in_place_form(const std::string& op);
/// True if `writer` writes a storage that `other` touches.
bool disturbs(const Draft& draft, const Draft::Call& writer, const Draft::Call& other);
/// Removes call `at`; uses of its results become uses of `by`, one for each.
void erase_as(Draft& draft, std::size_t at, const std::vector<int>& by);
/// True if every value is defined before it is used.
bool well_ordered(const Draft& draft);

}  // namespace noclobber::fuzz
