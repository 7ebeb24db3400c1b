// Builds the steps of one payload of XNNPACK. Internal to the reader of .pte.
#pragma once
#include <functional>
#include <string_view>
#include <utility>

#include "src/lower/xnnpack/payload.h"

namespace noclobber {

using XnnSizes = std::vector<std::int64_t>;
using XnnArgs = std::vector<Arg>;

/// The number that the argument is; empty if it is none.
std::optional<double> xnn_number(const Arg& arg);
/// True if the argument is that number, as a float.
bool xnn_is(const Arg& arg, float wanted);
/// True if the argument is these numbers, or one number that all of them equal.
bool xnn_holds(const Arg& arg, const XnnSizes& numbers);
Arg xnn_list(const XnnSizes& numbers);
std::int64_t xnn_count(const XnnSizes& shape);
/// kXnnFirst maps the dimensions of a channels-last image to channels-first; xnn_first() permutes its sizes.
inline constexpr std::size_t kXnnFirst[] = {0, 2, 3, 1};
inline XnnSizes xnn_first(const XnnSizes& s) { return {s[0], s[3], s[1], s[2]}; }
Arg xnn_whole(std::int64_t value);
/// The number of windows along one dimension; empty if none fits.
std::optional<std::int64_t> xnn_windows(std::int64_t size, std::int64_t before, std::int64_t behind,
                                        std::int64_t kernel, std::int64_t dilation, std::int64_t stride);

/// The f32 elements in the bytes of a payload; ignores trailing bytes.
std::vector<float> xnn_floats(std::string_view bytes);
bool xnn_same_bits(const std::vector<float>& a, const std::vector<float>& b);

/// The bytes of a row-major tensor, permuted: dimension k of the result is dimension `order[k]` of `shape`.
std::string xnn_permuted(std::string_view bytes, const XnnSizes& shape, const XnnSizes& order,
                         Dtype dtype = Dtype::f32);

/// The numbers of a convolution, checked against the sizes of its operands.
struct XnnConvolution {
  XnnGiven x;
  bool transposed = false;
  XnnSizes kernel, stride, pads, dilation, behind;  // each of two dimensions
  std::int64_t groups = 1, in = 1, out = 1;         // channels of all groups
  std::string weight, bias;                         // bytes in PyTorch's order; no bias: ""
  bool biased = false;
  Dtype dtype = Dtype::f32;      // of the weight
  XnnSizes weight_shape, shape;  // shape: of the result, channels-first
};

struct XnnSteps;
struct XnnRow {
  std::string_view kind, op;
  void (*rule)(XnnSteps& p, const XnnNode& node);
  std::uint32_t flags = 0;  // that the node must have
  bool clamps = false;      // the result may have bounds
  bool weighs = false;      // all operands but the first are weights
  enum class Quantised : std::uint8_t { no, computes, selects, moves } quantised = Quantised::no;
};
const XnnRow* xnn_row(std::string_view kind);

/// The steps so far. The rule of each kind of node takes them.
struct XnnSteps {
  XnnSteps(const XnnProgram& of, XnnInto& to) : program(of), into(to) {}

  void give(std::uint32_t id, XnnGiven given) { values[id] = std::move(given); }
  void run(const XnnNode& node);
  const XnnGiven* held(std::uint32_t id) const;
  static bool has_sizes(const XnnValue& value, const XnnSizes& shape);
  bool going() const { return into.refused.empty(); }
  void refuse(const XnnNode& node, const std::string& why);
  ValueId emit(const char* op, XnnArgs args, std::optional<XnnSizes> shape = std::nullopt);
  ValueId push(Step step, std::optional<XnnSizes> shape = std::nullopt, std::size_t results = 1);
  ValueId like(const Step& meant, XnnArgs tensors, std::optional<XnnSizes> shape = std::nullopt,
               std::size_t results = 1);
  std::vector<const Step*> meant(std::string_view base) const;
  const Step* one_of(const std::string& key, const std::vector<const Step*>& all);
  const Arg* argument(const Step& step, std::string_view name) const;
  std::optional<XnnGiven> operand(const XnnNode& node, std::size_t k);  // dequantised
  std::optional<XnnGiven> stored(const XnnNode& node, std::size_t k);   // as stored
  ValueId integers(std::uint32_t id);
  ValueId channels_first(const XnnGiven& x);
  ValueId channels_last(ValueId image, const XnnSizes& shape);
  bool fits_types(const XnnNode& node, const XnnRow& row);
  void type(ValueId value, const XnnSizes& shape);
  void make(const XnnNode& node, ValueId value, XnnSizes shape);
  void hold(const XnnNode& node, ValueId value, XnnSizes shape, bool is_image);
  void make_image(const XnnNode& node, ValueId value, const XnnSizes& channels_first_shape);
  ValueId clamped(ValueId x, float least, float most);

