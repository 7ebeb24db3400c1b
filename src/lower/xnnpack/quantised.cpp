// Quantised values of XNNPACK. A quantised node becomes its operator on numbers, between dequantising and
// quantising steps, as in the exported program.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "src/graph/constant_bytes.h"
#include "src/lower/pte/case.h"
#include "src/lower/xnnpack/steps.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

constexpr std::string_view kIntoNumbers = "quantized_decomposed.dequantize_per_tensor",
                           kIntoIntegers = "quantized_decomposed.quantize_per_tensor",
                           kOfEachChannel = "quantized_decomposed.dequantize_per_channel";
constexpr float kMostRescaled = 256;  // XNNPACK rejects products with a scale this large
constexpr double kPastIntegers = 2147483648.0;
const char* const kRounded =
    "quantised nodes of XNNPACK compute what operators of PyTorch do of the numbers that integers stand for, "
    "quantised again: but for rounding, by a step of the result";
const char* const kBiases =
    "biases that ExecuTorch quantises, computed again to the bit, change nothing but rounding";

void xnn_assume(XnnSteps& p, const char* what) {
  if (std::ranges::find(p.into.assumed, what) == p.into.assumed.end()) p.into.assumed.emplace_back(what);
}

/// The quantising or dequantising step of the functional program with that scale; nullptr if there is none.
/// Integer bounds do not change what dequantising gives.
const Step* xnn_scaled(const XnnSteps& p, std::string_view base, const XnnQuantum& by) {
  const Step* other = nullptr;
  for (const Step* step : p.meant(base)) {
    const bool same = step->op->ends_with(".default") && step->args.size() == 6 && step->kwargs.empty() &&
                      xnn_is(step->args[1], by.scale) && step->args[2] == xnn_whole(by.zero) &&
                      step->args[5] == Arg::of_dtype(Dtype::i8);
    if (!same || by.scales != 0) continue;
    if (step->args[3] == xnn_whole(-128) && step->args[4] == xnn_whole(127)) return step;
    other = step;
  }
  return base == kIntoNumbers ? other : nullptr;
}

std::vector<float> xnn_scales_of(const XnnSteps& p, const XnnQuantum& by) {
  if (by.scales >= p.program.data.size() || !p.program.data[by.scales].bytes) return {};
  return xnn_floats(*p.program.data[by.scales].bytes);
}

/// True if the step dequantises a weight as the payload does.
bool xnn_weighs(const XnnSteps& p, const Step& step, const XnnQuantum& by, std::int64_t axis) {
  if (!step.kwargs.empty()) return false;
  if (by.scales == 0)
    return base_name(step.op) == kIntoNumbers && step.op->ends_with(".default") && step.args.size() == 6 &&
           by.zero == 0 && xnn_is(step.args[1], by.scale) && step.args[2] == xnn_whole(0) &&
           step.args[5] == Arg::of_dtype(Dtype::i8);
  const bool same = base_name(step.op) == kOfEachChannel && step.args.size() == 7 &&
                    step.args[3] == xnn_whole(axis) && step.args[6] == Arg::of_dtype(Dtype::i8);
  const auto scales = same ? p.floats_of(step.args[1]) : std::nullopt;
  if (!scales || !xnn_same_bits(*scales, xnn_scales_of(p, by))) return false;
  const Input* zeros = p.input_of(step.args[2]);
  return zeros != nullptr && !zeros->bytes.empty() &&
         std::ranges::all_of(*zeros->bytes, [](char byte) { return byte == 0; });
}

/// The factors by which ExecuTorch multiplies a bias, per channel: 1 / (scale of the operand * scale of the
/// weight). In f64, with the scales of the exported program, if the weight has one scale; else in f32.
struct XnnBiasScales {
  std::vector<float> scales, inverse;
};

