// Builds one Trace by walking one Graph. Internal to effects/.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/effects/effects.h"
#include "src/effects/loops.h"
#include "src/effects/paired.h"
#include "src/ops/devices.h"
#include "src/ops/identities.h"
#include "src/ops/row.h"

namespace noclobber {

/// What a name stands for: a view of a storage, with what is known of its layout.
struct Binding {
  TraceView view;
  Dtype dtype = Dtype::other;
  std::optional<std::vector<PolyId>> strides;
  PolyId offset = 0;        // elements from the start of the storage; kBad: not known
  std::uint32_t since = 0;  // its value is what the view held before this step of the Trace
};

struct BuildRequest {
  const Case* value = nullptr;
  const Graph* graph = nullptr;
  std::optional<std::set<std::string>> writable;  // names of inputs; absent: all
  const std::set<std::string>* lanes = nullptr;   // keys of storages that are read at several widths
  bool names_are_values = false;
  Identities use = Identities::none;
  const std::vector<LoopUse>* loops = nullptr;  // of this graph, in listed order
  /// Steps that bring in symbols which the other graph's steps bring in, too: both must mean the same number.
  std::map<std::string, std::uint32_t> sizes = {};
};

class Builder {
 public:
  Builder(const BuildRequest& request, const OpSet& ops, Sizes& sizes)
      : request_(request), ops_(ops), sizes_(sizes), space_(sizes.space()) {}
  Trace build();
  /// Storages found to be read at several widths that `lanes` lacks: build again with them.
  const std::set<std::string>& more_lanes() const { return more_lanes_; }
  std::uint64_t in_place() const { return in_place_; }
  /// Once the Trace is built.
  ValueViews take_views();
  /// Steps of the graph that were not understood, or that need what was not.
  std::uint64_t unmodelled() const { return unmodelled_; }
  std::uint64_t simpler() const { return simpler_; }
  Reached reached() const;
  const Noted& noted() const { return noted_; }
  /// Identities that were used, or could have been, and do not hold to the bit.
  const std::set<std::string>& inexact() const { return inexact_; }
  /// Rows of the table of identities that the Trace is built by, so that no lemma shows them.
  const std::set<std::string>& built_by() const { return built_by_; }

 private:
  struct Call {
    const Step* step = nullptr;
    const Schema* schema = nullptr;
    std::string op;  // without overload, as written
    std::vector<Arg> arguments;
    std::uint32_t number = 0;
    std::string functional = {};       // the operator that writes nothing, with overload; "": none is known
    const OpDecl* declared = nullptr;  // of an operator that the case declares
    std::set<std::size_t> silent_writes = {};  // arguments that are written though the schema does not say so
    std::string_view functional_name() const { return base_name(functional.empty() ? step->op : functional); }
  };
  /// How a storage's own index space lies in memory.
  struct Layout {
    Shape shape;
    std::optional<std::vector<PolyId>> strides;
    Dtype dtype = Dtype::other;
  };

  void add_input(const Input& input);
  std::optional<std::pair<Shape, Map>> flat_input(const Input& input, const Binding& bound);
  bool join_storage(StorageId known, const TraceStorage& more, Dtype dtype);
  void add_tokens();
  void add_outputs();
  void add_finals();
  void run(const Step& step, std::uint32_t number);
  Call call_of(const Step& step, const Schema& schema, std::vector<Arg> arguments,
               std::uint32_t number) const;
  void dispatch(const Call& call);

  // results
  Binding fresh(const Shape& shape, Dtype dtype, const std::optional<std::vector<PolyId>>& strides);
  std::optional<Binding> fresh_for(const Call& call, std::size_t result,
                                   const std::optional<InferredMeta>& rule);
  std::optional<Binding> unwritten_for(const Call& call, const std::optional<InferredMeta>& rule);
  const Type* said(const Call& call, std::size_t result) const;
  std::optional<std::vector<PolyId>> said_strides(const Type& type, const Shape& shape);
  std::optional<std::vector<PolyId>> unsaid_strides(const Call& call, const Shape& shape);
  std::optional<std::vector<PolyId>> iterated_strides(const Call& call, const Shape& shape);
  void bind(const Call& call, std::size_t result, Binding bound);
  void bind_view(const Call& call, std::size_t result, Binding bound);
  void claim(const Call& call, std::size_t result, const Binding& bound);
  PolyId number(std::size_t count) { return space_.constant(static_cast<std::int64_t>(count)); }
  std::optional<std::vector<PolyId>> kept_strides(const Binding& like, const Call& call, std::size_t result);

