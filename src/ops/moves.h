// Operators that only move data. Their fresh result consists of pieces: views of the result, each of which
// takes the elements of a view of the argument.
#pragma once
#include <optional>
#include <vector>

#include "src/ops/views.h"

namespace noclobber {

/// Element i of the result's view `to` is element i of the argument's view `from`.
struct MovedPiece {
  std::vector<Map> to, from;
  Shape shape;  // of both views
};

struct Moved {
  Shape shape;              // of the result
  std::optional<Arg> fill;  // the elements outside of all pieces; empty if the pieces cover everything
  std::vector<MovedPiece> pieces;
};

/// Empty if sizes do not determine the pieces.
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
