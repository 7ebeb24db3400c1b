// Finds the constants of the functional program that those of XNNPACK payloads are, or are computed from.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "src/graph/constant_bytes.h"
#include "src/lower/xnnpack/steps.h"
#include "src/ops/meaning.h"

namespace noclobber {
namespace {

bool typed_as(const SharedType& type, const XnnSizes& shape, Dtype dtype) {
  return type && type->dtype == dtype &&
         std::ranges::equal(type->shape, shape,
                            [](const SymExpr& a, std::int64_t b) { return a == SymExpr(b); });
}

const char* const kFolded =
    "a batch norm that ExecuTorch folds into the weights before it, computed again to the bit, changes "
    "nothing "
    "but rounding";

}  // namespace

std::vector<float> xnn_floats(std::string_view bytes) {
  std::vector<float> out(bytes.size() / sizeof(float));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

bool xnn_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(a, b, [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

std::string xnn_permuted(std::string_view bytes, const XnnSizes& shape, const XnnSizes& order, Dtype dtype) {
  ConstantLayout layout;
  layout.dtype = dtype;
  XnnSizes strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  for (const std::int64_t dim : order) {
    layout.sizes.push_back(shape[static_cast<std::size_t>(dim)]);
    layout.strides.push_back(strides[static_cast<std::size_t>(dim)]);
  }
  return row_major(bytes, layout).value_or("");
}

const std::string* XnnSteps::data_of(std::uint32_t id, Dtype dtype) const {
  const XnnValue* value = program.find(id);
  if (value == nullptr || value->dtype != dtype || value->quantum.has_value() != (dtype != Dtype::f32) ||
      value->data == 0 || value->data >= program.data.size() || value->external != kNoXnnId)
    return nullptr;
  const auto& bytes = program.data[value->data].bytes;
  const std::int64_t count = xnn_count(value->dims);
  const std::size_t each = static_cast<std::size_t>(bit_width(dtype)) / 8;
  const bool whole = bytes && count >= 0 && bytes->size() == static_cast<std::size_t>(count) * each;
  return whole ? &*bytes : nullptr;
}

/// The functional program's constant that holds these bytes in this shape; invalid if there is none.
ValueId XnnSteps::constant(const std::string& bytes, const XnnSizes& shape, Dtype dtype) const {
  const std::string digest = digest_of(bytes);
  for (const Input& input : into.functional.inputs) {
    if (input.kind == Input::Kind::user || input.may_write.value_or(false) || input.digest != digest)
      continue;
    const auto at = into.here.find(input.value.index);
    if (at != into.here.end() && typed_as(into.functional.value(input.value).type, shape, dtype))
      return at->second;
  }
  return {};
}

ValueId xnn_constant_or_unknown(XnnSteps& p, const std::string& bytes, const XnnSizes& shape) {
  const ValueId known = p.constant(bytes, shape);
  return known.valid() ? known : p.emit("executorch.constant_of_the_file_alone", {}, shape);
}

namespace {

/// A constant of one number: one without dimensions, or the aten.full that ExecuTorch made it from.
ValueId xnn_scalar_constant(XnnSteps& p, const std::string& bytes) {
  if (bytes.size() != sizeof(float)) return {};
  if (const ValueId known = p.constant(bytes, {}); known.valid()) return known;
  const float number = xnn_floats(bytes)[0];
  for (const Step* step : p.meant("aten.full")) {
    const auto& type = p.into.functional.value(step->results[0]).type;
    const auto held = step->args.size() == 2 ? xnn_number(step->args[1]) : std::nullopt;
    if (type && type->dtype == Dtype::f32 && type->shape.empty() && held &&
        static_cast<float>(*held) == number)
      return p.like(*step, {}, XnnSizes{});
  }
  return {};
}

}  // namespace

/// Finds a constant as it is, as one number, or as a channels-first image that the payload has channels-last.
ValueId xnn_any_constant(XnnSteps& p, const XnnValue& value) {
  const std::string& bytes = *p.data_of(value.id, value.dtype);
  if (const ValueId known = p.constant(bytes, value.dims, value.dtype); known.valid()) return known;
  if (const ValueId number = value.quantum ? ValueId{} : xnn_scalar_constant(p, bytes); number.valid())
    return p.emit("aten.view_copy.default", {Arg::of(number), xnn_list(value.dims)}, value.dims);
  if (value.dims.size() == 4) {
    const XnnSizes& d = value.dims;
    const XnnSizes first{d[0], d[3], d[1], d[2]};
    const std::string turned = xnn_permuted(bytes, d, {0, 3, 1, 2}, value.dtype);
    if (const ValueId known = p.constant(turned, first, value.dtype); known.valid())
      return p.channels_last(known, d);
  }
  return xnn_constant_or_unknown(p, bytes, value.dims);
}

const Input* XnnSteps::input_of(const Arg& arg) const {
  if (arg.kind != Arg::Kind::ref || !arg.ref.valid()) return nullptr;
  const Value& value = into.functional.value(arg.ref);
  if (value.from != Value::From::input) return nullptr;
  const Input& input = into.functional.inputs[value.at];
  const bool constant = input.kind != Input::Kind::user && !input.may_write.value_or(false);
  return constant && into.here.contains(arg.ref.index) ? &input : nullptr;
}

ValueId XnnSteps::here(const Arg& arg) const { return into.here.at(arg.ref.index); }

std::optional<std::vector<float>> XnnSteps::floats_of(const Arg& arg) const {
  const Input* input = input_of(arg);
  if (input == nullptr || input->bytes.empty()) return std::nullopt;
  const SharedType& type = into.functional.value(arg.ref).type;
  if (!type || type->dtype != Dtype::f32) return std::nullopt;
  return xnn_floats(*input->bytes);
}

/// The batch norms of the functional program whose numbers are all known.
std::vector<XnnNorm> xnn_norms(const XnnSteps& p) {
  std::vector<XnnNorm> out;
  for (const Step* step : p.meant("aten._native_batch_norm_legit_no_training")) {
    if (step->args.size() != 7 || step->args[0].kind != Arg::Kind::ref) continue;
    const auto mean = p.floats_of(step->args[3]), variance = p.floats_of(step->args[4]);
    const auto eps = xnn_number(step->args[6]);
    if (!mean || !variance || !eps || mean->size() != variance->size()) continue;
    XnnNorm norm{step,
                 std::vector<float>(mean->size(), 1.0F),
                 std::vector<float>(mean->size(), 0.0F),
                 *mean,
                 *variance,
                 *eps};
    const auto read = [&](const Arg& arg, std::vector<float>& into) {
      if (arg.kind == Arg::Kind::none) return true;
      auto numbers = p.floats_of(arg);
      if (!numbers || numbers->size() != mean->size()) return false;
      into = *std::move(numbers);
      return true;
    };
    if (read(step->args[1], norm.scale) && read(step->args[2], norm.shift)) out.push_back(std::move(norm));
  }
  return out;
}

/// True if folding the norm into `weight` and `bias` gives the bytes `made` and `made_bias`. Computed as in
/// torch.nn.utils.fusion (fuse_conv_bn_weights, fuse_linear_bn_weights): each operation rounds to f32.
/// `inner`: elements of the weight per output channel.
bool xnn_folds(const XnnNorm& norm, const std::vector<float>& weight, const std::vector<float>& bias,
               std::int64_t inner, const std::string& made, const std::string& made_bias, bool is_product) {
  const std::size_t channels = norm.mean.size(), each = static_cast<std::size_t>(inner);
  if (bias.size() != channels || weight.size() != channels * each ||
      made.size() != weight.size() * sizeof(float) || made_bias.size() != channels * sizeof(float))
    return false;
  std::vector<float> folded(weight.size()), folded_bias(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const float root = 1.0F / std::sqrt(norm.variance[c] + static_cast<float>(norm.eps));
    const float scale = norm.scale[c] * root;
    for (std::size_t k = 0; k < each; ++k) folded[c * each + k] = weight[c * each + k] * scale;
    const float centred = bias[c] - norm.mean[c];
    const float by_root = centred * root;
    const float scaled = is_product ? centred * scale : by_root * norm.scale[c];
    folded_bias[c] = scaled + norm.shift[c];
  }
  return xnn_same_bits(folded, xnn_floats(made)) && xnn_same_bits(folded_bias, xnn_floats(made_bias));
}

/// True if the norm alone gives these bytes, as in DecomposeBatchNorm of ExecuTorch: computed in f64 from f32
/// inputs, `eps` included, and rounded at the end.
bool xnn_stands_for(const XnnNorm& norm, const std::string& made, const std::string& made_bias) {
  const std::size_t channels = norm.mean.size();
  if (made.size() != channels * sizeof(float) || made_bias.size() != made.size()) return false;
  std::vector<float> weight(channels), bias(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double root =
        std::sqrt(static_cast<double>(norm.variance[c]) + static_cast<double>(static_cast<float>(norm.eps)));
    weight[c] = static_cast<float>(static_cast<double>(norm.scale[c]) / root);
    const double moved = -static_cast<double>(norm.mean[c]) * static_cast<double>(norm.scale[c]);
    bias[c] = static_cast<float>(moved / root + static_cast<double>(norm.shift[c]));
  }
  return xnn_same_bits(weight, xnn_floats(made)) && xnn_same_bits(bias, xnn_floats(made_bias));
}

ValueId xnn_normalized(XnnSteps& p, const XnnNorm& norm, ValueId x, std::optional<XnnSizes> shape) {
  if (std::ranges::find(p.into.assumed, kFolded) == p.into.assumed.end())
    p.into.assumed.emplace_back(kFolded);
  XnnArgs args{Arg::of(x)};
  for (std::size_t k = 1; k < 5; ++k)
    args.push_back(norm.step->args[k].kind == Arg::Kind::none ? Arg{} : Arg::of(p.here(norm.step->args[k])));
  Step step;
  step.op = norm.step->op;
  step.args = std::move(args);
  step.args.push_back(norm.step->args[5]);
  step.args.push_back(norm.step->args[6]);
  const ValueId out = p.push(std::move(step), std::move(shape), norm.step->results.size());
  const auto number = static_cast<std::uint32_t>(p.into.graph.steps.size() - 1);
  for (std::uint32_t k = 1; k < norm.step->results.size(); ++k) {  // unused results keep their types
    const ValueId also = norm.step->results[k];
    if (!also.valid()) continue;
    p.into.graph.values.push_back(
        {p.into.names.fresh("xnn"), Value::From::step, number, k, p.into.functional.value(also).type});
    p.into.graph.steps.back().results[k] = ValueId(p.into.graph.values.size() - 1);
  }
  return out;
}

}  // namespace noclobber
