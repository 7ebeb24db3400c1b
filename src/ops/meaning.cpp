#include "src/ops/meaning.h"

#include <algorithm>
#include <iterator>

#include "src/ops/views.h"

namespace noclobber {
namespace {

struct MeaningRow {
  std::string_view op;
  Meaning meaning;
};

// table: sorted by name; view operators have their row in views.cpp
constexpr MeaningRow kMeanings[] = {
    {"_c10d_functional.wait_tensor", Meaning::wait},
    {"aten._conj", Meaning::unsupported},
    {"aten._neg_view", Meaning::unsupported},
    {"aten._reshape_copy", Meaning::view_copy},
    {"aten._to_copy", Meaning::convert},
    {"aten.as_strided_", Meaning::unsupported},
    {"aten.as_strided_scatter", Meaning::view_scatter},
    {"aten.batch_norm", Meaning::unsupported},         // the schema is silent about running statistics
    {"aten.broadcast_tensors", Meaning::unsupported},  // views, though the schema does not say so
    {"aten.cat", Meaning::concatenate},
    {"aten.clone", Meaning::clone},
    {"aten.contiguous", Meaning::may_convert},
    {"aten.copy", Meaning::copy},
    {"aten.copy_", Meaning::copy_into},
    {"aten.cudnn_batch_norm", Meaning::unsupported},  // running statistics
    {"aten.dequantize", Meaning::unsupported},        // may be its argument
    {"aten.detach_", Meaning::unsupported},
    {"aten.diagonal_scatter", Meaning::view_scatter},
    {"aten.einsum", Meaning::unsupported},  // may be a view of its argument
    {"aten.empty", Meaning::empty},
    {"aten.empty_like", Meaning::empty},
    {"aten.empty_permuted", Meaning::empty},
    {"aten.empty_strided", Meaning::empty},
    {"aten.fill", Meaning::fill},
    {"aten.fill_", Meaning::fill_into},
    {"aten.flatten", Meaning::may_view},
    {"aten.full", Meaning::fill},
    {"aten.full_like", Meaning::fill},
    {"aten.instance_norm", Meaning::unsupported},  // running statistics
    {"aten.lift_fresh", Meaning::view},
    {"aten.lift_fresh_copy", Meaning::clone},
    {"aten.meshgrid", Meaning::unsupported},           // views
    {"aten.miopen_batch_norm", Meaning::unsupported},  // running statistics
    {"aten.native_batch_norm", Meaning::unsupported},  // running statistics
    {"aten.new_empty", Meaning::empty},
    {"aten.new_empty_strided", Meaning::empty},
    {"aten.new_full", Meaning::fill},
    {"aten.new_ones", Meaning::fill},
    {"aten.new_zeros", Meaning::fill},
    {"aten.ones", Meaning::fill},
    {"aten.ones_like", Meaning::fill},
    {"aten.reshape", Meaning::may_view},
    {"aten.resize_", Meaning::unsupported},
    {"aten.resize_as_", Meaning::unsupported},
    {"aten.scalar_tensor", Meaning::fill},
    {"aten.select_scatter", Meaning::view_scatter},
    {"aten.set_", Meaning::unsupported},
    {"aten.slice_scatter", Meaning::view_scatter},
    {"aten.squeeze_", Meaning::rebind},
    {"aten.stack", Meaning::stack},
    {"aten.sum_to_size", Meaning::unsupported},  // may be its argument
    {"aten.sym_numel", Meaning::ignored},
    {"aten.sym_size", Meaning::ignored},
    {"aten.sym_storage_offset", Meaning::ignored},
    {"aten.sym_stride", Meaning::ignored},
    {"aten.t_", Meaning::rebind},
    {"aten.to", Meaning::may_convert},
    {"aten.transpose_", Meaning::rebind},
    {"aten.type_as", Meaning::unsupported},  // may be its argument
    {"aten.unsqueeze_", Meaning::rebind},
    {"aten.zero", Meaning::fill},
    {"aten.zero_", Meaning::fill_into},
    {"aten.zeros", Meaning::fill},
    {"aten.zeros_like", Meaning::fill},
    {"inductor.accumulate_grad_", Meaning::unsupported},       // writes without saying so
    {"inductor.resize_storage_bytes_", Meaning::unsupported},  // likewise
    {"prims.as_strided", Meaning::unsupported},                // said to write; it is a view
    {"prims.clone", Meaning::clone},
    {"prims.convert_element_type", Meaning::convert},
    {"prims.device_put", Meaning::clone},
    {"prims.empty_permuted", Meaning::empty},
    {"prims.empty_strided", Meaning::empty},
};

static_assert(std::is_sorted(std::begin(kMeanings), std::end(kMeanings),
                             [](const MeaningRow& a, const MeaningRow& b) { return a.op < b.op; }));

constexpr std::string_view kImpure[] = {
    "aten._assert_async",
    "aten._assert_scalar",
    "aten._async_error",
    "aten._local_scalar_dense",
    "aten._print",
    "aten.item",
    "aten.sym_constrain_range",
    "aten.sym_constrain_range_for_size",
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool shows_view(const Schema& schema) {
  return std::any_of(schema.returns.begin(), schema.returns.end(),
                     [](const SchemaSlot& r) { return !r.alias.empty() && !r.written; });
}

}  // namespace

std::string_view base_name(std::string_view op) {
  const std::size_t first = op.find('.');
  const std::size_t second = first == std::string_view::npos ? first : op.find('.', first + 1);
  return op.substr(0, second);
}

Meaning meaning_of(std::string_view op, const Schema& schema) {
  const auto at = std::lower_bound(std::begin(kMeanings), std::end(kMeanings), op,
                                   [](const MeaningRow& r, std::string_view name) { return r.op < name; });
  if (schema.overload != "out" && !ends_with(schema.overload, "_out") && at != std::end(kMeanings) &&
      at->op == op)
    return at->meaning;
  if (ends_with(op, "_copy") && find_view_rule(op.substr(0, op.size() - 5)) != nullptr && !schema.writes())
    return Meaning::view_copy;
  if (find_view_rule(op) != nullptr) return Meaning::view;
  if (schema.has(Tag::inplace_view) || schema.has(Tag::maybe_aliasing_or_mutating) || shows_view(schema))
    return Meaning::unsupported;
  return Meaning::opaque;
}

std::string_view scattered_view(std::string_view op) {
  if (op == "aten.as_strided_scatter") return "aten.as_strided";
  if (op == "aten.diagonal_scatter") return "aten.diagonal";
  if (op == "aten.select_scatter") return "aten.select";
  if (op == "aten.slice_scatter") return "aten.slice";
  return "";
}

bool is_impure(std::string_view op, const Schema& schema) {
  return std::find(std::begin(kImpure), std::end(kImpure), op) != std::end(kImpure) ||
         schema.ns == "_c10d_functional" || schema.ns == "c10d_functional" || schema.ns == "c10d";
}

bool is_elementwise(std::string_view op, const Schema& schema) {
  return schema.has(Tag::pointwise) || op == "aten.masked_fill_" || op == "prims.fma";
}

}  // namespace noclobber
