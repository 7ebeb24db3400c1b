// Concrete kernels: what operators do to bytes in PyTorch's eager mode. The row of an operator names its
// kernel; a family gives the function of a kernel for each overload.
//
// A kernel is written once, for the functional operator. For `add_`, `add.out` and their like the caller sets
// `targets`: results are then stored into live memory element by element while operands are read, so
// overlapping operands give the wrong results that a real kernel gives.
#pragma once
#include <array>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "src/base/check.h"
#include "src/ops/layout.h"

namespace noclobber {

/// A concrete argument.
struct Datum {
  enum class Kind : std::uint8_t { none, tensor, integer, real, boolean, text, dtype, list };
  Kind kind = Kind::none;
  Array tensor;
  std::int64_t integer = 0;
  double real = 0;
  bool boolean = false;
  std::string text;
  Dtype dtype = Dtype::other;
  std::vector<Datum> list;

  static Datum of(Array value);
  static Datum of(std::int64_t value);
  static Datum of_real(double value);
  static Datum of_bool(bool value);
  static Datum of_list(std::vector<Datum> value);
  bool numeric() const { return kind == Kind::integer || kind == Kind::real || kind == Kind::boolean; }
  std::optional<Number> number() const;
};

/// The owned bytes of a fresh result. `defined` and `writer` have one entry per byte.
struct Buffer {
  std::vector<std::uint8_t> bytes, defined;
  std::vector<std::int32_t> writer;
};

/// Why a kernel stopped. `raised`: PyTorch would raise; `declined`: the operator is fine, but this kernel
/// does not support the call; `bound`: a limit of the interpreter.
struct Fault {
  enum class Kind : std::uint8_t { raised, declined, bound };
  Kind kind = Kind::raised;
  std::string text;
};

/// One call of one kernel. Accessors of arguments never fail: after a fault they return neutral values.
class Call {
 public:
  std::vector<Datum> args;     // in the order of the functional operator's schema
  std::vector<Array> targets;  // where result i goes; empty: to fresh memory
  bool updates = false;        // targets[0] is args[0] (an in-place operator)
  bool backwards = false;      // elementwise loops visit the last element first
  bool resizes = false;        // PyTorch resizes targets that do not have the result's size
  std::uint64_t garbage_seed = 1;
  std::int32_t step = 0;
  std::int64_t budget = 0;                  // elements that may still be visited
  std::int64_t memory_left = 0;             // bytes that may still be allocated
  std::uint32_t first_id = 0;               // id of the first fresh storage
  std::vector<Contact>* watched = nullptr;  // every access to an element, in order

  std::vector<Datum> results;
  std::deque<Buffer> fresh;  // storage first_id + i; moved out by the caller
  std::optional<Fault> fault;

  bool ok() const { return !fault; }
  void raise(std::string text) { fail(Fault::Kind::raised, std::move(text)); }
  void decline(std::string text) { fail(Fault::Kind::declined, std::move(text)); }
  /// Subtracts the product of `factors` from the budget. False, with a fault, if the budget is too small.
  bool spend(std::initializer_list<std::int64_t> factors);

  bool has(std::size_t i) const { return i < args.size() && args[i].kind != Datum::Kind::none; }
  const Datum& arg(std::size_t i) const;
  const Array& tensor(std::size_t i);
  std::vector<Array> tensors(std::size_t i);
  std::int64_t integer(std::size_t i, std::int64_t fallback);
  double real(std::size_t i, double fallback);
  bool boolean(std::size_t i, bool fallback);
  Number number(std::size_t i, std::int64_t fallback);
  Extents integers(std::size_t i);
  std::string_view text(std::size_t i) const { return arg(i).text; }
  Dtype dtype(std::size_t i, Dtype fallback) const;
  /// Argument i as a dimension of a tensor of rank `rank`, negative ones wrapped; rank 0 counts as 1.
  std::int64_t dim(std::size_t i, std::int64_t fallback, std::int64_t rank);
  std::int64_t wrap_dim(std::int64_t dim, std::int64_t rank);

  /// Adds result `results.size()`: the next target if there is one (then dtype and shape are checked as
  /// PyTorch checks them), else fresh memory.
  Array output(Dtype dtype, const Extents& shape, const Extents& stride);
  Array output(Dtype dtype, const Extents& shape) { return output(dtype, shape, contiguous_strides(shape)); }
  /// Adds a result that starts as a copy of `source`; nothing is stored if the target is `source` already.
  Array output_copy(const Array& source, const Extents& stride);
  /// clone_preserve_strides: adds a result with the strides and offset of `source`, in a copy of the part of
  /// its storage that is needed; with preserved_strides() if a dimension is broadcast (stride 0) or there is
  /// a target.
  Array output_clone(const Array& source);
  /// Adds a result that shares the storage of `base`.
  void alias(const Array& base, Geometry view);
  /// Fresh memory that is not a result.
  Array scratch(Dtype dtype, const Extents& shape, const Extents& stride);

  /// Reads position `at` (elements). After a read of undefined bytes, stores are undefined until begin().
  Number load(const Array& array, std::int64_t at);
  void store(const Array& array, std::int64_t at, const Number& value);
  /// Copies an element with its definedness; converts it if the dtypes differ.
  void move(const Array& from, std::int64_t from_at, const Array& to, std::int64_t to_at);
  void begin(bool defined = true) { defined_ = defined; }
  bool all_defined() const { return defined_; }

