// The reference interpreter: runs a Graph on concrete storages, as PyTorch's eager mode would.
//
// It knows nothing of Traces, obligations or engines, and shares no code with effects/: views are strided
// (offset, shape, stride over bytes), contents are bytes. Operators that move data run exactly; the
// commonest compute operators numerically (src/kernels/kernels.h); all others as hash kernels, a
// deterministic function of everything the call reads.
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

/// Seeds of contents that tell apart: integers beyond 2^32 where the type holds them (small: 0 and 1), floats
/// that no narrower type holds, halves, a zero below 0; positive: above 0, with a NaN, integers 0 and 1.
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
  std::vector<std::uint8_t> defined;  // per byte: 1 if something has written it (inputs: all 1)
  std::vector<std::int32_t> writer;  // per byte: last step that wrote it, -1 = contents at entry, -2 = nobody
  std::string input;                 // name of the (first) input that lives here, or ""
};

/// What a read of `value` by step `step` (steps.size() = the return) should be replaced with.
using Read = std::pair<std::uint32_t, ValueId>;

struct Contact;
struct Storage;

/// Looks on while a graph runs, step by step; what bodies touch is touched by the step that runs them.
class Onlooker {
 public:
  virtual ~Onlooker() = default;
  /// What a step has named, inputs at the entry.
  using Named = std::vector<std::pair<ValueId, const Tensor*>>;
  virtual void entry(const std::vector<Storage>& storages, const Named& inputs) = 0;
  /// Step number of steps: what is done at the return.
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
  std::int64_t work = 50'000'000;    // elements it may visit
  std::int64_t memory = std::int64_t{64} << 20;  // bytes it may hold in storages
  bool value_semantics = false;                  // every read does: names mean values
  std::map<std::string, std::vector<std::uint8_t>>
      contents;                             // exact bytes of an input's storage, by input name
  std::vector<Contact>* watched = nullptr;  // every element that kernels read and write, in order
  Onlooker* onlooker = nullptr;             // instead
};

/// What happened. `raised`: the run stopped with an error a real run would raise too.
/// `unsupported`: it stopped because nobody knows what `op` does (no schema, no declaration).
struct Run {
  std::vector<Storage> storages;
  std::vector<std::optional<Tensor>> values;  // by ValueId, as bound last
  /// One per output of the graph: a tensor with its bytes in logical order, or the text of a scalar.
  struct Output {
    std::optional<Tensor> tensor;
    std::vector<std::uint8_t> bytes;    // elements in row-major logical order
    std::vector<std::uint8_t> defined;  // per element
    std::string scalar;
  };
  std::vector<Output> outputs;
  std::map<std::string, std::uint32_t> input_storage;  // input name -> storage; at exit read its bytes
  /// Draws of random numbers in order, then all other effects in order, each with a digest of what it was
  /// given.
  std::vector<std::string> effects;
  /// In value_semantics: first read whose storage no longer held the value it means.
  struct Stale {
    std::uint32_t step;
    ValueId value;
    std::uint32_t writer;
    std::vector<std::int64_t> index;
  };
  std::vector<Stale> stale;
  std::vector<std::uint32_t> immutable_writes;  // steps that stored into an input that may not be written
  std::uint32_t immutable_storage = 0;          // where the first of these did
  std::set<std::uint32_t> written;  // storages that steps were given to write, whether or not they stored
  std::optional<Diagnostic> raised;
  std::uint32_t raised_at = 0;  // step
  std::vector<std::string> unsupported;
  std::int64_t work = 0;         // elements visited
  std::set<std::string> hashed;  // operators that ran as hash kernels
};

/// Runs `graph` of `value`. Writable inputs: `may_write` names them (by input name).
/// error: symbols that do not give a legal run (negative size, storages larger than `memory` in all).
Result<Run> run_graph(const Case& value, const Graph& graph, const std::set<std::string>& may_write,
                      const RunOptions& options);

/// An element of the contents that a case gives for a constant.
Number constant_element(const Arg& arg);

}  // namespace noclobber
