// The operators that the numbers of MLX instructions determine.
#include <algorithm>
#include <utility>

#include "src/lower/mlx/held.h"

namespace noclobber {
namespace {

std::optional<std::vector<double>> own_field(const MlxFields& fields, std::size_t k) {
  return k < fields.size() ? fields[k] : std::nullopt;
}

Arg own_integer(double value) {
  constexpr double kMost = 9.2e18;  // beyond any size
  return Arg::of(SymExpr(static_cast<std::int64_t>(std::clamp(value, -kMost, kMost))));
}
Arg own_integers(const std::vector<double>& all) {
  std::vector<Arg> out;
  for (const double one : all) out.push_back(own_integer(one));
  return Arg::of(std::move(out));
}

/// Stride, padding and dilation of each axis, then groups.
std::optional<MlxOwn> own_convolution(const MlxFields& fields, std::size_t space) {
  MlxOwn out{"mlx.conv.default", false, {}, {}};
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> all;
    for (std::size_t j = 0; j < space; ++j) {
      const auto one = own_field(fields, 3 + k * space + j);
      if (!one) return std::nullopt;
      all.push_back((*one)[0]);
    }
    out.args.push_back(own_integers(all));
  }
  const auto groups = own_field(fields, 3 + 3 * space);
  if (!groups) return std::nullopt;
  out.args.push_back(own_integer((*groups)[0]));
  return out;
}

/// Nodes whose operator takes numbers as keyword arguments.
std::optional<MlxOwn> own_by_keyword(std::string_view node, const MlxFields& fields) {
  const auto two = own_field(fields, 2), three = own_field(fields, 3), four = own_field(fields, 4),
             six = own_field(fields, 6);
  if (node == "AsTypeNode" && two) {
    const Dtype dtype = mlx_dtype(static_cast<int>((*two)[0]));
    if (dtype == Dtype::other) return std::nullopt;
    return MlxOwn{"aten._to_copy.default", false, {}, {{"dtype", Arg::of_dtype(dtype)}}};
  }
  if (node == "GeluNode" && two)
    return MlxOwn{"aten.gelu.default",
                  false,
                  {},
                  {{"approximate", Arg::of_text(std::string(two->begin(), two->end()))}}};
  if (node == "RMSNormNode" && three)  // normalized_shape is the operand's last size
    return MlxOwn{"aten.rms_norm.default", false, {}, {{"eps", Arg::of_real((*three)[0])}}};
  if ((node == "VarNode" || node == "StdNode") && two && !two->empty() && three && four)
    return MlxOwn{node == "VarNode" ? "aten.var.correction" : "aten.std.correction",
                  false,
                  {own_integers(*two)},
                  {{"correction", own_integer((*four)[0])}, {"keepdim", Arg::of_bool((*three)[0] != 0)}}};
  if (node == "SdpaNode" && four && six)
    return MlxOwn{"aten.scaled_dot_product_attention.default",
                  false,
                  {},
                  {{"is_causal", Arg::of_bool((*six)[0] != 0)}, {"scale", Arg::of_real((*four)[0])}}};
  return std::nullopt;
}

/// Nodes that pad, roll, flip or restride, and nodes that take no tensor.
std::optional<MlxOwn> own_layout(std::string_view node, const MlxFields& fields) {
  const auto one = own_field(fields, 1), two = own_field(fields, 2), three = own_field(fields, 3),
             four = own_field(fields, 4);
  if (node == "AsStridedNode" && two && three && four)
    return MlxOwn{"aten.as_strided_copy.default",
                  false,
                  {own_integers(*two), own_integers(*three), own_integer((*four)[0])},
                  {}};
  if (node == "FullNode" && one && two && three) {
    const Dtype dtype = mlx_dtype(static_cast<int>((*three)[0]));
    if (dtype == Dtype::other) return std::nullopt;
    return MlxOwn{"aten.full.default",
                  false,
                  {own_integers(*one), Arg::of_real((*two)[0])},
                  {{"dtype", Arg::of_dtype(dtype)}}};
  }
  if (node == "RollNode" && two && three)
    return MlxOwn{"aten.roll.default", false, {own_integers(*two), own_integers(*three)}, {}};
  if (node == "FlipNode" && two) return MlxOwn{"aten.flip.default", false, {own_integers(*two)}, {}};
  if (node == "ARangeNode" && one && two && three && four) {
    const Dtype dtype = mlx_dtype(static_cast<int>((*four)[0]));
    if (dtype == Dtype::other) return std::nullopt;
    return MlxOwn{"aten.arange.start_step",
                  false,
                  {own_integer((*one)[0]), own_integer((*two)[0]), own_integer((*three)[0])},
                  {{"dtype", Arg::of_dtype(dtype)}}};
  }
  constexpr std::string_view kConstant = "constant";
  const bool constant = node == "PadNode" && three && std::ranges::equal(*three, kConstant);
  if (!constant || !two || !four || two->size() % 2 != 0) return std::nullopt;
  std::vector<double> last_first;
  for (std::size_t k = two->size(); k > 0; k -= 2)
    last_first.insert(last_first.end(), {(*two)[k - 2], (*two)[k - 1]});
  return MlxOwn{
      "aten.constant_pad_nd.default", false, {own_integers(last_first), Arg::of_real((*four)[0])}, {}};
}

struct Reduction {
  std::string_view node, op;
};
constexpr Reduction kOwnReductions[] = {{"SumNode", "aten.sum.dim_IntList"},
                                        {"MeanNode", "aten.mean.dim"},
                                        {"MaxNode", "aten.amax.default"},
                                        {"MinNode", "aten.amin.default"}};

}  // namespace

