// State while one Graph is walked and its Trace is built: names, storages, known contents, operations in
// flight. Internal to effects/, where one function per meaning of an operator reads and extends it.
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

/// What a name is bound to: a view of a storage, and its layout as far as it is known.
struct Binding {
  TraceView view;
  Dtype dtype = Dtype::other;
  std::optional<Shared<std::vector<PolyId>>> strides;
  PolyId offset = 0;        // elements from the start of the storage; kBad: not known
  std::uint32_t since = 0;  // reaching definition: what the view held before this step of the Trace
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
  const std::unordered_set<std::string>* forms = nullptr;  // of `before`, when `after` is built
  /// Symbol -> the step that introduces it, for symbols that steps of both graphs introduce: both must stand
  /// for the same number.
  std::map<std::string, std::uint32_t> sizes = {};
  RememberedCalls* remembered = nullptr;  // of both graphs; nullptr: nothing is cached
};

/// A step of the graph, its arguments in the order of the schema.
struct Call {
  const Step* step = nullptr;
  const Schema* schema = nullptr;
  std::string op;  // without overload, as written
  std::vector<Arg> arguments;
  std::uint32_t number = 0;
  std::string functional = {};       // the operator that writes nothing, with overload; "": none is known
  const OpDecl* declared = nullptr;  // nullptr unless the case declares the operator
  const OpRow* row =
      nullptr;  // of the functional operator, or of its `same_as`; nullptr for a declared operator
  std::set<std::size_t> silent_writes = {};  // arguments that are written though the schema does not say so
  std::string_view functional_name() const { return base_name(functional.empty() ? *step->op : functional); }
};

/// A tensor argument of a call, or a tensor item of a list argument.
struct Operand {
  Binding bound;
  std::size_t argument = 0, item = 0;
  bool written = false, read = true;
  bool counts = true;  // its shape and dtype matter, even if it is not read
};

constexpr std::size_t kNoPart = ~std::size_t{0};

