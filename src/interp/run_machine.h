// The interpreter's state while a graph runs. Private to src/interp/run*.cpp.
#pragma once
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/interp/interp.h"
#include "src/ops/decl.h"
#include "src/ops/devices.h"
#include "src/ops/kernels.h"
#include "src/ops/meaning.h"

namespace noclobber {

/// What a name stood for when its step finished: elements in row-major order.
struct Snapshot {
  std::vector<std::uint8_t> bytes, defined;
  bool taken = false;
};

/// What a name is bound to. Neither: its step has not run, or gave nothing.
struct Bound {
  std::optional<Tensor> tensor;
  std::optional<Datum> scalar;  // numbers, booleans, symbolic sizes
  Snapshot snapshot;
};

/// One graph being run: the top one, or a body on the storages of its operands.
struct Frame {
  const Graph* graph = nullptr;
  std::vector<Bound> values;
  std::vector<ValueId> first_names;  // once a name has come to stand for something else
  bool top = false;
  std::uint32_t at = 0;  // step of the top graph that runs; stores are recorded under it
};

/// How an argument is used by a step.
enum class Use : std::uint8_t { read, shape_only };

/// A call with its arguments resolved, in schema order.
struct Invocation {
  Invocation(std::string name, const Schema& of)
      : schema(&of), op(std::move(name)), meaning(meaning_of(base_name(op), of)) {}
  const Schema* schema;
  std::string op;
  Meaning meaning;
  std::vector<Datum> args;          // reads see what names mean, if options say so
  std::vector<Datum> live;          // the same arguments on live memory
  std::vector<ValueId> names;       // of arguments that are plain names, else invalid
  std::vector<Array> targets;       // written arguments, lists flattened
  std::vector<bool> unread;         // arguments of which shape and type alone count
  std::vector<std::size_t> silent;  // arguments that are written though the schema does not say so
  bool draws = false;               // random numbers
};

/// The tensors of an argument, in order.
void flatten_tensors(const Datum& datum, std::vector<Array>& into);
/// The numbers of a list of sizes.
Extents extents_of(const Datum& sizes);

/// Dropout outside of training or of nothing, conjugates of real numbers, sums to the shape that is there:
/// the argument itself.
bool gives_itself(const Invocation& invocation);

/// The argument; where its shape and type alone count, these.
Datum counted(const Invocation& invocation, std::size_t at);

constexpr std::int64_t kWorkBound = std::int64_t{1} << 40;  // elements visited in one run, whatever is asked
constexpr std::int64_t kMemoryBound = std::int64_t{4} << 30;  // bytes in all storages, whatever is asked
constexpr int kLoopBound = 1000;                              // iterations of one while_loop
constexpr int kDepthBound = 32;                               // nested bodies

class Machine {
 public:
  Machine(const Case& value, const OpSet& ops, const std::set<std::string>& may_write,
          const RunOptions& options)
      : case_(value),
        ops_(ops),
        may_write_(may_write),
        options_(options),
        watched_(options.onlooker != nullptr ? &touched_ : options.watched) {}

  /// error: the run could not be made (see run_graph).
  Result<Run> execute(const Graph& graph);

 private:
  bool going() const { return !run_.raised && run_.unsupported.empty() && !bound_; }
  void raise(const Frame& frame, std::string text);
  void unsupported(std::string op);
  void stop(std::string text) {
    if (!bound_) bound_ = Diagnostic{"", std::move(text)};
  }
  void take_fault(const Frame& frame, const Fault& fault);

  // run_inputs.cpp
  void make_inputs(Frame& frame);
  std::int64_t input_bytes(const Frame& frame, const Input& input, Tensor& tensor);
  void fill_input(const Frame& frame, std::size_t number, std::uint32_t storage);
  void fill_constant(const Input& input, const Tensor& tensor);
  void make_outputs(Frame& frame);
  void write_finals(Frame& frame);
  std::optional<Tensor> concrete(const Type& type);

  // run_values.cpp
  Array array_of(const Tensor& tensor, const Frame& frame);
  static Tensor tensor_of(const Array& array);
  Datum resolve(Frame& frame, const Arg& arg, bool reading);
  Datum read_value(Frame& frame, ValueId id);
  void bind(Frame& frame, ValueId id, const Datum& datum, const Datum* viewed_from = nullptr,
            ValueId base = {});
  Snapshot snapshot_of(const Array& array);
  Array as_array(const Snapshot& snapshot, const Tensor& like);
  void check_stale(Frame& frame, ValueId id, const Array& live);
  std::optional<std::int64_t> stale_element(const Snapshot& snapshot, const Array& live);
  Snapshot view_of_snapshot(const Snapshot& base_snapshot, const Array& base, const Array& view);
  bool takes_snapshots() const { return options_.value_semantics || !options_.repaired.empty(); }
  void adopt(Call& call);
  void note_writes(const Frame& frame, std::span<const Array> targets);

