// Builds the steps of one payload of XNNPACK. Internal to the reader of .pte.
#pragma once
#include <functional>
#include <string_view>
#include <utility>

#include "src/lower/xnnpack/payload.h"

namespace noclobber {

using XnnSizes = std::vector<std::int64_t>;
using XnnArgs = std::vector<Arg>;

/// Of an argument that is a number.
std::optional<double> xnn_number(const Arg& arg);
/// Is the argument that number, as a float?
bool xnn_is(const Arg& arg, float wanted);
/// Does the argument hold these numbers? One stands for all of them.
bool xnn_holds(const Arg& arg, const XnnSizes& numbers);
Arg xnn_list(const XnnSizes& numbers);
std::int64_t xnn_count(const XnnSizes& shape);
/// Where dimensions of an image in XNNPACK's order are in PyTorch's, and sizes in that order.
inline constexpr std::size_t kXnnFirst[] = {0, 2, 3, 1};
inline XnnSizes xnn_first(const XnnSizes& s) { return {s[0], s[3], s[1], s[2]}; }
Arg xnn_whole(std::int64_t value);
/// What a window gives along one dimension; nothing where it does not fit.
std::optional<std::int64_t> xnn_windows(std::int64_t size, std::int64_t before, std::int64_t behind,
                                        std::int64_t kernel, std::int64_t dilation, std::int64_t stride);

/// Of the bytes that a payload holds; what is left over counts for nothing.
std::vector<float> xnn_floats(std::string_view bytes);
bool xnn_same_bits(const std::vector<float>& a, const std::vector<float>& b);

/// The bytes of elements in `shape`, with dimension k of the result being dimension `order[k]`.
std::string xnn_permuted(std::string_view bytes, const XnnSizes& shape, const XnnSizes& order,
                         Dtype dtype = Dtype::f32);

/// The convolution's own numbers, checked against the sizes of what it is given.
struct XnnConvolution {
  XnnGiven x;
  bool transposed = false;
  XnnSizes kernel, stride, pads, dilation, behind;  // of two dimensions
  std::int64_t groups = 1, in = 1, out = 1;         // channels of all groups
  std::string weight, bias;                         // as PyTorch has them; no bias: ""
  bool biased = false;
  Dtype dtype = Dtype::f32;      // of the weight
  XnnSizes weight_shape, shape;  // shape: of what it makes, channels before the rest
};

struct XnnSteps;
struct XnnRow {
  std::string_view kind, op;
  void (*rule)(XnnSteps& p, const XnnNode& node);
  std::uint32_t flags = 0;  // what they have to be
  bool clamps = false;      // what it makes may be held within bounds
  bool weighs = false;      // only the first operand is no weight
  enum class Quantised : std::uint8_t { no, computes, selects, moves } quantised = Quantised::no;
};
const XnnRow* xnn_row(std::string_view kind);

/// The steps so far: each kind of node is a function of them.
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
  std::optional<XnnGiven> operand(const XnnNode& node, std::size_t k);  // in numbers
  std::optional<XnnGiven> stored(const XnnNode& node, std::size_t k);   // as it lies
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
  std::map<std::uint32_t, XnnGiven> values;   // integers of which only the numbers are there are no value yet
  std::map<std::uint32_t, XnnGiven> numbers;  // of quantised values
  std::map<std::uint32_t, ValueId> images;    // channels before the rest, by value
  std::map<std::string, std::size_t> spellings;
};

/// What a rule makes of each element by itself, of an image if x is one.
void xnn_pointwise(XnnSteps& p, const XnnNode& node, const XnnGiven& x,
                   const std::function<ValueId(ValueId, const XnnSizes&)>& rule);

// lower/xnnpack/quantised.cpp
void xnn_convert(XnnSteps& p, const XnnNode& node);
/// In numbers, and quantised: as the functional program does; nothing if it does not.
std::optional<XnnGiven> xnn_numbers_of(XnnSteps& p, const XnnGiven& x, const XnnQuantum& by);
/// What the node makes of images of one dimension, quantised and then seen as `image`.
void xnn_hold_viewed(XnnSteps& p, const XnnNode& node, ValueId x, const XnnSizes& image);
ValueId xnn_quantised(XnnSteps& p, ValueId x, const XnnQuantum& by);
/// Is each number what a byte of that scale stands for, and only moved since?
bool xnn_are_bytes(const XnnSteps& p, ValueId x, const XnnQuantum& by);
/// A weight in numbers, with channels that come out counted by its dimension `axis`, and its bias.
struct XnnWeight {
  ValueId weight, bias;
  const Step* meant = nullptr;  // what makes the functional program's numbers
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
  std::vector<float> scale, shift, mean, variance;  // gamma, beta
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
