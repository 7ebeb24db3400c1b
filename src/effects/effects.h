// Case -> Traces: who reads and writes which view of which storage, meaning which value. Trusted.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checker/obligation.h"
#include "src/ops/decl.h"
#include "src/ops/sizes.h"

namespace noclobber {

/// The Traces of a Case, over one Space.
struct Traced {
  std::optional<Trace> before;
  Trace after;
  std::uint64_t in_place = 0;  // steps of `after` that write storage that existed before them
  /// Steps that identities make simpler; used unless `use` was none.
  std::uint64_t simpler = 0;
  /// What was, or with Identities::all could be, taken for the same and is so but for the sign of a zero.
  std::set<std::string> inexact;
};

/// Which of the operator table's identities (x * 1 is x, full(2) + 1 is full(3)) are used.
enum class Identities : std::uint8_t { none, exact, all };

/// What cannot be modelled is in Trace::unknown, with a reason of cli.md and a name.
Traced trace_case(const Case& value, const OpSet& ops, Sizes& sizes, Identities use = Identities::none);

/// Every order of `graph`'s steps that its names, control edges and streams allow. The return comes last.
void add_order(Trace& trace, const Graph& graph);

}  // namespace noclobber