XnnBiasScales xnn_bias_scales(const XnnSteps& p, const XnnQuantum& given, const Step& weight,
                              std::size_t channels) {
  XnnBiasScales out;
  const Step* operand = xnn_scaled(p, kIntoNumbers, given);
  const auto by = operand ? xnn_number(operand->args[1]) : std::nullopt;
  if (!by) return out;
  if (base_name(weight.op) == kIntoNumbers) {
    const auto own = xnn_number(weight.args[1]);
    if (!own) return out;
    const double both = *own * *by;
    out.scales.assign(channels, static_cast<float>(both));
    out.inverse.assign(channels, static_cast<float>(1.0 / both));
    return out;
  }
  out.scales = p.floats_of(weight.args[1]).value_or(std::vector<float>());
  for (float& scale : out.scales) scale *= static_cast<float>(*by);
  for (const float scale : out.scales) out.inverse.push_back(1.0F / scale);
  return out;
}

/// True if quantising `numbers` gives `made`, computed as in quantize_per_tensor and quantize_per_channel.
bool xnn_quantises_to(const std::vector<float>& numbers, const XnnBiasScales& by, const std::string& made) {
  if (numbers.size() != by.inverse.size() || made.size() != numbers.size() * sizeof(std::int32_t))
    return false;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    std::int32_t own = 0;
    std::memcpy(&own, made.data() + k * sizeof(own), sizeof(own));
    const float rounded = std::nearbyint(numbers[k] * by.inverse[k]);
    if (!(std::abs(static_cast<double>(rounded)) < kPastIntegers) ||
        static_cast<double>(rounded) != static_cast<double>(own))
      return false;
  }
  return true;
}

/// True if a step of the functional program uses both the bias and the weight that `made` defines.
bool xnn_used_with(const XnnSteps& p, ValueId bias, const Step& made) {
  std::vector<ValueId> weights{made.results[0]};
  for (const Step* step : p.meant("aten.permute_copy"))
    if (step->args[0] == Arg::of(made.results[0])) weights.push_back(step->results[0]);
  return std::ranges::any_of(p.into.functional.steps, [&](const Step& step) {
    return std::ranges::find(step.args, Arg::of(bias)) != step.args.end() &&
           std::ranges::any_of(weights, [&](ValueId one) {
             return std::ranges::find(step.args, Arg::of(one)) != step.args.end();
           });
  });
}

/// The functional program's bias that ExecuTorch quantised to these integers; invalid if there is none.
ValueId xnn_bias(XnnSteps& p, const XnnValue& value, const XnnQuantum& given, const Step& weight,
                 std::size_t channels) {
  const std::string* bytes = p.data_of(value.id, Dtype::i32);
  const XnnBiasScales by = xnn_bias_scales(p, given, weight, channels);
  const bool fits = bytes != nullptr && value.dtype == Dtype::i32 && value.quantum &&
                    value.quantum->zero == 0 && value.quantum->channel == 0 &&
                    value.dims == XnnSizes{static_cast<std::int64_t>(channels)} &&
                    by.inverse.size() == channels;
  if (!fits) return {};
  const bool same = value.quantum->scales == 0
                        ? base_name(weight.op) == kIntoNumbers && value.quantum->scale == by.scales[0]
                        : xnn_same_bits(xnn_scales_of(p, *value.quantum), by.scales);
  if (!same) return {};
  ValueId found;
  for (const Input& input : p.into.functional.inputs) {
    const Arg arg = Arg::of(input.value);
    const SharedType& type = p.into.functional.value(input.value).type;
    if (!type || type->shape.size() != 1 || type->shape[0] != SymExpr(value.dims[0])) continue;
    const auto numbers = p.floats_of(arg);
    if (!numbers || !xnn_quantises_to(*numbers, by, *bytes)) continue;
    const bool used = xnn_used_with(p, input.value, weight);
    if (used || !found.valid()) found = p.here(arg);
    if (used) break;
  }
  if (found.valid()) xnn_assume(p, kBiases);
  return found;
}

}  // namespace

std::optional<XnnGiven> xnn_numbers_of(XnnSteps& p, const XnnGiven& x, const XnnQuantum& by) {
  const Step* meant = xnn_scaled(p, kIntoNumbers, by);
  if (meant == nullptr) return std::nullopt;
  xnn_assume(p, kRounded);
  const auto image = p.images.find(x.value.index);
  if (image == p.images.end()) return XnnGiven{p.like(*meant, {Arg::of(x.value)}), x.shape};
  return XnnGiven{p.channels_last(p.like(*meant, {Arg::of(image->second)}), x.shape), x.shape};
}

