// A row of Thunder's operators, and helpers for rows. Internal to lower/thunder.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "src/lower/thunder/builder.h"

namespace noclobber {

struct ThunderRow {
  std::string_view name;
  bool (*lowering)(ThunderBuilder&, const ThunderBuilder::Call&, const ThunderRow&);
  std::string_view op = "";      // the ATen operator; of a binary row, that of two tensors
  std::string_view scalar = "";  // tensor and number
  std::string_view turned = "";  // number and tensor; `swap` exchanges the two arguments
  bool swap = false;
};

/// The argument, by position or by name; nullptr if it is not given.
const ThunderThing* thunder_given(const ThunderBuilder::Call& call, std::size_t at, std::string_view name);
/// One integer or a sequence of them; empty for anything else.
std::optional<std::vector<std::int64_t>> thunder_integers(const ThunderThing* thing);
Arg thunder_list(const std::vector<std::int64_t>& numbers);
/// The contiguous type with the shape, dtype and device of a tensor; no element if it is not known.
std::vector<Type> thunder_type_like(const ThunderBuilder& builder, ValueId id);
const std::vector<SymExpr>* thunder_shape(const ThunderBuilder& builder, const ThunderThing* thing);
/// The layout of the result of a pointwise operator.
ThunderLayout thunder_pointwise_layout(const ThunderBuilder& builder, const ThunderBuilder::Call& call);

/// `sort(a, dim, descending, stable)`, `argsort` (lower/thunder/torch.cpp).
bool thunder_ordered(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);

// Collectives (lower/thunder/collectives.cpp); false if the arguments do not fit.
bool thunder_all_gather(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_all_reduce(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_reduce_scatter(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_share(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_synchronize(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_wait(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);

// Lowerings of views (lower/thunder/views.cpp); false if the arguments do not fit.
bool thunder_reshape(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_permute(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_squeeze(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_slice(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_broadcast(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_set_item(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
bool thunder_numbers(ThunderBuilder& builder, const ThunderBuilder::Call& call, const ThunderRow& row);
/// Appends a tensor without dimensions that holds the number.
ValueId thunder_scalar(ThunderBuilder& builder, const ThunderBuilder::Call& call, Arg number, Dtype dtype);

}  // namespace noclobber
