// Compares the numbers that MLX instructions hold with the arguments of steps.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "src/formats/mlx/held_numbers.h"

namespace noclobber {

enum class MlxSays { same, other, unsaid };

/// Compares the numbers of an instruction with those of `meant`, a step of `graph` that it may stand for.
/// `unsaid`: no rule compares them, or a size is symbolic or unknown.
MlxSays says_of(std::string_view node, const MlxFields& fields, const Graph& graph, const Step& meant);

/// The operator that the numbers of an instruction determine, without its tensor operands. own_operator() is
/// empty if no rule gives it.
struct MlxOwn {
  std::string_view op;
  bool list = false;  // all operands are one list
  std::vector<Arg> args;
  std::vector<std::pair<std::string, Arg>> kwargs;
};
std::optional<MlxOwn> own_operator(std::string_view node, const MlxFields& fields);

}  // namespace noclobber
