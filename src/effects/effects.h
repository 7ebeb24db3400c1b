// Case -> Traces: who reads and writes which view of which storage, meaning which value. Trusted.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/ops/decl.h"
#include "src/ops/sizes.h"
#include "src/values/obligation.h"

namespace noclobber {

/// How the index space of a storage lies in memory: index k is `strides` times k elements from its start.
struct StorageLayout {
  std::optional<Shared<std::vector<PolyId>>> strides;  // absent: not known
  Dtype dtype = Dtype::other;
};

/// Which view of which storage each value of a graph names, by ValueId; nothing where that is not known.
struct ValueViews {
  std::vector<std::optional<TraceView>> values;
  std::vector<StorageLayout> layouts;  // per storage of the Trace
};

/// How a tensor lies in its storage, in elements. No strides, or an offset kBad: not known.
struct Lies {
  Dtype dtype = Dtype::other;
  Shape shape;
  std::optional<std::vector<PolyId>> strides;
  PolyId offset = Space::kBad;
};

/// What a graph names by where it lies in memory instead of in a view (as_strided), and how its outputs lie.
struct Reached {
  std::set<StorageId> beyond;      // storages of which elements are named so
  std::set<StorageId> from_start;  // those of them that are counted from the start of the storage
  std::vector<std::optional<Lies>> outputs;
};

/// A step that touches what a collective, or a copy that does not block, has in use.
struct Flown {
  std::uint32_t launched = 0, at = 0;  // steps of the graph; the number of steps: the return
  bool writes = false;                 // else it reads what is not there yet
  bool surely = false;                 // for all sizes; else it is not known whether the two meet
};

/// The Traces of a Case, over one Space.
struct Traced {
  std::optional<Trace> before;
  Trace after;
  ValueViews views_before, views;  // of `before`, of `after`
  Reached reached_before, reached_after;
  std::vector<Flown> flown;      // in `after`, and not alike in `before`
  std::uint64_t in_place = 0;    // steps of `after` that write storage that existed before them
  std::uint64_t unmodelled = 0;  // steps, of both graphs, that were not understood
  /// Steps that identities make simpler; used unless `use` was none.
  std::uint64_t simpler = 0;
  /// What was, or with Identities::all could be, taken for the same and is so but for rounding or a zero's
  /// sign.
  std::set<std::string> inexact;
  /// Rows of the table of identities that the Traces themselves are built by: no lemma shows the checker why.
  std::set<std::string> built_by;
};

/// What the Traces of a loop's body show, on one side.
struct BodyFacts {
  std::vector<std::set<std::uint32_t>> from;  // per output: inputs whose storage it may lie on
  std::set<std::uint32_t> written;            // inputs
  bool plain = true;  // outputs lie on different storages, and nothing but storages is touched
  std::set<std::uint32_t> whole = {};       // inputs that show all of the storage that a body of them needs
  std::set<std::uint32_t> beyond = {};      // inputs of whose storage more is touched than they show
  std::set<std::uint32_t> from_start = {};  // inputs whose storage is counted from its start
  std::vector<std::vector<std::optional<Lies>>> results = {};  // the first outputs, in each graph looked at
};

/// How a loop of one graph is built into its Trace.
struct LoopUse {
  bool understood = false;
  std::vector<std::string> bodies;  // checks that prove both sides alike
  BodyFacts own, other;             // of the carrying body, here and in the other graph
  std::set<std::uint32_t> scratch;  // operands that this side's body writes and that hold anything afterwards
  std::string side;                 // "before", "after"
  std::string alone;  // of bodies that are not proved alike: makes the loop a function of this side's own
};

/// In listed order.
struct Loops {
  std::vector<LoopUse> before, after;
};

/// What cannot be modelled is in Trace::unknown, with a reason of cli.md and a name. `use`: the identities by
/// which the Traces are made simpler (x * 1 is x, full(2) + 1 is full(3)); without any, steps name those that
/// they are instances of. Loops are not modelled where `loops` does not hold them.
Traced trace_case(const Case& value, const OpSet& ops, Sizes& sizes, Identities use = Identities::none,
                  const Loops& loops = {});

/// Every order of `graph`'s steps that its names, control edges and streams allow. The return comes last.
void add_order(Trace& trace, const Graph& graph);

}  // namespace noclobber