  // moves.cpp
  bool out_variant(const Call& call);
  void clone(const Call& call);
  void convert(const Call& call);
  struct Wanted {
    Dtype dtype = Dtype::other;
    std::string format;  // "": that of the argument
    bool fresh = false;  // a copy whatever the argument is
    bool open = false;   // the dump does not say whether the device changes
  };
  std::optional<Wanted> wanted(const Call& call, const Binding& from);
  void may_convert(const Call& call);
  void copy_into(const Call& call);
  void copy(const Call& call);
  void copy_each(const Call& call);
  std::optional<std::vector<PolyId>> channels_last(const Shape& shape);
  std::optional<std::vector<PolyId>> strides_of(const std::string& format, const Binding& like);
  bool whole_window(const Call& call, const Binding& out, const Binding& base);

  // items.cpp
  bool each_item(const Call& call);
  std::optional<Shape> computed_item(const Call& call, const std::vector<InferredMeta>& rules, std::size_t k);
  bool apart_items(const Call& call);

  // fills.cpp
  void moved(const Call& call);
  void claim_number(const Call& call, const Binding& value);
  void claim_target(const Call& call, const Shape& target, const Shape& computed);
  bool moved_in_place(const Call& call);
  void place(const Moved& moves, const Binding& base, const Binding& out, std::uint32_t origin);
  void fill_into(const Call& call);
  std::optional<InferredMeta> factory_meta(const Call& call);
  void fill(const Call& call);
  void empty(const Call& call);
  void view_scatter(const Call& call);
  void concatenate(const Call& call, bool stacked);

  // identities.cpp
  const OpRow* functional_row(const Call& call) const;
  std::optional<std::int64_t> whole(const Arg& arg, Dtype dtype) const;
  std::optional<std::int64_t> constant_of(const Binding& bound) const;
  bool only_defaults_behind(const Call& call, std::size_t first) const;
  std::optional<Binding> target_of(const Call& call, const InferredMeta& meta);
  const Identity* identity(const Call& call, Identity::Form form) const;
  bool folded(const Call& call, const Identity& row, const InferredMeta& meta);
  bool may_use(const Identity& row, Dtype dtype, std::string_view about);
  void note_identity(const Call& call, const Identity& row, TraceIdentity::Form form, std::size_t argument,
                     std::string text, std::string assumes = "");
  std::string assumption(const Call& call, const Identity& row) const;
  bool is_neutral(const Call& call, const Identity& row, std::size_t argument, const InferredMeta& meta,
                  Dtype dtype) const;
  bool takes_multiple(const Call& call, const Identity& row, const InferredMeta& meta) const;
  bool neutral(const Call& call, const Identity& row, const InferredMeta& meta);
  bool simplified(const Call& call);
  Arg aside(const Call& call, const char* op, std::vector<Arg> arguments);
  bool sum_apart(const Call& call, const Identity& row, const InferredMeta& meta);
  std::optional<Arg> extent_of(const Call& call, const Shape& shape, std::size_t dim) const;
  bool counted_up(const Call& call, const Identity& row, const InferredMeta& meta);
  bool upright(const Call& call, const InferredMeta& meta, Binding line, std::size_t dim);
  Call with_scalars(const Call& call);
  bool meets_target(const Call& call, const Binding& operand) const;
  Binding unwidened(Binding from, Dtype to, std::optional<Dtype>& noted);
  void note_widened(const Binding& to, const Binding& from);

