// Exact results for whole numbers. Internal to ops/; see FoldRule.
#pragma once
#include <cstdint>
#include <optional>

namespace noclobber::fold_rules {

std::optional<std::int64_t> fold_add(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_sub(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_mul(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_neg(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_max(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_min(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_eq(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_ne(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_lt(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_le(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_gt(std::int64_t a, std::int64_t b, bool floating);
std::optional<std::int64_t> fold_ge(std::int64_t a, std::int64_t b, bool floating);

}  // namespace noclobber::fold_rules
