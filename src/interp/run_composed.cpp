#include "src/interp/run_composed.h"

#include <algorithm>
#include <array>

#include "src/interp/run_step.h"

namespace noclobber {
namespace {

bool takes(const Schema& schema, std::initializer_list<std::string_view> names) {
  return std::ranges::equal(schema.arguments, names, {}, &SchemaSlot::name);
}

Array shown_as(const Array& a, Extents shape, Extents stride) {
  return {{a.at.dtype, std::move(shape), std::move(stride), a.at.offset, a.at.conjugated}, a.memory};
}
Array turned(const Array& a, const std::vector<std::size_t>& order) {
  Extents shape, stride;
  for (const std::size_t k : order) shape.push_back(a.at.shape[k]), stride.push_back(a.at.stride[k]);
  return shown_as(a, std::move(shape), std::move(stride));
}

/// A row-major copy in fresh memory. Empty on a fault, which ends the run.
std::optional<Array> packed(Machine& m, Frame& frame, const Array& a) {
  Call call = m.new_call(frame);
  const Array out = call.output(a.at.dtype, a.at.shape);
  if (call.ok()) copy_elements(call, a, out);
  m.adopt(call);
  if (call.fault) m.take_fault(frame, *call.fault);
  return call.fault ? std::nullopt : std::optional(out);
}

/// The result of a kernel. Empty if it refuses the arguments, which does not end the run, or at a bound,
/// which does.
std::optional<Array> computed(Machine& m, Frame& frame, std::string_view op, std::vector<Datum> args) {
  const KernelRow* row = find_kernel(op);
  if (row == nullptr) return std::nullopt;
  Call call = m.new_call(frame);
  call.args = std::move(args);
  run_kernel(*row, call);
  if (call.fault && call.fault->kind != Fault::Kind::bound) return std::nullopt;
  m.adopt(call);
  if (call.fault) m.take_fault(frame, *call.fault);
  return call.fault ? std::nullopt : std::optional(call.results[0].tensor);
}

/// alpha * (x times a matrix) + beta * bias, over the last dimension of x; the others are batch dimensions.
std::optional<Array> addmm(Machine& m, Frame& frame, const std::vector<Datum>& args) {
  const Array &x = args[0].tensor, &y = args[1].tensor;
  const bool biased = args[2].kind == Datum::Kind::tensor;
  if (x.at.shape.empty() || y.at.rank() != 2 || x.at.numel() == 0 || y.at.numel() == 0) return std::nullopt;
  const auto alpha = args[3].number();
  if (!biased && alpha && alpha->as_real() != 1) return std::nullopt;
  const auto rows = packed(m, frame, x);
  if (!rows) return std::nullopt;
  const std::int64_t depth = x.at.shape.back();
  const Array flat = shown_as(*rows, {x.at.numel() / depth, depth}, {depth, 1});
  std::vector<Datum> all{Datum::of(flat), args[1]};
  if (biased) all = {args[2], all[0], all[1], args[4], args[3]};
  const auto made = computed(m, frame, biased ? "aten.addmm.default" : "aten.mm.default", std::move(all));
  if (!made) return std::nullopt;
  Extents shape = x.at.shape;
  shape.back() = y.at.shape[1];
  return shown_as(*made, shape, contiguous_strides(shape));
}

/// A convolution with channels last. The weight has its input channels last too, also if transposed.
std::optional<Array> convolution(Machine& m, Frame& frame, const std::vector<Datum>& args, bool transposed) {
  const Array &x = args[0].tensor, &w = args[1].tensor;
  const std::size_t rank = x.at.shape.size();
  if (rank < 3 || w.at.shape.size() != rank || x.at.numel() == 0 || w.at.numel() == 0) return std::nullopt;
  std::vector<std::size_t> first{0, rank - 1}, of_weight{0, rank - 1}, last{0};
  if (transposed) std::swap(of_weight[0], of_weight[1]);
  for (std::size_t k = 1; k + 1 < rank; ++k)
    first.push_back(k), of_weight.push_back(k), last.push_back(k + 1);
  last.push_back(1);
  const Datum behind = transposed ? args[5] : Datum::of_list(std::vector<Datum>(rank - 2, Datum::of(0)));
  const auto made = computed(m, frame, "aten.convolution.default",
                             {Datum::of(turned(x, first)), Datum::of(turned(w, of_weight)), Datum{}, args[2],
                              args[3], args[4], Datum::of_bool(transposed), behind, args.back()});
  return made ? packed(m, frame, turned(*made, last)) : std::nullopt;
}

}  // namespace

bool run_mlx(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const std::vector<Datum>& args = invocation.args;
  const Schema& schema = *invocation.schema;
  if (schema.ns != "mlx" || args.size() < 2 || args[0].kind != Datum::Kind::tensor ||
      args[1].kind != Datum::Kind::tensor)
    return false;
  std::optional<Array> made;
  if (schema.name == "addmm" && takes(schema, {"mat1", "mat2", "bias", "alpha", "beta"}))
    made = addmm(m, frame, args);
  else if (schema.name == "conv" && takes(schema, {"x", "w", "stride", "padding", "dilation", "groups"}))
    made = convolution(m, frame, args, false);
  else if (schema.name == "conv_transpose" &&
           takes(schema, {"x", "w", "stride", "padding", "dilation", "output_padding", "groups"}))
    made = convolution(m, frame, args, true);
  if (!made) return !m.going();
  bind_results(m, frame, step, invocation, std::array{Datum::of(*made)});
  return true;
}

bool run_attention(Machine& m, Frame& frame, const Step& step, const Invocation& invocation) {
  const std::vector<Datum>& args = invocation.args;
  if (step.op != "aten.scaled_dot_product_attention.default" || args.size() < 8) return false;
  for (std::size_t k = 0; k < 3; ++k)
    if (args[k].kind != Datum::Kind::tensor || args[k].tensor.at.rank() != 4) return false;
  const auto dropout = args[4].number();
  const bool shared = args[7].kind == Datum::Kind::boolean && args[7].boolean;
  if (!dropout || dropout->as_real() != 0 ||
      (!shared && args[0].tensor.at.shape[1] != args[1].tensor.at.shape[1]))
    return false;
  const auto made = computed(m, frame, "aten._scaled_dot_product_flash_attention_for_cpu.default",
                             {args[0], args[1], args[2], args[4], args[5], args[3], args[6]});
  if (!made) return !m.going();
  bind_results(m, frame, step, invocation, std::array{Datum::of(*made)});
  return true;
}

}  // namespace noclobber
