// What is known of a Trace while one Graph is walked: names, storages, contents, what is in flight. Internal
// to effects/, where one function per meaning of an operator reads it and adds to it.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/effects/effects.h"
#include "src/effects/loops.h"
#include "src/effects/paired.h"
#include "src/ops/devices.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"

namespace noclobber::effects {

/// What a name stands for: a view of a storage, with what is known of its layout.
struct Binding {
  TraceView view;
  Dtype dtype = Dtype::other;
  std::optional<Shared<std::vector<PolyId>>> strides;
  PolyId offset = 0;        // elements from the start of the storage; kBad: not known
  std::uint32_t since = 0;  // its value is what the view held before this step of the Trace
};

struct RememberedCall;
struct RememberedCalls;

struct BuildRequest {
  const Case* value = nullptr;
  const Graph* graph = nullptr;
  std::optional<std::set<std::string>> writable;  // names of inputs; absent: all
  const std::set<std::string>* lanes = nullptr;   // keys of storages that are read at several widths
  bool names_are_values = false;
  Identities use = Identities::none;
  const std::vector<LoopUse>* loops = nullptr;             // of this graph, in listed order
  const std::unordered_set<std::string>* forms = nullptr;  // of `before`, where there is one
  /// Steps that bring in symbols which the other graph's steps bring in, too: both must mean the same number.
  std::map<std::string, std::uint32_t> sizes = {};
  RememberedCalls* remembered = nullptr;  // of both graphs; nullptr: each call is looked at
};

/// A step of the graph, its arguments in the order of the schema.
struct Call {
  const Step* step = nullptr;
  const Schema* schema = nullptr;
  std::string op;  // without overload, as written
  std::vector<Arg> arguments;
  std::uint32_t number = 0;
  std::string functional = {};       // the operator that writes nothing, with overload; "": none is known
  const OpDecl* declared = nullptr;  // of an operator that the case declares
  const OpRow* row =
      nullptr;  // of the functional operator, or of the one that is the same; not where declared
  std::set<std::size_t> silent_writes = {};  // arguments that are written though the schema does not say so
  std::string_view functional_name() const { return base_name(functional.empty() ? *step->op : functional); }
};

/// An argument of a call, or an item of one, that is a tensor.
struct Operand {
  Binding bound;
  std::size_t argument = 0, item = 0;
  bool written = false, read = true;
  bool counts = true;  // its shape and type, at least
};

constexpr std::size_t kNoPart = ~std::size_t{0};

/// A step under construction. Parallel per write: which binding, its place in the argument's list, the
/// operand it is (or kNoPart), the result it is (or kNoPart).
struct Parts {
  TraceStep step;
  bool elementwise = false;  // is the operator?
  std::vector<Operand> operands;
  std::vector<Binding> writes;
  std::vector<std::size_t> write_items, write_operands, results;
  std::vector<std::uint32_t> reaching;  // per read
  void write(const Binding& bound, std::size_t item, std::size_t operand, std::size_t result) {
    writes.push_back(bound);
    write_items.push_back(item);
    write_operands.push_back(operand);
    results.push_back(result);
  }
};

/// How a storage's own index space lies in memory.
struct Layout {
  Shared<Shape> shape;
  std::optional<Shared<std::vector<PolyId>>> strides;
  Dtype dtype = Dtype::other;
};

struct Storages {
  std::vector<Layout> layouts;             // per storage
  std::map<std::string, StorageId> named;  // Input.storage -> storage
  struct Fresh {
    Text before;  // what keys begin with
    std::uint32_t count = 0;
  };
  std::map<std::string, Fresh, std::less<>> fresh;  // of each kind of key
  bool unwritten = false;                           // what is made is written later, or in pieces
  /// Those found to be read at several widths that `lanes` of the request lacks: build again with them.
  std::set<std::string> more_lanes;
};

/// By the values of the graph.
struct Names {
  std::vector<std::optional<Binding>> bound;
  std::vector<ValueId> first;  // once a name has come to stand for something else
};

/// The one whole number that a storage holds everywhere.
struct Constant {
  std::int64_t value = 0;
  Dtype dtype = Dtype::other;
  Arg device = {};    // as a factory was asked for it
  bool shown = true;  // by fills and moves of its own type, which the checker follows
};

/// Numbers of a storage that another one holds in a narrower type.
struct Widened {
  Binding from;
  Dtype held = Dtype::other;  // what its numbers were converted to
  std::size_t made = 0;       // when: as in Known::written
};

/// What storages are known to hold.
struct Known {
  std::map<StorageId, Constant> constants;
  std::map<StorageId, std::pair<double, Dtype>> reals;  // likewise, where it is no whole number
  std::map<StorageId, Widened> widened;
  std::map<StorageId, std::string> products;  // made by a product of matrices, and of which inputs
  struct Stored {
    std::size_t written = 0;                // the number of the last step that writes it, from 1 on
    std::optional<std::uint64_t> contents;  // as a number
  };
  std::vector<Stored> stored;  // per storage, as far as any was written
  Stored& of(StorageId storage) {
    if (stored.size() <= storage) stored.resize(storage + 1);
    return stored[storage];
  }
};

/// A result that shows elements of another view, nobody knows which: what it shows is written into a
/// storage of its own, the shadow, whenever somebody reads it.
struct Shadow {
  TraceView of, itself;
  std::string key;
};

/// What a collective uses until its wait, or a copy that does not block until the host waits.
struct InFlight {
  std::uint32_t launched = 0;       // step of the graph
  std::optional<TraceView> result;  // nobody may touch it
  std::vector<Binding> used;        // nobody may write it
  bool copies = false;
};

struct UsedIdentities {
  std::set<std::string> inexact;  // used, or could have been, and do not hold to the bit
  std::set<std::string>
      built_by;  // rows of the table that the Trace is built by, so that no lemma shows them
  std::uint64_t simpler = 0;
  std::optional<TraceIdentity> at_hand;  // that the step at hand is an instance of
  std::optional<std::int64_t> folded;    // the number that its result is by it
};

struct SeenLoops {
  std::size_t count = 0;
  std::set<StorageId> shared;                           // what a loop's result and its operands may share
  std::map<StorageId, std::set<StorageId>> may_lie_on;  // result of a loop -> operands that it may be
};

struct SeenDevices {
  bool several = false;                         // does the graph name two or more?
  std::set<std::string> kinds;                  // that the graphs name
  std::optional<Devices> placed;                // once something asks
  std::map<std::string, StorageId> generators;  // of each device, where there are several
};

/// Of the step of the graph that is walked.
struct AtHand {
  bool failed = false;
  bool effectful = false;  // inside with_effects
  bool hushed = false;     // what the dump says is of another result than the one that is made: of out=
};

/// The form of the call at hand, where it has one that was not met before.
struct FormAtHand {
  struct Mark {
    std::size_t steps = 0, storages = 0, claims = 0, unknown = 0, raised = 0, flown = 0;
    std::uint64_t simpler = 0;
    std::size_t flights = 0, more_lanes = 0, shadows = 0;
    std::uint64_t in_place = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  std::string text;
  std::vector<ValueId> refs;  // the tensors that it is given, as listed
  const Step* step = nullptr;
  Mark mark;  // of when it began
  std::shared_ptr<RememberedCall> proposed;
};

constexpr StorageId kGenerator = 0, kEffects = 1;  // as add_tokens() adds them

/// Of a storage whose elements are seen in halves of bytes.
inline std::string halves_of(const std::string& key) { return key + '\x01'; }

struct Tracer {
  Tracer(const BuildRequest& asked, const OpSet& all_ops, Sizes& all_sizes)
      : request(asked), ops(all_ops), sizes(all_sizes), space(all_sizes.space()) {
    for (std::size_t k = 0; k < element_types.size(); ++k) element_types[k] = name(static_cast<Dtype>(k));
  }

