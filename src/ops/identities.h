// THE table of identities: every rule by which two different calls are taken for the same, in identities.def.
//
//   IDENTITY("mul-one", keeps, "aten.mul", "prims.mul", .value = 1, .either = true, .exact = kNumbers |
//   kBool,
//            .reason = "a product with one is the other factor, to the bit")
//
// src/effects simplifies by these rows and by nothing else. identities_test runs each of them on the kernels
// of the interpreter, over all values of small types and all pairs of bytes.
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

/// The exact result for whole numbers that every type involved represents; nothing where a sign of zero or
/// anything else is open. A single operand comes with b = 0.
using FoldRule = std::optional<std::int64_t> (*)(std::int64_t a, std::int64_t b, bool floating);

/// As doubles, of numbers that the type holds; rounded to it, what the operator gives.
using RealRule = double (*)(double a, double b);

struct Identity {
  enum class Form : std::uint8_t {
    keeps,     // f(x, value) is x, where the result has the type and shape of x
    folds,     // of whole numbers that stand everywhere, so is the result: fold()
    number,    // a tensor that is one whole number everywhere is that number as a scalar
    converts,  // to(between(x)) is to(x): see converts_alike
    fused,     // f(c, a, b) is c + other(a, b), where nothing is scaled and all have one type and shape
    turned,    // f(a, b) is f(b, a), where one of them is a product
    rounds,    // of numbers that stand everywhere, so is the result: compute(), rounded once
    counted,   // the sums so far of one whole number everywhere are its multiples
    spelled    // a scalar that is a whole number is one number, written as 2 or as 2.0
  };
  std::string_view name;
  Form form = Form::keeps;
  std::string_view op, also = {};  // without overload: the operators it is about; "": any
  std::int64_t value = 0;
  bool either = false;              // f(value, x) as well
  bool scaled = false;              // f(x, alpha * value) as well, where that is value
  Dtypes exact = {}, assumed = {};  // of x: holds to the bit; holds under an assumption that the record names
  FoldRule fold = nullptr;
  RealRule compute = nullptr;
  bool unary = false;  // of compute: b is nothing
  std::string_view other = {};
  std::string_view reason, assumes = {};
};

std::span<const Identity> identities();
/// The row of that form about an operator (without overload); nullptr: there is none.
const Identity* find_identity(Identity::Form form, std::string_view op);
/// Of a product the operator itself, of one that adds to a product that product; "": neither.
std::string_view product_of(std::string_view op);
/// Does the operator give another number where the tensor that is argument k holds -0 instead of 0, and not
/// only another zero? `arguments` are those in front, "T" for a tensor.
bool tells_zeros_apart(std::string_view op, std::span<const std::string_view> arguments, std::size_t k);

/// Does the type hold this whole number, and all smaller ones?
bool holds_whole(Dtype type, std::int64_t value);
/// Can every number of one type be one of the other?
bool holds_all(Dtype to, Dtype from);
/// Is a number of type `from` the same in `to`, whether or not it was one of `between`, which holds it?
bool converts_alike(Dtype from, Dtype between, Dtype to);

}  // namespace noclobber
