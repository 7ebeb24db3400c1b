// What may share bytes in one step, and what is lost otherwise. Internal to plan/.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/plan/placed.h"

namespace noclobber {

/// Which steps must run before which: the listed order, or what names, edges and streams demand.
class StepOrder {
 public:
  /// Nothing where the dependences are cyclic or there are more than 4096 steps.
  static std::optional<StepOrder> of(const Case& value);
  /// Leaving the graph is the last step.
  bool before(std::uint32_t a, std::uint32_t b) const;
  bool listed() const { return number_.empty(); }

 private:
  std::vector<std::uint32_t>
      number_;  // of each step, after those of its predecessors; empty: the listed order
  std::vector<std::vector<bool>> earlier_;  // by numbers: those that must run before
};

/// Everything a question about two placed storages is asked over.
struct PlanScene {
  const Case& value;
  const Traced& traced;
  Space& space;
  const StepOrder& order;
  const std::vector<ArmGuard>& guards;
};

/// In every order and on every path all touches of `x` come before those of `y`, or `y` takes over where
/// they meet.
bool always_before(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y);

/// May the results in `born` take the bytes of `dying` while step `at` runs? By the step's contract for all
/// symbols: the same bytes element by element, or all reads first.
bool takes_over(const PlanScene& scene, const PlacedStorage& dying, const PlacedStorage& born,
                std::uint32_t at);

/// How the kernel of an operator that is not elementwise reads an operand of its result's shape and writes
/// the result. one_by_one: a row is read for the last time at each place before that place is written, and no
/// other row is touched meanwhile. open: perhaps so, it depends on the library.
enum class Rows : std::uint8_t { mixed, open, one_by_one };
Rows rows_of_kernel(std::string_view op, const Case& value);
/// The sentence that a plan rests on which puts a softmax in place of its operand and does not say which
/// library runs it.
inline constexpr std::string_view kPortableSoftmax =
    "aten._softmax runs in ExecuTorch's portable kernel, which writes each element over the one that it read "
    "last";

/// The sentence that a program rests on which writes rows of a tensor by indices that are known only when it
/// runs.
inline constexpr std::string_view kIndicesNotNegative =
    "no index of aten.index_put_ is negative, which ExecuTorch's portable kernel refuses";

/// A value lost: `define` made it (Touch::kNoStep: it was there at entry), `clobber` writes bytes
/// [first, last) of the arena over it, `read` means it.
struct Loss {
  std::uint32_t define = 0, clobber = 0, read = 0;
  std::int64_t first = 0, last = 0;
};

/// Is what `victim` holds destroyed by a write to `writer`, under these symbols?
std::optional<Loss> loss(const PlanScene& scene, const PlacedStorage& victim, const PlacedStorage& writer,
                         const SymbolValues& symbols);

}  // namespace noclobber
