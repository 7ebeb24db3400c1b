#include "src/ops/raises.h"

#include <algorithm>

namespace noclobber {
namespace {

struct RaisingRow {
  std::string_view op;
  std::string_view over;  // names of arguments, separated by spaces; "*": all tensors
};

/// Sorted by name. The causes: indices and classes out of range, lengths and counts that do not fit, numbers
/// outside of an interval, matrices that have no inverse or no such factorization.
constexpr RaisingRow kRaising[] = {
    // table
    {"aten._cholesky_solve_helper", "*"},
    {"aten._ctc_loss", "*"},
    {"aten._embedding_bag", "indices offsets"},
    {"aten._embedding_bag_forward_only", "indices offsets"},
    {"aten._index_put_impl", "indices"},
    {"aten._linalg_det", "*"},
    {"aten._linalg_eigh", "*"},
    {"aten._linalg_eigvals", "*"},
    {"aten._linalg_slogdet", "*"},
    {"aten._linalg_solve_ex", "*"},
    {"aten._linalg_svd", "*"},
    {"aten._pack_padded_sequence", "lengths"},
    {"aten._unsafe_index", "indices"},
    {"aten._unsafe_index_put", "indices"},
    {"aten.binary_cross_entropy", "self"},
    {"aten.bincount", "self"},
    {"aten.cholesky", "*"},
    {"aten.cholesky_inverse", "*"},
    {"aten.cross_entropy_loss", "target"},
    {"aten.ctc_loss", "*"},
    {"aten.embedding", "indices"},
    {"aten.embedding_bag", "indices offsets"},
    {"aten.embedding_dense_backward", "indices"},
    {"aten.embedding_renorm", "indices"},
    {"aten.gather", "index"},
    {"aten.histc", "self"},
    {"aten.index", "indices"},
    {"aten.index_add", "index"},
    {"aten.index_copy", "index"},
    {"aten.index_fill", "index"},
    {"aten.index_put", "indices"},
    {"aten.index_reduce", "index"},
    {"aten.index_select", "index"},
    {"aten.inverse", "*"},
    {"aten.linalg_cholesky", "*"},
    {"aten.linalg_cholesky_ex", "*"},
    {"aten.linalg_cond", "*"},
    {"aten.linalg_eig", "*"},
    {"aten.linalg_eigh", "*"},
    {"aten.linalg_eigvals", "*"},
    {"aten.linalg_eigvalsh", "*"},
    {"aten.linalg_inv", "*"},
    {"aten.linalg_inv_ex", "*"},
    {"aten.linalg_ldl_factor", "*"},
    {"aten.linalg_ldl_factor_ex", "*"},
    {"aten.linalg_lstsq", "*"},
    {"aten.linalg_lu_factor", "*"},
    {"aten.linalg_lu_factor_ex", "*"},
    {"aten.linalg_matrix_norm", "*"},
    {"aten.linalg_matrix_power", "*"},
    {"aten.linalg_matrix_rank", "*"},
    {"aten.linalg_norm", "*"},
    {"aten.linalg_pinv", "*"},
    {"aten.linalg_solve", "*"},
    {"aten.linalg_solve_ex", "*"},
    {"aten.linalg_svd", "*"},
    {"aten.linalg_svdvals", "*"},
    {"aten.linalg_tensorinv", "*"},
    {"aten.linalg_tensorsolve", "*"},
    {"aten.lu_unpack", "LU_pivots"},
    {"aten.masked_scatter", "mask"},
    {"aten.max_unpool2d", "indices"},
    {"aten.max_unpool3d", "indices"},
    {"aten.multi_margin_loss", "target"},
    {"aten.multilabel_margin_loss", "target"},
    {"aten.multilabel_margin_loss_forward", "target"},
    {"aten.nanquantile", "q"},
    {"aten.nll_loss", "target"},
    {"aten.nll_loss2d", "target"},
    {"aten.nll_loss2d_forward", "target"},
    {"aten.nll_loss_forward", "target"},
    {"aten.nll_loss_nd", "target"},
    {"aten.nuclear_norm", "*"},
    {"aten.one_hot", "self"},
    {"aten.pinverse", "*"},
    {"aten.put", "index"},
    {"aten.quantile", "q"},
    {"aten.repeat_interleave", "repeats"},
    {"aten.scatter", "index"},
    {"aten.scatter_add", "index"},
    {"aten.scatter_reduce", "index"},
    {"aten.segment_reduce", "lengths offsets indices"},
    {"aten.svd", "*"},
    {"aten.take", "index"},
    {"aten.take_along_dim", "indices"},
    {"inductor._scatter_reduce", "index"},
    {"prims.svd", "*"},
    {"prims.unsafe_index_put", "indices"},
};
static_assert(std::ranges::is_sorted(kRaising, {}, &RaisingRow::op));

/// Operators that divide. aten.div and aten.divide round the quotient only if a mode is given.
constexpr std::string_view kDivisions[] = {"aten.__rfloordiv__", "aten.div",   "aten.divide",
                                           "aten.floor_divide",  "aten.fmod",  "aten.remainder",
                                           "prims.div",          "prims.fmod", "prims.remainder"};

constexpr std::string_view kAnyDevice[] = {
    "aten._to_copy",   "aten.copy",       "aten.empty_like", "aten.expand_as",
    "aten.full_like",  "aten.ones_like",  "aten.rand_like",  "aten.randn_like",
    "aten.reshape_as", "aten.set_",       "aten.to",         "aten.type_as",
    "aten.view_as",    "aten.zeros_like", "prims.copy_to",   "prims.device_put"};
static_assert(std::ranges::is_sorted(kAnyDevice));

bool names(std::string_view list, std::string_view name) {
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(' ', begin), list.size());
    if (list.substr(begin, end - begin) == name) return true;
    begin = end + 1;
  }
  return false;
}

bool has_tensor(const Arg& arg) {
  return arg.kind == Arg::Kind::ref || std::ranges::any_of(arg.list, has_tensor);
}

}  // namespace

std::optional<std::vector<std::size_t>> raises_over(std::string_view op, const Schema& schema,
                                                    const std::vector<Arg>& arguments) {
  const auto row = std::ranges::lower_bound(kRaising, op, {}, &RaisingRow::op);
  if (row == std::end(kRaising) || row->op != op) return std::nullopt;
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < std::min(arguments.size(), schema.arguments.size()); ++k) {
    const SchemaSlot& slot = schema.arguments[k];
    if (slot.written && slot.keyword_only) continue;  // out=
    if (has_tensor(arguments[k]) && (row->over == "*" || names(row->over, slot.name))) out.push_back(k);
  }
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

bool divides_whole(std::string_view op, const Schema& schema, const std::vector<Arg>& arguments) {
  if (std::ranges::find(kDivisions, op) == std::end(kDivisions)) return false;
  if (op != "aten.div" && op != "aten.divide") return true;
  for (std::size_t k = 0; k < std::min(arguments.size(), schema.arguments.size()); ++k)
    if (schema.arguments[k].name == "rounding_mode") return arguments[k].kind == Arg::Kind::text;
  return false;  // the quotient is floating
}

bool takes_any_device(std::string_view op) {
  return std::ranges::binary_search(kAnyDevice, op) || op.starts_with("aten.new_");
}

}  // namespace noclobber
