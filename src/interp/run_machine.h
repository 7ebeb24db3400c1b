// The interpreter's state while a graph runs. Private to src/interp/run*.cpp.
#pragma once
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/interp/interp.h"
#include "src/kernels/kernels.h"
#include "src/ops/decl.h"
#include "src/ops/devices.h"
#include "src/ops/meaning.h"

namespace noclobber {

/// The contents of a value when its step finished: elements in row-major order.
struct Snapshot {
  std::vector<std::uint8_t> bytes, defined;
  bool taken = false;
};

/// The binding of a value. Both are empty if its step has not run, or gave no result.
struct Bound {
  std::optional<Tensor> tensor;
  std::optional<Datum> scalar;  // numbers, booleans, symbolic sizes
  Snapshot snapshot;
};

/// One graph being run: the top one, or a body on the storages of its operands.
struct Frame {
  const Graph* graph = nullptr;
  std::vector<Bound> values;
  std::vector<ValueId> first_names;  // filled once a step rebinds a value (set_, t_)
  bool top = false;
  std::uint32_t at = 0;  // current step of the top graph, to which stores are attributed
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
  std::vector<Datum> args;          // as read: snapshots, if options ask for them
  std::vector<Datum> live;          // the same arguments on live memory
  std::vector<ValueId> names;       // of arguments that are plain references, else invalid
  std::vector<Array> targets;       // written arguments, lists flattened
  std::vector<bool> unread;         // arguments of which only shape and dtype matter
  std::vector<std::size_t> silent;  // arguments that are written though the schema does not say so
  bool draws = false;               // draws random numbers
};

/// The tensors of an argument, in order.
void flatten_tensors(const Datum& datum, std::vector<Array>& into);
/// The numbers of a list of sizes.
Extents extents_of(const Datum& sizes);

/// True if the call returns its argument itself: dropout outside of training or with p = 0, conj of a real
/// tensor, sum_to_size to the shape that the argument has.
bool gives_itself(const Invocation& invocation);

/// The argument as a digest takes it: only shape and dtype if its elements do not matter.
Datum counted(const Invocation& invocation, std::size_t at);

constexpr std::int64_t kWorkBound = std::int64_t{1} << 40;    // elements visited in one run, for any options
constexpr std::int64_t kMemoryBound = std::int64_t{4} << 30;  // bytes in all storages, for any options
constexpr int kLoopBound = 1000;                              // iterations of one while_loop
constexpr int kDepthBound = 32;                               // nested bodies

/// Random numbers and devices of a run.
struct Draws {
  std::map<std::string, std::uint64_t> drawn;     // number of draws by device
  std::map<std::string, std::ptrdiff_t> effects;  // number of draws among Run::effects, by device
  std::optional<bool> several_devices;            // whether the case names more than one; empty until needed
};

/// The state of a run: what it has done, what it may still do, and why it ended. A step is a function of a
/// Machine and a Frame.
struct Machine {
  Machine(const Case& all, const OpSet& all_ops, const std::set<std::string>& writable,
          const RunOptions& asked)
      : value(all),
        ops(all_ops),
        may_write(writable),
        options(asked),
        watched(asked.onlooker != nullptr ? &touched : asked.watched) {}

  bool going() const { return !run.raised && run.unsupported.empty() && !stopped; }
  void raise(const Frame& frame, std::string text);
  void unsupported(std::string op);
  void stop(std::string text) {
    if (!stopped) stopped = Diagnostic{"", std::move(text)};
  }
  void take_fault(const Frame& frame, const Fault& fault);
  bool takes_snapshots() const { return options.value_semantics || !options.repaired.empty(); }
  std::optional<Tensor> concrete(const Type& type);
  Array array_of(const Tensor& tensor, const Frame& frame);
  Call new_call(const Frame& frame);
  void adopt(Call& call);
  void note_writes(const Frame& frame, std::span<const Array> targets);

  const Case& value;
  const OpSet& ops;
  const std::set<std::string>& may_write;
  const RunOptions& options;
  std::vector<Contact> touched;  // by the current step, if there is an onlooker
  std::vector<Contact>* const watched;
  Run run;
  std::set<std::uint32_t> immutable;        // storages that may not be written
  std::deque<Buffer> temporaries;           // of the current step
  std::map<const Graph*, Devices> devices;  // of graphs that move tensors
  std::optional<Diagnostic> stopped;        // at a bound, or with symbols that are not legal
  std::int64_t work_left = std::min(kWorkBound, options.work);
  std::int64_t memory_left = std::min(kMemoryBound, options.memory);
  Draws draws;
  int depth = 0;
};

}  // namespace noclobber
