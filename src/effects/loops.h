// Operators that run bodies many times: bodies are compared as cases of their own (induction over the carry).
//
//   while_loop(cond, body, [carried], [more])      body: the n-th of `before` against the n-th of `after`
//
// If, from equal carried contents, both bodies give equal carried contents and leave `more` alone, then both
// loops give equal results for every number of trips: each is the same function of its operands.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/effects/effects.h"

namespace noclobber {

/// Prefix of the keys of shadows, the storages that stand for views of unknown elements.
inline constexpr const char* kShadow = "shown ";

/// One body of one loop, as a case: inputs are named 0, 1, ... on both sides.
struct LoopBody {
  std::string key;  // "loop0 body"
  std::uint32_t loop = 0;
  bool carries = false;     // its outputs are the first inputs of the next trip
  std::size_t passing = 0;  // number of its first outputs that become results without a copy
  std::set<std::uint32_t>
      scratch;  // inputs that only `after` uses: their contents are undefined when a trip begins
  Case value;
};

/// The bodies of the loops of `before` paired with those of `after`; for a single graph, each with itself.
/// Empty if the graphs have different numbers of loops, or more than 64.
std::vector<LoopBody> loop_bodies(const Case& value);

/// True if loop_bodies() looks into the operator.
bool is_loop(const Step& step);

/// The type that the only body of a loop gives its output k. Empty if there is none.
SharedType returned_type(const Case& value, const Graph& graph, const Step& loop, std::size_t k);

BodyFacts facts_of(const Trace& body, const Reached& reached = {});
void merge(BodyFacts& into, const BodyFacts& more);

}  // namespace noclobber
