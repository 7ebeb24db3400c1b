// The nouns of a Trace: what a graph does to storages, without operators, names or frameworks.
//
//   storage S1   input, 24 elements           view v3 = slice(S1, 0, 1, 3)
//   step  1      move   write v3  read v1     each element of v3 becomes that of v1
//   step  2      fill   write v4  0
//   step  3      opaque "aten.mm" reads v2 v4, writes v5
//
// Steps are listed in the order in which they run. A storage's contents are bits; types belong to views.
// Texts point into the certificate. docs/certificate.md says what each field means.
#pragma once
#include <string_view>

#include "checker/kernel/poly.h"

namespace noclobber::checker {

using Text = std::string_view;
using Index = std::vector<PolyId>;
using Shape = Index;
using StorageId = std::uint32_t;
using Places = std::pair<std::uint32_t, std::uint32_t>;

/// Maps the index space `to` of a view to its parent's, `from`. Indices beyond its rank (bytes) pass through.
struct Map {
  struct Factor {
    std::uint32_t to = 0, from = 0;
    PolyId by = 0;
  };
  bool reshape = false;
  Shape from, to;
  std::vector<Places> groups = {};  // reshape: ends (from, to) of groups of the same elements, row-major
  Index start = {};  // else: parent[d] = start[d] + sum of by * i[to] over factors with from = d,
  std::vector<Factor> factors = {};  // ordered so that the first factor of each i[to] determines it
};

struct ViewForm {
  Text type;  // contents of another type are other contents
  std::int64_t lanes = 0;
  Shape shape;
  std::vector<Map> maps;               // maps.back() is applied first to an index of the view
  std::uint32_t place = 0;             // equal for equal lanes, shape and maps
  const void* fits = nullptr;          // the latest form of a storage that it was found to fit
  std::optional<bool> injective = {};  // computed on first use
};
struct View {
  StorageId storage = 0;
  ViewForm* form = nullptr;
};

enum class Start : std::uint8_t { given, undefined, token };
struct StorageForm {
  Start start = Start::undefined;
  Shape shape;
  std::int64_t lanes = 0;
  bool writable = true, compared = true;
};
struct Storage {
  const StorageForm* form = nullptr;
  Text key;
};

/// The contract of a read and a write of one step: none; element k of the write reads only element k of the
/// read, at the same bytes; all reads precede the first write.
enum class Access : std::uint8_t { any_time, elementwise, before_write };
enum class StepKind : std::uint8_t { move, fill, opaque };
constexpr std::uint32_t kMostOrigin = 1U << 20;
struct StepForm {
  StepKind kind = StepKind::opaque;
  Text key;
  bool elementwise = false;
  std::uint32_t reads = 0, writes = 0;
  std::vector<std::vector<Access>> access;  // [read][write]
  std::vector<Text> bodies;
};
/// One step. `views` and `reaching` are offsets into Trace::views (its reads, then its writes) and
/// Trace::reaching (the reaching definition of each read, or none).
struct Step {
  const StepForm* form = nullptr;
  std::uint32_t origin = 0, views = 0, reaching = 0, reaching_end = 0;
};
struct Output {
  std::optional<View> view;
  Text scalar;
  Shape strides;
  bool strides_known = false;
  std::optional<std::uint32_t> reaching;
};
struct Placement {
  std::uint32_t arena = 0;
  PolyId offset = 0, size = 0;
  std::uint32_t first = 0, last = 0;
  std::optional<StorageId> storage;
  std::vector<std::uint32_t> order;    // dimensions of the storage, the outermost in memory first
  std::optional<std::uint32_t> below;  // evidence: the placement next below when this one begins to live
};

struct Trace {
  std::vector<Storage> storages;
  std::vector<std::pair<Text, View>> inputs;
  std::vector<Step> steps;
  std::vector<View> views;              // of steps: reads, then writes
  std::vector<std::uint32_t> reaching;  // of steps
  std::vector<Output> outputs;
  std::vector<std::pair<PolyId, PolyId>> claims;  // (said by the dump, computed)
  std::size_t unknown = 0;                        // number of things that were not modelled
  std::uint32_t origin = 0;                       // of the last step
  bool any_order = false;
  std::vector<Places> edges;
  Shape arenas;
  std::vector<Placement> placements;

  std::span<const View> reads(const Step& s) const { return {views.data() + s.views, s.form->reads}; }
  std::span<const View> writes(const Step& s) const {
    return {views.data() + s.views + s.form->reads, s.form->writes};
  }
  std::uint32_t origins() const { return steps.empty() ? 0 : origin + 1; }
};

/// poly >= 0, or poly == 0.
struct Condition {
  bool zero = false;
  PolyId poly = 0;
};
enum class Truth : std::uint8_t { unknown, yes, no };

/// Whether the condition holds under the space's own facts and `facts` (each >= 0).
Truth holds(Space& space, const Condition& condition, const std::vector<PolyId>& facts);
/// True if neither has a bad entry and they are shown to be equal wherever `facts` are >= 0.
bool same(Space& space, const Index& a, const Index& b, const std::vector<PolyId>& facts = {});
/// The running index of a view or storage: i0, i1, ... and that of the bytes if there are lanes.
Index running(Space& space, const Shape& shape, std::int64_t lanes);
inline Index running(Space& space, const auto& form) {
  return checker::running(space, form.shape, form.lanes);
}
/// The index into the storage of element `index` of the view.
Index root_index(Space& space, const ViewForm& view, Index index);
/// True if different indices lie on different elements. Of a reshape that is the writer's claim.
bool injective(Space& space, ViewForm& view);
/// The index of element `root` of the storage in an injective view, which has it iff all `conditions` hold.
Index inverse(Space& space, const ViewForm& view, Index root, std::vector<Condition>& conditions);
/// True if some extent is the constant 0.
bool empty(const Shape& shape);
/// True if both views have the same element of a storage at every index.
bool same_elements(Space& space, const ViewForm& a, const ViewForm& b);
/// True if two views of one storage are shown to have no element in common.
bool apart(Space& space, ViewForm& a, ViewForm& b);
inline bool apart(Space& space, const View& a, const View& b) {
  return a.storage != b.storage || apart(space, *a.form, *b.form);
}
/// Bits of an element of that type; 0 if unknown.
std::int64_t width(Text type);
/// True if writes are injective and no two accesses of the step meet in a way that their contract forbids.
bool clean_step(Space& space, const Trace& trace, const Step& step);
/// True if a path of edges joins any two graph steps that touch one element, one of them writing it.
bool ordered(Space& space, const Trace& trace);
/// Per placement: true if it lies in its arena, lives through every use, and is apart from all live ones.
std::vector<bool> placed(Space& space, const Trace& trace);

}  // namespace noclobber::checker