/// A step under construction. Parallel per write: its binding, its position in the list argument, its operand
/// (or kNoPart), its result (or kNoPart).
struct Parts {
  TraceStep step;
  bool elementwise = false;  // of the operator
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

/// Layout in memory of a storage's own index space.
struct Layout {
  Shared<Shape> shape;
  std::optional<Shared<std::vector<PolyId>>> strides;
  Dtype dtype = Dtype::other;
};

struct Storages {
  std::vector<Layout> layouts;             // per storage
  std::map<std::string, StorageId> named;  // Input.storage -> storage
  struct Fresh {
    Text before;  // prefix of the keys
    std::uint32_t count = 0;
  };
  std::map<std::string, Fresh, std::less<>> fresh;  // by the stem of the keys
  bool unwritten = false;  // storages that are made now are written later, or in pieces
  /// As Built::more_lanes.
  std::set<std::string> more_lanes;
};

/// Indexed by the values of the graph.
struct Names {
  std::vector<std::optional<Binding>> bound;
  std::vector<ValueId> first;  // first_names(), computed on first use
};

/// The whole number that every element of a storage is.
struct Constant {
  std::int64_t value = 0;
  Dtype dtype = Dtype::other;
  Arg device = {};    // that the factory was given
  bool shown = true;  // by fills and moves without a cast, which the checker follows
};

/// The numbers of a storage, which another one holds in a narrower type.
struct Widened {
  Binding from;
  Dtype held = Dtype::other;  // the wider type that its numbers were converted to
  std::size_t made = 0;       // as Known::Stored::written, at the conversion
};

/// Known contents of storages.
struct Known {
  std::map<StorageId, Constant> constants;
  std::map<StorageId, std::pair<double, Dtype>> reals;  // likewise, if it is no whole number
  std::map<StorageId, Widened> widened;
  std::map<StorageId, std::string> products;  // made by a matrix product: the keys of its inputs
  struct Stored {
    std::size_t written = 0;                // 1 + the last step that writes it; 0: none
    std::optional<std::uint64_t> contents;  // a hash of its contents
  };
  std::vector<Stored> stored;  // by StorageId, as far as any was written
  Stored& of(StorageId storage) {
    if (stored.size() <= storage) stored.resize(storage + 1);
    return stored[storage];
  }
};

/// A result that is a view of unknown elements of another view. Its elements are written into a storage of
/// its own, the shadow, before each read.
struct Shadow {
  TraceView of, itself;
  std::string key;
};

/// Memory that a collective uses until its wait, or a non-blocking copy until the host waits.
struct InFlight {
  std::uint32_t launched = 0;       // step of the graph
  std::optional<TraceView> result;  // must not be read or written
  std::vector<Binding> used;        // must not be written
  bool copies = false;
};

struct UsedIdentities {
  std::set<std::string> inexact;  // assumptions that were used, or could be, and do not hold to the bit
  std::set<std::string>
      built_by;  // rows of the identity table that the Trace is built with: no lemma proves them
  std::uint64_t simpler = 0;
  std::optional<TraceIdentity> at_hand;  // which the current step is an instance of
  std::optional<std::int64_t> folded;    // the number that its result is by that identity
};

struct SeenLoops {
  std::size_t count = 0;
  std::set<StorageId> shared;                           // results and operands of loops that may share memory
  std::map<StorageId, std::set<StorageId>> may_lie_on;  // result of a loop -> operands that it may be on
};

struct SeenDevices {
  bool several = false;                         // the graph names two or more
  std::set<std::string> kinds;                  // named by either graph
  std::optional<Devices> placed;                // computed on first use
  std::map<std::string, StorageId> generators;  // per device, if the graphs name several
};

/// State of the step that is walked.
struct AtHand {
  bool failed = false;
  bool effectful = false;  // inside with_effects
  bool hushed = false;     // the dump's metadata describe another result than the one that is made (out=)
};

/// The form of the current call, if it has one that is not cached.
struct FormAtHand {
  struct Mark {
    std::size_t steps = 0, storages = 0, claims = 0, unknown = 0, raised = 0, flown = 0;
    std::uint64_t simpler = 0;
    std::size_t flights = 0, more_lanes = 0, shadows = 0;
    std::uint64_t in_place = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  std::string text;
  std::vector<ValueId> refs;  // its tensor arguments, as listed
  const Step* step = nullptr;
  Mark mark;  // before the step
  std::shared_ptr<RememberedCall> proposed;
};

constexpr StorageId kGenerator = 0, kEffects = 1;  // as add_tokens() adds them

/// Key in `lanes` of a storage whose elements are split into half bytes.
inline std::string halves_of(const std::string& key) { return key + '\x01'; }

struct Tracer {
  Tracer(const BuildRequest& asked, const OpSet& all_ops, Sizes& all_sizes)
      : request(asked), ops(all_ops), sizes(all_sizes), space(all_sizes.space()) {
    for (std::size_t k = 0; k < element_types.size(); ++k) element_types[k] = name(static_cast<Dtype>(k));
  }

  void unknown(const std::string& reason, const std::string& name);
  std::optional<Binding> bound_of(const Arg& arg) const;
  /// The same without a copy, valid until a name is bound; nullptr if there is none.
  const Binding* seen(const Arg& arg) const;
  std::optional<Binding> tensor(const Call& call, std::size_t argument);
  std::uint32_t now() const { return static_cast<std::uint32_t>(trace.steps.size()); }
  PolyId number(std::size_t count) { return space.constant(static_cast<std::int64_t>(count)); }
  /// The one copy of a text that the whole Trace shares.
  Text shared(const std::string& text) { return texts.try_emplace(text, text).first->second; }
  ElementType type_text(Dtype dtype) const { return element_types[static_cast<std::size_t>(dtype)]; }
  bool is_shadow(StorageId storage) const { return shadows.contains(storage); }
  bool wide(StorageId storage) const { return trace.storages[storage].lanes > 0; }
  /// Parts of an element of that type in the storage of that key: bytes, or half bytes if the storage is also
  /// viewed as 4-bit elements.
  std::int16_t parts(const std::string& key, Dtype dtype) const {
    const int unit = request.lanes->contains(halves_of(key)) ? 4 : 8;
    return static_cast<std::int16_t>((bit_width(dtype) + unit - 1) / unit);  // at most 32
  }
  /// True if `lanes` lacks a storage. Views of it do not fit it then: this Trace is thrown away, and its
  /// views must not be compared.
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
  std::uint64_t unmodelled = 0;  // steps of the graph that were not modelled, or that depend on such a step
};

}  // namespace noclobber::effects
