// What instructions of MLX hold besides registers, against what steps say.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "src/formats/mlx/held_numbers.h"

namespace noclobber {

enum class MlxSays { same, other, unsaid };

/// Are these the numbers of `meant`, a step of `graph` that the instruction may stand for? unsaid: nobody
/// looked, or sizes are symbols.
MlxSays says_of(std::string_view node, const MlxFields& fields, const Graph& graph, const Step& meant);

/// The operator that the instruction is by its own numbers, without its operands; nothing where that is not
/// known.
struct MlxOwn {
  std::string_view op;
  bool list = false;  // all operands are one list
  std::vector<Arg> args;
  std::vector<std::pair<std::string, Arg>> kwargs;
};
std::optional<MlxOwn> own_operator(std::string_view node, const MlxFields& fields);

}  // namespace noclobber
