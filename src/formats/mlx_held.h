// What instructions of MLX hold besides registers: axes, shapes, bounds.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/graph/case.h"

namespace noclobber {

/// By field of the instruction: its numbers, of a text its letters, of a register that may be left out
/// whether it is there. Nothing: a register, or a number out of one.
using MlxFields = std::vector<std::optional<std::vector<double>>>;
struct MlxHeldNumbers {
  std::map<std::size_t, MlxFields> steps;                     // by the byte at which an instruction lies
  std::map<std::uint32_t, Dtype> dtypes;                      // of tensor registers that are no temporaries
  std::map<std::uint32_t, std::vector<std::int64_t>> shapes;  // likewise; -1: any size
};

/// By PyTorch's number; `other` for those that MLX has none of.
Dtype mlx_dtype(int number);

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
