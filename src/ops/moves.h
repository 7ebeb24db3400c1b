// Operators that only move data: a fresh result as pieces, each a view of the result that takes a view of the
// argument.
#pragma once
#include <optional>
#include <vector>

#include "src/ops/views.h"

namespace noclobber {

/// Element i of the result, seen through `to`, is element i of the argument, seen through `from`.
struct MovedPiece {
  std::vector<Map> to, from;
  Shape shape;  // of both
};

struct Moved {
  Shape shape;              // of the result
  std::optional<Arg> fill;  // what stands where no piece does; nothing: the pieces cover everything
  std::vector<MovedPiece> pieces;
};

/// Nothing where sizes leave it open.
using MoveRule = std::optional<Moved> (*)(Sizes&, const Viewed& base, const std::vector<Arg>& arguments);

namespace move_rules {
std::optional<Moved> flip_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> roll_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> repeat_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> tile_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> interleave_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> pad_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> select_backward_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> slice_backward_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> diagonal_backward_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> tril_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> triu_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
std::optional<Moved> diag_embed_moves(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
}  // namespace move_rules

}  // namespace noclobber
