// The Graph of a trace as far as its steps are made.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/case.h"
#include "src/ops/decl.h"

namespace noclobber {

/// How a value's elements lie in memory, as far as it can be told from the text.
enum class ThunderLayout : std::uint8_t {
  open,
  ordered,  // strides that are not 0 fall from the first dimension to the last: pointwise results are plain
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
  /// As if nothing had been made since then.
  void back_to(const ThunderMark& mark);

  Graph graph;
  std::vector<OpDecl> ops;
  std::vector<std::string> assumed;
  bool believed = false;               // some call that runs was read as what the lines below it say
  std::vector<ThunderLayout> layouts;  // by value
  std::map<std::string, int, std::less<>> used;
  std::map<std::string, ValueId> gradients;
  std::vector<ValueId> undefined;  // memory that names stand for which nothing defines
};

}  // namespace noclobber