  // run_step.cpp
  void run_steps(Frame& frame);
  void run_step(Frame& frame, const Step& step);
  bool invoke(Frame& frame, const Step& step, Invocation& invocation);
  void dispatch(Frame& frame, const Step& step, const Invocation& invocation);
  bool follows_elsewhere(const Graph& graph, const Invocation& from);
  Call copied(const Frame& frame, const Call& shows);
  bool drop_same_device(const Graph& graph, const Invocation& from, std::vector<Datum>& args);
  bool run_row(Frame& frame, const Step& step, const Invocation& invocation);
  Call copied_as_meant(const Frame& frame, const KernelRow& row, Call& call, const Datum& operand);
  void rename(Frame& frame, const Step& step, ValueId name, const Datum& shown);
  void rebind_view(Frame& frame, const Step& step, const Invocation& invocation);
  bool rebind_storage(Frame& frame, const Step& step, const Invocation& invocation);
  Call new_call(const Frame& frame);
  void watch_step(Frame& frame, const Step& step);
  void bind_results(Frame& frame, const Step& step, const Invocation& invocation,
                    std::span<const Datum> results);

  // run_special.cpp
  void bind_waited(Frame& frame, const Step& step, const Invocation& invocation);
  bool run_special(Frame& frame, const Step& step, const Invocation& invocation);
  bool run_foreach(Frame& frame, const Step& step, const Invocation& invocation);
  bool is_as_described(const Graph& graph, const Invocation& invocation);
  void note_effect(const Invocation& invocation, std::uint64_t extra, const std::string& device = "");
  std::string drawn_on(const Graph& graph, const Step& step, const Invocation& invocation);

  // run_hash.cpp
  void run_hash(Frame& frame, const Step& step, const Invocation& invocation, std::uint64_t salt);
  void run_declared(Frame& frame, const Step& step, const Invocation& invocation, const OpDecl& decl);
  std::vector<Datum> hash_outputs(Frame& frame, const Step& step, const Invocation& invocation, Call& call);

  // run_control.cpp
  bool run_higher_order(Frame& frame, const Step& step);
  const Graph* find_body(const Frame& frame, const Step& step, std::size_t argument);
  Datum operand(Frame& frame, const Arg& arg);
  std::vector<Datum> operands(Frame& frame, const Step& step, std::size_t argument);
  std::vector<Datum> run_body(Frame& frame, const Graph* body, const std::vector<Datum>& operands);
  void run_cond(Frame& frame, const Step& step);
  void run_while(Frame& frame, const Step& step);
  void run_scan(Frame& frame, const Step& step, bool carries);
  void run_invoke(Frame& frame, const Step& step, std::size_t body_at);
  void bind_all(Frame& frame, const Step& step, const std::vector<Datum>& results);
  bool truth_of(const Frame& frame, const std::vector<Datum>& results);
  Datum stacked(Frame& frame, const std::vector<Datum>& items);

  // run_wrapped.cpp
  void run_auto_functionalized(Frame& frame, const Step& step, bool second);
  void run_with_effects(Frame& frame, const Step& step);
  std::vector<Datum> cloned_bases(Frame& frame, const Step& step, const Schema& schema, bool second);
  Datum regenerated(Frame& frame, const Step& step, const std::string& prefix,
                    const std::vector<Datum>& bases);
  Datum cloned(const Frame& frame, const Datum& datum);
  void run_inner(Frame& frame, const Step& outer, const Schema& schema, std::vector<Datum> args,
                 std::size_t first_result);

  const Case& case_;
  const OpSet& ops_;
  const std::set<std::string>& may_write_;
  const RunOptions& options_;
  std::vector<Contact> touched_;  // by the step that runs, if somebody looks on
  std::vector<Contact>* const watched_;
  Run run_;
  std::set<std::uint32_t> immutable_;        // storages that may not be written
  std::deque<Buffer> temporaries_;           // of the step that runs
  std::map<const Graph*, Devices> devices_;  // of graphs that move tensors
  std::optional<Diagnostic> bound_;
  std::int64_t budget_ = std::min(kWorkBound, options_.work);
  std::int64_t memory_left_ = std::min(kMemoryBound, options_.memory);
  std::map<std::string, std::uint64_t> drawn_;   // how often the random generator of a device was asked
  std::map<std::string, std::ptrdiff_t> draws_;  // effects that are draws, by device
  std::optional<bool> several_devices_;          // does the case name more than one?
  int depth_ = 0;
};

}  // namespace noclobber
