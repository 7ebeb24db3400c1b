// Checks whether the shapes and numbers of an MLX instruction fit. Its handler fails with an error if they do
// not; otherwise they determine the shape of the result.
#include "src/lower/mlx/fits.h"

#include <algorithm>
#include <set>

#include "src/lower/mlx/ops.h"

namespace noclobber {
namespace {

using MlxShapes = std::vector<MlxExtents>;

constexpr double kMlxMost = 9.2e18;                          // beyond any bound of a slice
constexpr std::int64_t kMlxLargest = std::int64_t{1} << 40;  // elements along an axis

/// What the handler of an instruction gets.
struct MlxCall {
  std::string_view node;
  const MlxFields& fields;
  const MlxShapes& of;

  std::optional<std::int64_t> number(std::size_t k) const {
    const auto all = list(k);
    return all && all->size() == 1 ? std::optional((*all)[0]) : std::nullopt;
  }
  std::optional<MlxExtents> list(std::size_t k) const {
    if (k >= fields.size() || !fields[k]) return std::nullopt;
    MlxExtents out;
    for (const double one : *fields[k])
      out.push_back(static_cast<std::int64_t>(std::clamp(one, -kMlxMost, kMlxMost)));
    return out;
  }
};

MlxFit fits(MlxExtents made) { return {std::move(made), ""}; }
MlxFit refuses(std::string why) { return {std::nullopt, std::move(why)}; }

std::string text_of(const MlxExtents& all) {
  std::string out = "[";
  for (const std::int64_t one : all) out += (out.size() > 1 ? ", " : "") + std::to_string(one);
  return out + "]";
}

std::int64_t rank(const MlxExtents& of) { return static_cast<std::int64_t>(of.size()); }
std::int64_t& at(MlxExtents& of, std::int64_t k) { return of[static_cast<std::size_t>(k)]; }
std::int64_t at(const MlxExtents& of, std::int64_t k) { return of[static_cast<std::size_t>(k)]; }

/// The axis, counted from the front; empty if there is no such axis.
std::optional<std::int64_t> axis_of(std::int64_t axis, std::int64_t rank) {
  if (axis < -rank || axis >= rank) return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}
MlxFit no_axis(std::int64_t axis, const MlxExtents& of) {
  return refuses(text_of(of) + " has no axis " + std::to_string(axis));
}

std::optional<MlxExtents> together(const MlxExtents& a, const MlxExtents& b) {
  MlxExtents out = a.size() < b.size() ? b : a;
  const MlxExtents& less = a.size() < b.size() ? a : b;
  for (std::size_t k = 0; k < less.size(); ++k) {
    std::int64_t& mine = out[out.size() - less.size() + k];
    if (mine != less[k] && mine != 1 && less[k] != 1) return std::nullopt;
    if (mine == 1) mine = less[k];
  }
  return out;
}

/// The number of elements; -1 if a size is negative or the number overflows.
std::int64_t elements(const MlxExtents& all) {
  std::int64_t out = 1;
  for (const std::int64_t one : all)
    if (one < 0 || __builtin_mul_overflow(out, one, &out)) return -1;
  return out;
}

MlxFit pointwise(const MlxCall& call) {
  MlxExtents out = call.of[0];
  for (std::size_t k = 1; k < call.of.size(); ++k) {
    const auto both = together(out, call.of[k]);
    if (!both) return refuses(text_of(out) + " and " + text_of(call.of[k]) + " do not broadcast");
    out = *both;
  }
  return fits(std::move(out));
}

MlxFit as_first(const MlxCall& call) { return fits(call.of[0]); }

MlxFit product(const MlxCall& call) {
  if (call.of.size() < 2) return {};
  const MlxExtents &a = call.of[0], &b = call.of[1];
  const std::string both = text_of(a) + " times " + text_of(b);
  if (a.empty() || b.empty()) return refuses("it is given " + both);
  const bool row = a.size() == 1, column = b.size() == 1;
  if (a.back() != (column ? b[0] : b[b.size() - 2])) return refuses("it is given " + both);
  auto out = together(row ? MlxExtents{} : MlxExtents{a.begin(), a.end() - 2},
                      column ? MlxExtents{} : MlxExtents{b.begin(), b.end() - 2});
  if (!out) return refuses("it is given " + both);
  if (!row) out->push_back(a[a.size() - 2]);
  if (!column) out->push_back(b.back());
  if (call.of.size() < 3) return fits(*std::move(out));
  const auto whole = together(*out, call.of[2]);
  if (!whole) return refuses(text_of(*out) + " and the row " + text_of(call.of[2]) + " do not broadcast");
  return *whole == *out ? fits(*std::move(out)) : MlxFit{};
}

MlxFit reshape(const MlxCall& call) {
  auto wanted = call.list(2);
  if (!wanted) return {};
  const std::string how = text_of(call.of[0]) + " is no " + text_of(*wanted);
  const std::int64_t all = elements(call.of[0]);
  const auto open = std::ranges::find(*wanted, -1);
  if (open != wanted->end()) {
    *open = 1;
    const std::int64_t rest = elements(*wanted);
    if (rest <= 0 || all % rest != 0) return refuses(how);
    *open = all / rest;
  }
  return elements(*wanted) == all ? fits(*std::move(wanted)) : refuses(how);
}

MlxFit transpose(const MlxCall& call) {
  const auto order = call.list(2);
  if (!order) return {};
  const MlxExtents& of = call.of[0];
  MlxExtents out;
  std::set<std::int64_t> seen;
  for (const std::int64_t one : *order) {
    const auto from = axis_of(one, rank(of));
    if (!from || !seen.insert(*from).second) break;
    out.push_back(at(of, *from));
  }
  if (out.size() != order->size() || out.size() != of.size())
    return refuses(text_of(*order) + " is no order of the axes of " + text_of(of));
  return fits(std::move(out));
}

MlxFit softmax(const MlxCall& call) {
  const auto axis = call.number(2);
  return axis && !axis_of(*axis, rank(call.of[0])) ? no_axis(*axis, call.of[0]) : fits(call.of[0]);
}

MlxFit reduction(const MlxCall& call) {
  auto axes = call.list(2);
  const auto keep = call.number(3);
  if (!axes || !keep) return {};
  const MlxExtents& of = call.of[0];
  std::set<std::int64_t> gone;
  for (const std::int64_t one : *axes) {
    const auto axis = axis_of(one, rank(of));
    if (!axis) return no_axis(one, of);
    if (!gone.insert(*axis).second) return refuses("axis " + std::to_string(*axis) + " is named twice");
  }
  MlxExtents out;
  for (std::int64_t k = 0; k < rank(of); ++k) {
    const bool reduced = axes->empty() || gone.contains(k);
    if (!reduced || *keep != 0) out.push_back(reduced ? 1 : at(of, k));
  }
  return fits(std::move(out));
}

MlxFit concatenation(const MlxCall& call) {
  const auto number = call.number(2);
  if (!number) return {};
  MlxExtents out = call.of[0];
  const auto axis = axis_of(*number, rank(out));
  if (!axis) return no_axis(*number, out);
  for (std::size_t k = 1; k < call.of.size(); ++k) {
    MlxExtents next = call.of[k];
    const bool alike = next.size() == out.size();
    const std::int64_t more = alike ? at(next, *axis) : 0;
    if (alike) at(next, *axis) = at(out, *axis);
    if (next != out)
      return refuses(text_of(call.of[0]) + " and " + text_of(call.of[k]) + " meet along axis " +
                     std::to_string(*axis));
    at(out, *axis) += more;
  }
  return fits(std::move(out));
}

/// The shape of a slice of the first operand; empty if a number comes from a register.
std::optional<MlxFit> part_of(const MlxCall& call, std::size_t first) {
  const auto number = call.number(first), start = call.number(first + 1), stop = call.number(first + 2),
             step = call.number(first + 3);
  if (!number || !start || !stop || !step || *step <= 0) return std::nullopt;
  MlxExtents out = call.of[0];
  const auto axis = axis_of(*number, rank(out));
  if (!axis) return no_axis(*number, out);
  const std::int64_t size = at(out, *axis);
  const auto bound = [&](std::int64_t k) { return std::clamp<std::int64_t>(k < 0 ? k + size : k, 0, size); };
  const std::int64_t length = std::max<std::int64_t>(0, bound(*stop) - bound(*start));
  at(out, *axis) = (length + *step - 1) / *step;
  return fits(std::move(out));
}
MlxFit slice(const MlxCall& call) { return part_of(call, 2).value_or(MlxFit{}); }

MlxFit slice_update(const MlxCall& call) {
  const auto part = call.of.size() == 2 ? part_of(call, 3) : std::nullopt;
  if (!part || !part->made) return part.value_or(MlxFit{});
  if (together(*part->made, call.of[1]) != part->made)
    return refuses("a part of shape " + text_of(*part->made) + " is given " + text_of(call.of[1]));
  return fits(call.of[0]);
}

MlxFit broadcast_to(const MlxCall& call) {
  auto wanted = call.list(2);
  if (!wanted) return {};
  const std::int64_t more = rank(*wanted) - rank(call.of[0]);
  for (std::int64_t k = std::max<std::int64_t>(more, 0); k < rank(*wanted); ++k)
    if (at(*wanted, k) == -1) at(*wanted, k) = at(call.of[0], k - more);
  if (elements(*wanted) < 0) return {};
  if (together(*wanted, call.of[0]) != wanted)
    return refuses(text_of(call.of[0]) + " does not broadcast to " + text_of(*wanted));
  return fits(*wanted);
}

MlxFit padded(const MlxCall& call) {
  const auto ends = call.list(2);
  if (!ends) return {};
  MlxExtents out = call.of[0];
  if (ends->size() != 2 * out.size() || std::ranges::any_of(*ends, [](std::int64_t one) { return one < 0; }))
    return refuses(text_of(out) + " is padded by " + text_of(*ends));
  for (std::size_t k = 0; k < ends->size(); ++k) out[k / 2] += (*ends)[k];
  return fits(std::move(out));
}

MlxFit shown(const MlxCall& call) {
  auto shape = call.list(2);
  return shape && elements(*shape) >= 0 ? fits(*std::move(shape)) : MlxFit{};
}

MlxFit flipped(const MlxCall& call) {
  const auto axes = call.list(2);
  if (!axes) return {};
  for (const std::int64_t axis : *axes)
    if (!axis_of(axis, rank(call.of[0]))) return no_axis(axis, call.of[0]);
  return fits(call.of[0]);
}

/// Takes along an axis, at one index or at the indices of a second operand.
MlxFit take(const MlxCall& call) {
  const auto number = call.number(3);
  if (!number) return {};
  const MlxExtents& of = call.of[0];
  const auto axis = axis_of(*number, rank(of));
  if (!axis) return no_axis(*number, of);
  if (call.of.size() < 2 && !call.number(2)) return {};
  MlxExtents out(of.begin(), of.begin() + *axis);
  if (call.of.size() > 1) out.insert(out.end(), call.of[1].begin(), call.of[1].end());
  out.insert(out.end(), of.begin() + *axis + 1, of.end());
  return fits(std::move(out));
}

/// Queries, keys and values have the axes batch, heads, length, width.
MlxFit attention(const MlxCall& call) {
  if (call.of.size() < 3) return {};
  const MlxExtents &q = call.of[0], &k = call.of[1], &v = call.of[2];
  const std::string all =
      "it is given queries " + text_of(q) + ", keys " + text_of(k) + " and values " + text_of(v);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4) return refuses(all);
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[1] == 0 || q[1] % k[1] != 0 || q[3] != k[3] ||
      k[2] != v[2])
    return refuses(all);
  const MlxExtents scores{q[0], q[1], q[2], k[2]};
  if (call.of.size() > 3 && together(scores, call.of[3]) != scores)
    return refuses("the mask " + text_of(call.of[3]) + " does not broadcast to " + text_of(scores));
  return fits({q[0], q[1], q[2], v[3]});
}

