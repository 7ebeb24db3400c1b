// Which operands and results may share bytes in one step, and which value is lost otherwise. Internal to
// plan/.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/plan/placed.h"

namespace noclobber {

/// Which steps must run before which: in the listed order, or as names, control edges and streams demand.
class StepOrder {
 public:
  /// Empty if the dependences are cyclic or there are more than 4096 steps.
  static std::optional<StepOrder> of(const Case& value);
  /// True if `a` must run before `b`. Leaving the graph is the last step.
  bool before(std::uint32_t a, std::uint32_t b) const;
  bool listed() const { return number_.empty(); }

 private:
  std::vector<std::uint32_t>
      number_;  // of each step, larger than those of its predecessors; empty: the listed order
  std::vector<std::vector<bool>> earlier_;  // by number: the steps that must run earlier
};

/// The context of every question about two placed storages.
struct PlanScene {
  const Case& value;
  const Traced& traced;
  Space& space;
  const StepOrder& order;
  const std::vector<ArmGuard>& guards;
};

/// True if in every order and on every path all touches of `x` come before those of `y`, or `y` takes over
/// where they meet.
bool always_before(const PlanScene& scene, const PlacedStorage& x, const PlacedStorage& y);

/// True if the results in `born` may take the bytes of `dying` while step `at` runs. By the step's contract,
/// for all symbols: the same bytes element by element, or all reads precede the first write.
bool takes_over(const PlanScene& scene, const PlacedStorage& dying, const PlacedStorage& born,
                std::uint32_t at);

/// How the kernel of an operator that is not elementwise reads an operand of its result's shape and writes
/// the result. one_by_one: the last read of each place of a row comes before the write to that place, and no
/// other row is touched meanwhile. open: it may be one_by_one, depending on the library.
enum class Rows : std::uint8_t { mixed, open, one_by_one };
Rows rows_of_kernel(std::string_view op, const Case& value);
/// The assumption of a plan that puts a softmax in place of its operand and does not say which library runs
/// it.
inline constexpr std::string_view kPortableSoftmax =
    "aten._softmax runs in ExecuTorch's portable kernel, which writes each element over the one that it read "
    "last";

/// The assumption of a program that writes rows of a tensor by indices that are known only at run time.
inline constexpr std::string_view kIndicesNotNegative =
    "no index of aten.index_put_ is negative, which ExecuTorch's portable kernel refuses";

/// A lost value: `define` is its definition (Touch::kNoStep: it is the value at entry), `clobber` overwrites
/// bytes [first, last) of the arena, and `read` needs the value.
struct Loss {
  std::uint32_t define = 0, clobber = 0, read = 0;
  std::int64_t first = 0, last = 0;
};

/// A value of `victim` that a write to `writer` destroys, at these values of the symbols; empty if none is
/// found.
std::optional<Loss> loss(const PlanScene& scene, const PlacedStorage& victim, const PlacedStorage& writer,
                         const SymbolValues& symbols);

}  // namespace noclobber
