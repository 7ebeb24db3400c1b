// The Graph of a trace under construction.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/ops/decl.h"

namespace noclobber {

/// The memory layout of a value, as far as the text determines it.
enum class ThunderLayout : std::uint8_t {
  open,
  ordered,  // nonzero strides do not increase from first to last dimension: pointwise results are plain
  plain     // contiguous
};

struct ThunderMark {
  std::size_t steps = 0, values = 0, inputs = 0, ops = 0, assumed = 0;
  bool believed = false;
};

struct ThunderDraft {
  std::string free_name(const std::string& wanted);
  ValueId new_value(const std::string& name, std::optional<Type> type, ThunderLayout layout);
  ValueId add_input(const std::string& name, std::optional<Type> type);
  ValueId gradient(const std::string& name, std::optional<Type> type);
  const std::string& step_name(std::uint32_t step) const;
  ThunderMark mark() const;
  /// Undoes everything that was added since `mark`.
  void back_to(const ThunderMark& mark);

  Graph graph;
  std::vector<OpDecl> ops;
  std::vector<std::string> assumed;
  bool believed = false;               // some call that runs was lowered by the lines below it
  std::vector<ThunderLayout> layouts;  // by value
  std::map<std::string, int, std::less<>> used;
  std::map<std::string, ValueId> gradients;
  std::vector<ValueId> undefined;  // contents of names without a definition
};

}  // namespace noclobber