MlxFit normalised(const MlxCall& call) {
  const MlxExtents& of = call.of[0];
  if (of.empty()) return refuses("a number has no last axis");
  for (std::size_t k = 1; k < call.of.size(); ++k)
    if (call.of[k] != MlxExtents{of.back()})
      return refuses("rows of " + std::to_string(of.back()) + " are given " + text_of(call.of[k]));
  return fits(of);
}

/// The input has the axes batch, space, channels; the weight has output channels, space, channels of a group.
MlxFit convolution(const MlxCall& call) {
  const MlxExtents &x = call.of[0], &w = call.of[1];
  const std::int64_t space = call.node[4] - '0',
                     groups = call.number(3 + static_cast<std::size_t>(3 * space)).value_or(1);
  const std::string both = text_of(x) + " and the weight " + text_of(w);
  if (rank(x) != space + 2 || rank(w) != space + 2) return refuses("it is given " + both);
  if (groups <= 0) return refuses(std::to_string(groups) + " groups");
  if (x.back() != w.back() * groups || w[0] % groups != 0)
    return refuses("it is given " + both + " in " + std::to_string(groups) + " groups");
  MlxExtents out{x[0]};
  for (std::int64_t k = 0; k < space; ++k) {
    const auto number = [&](std::int64_t of) {
      return call.number(static_cast<std::size_t>(3 + of * space + k));
    };
    const auto stride = number(0), padding = number(1), dilation = number(2);
    if (!stride || !padding || !dilation) return {};
    if (*stride <= 0 || *padding < 0 || *dilation <= 0)
      return refuses("stride " + std::to_string(*stride) + ", padding " + std::to_string(*padding) +
                     ", dilation " + std::to_string(*dilation));
    const std::int64_t reach = *dilation * (at(w, k + 1) - 1) + 1, room = at(x, k + 1) + 2 * *padding;
    if (reach > room) return refuses("the weight is larger than what it is laid on: " + both);
    out.push_back((room - reach) / *stride + 1);
  }
  out.push_back(w[0]);
  return fits(std::move(out));
}

