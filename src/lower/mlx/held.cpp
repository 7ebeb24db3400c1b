#include "src/lower/mlx/held.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/lower/mlx/meant.h"
#include "src/ops/schema_reader.h"

namespace noclobber {
namespace {

using namespace mlx_meant;

double rank_of(const Meant& m) { return static_cast<double>(m.operand()->shape.size()); }

Doubles all_axes(double rank) {
  Doubles out;
  for (double k = 0; k < rank; ++k) out.push_back(k);
  return out;
}

Compared permutation(const MlxFields& f, const Meant& m) {
  const double rank = rank_of(m);
  Said meant;
  if (m.op().find("permute") != std::string_view::npos) {
    meant = from_front(m.numbers(1, "dims", {}), rank);
  } else if (m.op().find("transpose") != std::string_view::npos) {
    const Said a = from_front(m.numbers(1, "dim0", {}), rank), b = from_front(m.numbers(2, "dim1", {}), rank);
    if (!a || !b || (*a)[0] >= rank || (*b)[0] >= rank) return {};
    meant = all_axes(rank);
    std::swap((*meant)[static_cast<std::size_t>((*a)[0])], (*meant)[static_cast<std::size_t>((*b)[0])]);
  } else if (rank == 2) {
    meant = Doubles{1, 0};
  }
  return {from_front(field(f, 2), rank), meant};
}

/// One size may be -1, which is inferred from the others.
Compared shape(const MlxFields& f, const Meant& m) {
  Said own = field(f, 2), meant = sizes_of(m.result());
  if (own && meant && own->size() == meant->size() && std::ranges::count(*own, -1.0) == 1)
    for (std::size_t k = 0; k < own->size(); ++k)
      if ((*own)[k] == -1.0) (*own)[k] = (*meant)[k];
  return {own, meant};
}

/// A size of -1 is that of the operand; axes are aligned at the last one.
Compared broadcast(const MlxFields& f, const Meant& m) {
  Said own = field(f, 2);
  const Said of = sizes_of(m.operand());
  if (!own || !of || of->size() > own->size()) return {};
  const std::size_t more = own->size() - of->size();
  for (std::size_t k = more; k < own->size(); ++k)
    if ((*own)[k] == -1) (*own)[k] = (*of)[k - more];
  return {own, sizes_of(m.result())};
}

Compared axis(const MlxFields& f, const Meant& m, std::size_t at, std::size_t arg, Said otherwise,
              double more = 0) {
  const double rank = rank_of(m) + more;
  return {from_front(field(f, at), rank), from_front(m.numbers(arg, "dim", std::move(otherwise)), rank)};
}

Compared reduction(const MlxFields& f, const Meant& m) {
  const double rank = rank_of(m);
  const bool spread = m.op() == "aten.var" || m.op() == "aten.std";
  if (m.has_keyword("dtype")) return {};
  Said own = from_front(field(f, 2), rank), meant = from_front(m.numbers(1, "dim", Doubles{}), rank);
  if (spread && m.overload() == ".default") meant = Doubles{};
  if (own && own->empty()) own = all_axes(rank);
  if (meant && meant->empty()) meant = all_axes(rank);
  const Doubles no{0}, yes{1};
  if (!spread)
    return {said_together({sorted(own), field(f, 3)}),
            said_together({sorted(meant), m.numbers(2, "keepdim", no)})};
  const bool corrected = m.overload() == ".correction";
  const Said ddof = corrected ? m.numbers(9, "correction", yes)
                              : m.numbers(m.overload() == ".dim" ? 2 : 1, "unbiased", yes);
  const Said keep = m.numbers(corrected ? 9 : 3, "keepdim", no);
  return {said_together({sorted(own), field(f, 3), field(f, 4)}), said_together({sorted(meant), keep, ddof})};
}

/// The axis, its bounds clamped to its size, and the step.
Said bounds(Said axis, Said start, Said stop, const Said& step, const Said& sizes) {
  if (!axis || !start || !stop || !step || !sizes) return std::nullopt;
  axis = from_front(axis, static_cast<double>(sizes->size()));
  if ((*axis)[0] < 0 || (*axis)[0] >= static_cast<double>(sizes->size())) return std::nullopt;
  const double size = (*sizes)[static_cast<std::size_t>((*axis)[0])];
  for (Said* bound : {&start, &stop}) {
    double& at = (**bound)[0];
    at = std::clamp(at + (at < 0 ? size : 0), 0.0, size);
  }
  return said_together({axis, start, stop, step});
}

Compared slice(const MlxFields& f, const Meant& m, std::size_t first) {
  const std::size_t arg = first - 1;  // the operator's arguments do not include the result
  if (m.op().find("narrow") != std::string_view::npos) return {};
  const Said sizes = sizes_of(m.operand()), end = Doubles{9.2e18};
  const Said all = m.numbers(arg + 2, "end", end);
  return {bounds(field(f, first), field(f, first + 1), field(f, first + 2), field(f, first + 3), sizes),
          bounds(m.numbers(arg, "dim", Doubles{0}), m.numbers(arg + 1, "start", Doubles{0}), all,
                 m.numbers(arg + 3, "step", Doubles{1}), sizes)};
}

Compared split(const MlxFields& f, const Meant& m) {
  const double rank = rank_of(m);
  const Said at = from_front(m.numbers(2, "dim", Doubles{0}), rank);
  if (!at || (*at)[0] < 0 || (*at)[0] >= rank) return {};
  Doubles sizes;
  for (std::size_t k = 0; k < m.results(); ++k) {
    const Said own = sizes_of(m.result(k));
    if (!own) return {};
    sizes.push_back((*own)[static_cast<std::size_t>((*at)[0])]);
  }
  Said own = field(f, 2);
  if (own && own->size() == 1 && (*own)[0] > 0) {  // the size of all chunks but the last
    double left = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    const double each = own->front();
    for (own->clear(); left > 0; left -= each) own->push_back(std::min(each, left));
  }
  return {said_together({own, from_front(field(f, 3), rank)}), said_together({sizes, at})};
}

/// The code of the dtype; -1 if ExecuTorch lists none for MLX.
double number_of_dtype(Dtype dtype) {
  return is_of_mlx(dtype) ? static_cast<double>(code_of_dtype(dtype).value_or(-1)) : -1;
}

Compared product(const MlxFields& f, const Meant& m) {
  if (m.has_keyword("alpha") || m.has_keyword("beta")) return {};
  const Said bias = field(f, 3);
  const bool biased = bias && (*bias)[0] == 1;
  return {biased ? said_together({field(f, 4), field(f, 5)}) : field(f, 4),
          biased ? Doubles{1, 1} : Doubles{1}};
}

Said single(Said value) {
  if (value) (*value)[0] = static_cast<double>(static_cast<float>((*value)[0]));
  return value;
}
Doubles given(const Meant& m, std::size_t k, std::string_view keyword) {
  const Arg* one = m.arg(k, keyword);
  return {one != nullptr && one->kind == Arg::Kind::ref ? 1.0 : 0.0};
}

/// The number of last axes that are normalized together. MLX normalizes the last axis only.
Said axes_normed(const Meant& m) {
  const Arg* shape = m.arg(1, "normalized_shape");
  if (shape == nullptr || shape->kind != Arg::Kind::list) return std::nullopt;
  return Doubles{static_cast<double>(shape->list.size())};
}

Compared layer_norm(const MlxFields& f, const Meant& m) {
  return {said_together({Doubles{1}, field(f, 2), field(f, 3), single(field(f, 4))}),
          said_together({axes_normed(m), given(m, 2, "weight"), given(m, 3, "bias"),
                         single(m.numbers(4, "eps", Doubles{1e-5}))})};
}

/// Without `eps` PyTorch uses the epsilon of its compute dtype, which is f32 for all dtypes of MLX.
Compared rms_norm(const MlxFields& f, const Meant& m) {
  return {
      said_together({Doubles{1}, field(f, 1), single(field(f, 3))}),
      said_together({axes_normed(m), given(m, 2, "weight"), single(m.numbers(3, "eps", Doubles{0x1p-23}))})};
}

Compared rolled(const MlxFields& f, const Meant& m) {
  return {
      said_together({field(f, 2), from_front(field(f, 3), rank_of(m))}),
      said_together({m.numbers(1, "shifts", {}), from_front(m.numbers(2, "dims", Doubles{}), rank_of(m))})};
}

Compared attention(const MlxFields& f, const Meant& m) {
  const Said sizes = sizes_of(m.operand());
  if (m.op() != "aten.scaled_dot_product_attention" || !sizes || sizes->empty()) return {};
  Said own = field(f, 4), scale = m.numbers(99, "scale", Doubles{1 / std::sqrt(sizes->back())});
  if (own && scale && std::abs((*own)[0] - (*scale)[0]) <= 1e-6 * std::abs((*scale)[0])) own = scale;
  return {said_together({own, field(f, 5), field(f, 6)}),
          said_together({scale, given(m, 3, "attn_mask"), m.numbers(5, "is_causal", Doubles{0})})};
}

Compared gelu(const MlxFields& f, const Meant& m) {
  const Arg* how = m.arg(1, "approximate");
  const std::string_view text = how == nullptr ? std::string_view("none") : std::string_view(*how->text);
  return {field(f, 2), Doubles(text.begin(), text.end())};
}

Compared taken(const MlxFields& f, const Meant& m) {
  if (m.op() == "aten.embedding") return {field(f, 3), Doubles{0}};
  if (m.op() == "aten.index_select") return axis(f, m, 3, 1, {});
  if (m.op() == "aten.index") return {from_front(field(f, 3), rank_of(m)), m.indexed_axis()};
  if (m.op().find("select") == std::string_view::npos) return {};
  const Compared at = axis(f, m, 3, 1, {});
  return {said_together({at.own, field(f, 2)}), said_together({at.meant, m.numbers(2, "index", {})})};
}

Compared convolution(const MlxFields& f, const Meant& m) {
  const std::size_t dims = m.operand()->shape.size() - 2;
  Compared out{Doubles{}, Doubles{}};
  std::size_t at = 3;
  for (std::size_t arg = 2; arg < 5; ++arg) {
    Said all = m.numbers(arg, "", {});
    if (all && all->size() == 1) all->resize(dims, (*all)[0]);
    out.meant = said_together({out.meant, all});
    for (std::size_t k = 0; k < dims; ++k) out.own = said_together({out.own, field(f, at++)});
  }
  return {said_together({out.own, field(f, at)}), said_together({out.meant, m.numbers(5, "", {})})};
}

/// Stride, padding, dilation and output padding, each of two dimensions, then groups.
Compared transposed_convolution(const MlxFields& f, const Meant& m) {
  Compared out{Doubles{}, Doubles{}};
  for (std::size_t arg = 2; arg < 7; ++arg) out.meant = said_together({out.meant, m.numbers(arg, "", {})});
  for (std::size_t at = 3; at < 12; ++at) out.own = said_together({out.own, field(f, at)});
  return out;
}

/// MLX lists both ends of each axis, the first axis first. PyTorch lists the last axis first and may leave
/// out leading axes.
Compared padding(const MlxFields& f, const Meant& m) {
  constexpr std::string_view kConstant = "constant";
  const Said given = m.numbers(1, "pad", {});
  const std::size_t rank = m.operand()->shape.size();
  if (!given || given->size() % 2 != 0 || given->size() > 2 * rank) return {};
  Doubles meant(2 * rank - given->size(), 0);
  for (std::size_t k = given->size(); k > 0; k -= 2)
    meant.insert(meant.end(), {(*given)[k - 2], (*given)[k - 1]});
  return {said_together({field(f, 2), field(f, 3), field(f, 4)}),
          said_together({meant, Doubles(kConstant.begin(), kConstant.end()),
                         single(m.numbers(2, "value", Doubles{0}))})};
}

Compared strided(const MlxFields& f, const Meant& m) {
  return {said_together({field(f, 2), field(f, 3), field(f, 4)}),
          said_together({m.numbers(1, "size", {}), m.numbers(2, "stride", {}),
                         m.numbers(3, "storage_offset", Doubles{0})})};
}

/// For operators that take no tensor.
Compared made_of_numbers(std::string_view node, const MlxFields& f, const Meant& m) {
  const Type* made = m.result();
  if (made == nullptr) return {};
  const Doubles dtype{number_of_dtype(made->dtype)};
  if (node == "ARangeNode") {
    const bool from_zero = m.overload() == ".default", by_step = m.overload() == ".start_step";
    const Said start = from_zero ? Doubles{0} : m.numbers(0, "start", Doubles{0}),
               step = by_step ? m.numbers(2, "step", Doubles{1}) : Doubles{1};
    return {said_together({field(f, 1), field(f, 2), field(f, 3), field(f, 4)}),
            said_together({start, m.numbers(from_zero ? 0 : 1, "end", {}), step, dtype})};
  }
  Said value = m.op() == "aten.ones" ? Doubles{1} : Doubles{0};
  if (m.op() == "aten.full") value = m.numbers(1, "fill_value", {});
  return {said_together({field(f, 1), field(f, 2), field(f, 3)}),
          said_together({sizes_of(made), value, dtype})};
}

Compared cumulated(const MlxFields& f, const Meant& m) {
  const Compared at = axis(f, m, 2, 1, {});
  return {said_together({at.own, field(f, 3), field(f, 4)}), said_together({at.meant, Doubles{0, 1}})};
}

Compared compared(std::string_view node, const MlxFields& f, const Meant& m) {
  constexpr std::string_view kReductions[] = {"SumNode", "MeanNode", "MaxNode", "MinNode",       "VarNode",
                                              "StdNode", "AnyNode",  "AllNode", "LogSumExpNode", "ProdNode"};
  if (std::ranges::find(kReductions, node) != std::end(kReductions)) return reduction(f, m);
  if (node == "TransposeNode") return permutation(f, m);
  if (node == "ReshapeNode") return shape(f, m);
  if (node == "BroadcastToNode") return broadcast(f, m);
  if (node == "SoftmaxNode") return axis(f, m, 2, 1, {});
  if (node == "SliceNode") return slice(f, m, 2);
  if (node == "SliceUpdateNode") return slice(f, m, 3);
  if (node == "ConcatenateNode") return axis(f, m, 2, 1, Doubles{0});
  if (node == "StackNode") return axis(f, m, 2, 1, Doubles{0}, 1);
  if (node == "ExpandDimsNode") return axis(f, m, 2, 1, {}, 1);
  if (node == "SplitNode") return split(f, m);
  if (node == "AsTypeNode" && m.result() != nullptr)
    return {field(f, 2), Doubles{number_of_dtype(m.result()->dtype)}};
  if (node == "AddmmNode") return product(f, m);
  if (node == "LayerNormNode") return layer_norm(f, m);
  if (node == "RMSNormNode") return rms_norm(f, m);
  if (node == "RollNode") return rolled(f, m);
  if (node == "SdpaNode") return attention(f, m);
  if (node == "GeluNode") return gelu(f, m);
  if (node == "TakeNode") return taken(f, m);
  if (node == "TakeAlongAxisNode") return axis(f, m, 3, 1, {});
  if (node == "IndexCopyNode") return axis(f, m, 4, 1, {});
  if (node == "CumsumNode") return cumulated(f, m);
  if (node == "TrilNode" || node == "TriuNode") return {field(f, 2), m.numbers(1, "diagonal", Doubles{0})};
  if (node == "RoundNode") return {field(f, 2), m.numbers(9, "decimals", Doubles{0})};
  if (node == "Conv1DNode" || node == "Conv2DNode" || node == "Conv3DNode") return convolution(f, m);
  if (node == "ConvTranspose2DNode") return transposed_convolution(f, m);
  if (node == "PadNode") return padding(f, m);
  if (node == "FlipNode" && m.operand() != nullptr)
    return {sorted(from_front(field(f, 2), rank_of(m))),
            sorted(from_front(m.numbers(1, "dims", {}), rank_of(m)))};
  if (node == "AsStridedNode") return strided(f, m);
  if (node == "ContiguousNode") return {Doubles{}, Doubles{}};
  return {};
}

/// True if the operator converts to another dtype first, which these instructions never do.
bool converts(std::string_view node, const Meant& m) {
  constexpr std::string_view kKeep[] = {"CumsumNode", "SoftmaxNode", "SumNode", "MeanNode", "ProdNode"};
  const Type *from = m.operand(), *to = m.result();
  return std::ranges::find(kKeep, node) != std::end(kKeep) && from != nullptr && to != nullptr &&
         from->dtype != to->dtype;
}

}  // namespace

MlxSays says_of(std::string_view node, const MlxFields& fields, const Graph& graph, const Step& meant) {
  const Meant m(graph, meant);
  const bool makes = node == "FullNode" || node == "ARangeNode";  // takes no tensor
  if (converts(node, m)) return MlxSays::other;
  if (fields.empty() || (!makes && m.operand() == nullptr)) return MlxSays::unsaid;
  const Compared both = makes ? made_of_numbers(node, fields, m) : compared(node, fields, m);
  if (!both.own || !both.meant) return MlxSays::unsaid;
  return *both.own == *both.meant ? MlxSays::same : MlxSays::other;
}

}  // namespace noclobber
