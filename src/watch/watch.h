// Compares a run of a graph with its Trace: the bytes that each step reads and writes, the layout of its
// results, and the contents that moves and fills leave. A difference is a fault of the translation
// (src/effects), of the interpreter, or of both.
#pragma once
#include <array>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/effects/effects.h"
#include "src/interp/interp.h"
#include "src/ops/decl.h"
#include "src/watch/cells.h"

namespace noclobber {

/// A graph and its Trace, made without identities, since identities leave accesses out.
struct Watched {
  const Graph* graph = nullptr;
  const Trace* trace = nullptr;
  const std::vector<std::optional<TraceView>>* views = nullptr;  // by ValueId
};

class Watch : public Onlooker {
 public:
  /// `most`: bound on the cells of one storage or view that are tracked. `found`: symbols that steps define.
  /// The run determines their values, which are seldom those of `symbols`.
  Watch(const Space& space, const Watched& what, const OpSet& ops, const Symbols& symbols,
        const std::set<std::string>& found, std::int64_t most);

  void entry(const std::vector<Storage>& storages, const Named& inputs) override;
  void begins(std::uint32_t step, const std::vector<Storage>& storages) override;
  void ends(std::uint32_t step, const std::vector<Storage>& storages, const Named& results,
            const std::vector<Contact>& touched) override;
  /// Called after the run. Checks the values that were rebound, and the strides of outputs.
  void finish(const Run& run);

  /// The first difference, "" while there is none.
  const std::string& fault() const { return fault_; }
  bool doubtful() const { return doubtful_; }           // a layout or a size differs from the dump
  std::uint64_t contacts() const { return contacts_; }  // bytes of accesses that were compared
  std::uint64_t unseen() const { return unseen_; }      // steps with a view whose cells are unknown

 private:
  static constexpr std::int64_t kNowhere = -1;
  /// The location of a storage of the Trace in a storage of the run.
  struct Place {
    std::optional<std::uint32_t> storage;
    std::vector<std::int64_t> at;     // per cell, its byte; kNowhere: no value has covered it
    std::int64_t width = 0;           // bytes of a cell
    bool loose = false;               // may lie on bytes of another one, by a loop or a branch
    bool blind = false;               // it cannot be tracked
    std::vector<std::uint32_t> left;  // per cell: its index in `left_`, if still valid
  };
  /// Per byte of a storage of the run: its cell, and what the current step may access and has written.
  struct Marks {
    std::vector<std::uint64_t> owner;  // 0: none; else storage of the Trace, from 1, and its cell
    std::vector<std::uint32_t> may_read, may_write, written;  // equal to `stamp_` if so in the current step
  };
  using Element = std::array<std::uint8_t, 16>;
  /// The contents of a cell when the step is over; `bytes` is empty if they are unknown.
  struct Left {
    StorageId storage = 0;
    std::int64_t cell = 0;
    std::optional<std::pair<Element, std::int64_t>> bytes;
  };
  struct Seen {
    std::vector<std::optional<CellList>> reads, writes;
  };

  void say(const std::string& what);
  std::string name(std::uint32_t step) const;
  bool is_found(const TraceView& view) const;
  bool lies_otherwise(ValueId id, const Tensor& tensor) const;
  void learn(ValueId id, const Tensor& tensor, const std::vector<Storage>& storages);
  void lay(StorageId at, const CellList& cells, const Tensor& tensor, std::int64_t lanes, std::size_t bytes,
           const std::string& who);
  Marks& marks(std::uint32_t storage, std::size_t bytes);
  void mark(const TraceView& view, const CellList& cells, bool write);
  void compare_contacts(std::uint32_t step, const std::vector<Storage>& storages,
                        const std::vector<Contact>& touched);
  void expect_written(std::uint32_t step);
  bool keeps_quiet(const TraceStep& step) const;

  // contents.cpp
  void foresee(const TraceStep& step, const Seen& seen, const std::vector<Storage>& storages);
  std::optional<Element> element(const TraceView& view, const CellList& cells, std::size_t k,
                                 const std::vector<Storage>& storages) const;
  const Left* left_at(StorageId storage, std::int64_t cell) const;
  void put(const TraceView& view, const CellList& cells, std::size_t k, const std::optional<Element>& value);
  void compare_contents(std::uint32_t step, const std::vector<Storage>& storages);

  const Watched what_;
  const OpSet& ops_;
  const Symbols& symbols_;
  Symbols others_;  // `symbols_`, with other values for those that the run finds
  Cells cells_, other_cells_;
  std::vector<Place> places_;
  std::vector<Marks> marks_;                                       // by storage of the run
  std::unordered_map<const std::uint8_t*, std::uint32_t> starts_;  // storages of the run, by address of bytes
  std::uint32_t met_ = 0;                                          // number of storages that are in `starts_`
  std::set<ValueId> moving_;  // values that steps rebind (t_, set_, resize_)
  std::string fault_;
  bool resized_ = false;  // contents have given another size than the dump
  bool doubtful_ = false;
  std::uint64_t contacts_ = 0, unseen_ = 0;

  // of the current step
  std::uint32_t stamp_ = 0;
  std::size_t first_ = 0, last_ = 0;  // its steps of the Trace, half-open
  std::size_t old_ = 0;               // number of storages when it began
  bool open_ = false;                 // the cells of some of its views are unknown
  std::vector<Seen> seen_;            // per step of the Trace
  std::vector<Left> left_;            // contents after moves and fills, each cell once
};

}  // namespace noclobber