  // raises.cpp
  std::uint64_t shown_hash(const TraceView& view) const;
  void hash_step(const TraceStep& step);
  bool may_divide_by_zero(const Call& call) const;
  std::string devices_brought_together(const Call& call);
  void raises(const Call& call, const std::vector<std::size_t>& over, const std::string& why);
  void note_raising(const Call& call);

  // draws.cpp
  std::vector<StorageId> generators_of(const Call& call);

  // view_steps.cpp
  std::optional<std::vector<Binding>> views_of(const Call& call, std::string_view op, const Binding& base);
  std::optional<Binding> viewed(const Binding& base, const ViewMaps& maps);
  std::optional<Binding> reinterpreted(const Binding& base, Dtype to);
  std::optional<Binding> paired(const Binding& base, const ViewMaps& maps);
  void fold(Binding& bound);
  std::vector<Map> flat(const Binding& base);
  void view(const Call& call);
  void may_view(const Call& call);
  void rebind(const Call& call);
  bool may_rename(const Call& call);
  bool may_be_argument(ValueId id) const;
  bool may_be_another(ValueId id, std::uint32_t number) const;
  void rename(const Call& call, const Binding& shown);
  void set(const Call& call);
  void resize(const Call& call);
  void view_each(const Call& call);
  void self_if(const Call& call, std::optional<bool> itself);
  std::optional<bool> is_itself(const Call& call);
  void view_copy(const Call& call);
  void fold_to_strides(Binding& bound);

  // call_text.cpp
  std::string attribute(const Arg& arg) const;
  std::string attribute_of(const Call& call, const OpRow* row, std::size_t argument) const;
  const Schema& schema_meant(const Call& call) const;
  std::string attributes(const Call& call) const;