  // lower/xnnpack/constants.cpp
  const std::string* data_of(std::uint32_t id, Dtype dtype = Dtype::f32) const;
  ValueId constant(const std::string& bytes, const XnnSizes& shape, Dtype dtype = Dtype::f32) const;
  const Input* input_of(const Arg& arg) const;
  ValueId here(const Arg& arg) const;
  std::optional<std::vector<float>> floats_of(const Arg& arg) const;

  const XnnProgram& program;
  XnnInto& into;
  std::map<std::uint32_t, XnnGiven> values;   // invalid value: quantised, only in `numbers` yet
  std::map<std::uint32_t, XnnGiven> numbers;  // of quantised values, dequantised
  std::map<std::uint32_t, ValueId> images;    // channels-last value -> channels-first value
  std::map<std::string, std::size_t> spellings;
};

/// Applies an elementwise rule to x, or to the channels-first image that x was permuted from.
void xnn_pointwise(XnnSteps& p, const XnnNode& node, const XnnGiven& x,
                   const std::function<ValueId(ValueId, const XnnSizes&)>& rule);

// lower/xnnpack/quantised.cpp
void xnn_convert(XnnSteps& p, const XnnNode& node);
/// Dequantises x as the functional program does; empty if it has no such step. xnn_quantised() quantises;
/// its result is invalid without such a step.
std::optional<XnnGiven> xnn_numbers_of(XnnSteps& p, const XnnGiven& x, const XnnQuantum& by);
/// Stores the result x over one-dimensional images: quantised, then viewed as `image`.
void xnn_hold_viewed(XnnSteps& p, const XnnNode& node, ValueId x, const XnnSizes& image);
ValueId xnn_quantised(XnnSteps& p, ValueId x, const XnnQuantum& by);
/// True if each element of x is the exact value of a quantised byte of that scale, only moved since.
bool xnn_are_bytes(const XnnSteps& p, ValueId x, const XnnQuantum& by);
/// A dequantised weight, whose dimension `axis` is that of the output channels, and its bias.
struct XnnWeight {
  ValueId weight, bias;
  const Step* meant = nullptr;  // dequantises it in the functional program
};
std::optional<XnnWeight> xnn_weight(XnnSteps& p, const XnnNode& node, const std::string& bytes,
                                    const XnnSizes& shape, std::int64_t axis, std::int64_t channels);

// lower/xnnpack/activations.cpp
ValueId xnn_respelled(XnnSteps& p, const char* op, XnnArgs args, const XnnSizes& shape);
void xnn_hardswish(XnnSteps& p, const XnnNode& node);
void xnn_gelu(XnnSteps& p, const XnnNode& node);
void xnn_leaky_relu(XnnSteps& p, const XnnNode& node);
void xnn_elu(XnnSteps& p, const XnnNode& node);
void xnn_square(XnnSteps& p, const XnnNode& node);

// lower/xnnpack/views.cpp
void xnn_copy(XnnSteps& p, const XnnNode& node);
void xnn_transpose(XnnSteps& p, const XnnNode& node);
void xnn_reshape(XnnSteps& p, const XnnNode& node);
void xnn_slice(XnnSteps& p, const XnnNode& node);
void xnn_concatenate(XnnSteps& p, const XnnNode& node);
void xnn_pad(XnnSteps& p, const XnnNode& node);

// lower/xnnpack/images.cpp
void xnn_global_average(XnnSteps& p, const XnnNode& node);
void xnn_average_pool(XnnSteps& p, const XnnNode& node);
void xnn_max_pool(XnnSteps& p, const XnnNode& node);
void xnn_resize(XnnSteps& p, const XnnNode& node);
void xnn_prelu(XnnSteps& p, const XnnNode& node);

// lower/xnnpack/convolutions.cpp, lower/xnnpack/products.cpp
void xnn_convolution(XnnSteps& p, const XnnNode& node);
void xnn_batch_product(XnnSteps& p, const XnnNode& node);
void xnn_full_product(XnnSteps& p, const XnnNode& node);

/// A batch norm of the functional program.
struct XnnNorm {
  const Step* step = nullptr;
  std::vector<float> scale, shift, mean, variance;  // scale: gamma, shift: beta
  double eps = 0;
};

// lower/xnnpack/constants.cpp
ValueId xnn_constant_or_unknown(XnnSteps& p, const std::string& bytes, const XnnSizes& shape);
ValueId xnn_any_constant(XnnSteps& p, const XnnValue& value);
std::vector<XnnNorm> xnn_norms(const XnnSteps& p);
bool xnn_folds(const XnnNorm& norm, const std::vector<float>& weight, const std::vector<float>& bias,
               std::int64_t inner, const std::string& made, const std::string& made_bias, bool is_product);
bool xnn_stands_for(const XnnNorm& norm, const std::string& made, const std::string& made_bias);
ValueId xnn_normalized(XnnSteps& p, const XnnNorm& norm, ValueId x, std::optional<XnnSizes> shape);

}  // namespace noclobber