/// The source has as many elements along the axis as there are indices.
MlxFit index_copy(const MlxCall& call) {
  const auto number = call.number(4);
  if (!number || call.of.size() != 3) return {};
  MlxExtents part = call.of[0];
  const auto axis = axis_of(*number, rank(part));
  if (!axis) return no_axis(*number, part);
  at(part, *axis) = elements(call.of[1]);
  return call.of[1].size() == 1 && part == call.of[2] ? fits(call.of[0]) : MlxFit{};
}

struct MlxFitRule {
  std::string_view node;
  MlxFit (*rule)(const MlxCall&);
};
constexpr MlxFitRule kFitRules[] = {
    {"GeluNode", as_first},
    {"ContiguousNode", as_first},
    {"AsTypeNode", as_first},
    {"SoftmaxNode", softmax},
    {"AddmmNode", product},
    {"ReshapeNode", reshape},
    {"TransposeNode", transpose},
    {"SumNode", reduction},
    {"MeanNode", reduction},
    {"MaxNode", reduction},
    {"MinNode", reduction},
    {"VarNode", reduction},
    {"StdNode", reduction},
    {"ConcatenateNode", concatenation},
    {"SliceNode", slice},
    {"SliceUpdateNode", slice_update},
    {"BroadcastToNode", broadcast_to},
    {"PadNode", padded},
    {"AsStridedNode", shown},
    {"FlipNode", flipped},
    {"TakeNode", take},
    {"IndexCopyNode", index_copy},
    {"SdpaNode", attention},
    {"LayerNormNode", normalised},
    {"RMSNormNode", normalised},
    {"Conv1DNode", convolution},
    {"Conv2DNode", convolution},
    {"Conv3DNode", convolution},
};

}  // namespace

MlxFit mlx_fit(std::string_view node, const MlxFields& fields, const std::vector<MlxExtents>& of) {
  const auto is_odd = [](const MlxExtents& one) {
    return elements(one) < 0 ||
           std::ranges::any_of(one, [](std::int64_t size) { return size > kMlxLargest; });
  };
  if (of.empty() || std::ranges::any_of(of, is_odd)) return {};
  const MlxCall call{node, fields, of};
  if (!mlx_op_of(node).op.empty()) return pointwise(call);
  const auto rule = std::ranges::find(kFitRules, node, &MlxFitRule::node);
  return rule == std::end(kFitRules) ? MlxFit{} : rule->rule(call);
}

}  // namespace noclobber