  // opaque.cpp
  void opaque(const Call& given);
  void describe(const Call& call);
  void put_identity(TraceStep& step);
  void normalize_running(Call call);
  void wait(const Call& call);
  void wait_one(const Call& call, std::size_t result, const Binding& bound);
  std::vector<InferredMeta> inferred(const Call& call, const std::vector<TensorMeta>& tensors) const;
  struct Operand {
    Binding bound;
    std::size_t argument = 0, item = 0;
    bool written = false, read = true;
    bool counts = true;  // its shape and type, at least
  };
  /// A step under construction. Parallel per write: which binding, its place in the argument's list, the
  /// operand it is (or none), the result it is (or none).
  struct Parts {
    TraceStep step;
    std::vector<Operand> operands;
    std::vector<Binding> writes;
    std::vector<std::size_t> write_items, write_operands, results;
    std::vector<std::uint32_t> means;  // per read
    void write(const Binding& bound, std::size_t item, std::size_t operand, std::size_t result) {
      writes.push_back(bound);
      write_items.push_back(item);
      write_operands.push_back(operand);
      results.push_back(result);
    }
  };
  void take_off(const Call& call, const Parts& parts);
  void copy_off(const Call& call, const Binding& from, const Binding& to);
  void land();
  void may_land(const Call& call);
  void meet_flights(const TraceStep& step);
  void return_flights();
  std::optional<std::size_t> shown_operand(const Call& call, const Parts& parts) const;
  void shows_unknown(const Call& call, const Parts& parts, std::size_t base);
  void refresh(const TraceStep& step);
  void refresh_one(StorageId shadow, std::uint32_t origin, std::uint32_t means);
  bool is_shadow(StorageId storage) const { return shadows_.contains(storage); }
  bool add_targets(const Call& call, Parts& parts, const std::vector<InferredMeta>& rules);
  bool add_results(const Call& call, Parts& parts);
  bool sizes_known(const Call& call, const std::vector<TensorMeta>& tensors) const;
  bool view_of_all(const Call& call, std::size_t result, std::size_t argument);
  bool storable(const Call& call, const Parts& parts);
  bool add_reads(const Call& call, Parts& parts);
  std::optional<std::vector<Operand>> operands(const Call& call);
  void product_first(const Call& call, std::vector<Operand>& operands);  // identities.cpp
  void note_product(const Call& call, const Parts& parts);
  std::string laid_text(const Binding& operand) const;
  struct LoopOperands;
  bool lies_as(const Lies& tensor, std::size_t first, const Type& type, bool from_start);
  bool lie_as_said(const Step& step, const LoopUse& use, LoopOperands& operands);
  std::optional<TraceView> span_of(const Binding& operand, bool from_start);
  bool align(const Step& step, LoopOperands& operands) const;
  bool combines(const Step& step);
  bool reach(const LoopUse& use, LoopOperands& operands);
  std::optional<TraceView> all_of_storage(const Binding& operand, Text& key);
  void reaches(StorageId storage, bool from_start);
  void tell_sizes(std::uint32_t number, TraceStep& step);
  std::string shapes_text(const Parts& parts) const;
  std::string told_text(const Call& call) const;
  std::string order_text(const Binding& to) const;
  std::string drawn_text(const Call& call, const Parts& parts) const;
  std::string numbers_text(const Call& call, const Parts& parts) const;
  std::string device_text(const Call& call, const Parts& parts);
  /// One copy of each text for the whole Trace.
  Text shared(const std::string& text) { return texts_.try_emplace(text, text).first->second; }
  Text type_text(Dtype dtype) { return shared(std::string(name(dtype))); }
  Access access(const Call& call, const Operand& read, const Binding& read_view, const Binding& write,
                std::size_t write_item, bool listed) const;
  bool elementwise(const Call& call) const;
  /// Texts of the bodies of one branch and of those inside of them, each once and before those that name it.
  struct BodyTexts {
    std::vector<std::string> all;
    std::map<std::string, std::size_t> places;  // in `all`
    std::map<const Graph*, std::optional<std::size_t>>
        numbers;                // absent inside: one that is more than a text
    bool see_storages = false;  // more than the views they are given
  };
  std::optional<std::string> body_text(const Graph& body, BodyTexts& texts, int depth) const;
  std::optional<std::size_t> body_number(const Graph& body, BodyTexts& texts, int depth) const;
  void control(const Step& step, std::uint32_t number);
  void with_effects(const Step& step, std::uint32_t number);
  void loop(const Step& step, std::uint32_t number);
  bool add_operands(const Step& step, LoopOperands& out);
  const char* fault_of(const LoopUse& use, const LoopOperands& operands) const;
  TraceStep clobbered(const LoopUse& use, const LoopOperands& operands) const;
  std::optional<Binding> untold_result(const Step& step, std::size_t k, const LoopOperands& operands);
  std::optional<Binding> loop_result(const Call& call, std::size_t k, const LoopOperands& operands);
  void share(const LoopUse& use, const TraceStep& step, const LoopOperands& operands, bool may_be_operand);
  void say_where_loops_lie();
  void thread_tokens(const Call& call, TraceStep& step);

  std::optional<Binding> tensor(const Call& call, std::size_t argument);
  std::optional<Binding> bound_of(const Arg& arg) const;
  std::optional<Binding> broadcast_to(const Binding& from, const Shape& shape);
  void move(const Binding& to, const Binding& of, std::uint32_t origin);
  void holds(const Binding& to, std::int64_t number, const Arg& device = {});
  void fill_with(const Binding& to, const std::string& scalar, std::uint32_t origin);
  void push(TraceStep step, const std::vector<std::uint32_t>& means);
  void unknown(const std::string& reason, const std::string& name);
  /// Parts of an element of the storage of that key: bytes, but halves of bytes where 4-bit elements are
  /// seen.
  std::int64_t parts(const std::string& key, Dtype dtype) const {
    const int unit = request_.lanes->contains(halves_of(key)) ? 4 : 8;
    return (bit_width(dtype) + unit - 1) / unit;
  }
  static std::string halves_of(const std::string& key) { return key + '\x01'; }
  bool wide(StorageId storage) const { return trace_.storages[storage].lanes > 0; }
  /// Views of storages that `lanes` should have had do not fit their storages: this Trace is thrown away, and
  /// nothing is asked of its views.
  bool is_thrown_away() const { return !more_lanes_.empty(); }
  bool may_meet(const TraceView& a, const TraceView& b) { return is_thrown_away() || !apart(space_, a, b); }
  std::uint32_t now() const { return static_cast<std::uint32_t>(trace_.steps.size()); }
  std::string scalar_text(const Arg& given, Dtype dtype) const;

