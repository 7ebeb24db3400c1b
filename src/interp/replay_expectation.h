// What a program means at its boundary, as far as runs determine it, and how another run differs from it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "src/interp/replay_sharing.h"

namespace noclobber {

/// A thing at the boundary: output number `output`, or (if < 0) the storage of an input at exit.
struct Target {
  int output = -1;
  std::string input;
  friend auto operator<=>(const Target&, const Target&) = default;
};

/// What is expected. An element counts only where every run of the expected agreed.
struct Expectation {
  struct Output {
    std::optional<Tensor> tensor;
    std::vector<std::uint8_t> bytes, known;  // known: per element
    std::string scalar;
    bool scalar_known = true;
    std::string device;  // "" = not said
  };
  /// One per storage of inputs. Bytes that may hold anything at exit are not known.
  struct Final {
    std::string input;
    std::vector<std::string> inputs;  // all that live there
    Dtype dtype = Dtype::other;
    std::vector<std::uint8_t> bytes, known;  // per byte
  };
  std::vector<Output> outputs;
  std::vector<Final> finals;
  std::vector<Shown> shown;  // one for each run that is known to share otherwise
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
  Target other;              // sharing: with what
  std::int64_t element = 0;  // value: row-major element of the output, or byte of the storage
  std::int64_t count = 0;    // value: elements (bytes) that differ
  std::uint32_t step = 0;    // raised, immutable
  bool lost = false;         // sharing: it was there before, and must be
  ByteRange bytes;           // sharing
  std::string expected, actual;
  RunOptions options;  // of the run that shows it
};

/// Inputs of `after` whose contents at exit may be anything; the rest as the expected says.
std::set<std::string> free_at_exit(const Case& value, const std::set<std::string>& written_before);

/// From the first run of the program that says what is meant.
Expectation expectation_of(const Graph& graph, const Run& run, const std::set<std::string>& free_inputs);
/// Forgets whatever this further run of the same program disagrees with.
void narrow(Expectation& expected, const Graph& graph, const Run& run);
/// Forgets what this further run computed from bytes that nobody defined.
void keep_defined(Expectation& expected, const Run& run);

/// Everything in which `run` of `after` differs. Value differences: the first element of each target.
std::vector<Difference> differences(const Case& value, const Expectation& expected, const Run& run);
/// The first value difference at one target, if any.
std::optional<Difference> value_difference(const Expectation& expected, const Run& run, const Target& target);
/// Does the run show what is meant at this element?
bool element_right(const Expectation& expected, const Run& run, const Target& target, std::int64_t element);

}  // namespace noclobber
