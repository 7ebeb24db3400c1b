// What the view rules share. Internal to ops/.
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

Views expand_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views broadcast_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views diagonal_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views unfold_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);
Views as_strided_rule(Sizes& sizes, const Viewed& base, const std::vector<Arg>& args);

}  // namespace noclobber::view_rules