std::optional<MlxOwn> own_operator(std::string_view node, const MlxFields& fields) {
  const auto at = [&](std::size_t k) { return own_field(fields, k); };
  const bool one = at(2).has_value(), two = one && at(3).has_value();
  if (node.starts_with("Conv") && node.ends_with("DNode"))
    return own_convolution(fields, static_cast<std::size_t>(node[4] - '0'));
  if (auto own = own_by_keyword(node, fields)) return own;
  if (auto own = own_layout(node, fields)) return own;
  if (node == "TransposeNode" && one)
    return MlxOwn{"aten.permute_copy.default", false, {own_integers(*at(2))}, {}};
  if (node == "ReshapeNode" && one)
    return MlxOwn{"aten.view_copy.default", false, {own_integers(*at(2))}, {}};
  if (node == "BroadcastToNode" && one)
    return MlxOwn{"aten.expand_copy.default", false, {own_integers(*at(2))}, {}};
  if (node == "ExpandDimsNode" && one)
    return MlxOwn{"aten.unsqueeze_copy.default", false, {own_integer((*at(2))[0])}, {}};
  if (node == "ConcatenateNode" && one)
    return MlxOwn{"aten.cat.default", true, {own_integer((*at(2))[0])}, {}};
  if (node == "ContiguousNode") return MlxOwn{"aten.clone.default", false, {}, {}};
  if (node == "SoftmaxNode" && one)
    return MlxOwn{"aten._softmax.default", false, {own_integer((*at(2))[0]), Arg::of_bool(false)}, {}};
  for (const auto& [reduction, op] : kOwnReductions)
    if (node == reduction && two && !at(2)->empty())
      return MlxOwn{op, false, {own_integers(*at(2)), Arg::of_bool((*at(3))[0] != 0)}, {}};
  if (node == "SplitNode" && two && at(2)->size() == 1)
    return MlxOwn{"aten.split_copy.Tensor", false, {own_integer((*at(2))[0]), own_integer((*at(3))[0])}, {}};
  if (node == "SplitNode" && two)
    return MlxOwn{
        "aten.split_with_sizes_copy.default", false, {own_integers(*at(2)), own_integer((*at(3))[0])}, {}};
  const std::size_t first = node == "SliceNode" ? 2 : 3;
  if (node != "SliceNode" && node != "SliceUpdateNode") return std::nullopt;
  MlxOwn out{first == 2 ? "aten.slice_copy.Tensor" : "aten.slice_scatter.default", false, {}, {}};
  for (std::size_t k = first; k < first + 4; ++k) {
    if (!at(k)) return std::nullopt;
    out.args.push_back(own_integer((*at(k))[0]));
  }
  return out;
}

}  // namespace noclobber
