// Case -> Traces: which step reads and writes which view of which storage, and which definition. Trusted.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/ops/decl.h"
#include "src/ops/sizes.h"
#include "src/values/obligation.h"

namespace noclobber {

/// Layout of the index space of a storage: index k is sum(strides[d] * k[d]) elements from its start.
struct StorageLayout {
  std::optional<Shared<std::vector<PolyId>>> strides;  // empty if not known
  Dtype dtype = Dtype::other;
};

/// The view that each value of a graph names, by ValueId. Empty if not known.
struct ValueViews {
  std::vector<std::optional<TraceView>> values;
  std::vector<StorageLayout> layouts;  // per storage of the Trace
};

/// Layout of a tensor in its storage, in elements. No strides, or an offset of kBad: not known.
struct Lies {
  Dtype dtype = Dtype::other;
  Shape shape;
  std::optional<std::vector<PolyId>> strides;
  PolyId offset = Space::kBad;
};

/// Storages that a graph addresses by position in memory instead of through a view (as_strided), and the
/// layout of its outputs.
struct Reached {
  std::set<StorageId> beyond;      // storages addressed in this way
  std::set<StorageId> from_start;  // those of them that are addressed from the start of the storage
  std::vector<std::optional<Lies>> outputs;
};

/// A hazard: a step touches memory that a collective or a non-blocking copy in flight uses.
struct Flown {
  std::uint32_t launched = 0, at = 0;  // steps of the graph; `at` is the number of steps for the return
  bool writes = false;                 // else it reads a result that is not complete
  bool surely = false;                 // unless a symbolic extent is 0; else an overlap is only possible
};

/// The Traces of a Case, over one Space.
struct Traced {
  std::optional<Trace> before;
  Trace after;
  ValueViews views_before, views;  // of `before`, of `after`
  Reached reached_before, reached_after;
  std::vector<Flown> flown;      // hazards of `after` that `before` does not have
  std::uint64_t in_place = 0;    // steps of `after` that write storage that existed before them
  std::uint64_t unmodelled = 0;  // steps of both graphs that were not modelled
  /// Number of places where an identity applies, in both graphs; used as far as `use` allows.
  std::uint64_t simpler = 0;
  /// Assumptions that were used, or would be used with Identities::all, and that hold only up to rounding or
  /// the sign of zero.
  std::set<std::string> inexact;
  /// Rows of the identity table that the Traces are built with: no lemma proves them to the checker.
  std::set<std::string> built_by;
};

/// Facts about a loop's bodies on one side, from their Traces.
struct BodyFacts {
  std::vector<std::set<std::uint32_t>> from;  // per output: inputs whose storage it may be on
  std::set<std::uint32_t> written;            // inputs whose storage is written
  bool plain = true;  // outputs are on distinct storages, none a shadow; no token is written; all is modelled
  std::set<std::uint32_t> whole = {};       // inputs whose view is all of their storage
  std::set<std::uint32_t> beyond = {};      // inputs whose storage may be touched outside of their view
  std::set<std::uint32_t> from_start = {};  // inputs whose storage is addressed from its start
  std::vector<std::vector<std::optional<Lies>>> results = {};  // per Trace: the layout of each output
};

/// How a loop of one graph is built into its Trace.
struct LoopUse {
  bool understood = false;
  std::vector<std::string> bodies;  // keys of checks that prove the bodies of both sides equal
  BodyFacts own, other;             // merged facts of its bodies, here and in the other graph
  std::set<std::uint32_t> scratch;  // operands that this side's body uses as scratch: undefined afterwards
  std::string side;                 // "before", "after"
  std::string alone;  // for bodies that are not proved equal: makes the loop a function of this side only
};

/// Per loop, in listed order.
struct Loops {
  std::vector<LoopUse> before, after;
};

/// Builds the Traces of a case. What cannot be modelled is in Trace::unknown, with a reason of cli.md and a
/// name. `use`: the identities that simplify the Traces (x * 1 is x, full(2) + 1 is full(3)); with
/// Identities::none, steps record those that they are instances of. `loops` holds the loops to model.
Traced trace_case(const Case& value, const OpSet& ops, Sizes& sizes, Identities use = Identities::none,
                  const Loops& loops = {});

/// Makes `trace` stand for every order of `graph`'s steps that its def-use, control edges and streams allow.
/// Inserts the step that returns; final contents are stored after every step.
void add_order(Trace& trace, const Graph& graph);

}  // namespace noclobber
