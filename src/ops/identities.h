// THE table of identities, in identities.def: every rule by which two different calls count as equal.
//
//   IDENTITY("mul-one", keeps, "aten.mul", "prims.mul", .value = 1, .either = true,
//            .exact = kNumbers | kBool, .reason = "a product with one is the other factor, to the bit")
//
// src/effects simplifies by these rows only. identities_test runs each of them on the kernels of the
// interpreter, over all values of small types and all pairs of bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "src/graph/dtype.h"

namespace noclobber {

/// A set of element types.
class Dtypes {
 public:
  constexpr Dtypes() = default;
  constexpr Dtypes(std::initializer_list<Dtype> all) {
    for (const Dtype type : all) bits_ |= bit(type);
  }
  constexpr bool contains(Dtype type) const { return (bits_ & bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr Dtypes operator|(Dtypes a, Dtypes b) {
    a.bits_ |= b.bits_;
    return a;
  }

 private:
  static constexpr std::uint32_t bit(Dtype type) { return 1U << static_cast<unsigned>(type); }
  std::uint32_t bits_ = 0;
};

/// The exact result for whole numbers that every type involved represents; empty if it is not determined,
/// such as the sign of a zero. A unary operator gets b = 0.
using FoldRule = std::optional<std::int64_t> (*)(std::int64_t a, std::int64_t b, bool floating);

/// The result in double precision, for numbers that the type represents; rounded to the type, it is the
/// result of the operator.
using RealRule = double (*)(double a, double b);

struct Identity {
  enum class Form : std::uint8_t {
    keeps,     // f(x, value) is x, if the result has the type and shape of x
    folds,     // if the operands hold whole numbers throughout, so does the result: fold()
    number,    // a tensor that holds one whole number throughout equals that number as a scalar
    converts,  // to(between(x)) is to(x): see converts_alike()
    fused,     // f(c, a, b) is c + other(a, b), if nothing is scaled and all have one type and shape
    turned,    // f(a, b) is f(b, a), if one of them is a product
    rounds,    // if the operands hold numbers throughout, so does the result: compute(), rounded once
    counted,   // the cumulative sums of one whole number throughout are its multiples
    spelled    // a whole-number scalar is the same number written as 2 or as 2.0
  };
  std::string_view name;
  Form form = Form::keeps;
  std::string_view op, also = {};  // operators it is about, without overload; "": any
  std::int64_t value = 0;
  bool either = false;              // also f(value, x)
  bool scaled = false;              // also f(x, alpha * value), if that product is value
  Dtypes exact = {}, assumed = {};  // types of x: exact to the bit, or under a recorded assumption
  FoldRule fold = nullptr;
  RealRule compute = nullptr;
  bool unary = false;  // `compute` ignores b
  std::string_view other = {};
  std::string_view reason, assumes = {};
};

std::span<const Identity> identities();
/// The row of that form for an operator (without overload); nullptr if there is none.
const Identity* find_identity(Identity::Form form, std::string_view op);
/// The operator itself if it is a product, the product that it adds to if it is fused, "" for any other.
std::string_view product_of(std::string_view op);
/// True if -0 instead of 0 in the tensor that is argument k changes the result by more than the sign of a
/// zero. `arguments`: the texts of the arguments, "T" for a tensor.
bool tells_zeros_apart(std::string_view op, std::span<const std::string_view> arguments, std::size_t k);

/// True if the type represents this whole number and every one between it and 0.
bool holds_whole(Dtype type, std::int64_t value);
/// True only if `to` represents every number of `from`.
bool holds_all(Dtype to, Dtype from);
/// True if a number of type `from` converts to the same number of `to` directly and by way of `between`,
/// which represents it.
bool converts_alike(Dtype from, Dtype between, Dtype to);

}  // namespace noclobber