  const BuildRequest& request_;
  const OpSet& ops_;
  Sizes& sizes_;
  Space& space_;
  Trace trace_;
  std::optional<Devices> devices_;                     // once something asks
  std::optional<std::set<std::string>> device_kinds_;  // that the graphs name, once something asks
  std::vector<Layout> layouts_;                        // per storage
  std::vector<std::optional<Binding>> values_;
  std::vector<ValueId> first_names_;  // once a name has come to stand for something else
  std::set<std::string> more_lanes_;
  struct Constant {
    std::int64_t value = 0;
    Dtype dtype = Dtype::other;
    Arg device = {};  // as a factory was asked for it
  };
  /// A result that shows elements of another view, nobody knows which: what it shows is written into a
  /// storage of its own, the shadow, whenever somebody reads it.
  struct Shadow {
    TraceView of, itself;
    std::string key;
  };
  std::map<StorageId, Shadow> shadows_;
  struct Widened {
    Binding from;
    Dtype held = Dtype::other;  // what its numbers were converted to
    std::size_t made = 0;       // when: as in written_
  };
  std::map<StorageId, Widened> widened_;  // storages whose numbers another one holds in a narrower type
  std::unordered_map<StorageId, std::size_t>
      written_;                              // the number of the last step that writes it, from 1 on
  std::map<StorageId, Constant> constants_;  // storages that hold one whole number everywhere
  /// What a collective uses until its wait, or a copy that does not block until the host waits.
  struct InFlight {
    std::uint32_t launched = 0;       // step of the graph
    std::optional<TraceView> result;  // nobody may touch it
    std::vector<Binding> used;        // nobody may write it
    bool copies = false;
  };
  std::map<StorageId, InFlight> in_flight_;  // by the storage of the result
  Noted noted_;
  std::unordered_map<StorageId, std::uint64_t> contents_;  // what a storage holds, as a number
  std::map<std::string, StorageId> generators_;            // of each device, where there are several
  std::set<std::string> inexact_, built_by_;
  std::map<StorageId, std::string> products_;  // made by a product of matrices, and of which inputs
  std::uint64_t simpler_ = 0;
  std::unordered_map<std::string, Text> texts_;
  std::map<std::string, StorageId> shared_;              // Input.storage -> storage
  std::set<StorageId> loop_shared_;                      // what a loop's result and its operands may share
  std::map<StorageId, std::set<StorageId>> may_lie_on_;  // result of a loop -> operands that it may be
  std::size_t loops_ = 0;
  Reached reached_;
  std::set<std::string> told_;                   // symbols whose tokens are written
  const StorageId generator_ = 0, effects_ = 1;  // as add_tokens() adds them
  std::optional<TraceIdentity> identity_;        // that the step at hand is an instance of
  std::optional<std::int64_t> folded_;           // the number that its result is by it
  bool hushed_ = false;  // what the dump says is of another result than the one that is made: of out=
  std::map<std::string, std::uint64_t> fresh_counts_;  // storages of each kind of key
  bool unwritten_ = false;                             // what is made is written later, or in pieces
  std::uint64_t in_place_ = 0, unmodelled_ = 0;
  bool failed_ = false;     // the step at hand
  bool effectful_ = false;  // inside with_effects
};

/// Dimensions from the outermost to the innermost, where elements lie one behind the other: each stride is
/// what the smaller dimensions hold. Nothing: there are gaps, or it cannot be told.
std::optional<std::vector<std::uint32_t>> dense_order(Space& space, const Shape& shape,
                                                      const std::vector<PolyId>& strides);
/// Strides that place every element of the shape in memory once, without gaps, in some order.
bool is_dense(Space& space, const Shape& shape, const std::vector<PolyId>& strides);

}  // namespace noclobber
