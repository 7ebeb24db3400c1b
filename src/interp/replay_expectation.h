// The expected result of a program at its boundary, as far as runs determine it, and differences from it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/interp/replay_sharing.h"

namespace noclobber {

/// A place at the boundary: output number `output`, or (if < 0) the storage of `input` at exit.
struct Target {
  int output = -1;
  std::string input;
  friend auto operator<=>(const Target&, const Target&) = default;
};

/// The expected result. An element is known only if every run of the reference program agreed on it.
struct Expectation {
  struct Output {
    std::optional<Tensor> tensor;
    std::vector<std::uint8_t> bytes, known;  // known: per element
    std::string scalar;
    bool scalar_known = true;
    std::string device;  // "" if unknown
  };
  /// One per storage of inputs. Bytes that may hold anything at exit are not known.
  struct Final {
    std::string input;
    std::vector<std::string> inputs;  // all inputs on that storage
    Dtype dtype = Dtype::other;
    std::vector<std::uint8_t> bytes, known;  // per byte
  };
  std::vector<Output> outputs;
  std::vector<Final> finals;
  std::vector<Shown> shown;  // the distinct ways of sharing that the runs have
  std::vector<std::string> effects;
  bool effects_known = true;
};

struct Difference {
  enum class Kind : std::uint8_t {
    raised,
    count,
    dtype,
    shape,
    stride,
    device,
    value,
    sharing,
    effects,
    immutable
  };
  Kind kind = Kind::value;
  Target target;
  Target other;              // sharing: the other partner
  std::int64_t element = 0;  // value: row-major element of the output, or byte of the storage
  std::int64_t count = 0;    // value: elements (bytes) that differ
  std::uint32_t step = 0;    // raised, immutable
  bool lost = false;         // sharing: `before` shares, `after` must and does not
  ByteRange bytes;           // sharing
  std::string expected, actual;
  RunOptions options;  // of the run that differs
};

/// Inputs of `after` whose contents at exit may be anything: so declared, or writable and not written by
/// `before`.
std::set<std::string> free_at_exit(const Case& value, const std::set<std::string>& written_before);

/// The expectation from the first run of the reference program.
Expectation expectation_of(const Graph& graph, const Run& run, const std::set<std::string>& free_inputs);
/// Drops everything on which a further run of the same program disagrees.
void narrow(Expectation& expected, const Graph& graph, const Run& run);
/// Drops everything that a further run of the same program computed from undefined bytes.
void keep_defined(Expectation& expected, const Run& run);

/// All differences of `run` of `after`. A value difference stands for its target and names its first element.
std::vector<Difference> differences(const Case& value, const Expectation& expected, const Run& run);
/// The first value difference at one target, if any.
std::optional<Difference> value_difference(const Expectation& expected, const Run& run, const Target& target);
/// True if the run has the expected value at this element (as in Difference::element).
bool element_right(const Expectation& expected, const Run& run, const Target& target, std::int64_t element);

}  // namespace noclobber