  void unknown(const std::string& reason, const std::string& name);
  std::optional<Binding> bound_of(const Arg& arg) const;
  /// The same without a copy, until a name is bound; nullptr: nothing.
  const Binding* seen(const Arg& arg) const;
  std::optional<Binding> tensor(const Call& call, std::size_t argument);
  std::uint32_t now() const { return static_cast<std::uint32_t>(trace.steps.size()); }
  PolyId number(std::size_t count) { return space.constant(static_cast<std::int64_t>(count)); }
  /// One copy of each text for the whole Trace.
  Text shared(const std::string& text) { return texts.try_emplace(text, text).first->second; }
  ElementType type_text(Dtype dtype) const { return element_types[static_cast<std::size_t>(dtype)]; }
  bool is_shadow(StorageId storage) const { return shadows.contains(storage); }
  bool wide(StorageId storage) const { return trace.storages[storage].lanes > 0; }
  /// Parts of an element of the storage of that key: bytes, but halves of bytes where 4-bit elements are
  /// seen.
  std::int16_t parts(const std::string& key, Dtype dtype) const {
    const int unit = request.lanes->contains(halves_of(key)) ? 4 : 8;
    return static_cast<std::int16_t>((bit_width(dtype) + unit - 1) / unit);  // at most 32
  }
  /// Views of storages that `lanes` should have had do not fit their storages: this Trace is thrown away, and
  /// nothing is asked of its views.
  bool is_thrown_away() const { return !storages.more_lanes.empty(); }
  bool may_meet(const TraceView& a, const TraceView& b) { return is_thrown_away() || !apart(space, a, b); }

  const BuildRequest& request;
  const OpSet& ops;
  Sizes& sizes;
  Space& space;
  Trace trace;
  Storages storages;
  Names names;
  Known known;
  std::map<StorageId, Shadow> shadows;
  std::map<StorageId, InFlight> flights;  // by the storage of the result
  UsedIdentities identities;
  SeenLoops loops;
  SeenDevices devices;
  AtHand at_hand;
  FormAtHand form;
  Reached reached;
  Noted noted;
  std::set<std::string> told;  // symbols whose tokens are written
  std::unordered_map<std::string, Text> texts;
  std::array<ElementType, static_cast<std::size_t>(Dtype::other) + 1> element_types;  // by Dtype
  std::uint64_t in_place = 0;
  std::uint64_t unmodelled = 0;  // steps of the graph that were not understood, or that need what was not
};

}  // namespace noclobber::effects
