// The nouns of a Trace: what a graph does to storages, without operators, names or frameworks.
//
//   storage S1   input, 24 elements           view v3 = slice(S1, 0, 1, 3)
//   step  1      move   write v3  read v1     each element of v3 becomes that of v1
//   step  2      fill   write v4  0
//   step  3      opaque "aten.mm" reads v2 v4, writes v5
//
// Steps are listed in the order in which they run. A storage's contents are bits; types belong to views.
#pragma once
#include <optional>

#include "src/base/few.h"
#include "src/base/shared.h"
#include "src/trace/element_type.h"
#include "src/trace/map.h"
#include "src/trace/storage_key.h"

namespace noclobber {

using StorageId = std::uint32_t;

using Text = Shared<std::string>;

/// An identity with contents. Its index space is `shape`; `lanes` add a dimension, the bytes of an element.
struct TraceStorage {
  enum class Start : std::uint8_t {
    given,      // an input: arbitrary contents, the same in both graphs for the same `key`
    undefined,  // fresh; `key` pairs undefined contents of the two graphs
    token,      // not memory: a generator, or the sequence of impure effects
  };
  Start start = Start::undefined;
  StorageKey key;
  Shared<Shape> shape;
  /// Parts of an element (its bytes, or its half bytes) if it is read at several widths, else 0.
  std::int16_t lanes = 0;
  bool writable = true;  // true if this graph may store into it
  bool compared = true;  // true if its contents at exit are part of the boundary (inputs and tokens)
};

/// A view: its index space `shape` (without lanes), and maps from that space up to the storage's.
struct TraceView {
  StorageId storage = 0;
  ElementType type;               // contents of another type are other contents
  std::int16_t lanes = 0;         // as TraceStorage::lanes
  Shared<std::vector<Map>> maps;  // maps.back() is applied first to an index of the view
  Shared<Shape> shape;
  TraceView() = default;
  TraceView(StorageId of, Shared<std::vector<Map>> through, Shared<Shape> extents, ElementType elements,
            std::int16_t parts)
      : storage(of), type(elements), lanes(parts), maps(std::move(through)), shape(std::move(extents)) {}
  friend bool operator==(const TraceView&, const TraceView&) = default;
};
using TraceViews = Few<TraceView>;

/// The contract of a read and a write of one step.
enum class Access : std::uint8_t {
  any_time,     // no contract
  elementwise,  // element k of the write reads only element k of the read, at the same bytes
  before_write  // all reads precede the first write
};

/// By a row of the table of identities a step stores what something simpler does. The Trace keeps the step as
/// it is; src/values, and a lemma of the certificate, may replace it by the simpler one.
struct TraceIdentity {
  enum class Form : std::uint8_t {
    keeps,    // the value of read `read`
    folds,    // the scalar `text` at every index
    number,   // operator `text`, without read `read`, which is one number at every index
    converts  // a cast of a cast from type `text`: may be cast from `text` directly
  };
  std::string_view row;
  Form form = Form::keeps;
  std::uint32_t argument = 0, read = 0;  // operator argument that stays or is a number; its read
  std::string text = {};
  std::string assumes = {};  // the assumption it needs; "": exact to the bit
};
/// Shared by the copies of a step.
struct NotedIdentity : TraceIdentity, boost::intrusive_ref_counter<NotedIdentity> {
  explicit NotedIdentity(TraceIdentity noted) : TraceIdentity(std::move(noted)) {}
};

struct TraceStep {
  enum class Kind : std::uint8_t { move, fill, opaque };
  static constexpr std::uint32_t kMostOrigin = 1U << 20;
  Kind kind = Kind::opaque;
  bool elementwise = false;  // opaque: element k of its one result is a function of element k of each read
  std::uint32_t origin = 0;  // graph step: steps of one origin run together, in listed order
  Text key;                  // opaque: operator, attributes; fill: the scalar
  TraceViews reads, writes;
  Shared<std::vector<std::vector<Access>>> access;  // [read][write]
  /// Per read, the step at whose beginning its reaching definition is in place; or empty.
  Shared<std::vector<std::uint32_t>> reaching;
  Shared<std::vector<std::string>> bodies;  // opaque: keys of the checks that prove its bodies
  boost::intrusive_ptr<const NotedIdentity> identity = {};  // or nullptr
};

/// Bytes [offset, offset + size) of an arena, with live range [first, last) in graph steps.
struct TracePlacement {
  std::string name;
  std::uint32_t arena = 0;
  PolyId offset = 0, size = 0;
  std::uint32_t first = 0, last = 0;
  std::optional<StorageId> storage;    // the live range covers every use of it
  std::vector<std::uint32_t> order;    // dimensions of the storage, the outermost in memory first
  std::optional<std::uint32_t> below;  // evidence: the placement next below when this one begins to live
};

/// An output of the graph: a view at exit, or a scalar.
struct TraceOutput {
  std::optional<TraceView> view;
  std::string scalar;
  std::vector<PolyId> strides;  // compared if both graphs know them
  bool strides_known = false;
  std::optional<std::uint32_t> reaching;  // as TraceStep::reaching
};

/// A named input: a view of its storage.
struct TraceInput {
  std::string name;
  TraceView view;
};

/// A number that the dump says about a result, and the one computed from the operator table. Must be equal.
struct TraceClaim {
  std::uint32_t origin = 0;
  std::string what;
  PolyId said = 0, computed = 0;
};

/// Which identities of the steps contents are followed through.
enum class Identities : std::uint8_t { none, exact, all };

struct Trace {
  std::vector<TraceStorage> storages;
  std::vector<TraceInput> inputs;
  std::vector<TraceStep> steps;
  std::vector<TraceOutput> outputs;
  std::vector<TraceClaim> claims;
  bool any_order = false;  // graph steps may run in every order that `edges` allow
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // (earlier, later) graph steps, sorted
  std::vector<PolyId> arenas;                                  // bytes
  std::vector<TracePlacement> placements;
  std::vector<std::pair<std::string, std::string>> unknown;  // (reason, name): if any, nothing is proved
  Identities identities = Identities::none;
};

/// True if a step notes an identity.
inline bool notes_identity(const Trace& trace) {
  return std::ranges::any_of(trace.steps, [](const TraceStep& step) { return step.identity != nullptr; });
}

/// The view of output k; nullptr if it is a scalar, or there is no such output.
inline const TraceView* output_view(const Trace& trace, std::size_t k) {
  return k < trace.outputs.size() && trace.outputs[k].view ? &*trace.outputs[k].view : nullptr;
}

/// The index into the storage of element `index` of the view.
Index root_index(Space& space, const TraceView& view, Index index);
/// Where element `root` of the storage lies in the view. Empty if the view may hold an element twice.
inline std::optional<Inverse> view_inverse(Space& space, const TraceView& view, Index root) {
  return inverse(space, view.maps, std::move(root));
}
/// The running index of a view or storage.
Index running(Space& space, const auto& noun) requires requires { noun.lanes; }
{ return running(space, noun.shape, noun.lanes); }
/// True if both views have the same element of their storage at every index.
bool same_elements(Space& space, const TraceView& a, const TraceView& b);
/// True if the two are shown to have no element in common.
bool apart(Space& space, const TraceView& a, const TraceView& b);
/// True if no two accesses of the step meet in a way that their contract forbids.
bool clean_step(Space& space, const TraceStep& step);

}  // namespace noclobber
