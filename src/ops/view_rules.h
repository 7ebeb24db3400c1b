// Helpers that the view rules share, and the rules. Internal to ops/.
#pragma once
#include <optional>
#include <vector>

#include "src/ops/views.h"

namespace noclobber::view_rules {

using Views = std::optional<std::vector<ViewMaps>>;

std::optional<std::int64_t> integer(const std::vector<Arg>& args, std::size_t at,
                                    std::optional<std::int64_t> fallback);
std::optional<PolyId> size(Sizes& sizes, const std::vector<Arg>& args, std::size_t at,
                           std::optional<PolyId> fallback);
std::optional<std::uint32_t> wrapped(std::int64_t dim, std::size_t rank);
std::optional<std::uint32_t> dimension(const std::vector<Arg>& args, std::size_t at, std::int64_t fallback,
                                       std::size_t rank);
std::optional<std::vector<std::uint32_t>> dimensions(const Arg& arg, std::size_t rank);
std::optional<Shape> sizes_of(Sizes& sizes, const Arg& arg);
Views one(std::vector<Map> maps, Shape shape);

Views adjoint_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views alias_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views as_strided_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views atleast_1d_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views atleast_2d_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views atleast_3d_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views broadcast_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views chunk_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views diagonal_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views dsplit_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views expand_as_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views expand_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views flatten_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views hsplit_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views if_real_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views imag_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views matrix_transpose_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views movedim_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views narrow_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views permute_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views ravel_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views real_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views reshape_alias_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views reversed_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views select_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views slice_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views split_dim_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views split_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views split_sizes_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views squeeze_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views t_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views tensor_split_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views transpose_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views unbind_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views unflatten_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views unfold_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views unsqueeze_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views view_as_complex_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views view_as_real_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views view_as_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views view_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views vsplit_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);

}  // namespace noclobber::view_rules