ValueId xnn_quantised(XnnSteps& p, ValueId x, const XnnQuantum& by) {
  const Step* meant = xnn_scaled(p, kIntoIntegers, by);
  return meant == nullptr ? ValueId{} : p.like(*meant, {Arg::of(x)});
}

void xnn_hold_viewed(XnnSteps& p, const XnnNode& node, ValueId x, const XnnSizes& image) {
  const XnnValue& made = *p.program.find(node.output);
  if (node.clamp) x = p.clamped(x, node.clamp->first, node.clamp->second);
  const ValueId integers = xnn_quantised(p, x, *made.quantum);
  const Step* meant = xnn_scaled(p, kIntoNumbers, *made.quantum);
  const XnnSizes shape{image[0], image[2], image[3], image[1]};
  if (!integers.valid() || meant == nullptr || !XnnSteps::has_sizes(made, shape))
    return p.refuse(node, "a result of other sizes, or of a scale that the exported program does not have");
  const auto seen = [&](ValueId of) {
    return p.channels_last(p.emit("aten.view_copy.default", {Arg::of(of), xnn_list(image)}), shape);
  };
  p.values[node.output] = {seen(integers), shape, Dtype::i8};
  p.numbers[node.output] = {seen(p.like(*meant, {Arg::of(integers)})), shape};
}

bool xnn_are_bytes(const XnnSteps& p, ValueId x, const XnnQuantum& by) {
  const Step* meant = xnn_scaled(p, kIntoIntegers, by);
  if (meant == nullptr) meant = xnn_scaled(p, kIntoNumbers, by);
  const auto scale = meant != nullptr ? xnn_number(meant->args[1]) : std::nullopt;
  return scale && stands_for_bytes(p.into.graph, x, *scale, by.zero);
}

/// Quantises or dequantises: the numbers stay the same.
void xnn_convert(XnnSteps& p, const XnnNode& node) {
  const XnnValue *from = p.program.find(node.inputs[0]), *to = p.program.find(node.output);
  if (from == nullptr || from->quantum.has_value() == to->quantum.has_value())
    return p.refuse(node, "between types that are not read");
  const auto x = p.operand(node, 0);
  if (x) xnn_pointwise(p, node, *x, [](ValueId value, const XnnSizes&) { return value; });
}

std::optional<XnnWeight> xnn_weight(XnnSteps& p, const XnnNode& node, const std::string& bytes,
                                    const XnnSizes& shape, std::int64_t axis, std::int64_t channels) {
  const XnnValue &value = *p.program.find(node.inputs[1]), &made = *p.program.find(node.output);
  const XnnQuantum& given = *p.program.find(node.inputs[0])->quantum;
  std::vector<float> scales = xnn_scales_of(p, *value.quantum);
  if (value.quantum->scales == 0) scales.assign(1, value.quantum->scale);
  const auto most = [&](float scale) { return given.scale * scale / made.quantum->scale < kMostRescaled; };
  if (scales.empty() || !std::ranges::all_of(scales, most)) return std::nullopt;
  const ValueId constant = p.constant(bytes, shape, Dtype::i8);
  for (const Step& step : p.into.functional.steps) {
    if (!constant.valid() || step.args.empty() || !xnn_weighs(p, step, *value.quantum, axis)) continue;
    if (p.input_of(step.args[0]) == nullptr || p.here(step.args[0]) != constant) continue;
    XnnWeight out;
    out.meant = &step;
    XnnArgs tensors{Arg::of(constant)};
    if (value.quantum->scales != 0)
      for (const std::size_t k : {1, 2}) tensors.push_back(Arg::of(p.here(step.args[k])));
    if (node.inputs[2] != kNoXnnId) {
      out.bias =
          xnn_bias(p, *p.program.find(node.inputs[2]), given, step, static_cast<std::size_t>(channels));
      if (!out.bias.valid()) continue;
    }
    out.weight = p.like(step, std::move(tensors), shape);
    return out;
  }
  return std::nullopt;
}

}  // namespace noclobber
