// A graph that runs, against its Trace: which bytes each step reads and writes, where its results lie, and
// what moves and fills leave there. What differs is a fault of the translation (src/effects), of the
// interpreter, or of both.
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

/// A graph and the Trace that was made of it, without identities: these leave accesses out.
struct Watched {
  const Graph* graph = nullptr;
  const Trace* trace = nullptr;
  const std::vector<std::optional<TraceView>>* views = nullptr;  // by value
};

class Watch : public Onlooker {
 public:
  /// `most`: cells of one storage or view that are followed.
  /// `found`: symbols that steps bring in. The run finds them, and they are hardly what `symbols` says.
  Watch(const Space& space, const Watched& what, const OpSet& ops, const Symbols& symbols,
        const std::set<std::string>& found, std::int64_t most);

  void entry(const std::vector<Storage>& storages, const Named& inputs) override;
  void begins(std::uint32_t step, const std::vector<Storage>& storages) override;
  void ends(std::uint32_t step, const std::vector<Storage>& storages, const Named& results,
            const std::vector<Contact>& touched) override;
  /// After the run: names that came to stand for something else, and how outputs lie.
  void finish(const Run& run);

  /// The first difference, "" while there is none.
  const std::string& fault() const { return fault_; }
  bool doubtful() const { return doubtful_; }           // a result lies otherwise than the dump says
  std::uint64_t contacts() const { return contacts_; }  // bytes that were looked at
  std::uint64_t unseen() const { return unseen_; }      // steps whose views are no numbers

 private:
  static constexpr std::int64_t kNowhere = -1;
  /// Where the cells of a storage of the Trace lie: bytes of a storage of the run.
  struct Place {
    std::optional<std::uint32_t> storage;
    std::vector<std::int64_t> at;     // per cell; kNowhere: no name has shown it
    std::int64_t width = 0;           // bytes of a cell
    bool loose = false;               // a loop may have left it on another one
    bool blind = false;               // it cannot be followed
    std::vector<std::uint32_t> left;  // per cell: where in `left_` it may be
  };
  /// Per byte of a storage of the run: whose cell it is, and what the step at hand may do and has done.
  struct Marks {
    std::vector<std::uint64_t> owner;  // 0: nobody's; else storage of the Trace, from 1, and its cell
    std::vector<std::uint32_t> may_read, may_write, written;  // stamps
  };
  using Element = std::array<std::uint8_t, 16>;
  /// What a cell holds when the step is over; nothing: unknown.
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
  Symbols others_;  // `symbols_`, but for those that the run finds
  Cells cells_, other_cells_;
  std::vector<Place> places_;
  std::vector<Marks> marks_;                                       // by storage of the run
  std::unordered_map<const std::uint8_t*, std::uint32_t> starts_;  // storages of the run, by their bytes
  std::uint32_t met_ = 0;                                          // as many of them are in `starts_`
  std::set<ValueId> moving_;  // names that come to stand for something else
  std::string fault_;
  bool resized_ = false;  // contents have told other sizes than the dump does
  bool doubtful_ = false;
  std::uint64_t contacts_ = 0, unseen_ = 0;

  // of the step at hand
  std::uint32_t stamp_ = 0;
  std::size_t first_ = 0, last_ = 0;  // its steps of the Trace
  std::size_t old_ = 0;               // storages that there were when it began
  bool open_ = false;                 // not all of its views are numbers
  std::vector<Seen> seen_;            // per step of the Trace
  std::vector<Left> left_;            // by moves and fills, each cell once
};

}  // namespace noclobber