 private:
  void fail(Fault::Kind kind, std::string text);
  void touch(bool write, const Array& array, std::int64_t at, std::int64_t width) {
    if (watched) watched->push_back({write, array.memory.bytes, at * width, width});
  }
  Array allocate(const Geometry& geometry);
  bool defined_ = true;
};

struct KernelRow;
using KernelFunction = void (*)(Call&, const KernelRow&);

/// The arguments of a pointwise function after its operands, as numbers where they are numbers.
struct Extras {
  Call* call = nullptr;  // to raise; argument `first` is the first one after the operands
  std::size_t first = 0;
  Dtype dtype = Dtype::f32;                           // the dtype of the computation
  std::array<std::optional<Number>, 6> numbers = {};  // read once: they are used for every element
  bool has(std::size_t i) const { return call->has(first + i); }
  Number number(std::size_t i, std::int64_t fallback) const {
    return i < numbers.size() && numbers[i] ? *numbers[i] : Number::of(fallback);
  }
  std::string_view text(std::size_t i) const { return call->text(first + i); }
};
using PointwiseFunction = Number (*)(const Number* operands, const Extras& extras);

/// How a pointwise operator picks the type it computes in and the type of its result.
enum class Promotion : std::uint8_t {
  same,
  to_float,
  compare,
  to_bool,
  first_is_condition,
  to_real,  // complex operands give a result of half their width
  bool_to_integer
};

struct KernelRow {
  std::string_view
      op;  // in a family "add.Tensor", kernel and overload; from find_kernel() the functional operator
  KernelFunction run = nullptr;
  PointwiseFunction pointwise = nullptr;  // with run_pointwise
  Promotion promotion = Promotion::same;
  int operands = 1;                 // leading arguments that are broadcast
  int variant = 0;                  // its meaning is up to the family
  bool shares = false;              // results may be views of the first argument
  const KernelRow* base = nullptr;  // the view of a *_copy operator
};

/// A row with a function of its own, which `variant` parameterizes.
constexpr KernelRow kernel_row(std::string_view op, KernelFunction run, int variant = 0) {
  return {op, run, nullptr, Promotion::same, 1, variant};
}

/// The row of a functional operator, or nullptr.
const KernelRow* find_kernel(std::string_view op);
/// All operators that have a kernel, sorted.
std::vector<std::string_view> kernel_names();
/// All names in the families, such as "add.Tensor", sorted. Each is named by some row.
std::vector<std::string_view> family_names();
/// True if `whole` is the product of the factors. False if that has more than 64 bits.
bool is_product(std::int64_t whole, std::initializer_list<std::int64_t> factors);

/// Runs the kernel. error: in call.fault, see Fault.
void run_kernel(const KernelRow& row, Call& call);

void run_pointwise(Call& call, const KernelRow& row);
/// Copies `from`, broadcast, into all of `to`, element by element in the call's direction.
void copy_elements(Call& call, const Array& from, const Array& to);
void fill_elements(Call& call, const Array& to, const Number& value);
/// The geometry that a view operator makes; also used by *_copy and *_scatter. Empty, with a fault, if
/// PyTorch raises.
std::optional<Geometry> slice_geometry(Call& call, const Geometry& g, std::int64_t dim, const Datum& start,
                                       const Datum& end, std::int64_t step);
std::optional<Geometry> select_geometry(Call& call, const Geometry& g, std::int64_t dim, std::int64_t index);
std::optional<Geometry> expanded_geometry(Call& call, const Geometry& from, const Extents& shape);
std::optional<Geometry> diagonal_geometry(Call& call, const Geometry& g, std::int64_t offset,
                                          std::int64_t dim1, std::int64_t dim2);
std::optional<Extents> inferred_shape(Call& call, const Extents& shape, std::int64_t numel);

// The families. Each returns its rows.
std::span<const KernelRow> arithmetic_kernels();
std::span<const KernelRow> compare_kernels();
std::span<const KernelRow> unary_kernels();
std::span<const KernelRow> view_kernels();
std::span<const KernelRow> adapt_kernels();
std::span<const KernelRow> reshape_kernels();
std::span<const KernelRow> create_kernels();
std::span<const KernelRow> move_kernels();
std::span<const KernelRow> index_kernels();
std::span<const KernelRow> scatter_kernels();
std::span<const KernelRow> reduce_kernels();
std::span<const KernelRow> order_kernels();
std::span<const KernelRow> matmul_kernels();
std::span<const KernelRow> norm_kernels();
std::span<const KernelRow> activation_kernels();
std::span<const KernelRow> batch_norm_kernels();
std::span<const KernelRow> convolution_kernels();
std::span<const KernelRow> pool_kernels();
std::span<const KernelRow> attention_kernels();
std::span<const KernelRow> special_kernels();
std::span<const KernelRow> tally_kernels();
std::span<const KernelRow> resample_kernels();
std::span<const KernelRow> fold_kernels();
std::span<const KernelRow> distance_kernels();
std::span<const KernelRow> gradient_kernels();

}  // namespace noclobber
