// XNNPACK nodes that only move data.
#include <algorithm>

#include "src/lower/xnnpack/steps.h"

namespace noclobber {
namespace {

bool is_permutation_of(const XnnSizes& perm, std::size_t rank) {
  XnnSizes sorted = perm;
  std::ranges::sort(sorted);
  for (std::size_t k = 0; k < sorted.size(); ++k)
    if (sorted[k] != static_cast<std::int64_t>(k)) return false;
  return perm.size() == rank;
}

/// True if the step pads with `value` by `pads`: before and behind each dimension, the last one first.
bool xnn_padded_like(const XnnSteps& p, const Step& step, const XnnSizes& pads, float value) {
  if (step.args.size() < 2 || step.args[1].kind != Arg::Kind::list || step.args[1].list.size() > pads.size())
    return false;
  for (std::size_t k = 0; k < pads.size(); ++k) {
    const bool said = k < step.args[1].list.size();
    if (said ? step.args[1].list[k] != Arg::of(SymExpr(pads[k])) : pads[k] != 0) return false;
  }
  const Arg* with = p.argument(step, "value");
  return with == nullptr ? value == 0 : xnn_is(*with, value);
}

}  // namespace

void xnn_copy(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (x) xnn_pointwise(p, node, *x, [](ValueId value, const XnnSizes&) { return value; });
}

/// Integers move as their numbers do. Both are kept for the permutations by which ExecuTorch lays out images.
void xnn_transpose(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  const XnnSizes& perm = node.lists[0];
  const bool fits =
      is_permutation_of(perm, x->shape.size()) && node.numbers[0] == static_cast<std::int64_t>(perm.size());
  if (!fits) return p.refuse(node, "no permutation of the operand's dimensions");
  XnnSizes shape;
  for (const std::int64_t dim : perm) shape.push_back(x->shape[static_cast<std::size_t>(dim)]);
  const bool to_first = perm == XnnSizes{0, 3, 1, 2}, to_last = perm == XnnSizes{0, 2, 3, 1};
  const auto moved = [&](const XnnGiven& of) {
    if (to_first) return p.channels_first(of);
    if (to_last) return p.channels_last(of.value, shape);
    return p.emit("aten.permute_copy.default", {Arg::of(of.value), xnn_list(perm)}, shape);
  };
  p.make(node, moved(*x), shape);
  const XnnGiven* integers = p.held(node.inputs[0]);
  const bool both =
      p.going() && (to_first || to_last) && integers->dtype == Dtype::i8 && integers->value.valid();
  if (both) p.values[node.output].value = moved(*integers);
}

void xnn_reshape(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  XnnSizes shape = node.lists[0];
  if (std::ranges::count(shape, 0) == 1) {  // one size is inferred from the others
    std::int64_t others = 1;
    for (const std::int64_t size : shape)
      if (size != 0 && __builtin_mul_overflow(others, size, &others))
        return p.refuse(node, "sizes that are too large");
    std::ranges::replace(shape, 0, xnn_count(x->shape) / others);
  }
  const bool fits = xnn_count(shape) == xnn_count(x->shape) && xnn_count(shape) > 0 &&
                    node.numbers[0] == static_cast<std::int64_t>(shape.size());
  if (!fits) return p.refuse(node, "sizes of another number of elements");
  p.make(node, p.emit("aten.view_copy.default", {Arg::of(x->value), xnn_list(shape)}, shape), shape);
}

void xnn_slice(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  const XnnSizes &begin = node.lists[0], &size = node.lists[1];
  const std::size_t rank = x->shape.size();
  if (begin.size() != rank || size.size() != rank || node.numbers[0] != static_cast<std::int64_t>(rank))
    return p.refuse(node, "not of every dimension");
  const auto image = p.images.find(x->value.index);
  const bool is_image = image != p.images.end();
  XnnSizes shape = is_image ? xnn_first(x->shape) : x->shape;
  ValueId out = is_image ? image->second : x->value;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t dim = is_image ? kXnnFirst[k] : k;
    if (size[k] <= 0 || begin[k] > shape[dim] - size[k]) return p.refuse(node, "outside of the operand");
    if (begin[k] == 0 && size[k] == shape[dim]) continue;
    shape[dim] = size[k];
    out = p.emit("aten.slice_copy.Tensor",
                 {Arg::of(out), xnn_whole(static_cast<std::int64_t>(dim)), xnn_whole(begin[k]),
                  xnn_whole(begin[k] + size[k]), xnn_whole(1)},
                 shape);
  }
  is_image ? p.make_image(node, out, shape) : p.make(node, out, shape);
}

