// A digest of everything a call reads, and plausible values made from it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/graph/case.h"
#include "src/kernels/kernels.h"

namespace noclobber {

struct Frame;
struct Invocation;
struct Machine;
struct OpDecl;

/// A written argument as a result: its index among the results of the functional operator.
struct HashTarget {
  Array tensor;
  std::size_t result = 0;
  bool partial = false;  // only some elements are written; old contents are not read
};

/// The written arguments, each with its index among the results of the functional operator. A returned one
/// has the index of its return. The others follow, last those whose write is not in the schema.
std::vector<HashTarget> targets_of(const Step& step, const Invocation& invocation);
/// The interval of the numbers that the functional operator `own` draws; empty if its arguments do not
/// determine it. Uniform numbers are between 0 and 1 by default. With a fractional upper end, only integers
/// are drawn.
std::optional<std::pair<double, double>> drawn_within(const std::string& own, const Invocation& invocation);

/// 64 bits that depend on everything added, in order.
class Digest {
 public:
  void add(std::uint64_t bits);
  void add(std::string_view text);
  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3U;
};

/// Adds the value of one element, undefined or not. It is read through the call, which checks bounds.
void add_element(Digest& digest, Call& call, const Array& array, std::int64_t at);
/// Adds kind and contents; for a tensor its dtype, shape and every element in row-major order.
void add_datum(Digest& digest, Call& call, const Datum& datum);
/// A finite value of the dtype: floats k/8 within ±8, integers 0 to 3, a bit for bool.
Number plausible(Dtype type, std::uint64_t bits);

void run_hash(Machine& m, Frame& frame, const Step& step, const Invocation& invocation, std::uint64_t salt);
void run_declared(Machine& m, Frame& frame, const Step& step, const Invocation& invocation,
                  const OpDecl& decl);

}  // namespace noclobber
