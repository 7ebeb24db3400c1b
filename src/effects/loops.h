// Operators that run bodies many times: bodies are compared as cases of their own (induction over the carry).
//
//   while_loop(cond, body, [carried], [more])      body: the n-th of `before` against the n-th of `after`
//
// If, from equal carried contents, both bodies give equal carried contents and leave `more` alone, then both
// loops give equal results for every number of trips: each is the same function of what it is given.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/effects/effects.h"

namespace noclobber {

/// Keys of storages that stand for views of unknown elements begin with this.
inline constexpr const char* kShadow = "shown ";

/// One body of one loop, as a case: inputs are called 0, 1, ... on both sides.
struct LoopBody {
  std::string key;  // "loop0 body"
  std::uint32_t loop = 0;
  bool carries = false;     // its outputs are its first inputs of the next trip
  std::size_t passing = 0;  // its first outputs that become results without being copied
  std::set<std::uint32_t>
      scratch;  // inputs that only `after` uses, and that hold anything when a trip begins
  Case value;
};

/// Bodies of the operators of `before` and `after` that correspond; of a graph alone each beside itself.
/// Bound: 64 loops.
std::vector<LoopBody> loop_bodies(const Case& value);

/// Is this an operator that loop_bodies() looks into?
bool is_loop(const Step& step);

/// What the only body of a loop says of its output k; nothing where it says nothing.
SharedType returned_type(const Case& value, const Graph& graph, const Step& loop, std::size_t k);

BodyFacts facts_of(const Trace& body, const Reached& reached = {});
void merge(BodyFacts& into, const BodyFacts& more);

}  // namespace noclobber