void xnn_concatenate(XnnSteps& p, const XnnNode& node) {
  const auto count = static_cast<std::size_t>(node.kind.back() - '0');
  XnnArgs all, images;
  XnnSizes shape;
  const auto axis = static_cast<std::size_t>(node.numbers[0]);
  for (std::size_t k = 0; k < count; ++k) {
    const auto x = p.operand(node, k);
    if (!x) return;
    if (axis >= x->shape.size()) return p.refuse(node, "an axis that is none");
    XnnSizes rest = x->shape;
    if (k == 0) shape = rest;
    rest[axis] = shape[axis];
    if (rest != shape) return p.refuse(node, "operands of other sizes");
    if (k > 0) shape[axis] += x->shape[axis];
    all.push_back(Arg::of(x->value));
    if (const auto image = p.images.find(x->value.index); image != p.images.end())
      images.push_back(Arg::of(image->second));
  }
  const bool are_images = images.size() == count;
  const auto dim = static_cast<std::int64_t>(are_images ? kXnnFirst[axis] : axis);
  if (are_images) shape = xnn_first(shape);
  const ValueId out = p.emit(
      "aten.cat.default", {Arg::of(are_images ? std::move(images) : std::move(all)), xnn_whole(dim)}, shape);
  are_images ? p.make_image(node, out, shape) : p.make(node, out, shape);
}

void xnn_pad(XnnSteps& p, const XnnNode& node) {
  const auto x = p.operand(node, 0);
  if (!x) return;
  const XnnSizes &before = node.lists[0], &behind = node.lists[1];
  const std::size_t rank = x->shape.size();
  if (before.size() != rank || behind.size() != rank) return p.refuse(node, "not of every dimension");
  XnnSizes shape = x->shape;
  for (std::size_t k = 0; k < rank; ++k) shape[k] += before[k] + behind[k];
  const auto pads_of = [&](const XnnSizes& order) {
    XnnSizes out;
    for (std::size_t k = order.size(); k-- > 0;) {
      out.push_back(before[static_cast<std::size_t>(order[k])]);
      out.push_back(behind[static_cast<std::size_t>(order[k])]);
    }
    return out;
  };
  XnnSizes own(rank);
  for (std::size_t k = 0; k < rank; ++k) own[k] = static_cast<std::int64_t>(k);
  const float value = node.reals[0];
  const auto found = [&](const XnnSizes& pads) {
    std::vector<const Step*> out;
    for (const Step* step : p.meant("aten.constant_pad_nd"))
      if (xnn_padded_like(p, *step, pads, value)) out.push_back(step);
    return out;
  };
  if (rank == 4 && p.images.contains(x->value.index))
    if (const auto all = found(pads_of({0, 3, 1, 2})); !all.empty())
      return p.make_image(node, p.like(*all[0], {Arg::of(p.channels_first(*x))}),
                          {shape[0], shape[3], shape[1], shape[2]});
  if (const auto all = found(pads_of(own)); !all.empty())
    return p.make(node, p.like(*all[0], {Arg::of(x->value)}), shape);
  p.make(node,
         p.emit("aten.constant_pad_nd.default",
                {Arg::of(x->value), xnn_list(pads_of(own)), Arg::of_real(value)}),
         shape);
}

}  // namespace noclobber
