// Small questions about a Draft and changes to it, for rewrites and faults.
#pragma once
#include <algorithm>
#include <string>

#include "src/fuzz/draft.h"
#include "src/fuzz/layout.h"

namespace noclobber::fuzz {

/// A random call that fits.
template <class Fits>
std::optional<std::size_t> pick(const Draft& draft, Random& random, Fits fits) {
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < draft.calls.size(); ++k)
    if (fits(draft.calls[k])) all.push_back(k);
  if (all.empty()) return std::nullopt;
  return random.one_of(all);
}

bool is_scatter(const Draft::Call& call);
/// Writes nothing, and nobody would miss it where its results are not used.
bool is_pure(const Draft::Call& call);
/// By call `from` or a later one, or as an output?
bool uses(const Draft& draft, int value, std::size_t from);
/// aten.add_.Tensor of aten.add.Tensor; "" where there is none.
std::string in_place_form(const std::string& op);
/// Does one write a storage that the other touches?
bool disturbs(const Draft& draft, const Draft::Call& writer, const Draft::Call& other);
/// Takes call `at` away; uses of its results become uses of `by`, one for each.
void erase_as(Draft& draft, std::size_t at, const std::vector<int>& by);
/// Is everything defined before it is used?
bool well_ordered(const Draft& draft);

}  // namespace noclobber::fuzz
