// What a memory planner decided: which bytes of which arena hold which value.
//
//   arena 1   64 bytes, offsets multiples of 16
//   buffer    value a, arena 1, offset 16, size 12, life [2, 5)
//
// None of it is trusted: sizes, live ranges and sharing are recomputed from the graph if there is one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/sym.h"

namespace noclobber {

struct PlanArena {
  std::string name;
  SymExpr size;                // bytes
  std::int64_t alignment = 1;  // bytes, >= 1; every offset must be a multiple of it
  friend bool operator==(const PlanArena&, const PlanArena&) = default;
};

struct PlanBuffer {
  std::string name;       // of a value ("a", "body0/a"), or a name of its own
  bool is_value = false;  // which of the two `name` is
  std::uint32_t arena = 0;
  SymExpr offset, size;                      // bytes; may be negative: the plan is wrong, not unreadable
  std::optional<std::int64_t> lower, upper;  // half-open live range; always given unless is_value
  std::string inplace_of, view_of;           // claims about another buffer or value; "" = none
  friend bool operator==(const PlanBuffer&, const PlanBuffer&) = default;
};

struct Plan {
  std::vector<PlanArena> arenas;
  std::vector<PlanBuffer> buffers;
  std::vector<std::string> required;  // names that must be placed
  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace noclobber
