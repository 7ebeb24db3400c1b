// The reference interpreter: runs a Graph on concrete storages, as PyTorch's eager mode would.
//
// It does not use Traces, obligations or engines, and shares no code with effects/. Views are strided
// (offset, shape, stride) over storages of bytes. Operators that move data run exactly, and the most common
// compute operators numerically (src/kernels/kernels.h). All others run as hash kernels: a deterministic
// function of everything the call reads.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"
#include "src/ops/array.h"

namespace noclobber {

/// Seeds of contents that distinguish values. Integers: 0 and 1, but with kTelling large ones (beyond 2^32 in
/// 64 bits). Floats: values that no narrower dtype holds, halves, and -0.0. kTellingPositive and kPositive:
/// floats above 0, the former also with NaN.
inline constexpr std::uint64_t kTelling = 1000001, kTellingSmall = 1000002, kTellingPositive = 1000003,
                               kPositive = 1000004;

using Symbols = std::map<std::string, std::int64_t>;

/// A concrete strided view. Strides and offset count elements of `dtype` from the start of the storage.
struct Tensor {
  std::uint32_t storage = 0;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape, stride;
  std::int64_t offset = 0;
  bool conjugated = false;  // elements read as the conjugates of what is stored
  friend bool operator==(const Tensor&, const Tensor&) = default;
};

struct Storage {
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> defined;  // per byte: 1 if it was written (inputs: all 1)
  std::vector<std::int32_t> writer;   // per byte: last step that wrote it; -1: contents at entry; -2: none
  std::string input;                  // name of the first input on this storage, or ""
};

/// A read of a value by a step: (step, value). The step steps.size() is the return.
using Read = std::pair<std::uint32_t, ValueId>;

struct Contact;
struct Storage;

/// Observes a run of a graph, step by step. Accesses by a body are attributed to the step that runs it.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  /// The tensors among the results of a step; at entry, the inputs.
  using Named = std::vector<std::pair<ValueId, const Tensor*>>;
  virtual void entry(const std::vector<Storage>& storages, const Named& inputs) = 0;
  /// `step` == number of steps: the return, which stores the final contents of inputs.
  virtual void begins(std::uint32_t step, const std::vector<Storage>& storages) = 0;
  virtual void ends(std::uint32_t step, const std::vector<Storage>& storages, const Named& results,
                    const std::vector<Contact>& touched) = 0;
};

struct RunOptions {
  Symbols symbols;
  std::uint64_t contents_seed =
      0;  // 0: each input counts up (distinct small integers); else random small values
  std::uint64_t garbage_seed = 1;    // contents of undefined bytes
  bool backwards = false;            // elementwise steps and copies visit their elements last to first
  std::vector<std::uint32_t> order;  // order of steps; empty: as listed
  std::set<Read> repaired;           // these reads see what the value held when its defining step finished
  std::int64_t work = 50'000'000;    // bound on the elements visited
  std::int64_t memory = std::int64_t{64} << 20;  // bound on the bytes of all storages
  bool value_semantics = false;                  // all reads are as in `repaired`: names are values
  std::map<std::string, std::vector<std::uint8_t>>
      contents;                             // exact bytes of an input's storage, by input name
  std::vector<Contact>* watched = nullptr;  // if set, gets each element that kernels read and write, in order
  Onlooker* onlooker = nullptr;             // if set, replaces `watched`
};

/// The result of a run. `raised`: it stopped with an error that a real run would raise too. `unsupported`: it
/// stopped at an operator that cannot be run (no schema, no declaration, or no known result).
struct Run {
  std::vector<Storage> storages;
  std::vector<std::optional<Tensor>> values;  // by ValueId, the last binding
  /// One per output of the graph: a tensor with its bytes in logical order, or the text of a scalar.
  struct Output {
    std::optional<Tensor> tensor;
    std::vector<std::uint8_t> bytes;    // elements in row-major logical order
    std::vector<std::uint8_t> defined;  // per element
    std::string scalar;
  };
  std::vector<Output> outputs;
  std::map<std::string, std::uint32_t> input_storage;  // input name -> storage, with its contents at exit
  /// Random draws in order, by device, then all other effects in order, each with a digest of its arguments.
  std::vector<std::string> effects;
  /// Under value_semantics: a read whose storage no longer held the value, the step that wrote there last,
  /// and the index of the first such element. One per step and value.
  struct Stale {
    std::uint32_t step;
    ValueId value;
    std::uint32_t writer;
    std::vector<std::int64_t> index;
  };
  std::vector<Stale> stale;
  std::vector<std::uint32_t> immutable_writes;  // steps that write an input that may not be written
  std::uint32_t immutable_storage = 0;          // the storage that the first of these writes
  std::set<std::uint32_t> written;  // storages of the written arguments of steps, stored to or not
  std::optional<Diagnostic> raised;
  std::uint32_t raised_at = 0;  // step
  std::vector<std::string> unsupported;
  std::int64_t work = 0;         // elements visited
  std::set<std::string> hashed;  // operators that ran as hash kernels
};

/// Runs `graph` of `value`. `may_write`: names of the inputs that may be written. Error if the symbols give
/// no legal run (negative size, storages larger than `memory` in all) or a bound is reached.
Result<Run> run_graph(const Case& value, const Graph& graph, const std::set<std::string>& may_write,
                      const RunOptions& options);

/// Converts an element of the contents that a case gives for a constant.
Number constant_element(const Arg& arg);

}  // namespace noclobber
