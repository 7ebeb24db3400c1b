// Short descriptions of the inputs of a witness.
#include <algorithm>
#include <cmath>

#include "src/interp/replay_session.h"

namespace noclobber {

namespace {

constexpr std::size_t kListed = 8;

std::string plain(double x) {
  std::string text = std::to_string(static_cast<long long>(x));
  return text;
}

/// "arange(24)" or "arange(-12, 12)" if the elements count up by one.
std::string counting(Dtype type, const std::vector<std::uint8_t>& bytes) {
  const std::size_t width = element_width(type), n = bytes.size() / width;
  const auto at = [&](std::size_t i) {
    return element_number(type, std::span<const std::uint8_t>(bytes).subspan(i * width, width));
  };
  if (n < 2 || is_complex(type) || at(0) != std::floor(at(0)) || std::abs(at(0)) > 1e9) return "";
  for (std::size_t i = 1; i < n; ++i) {
    if (at(i) != at(0) + static_cast<double>(i)) return "";
  }
  const double end = at(0) + static_cast<double>(n);
  return at(0) == 0 ? "arange(" + plain(end) + ")" : "arange(" + plain(at(0)) + ", " + plain(end) + ")";
}

std::string listed(Dtype type, const std::vector<std::uint8_t>& bytes) {
  const std::size_t width = element_width(type);
  std::string text = "[";
  for (std::size_t b = 0; b + width <= bytes.size(); b += width) {
    if (b > 0) text += ", ";
    text += element_text(type, std::span<const std::uint8_t>(bytes).subspan(b, width));
  }
  return text + "]";
}

/// Describes the contents that the interpreter makes for a seed (interp.h). docs/records.md defines
/// `contents`.
std::string chosen(Dtype type, std::uint64_t seed, std::size_t number) {
  const bool reals = is_floating(type) || is_complex(type);
  std::string what = reals ? "eighths from -8 to 8" : "whole numbers from 0 to 7";
  if (!reals && (type == Dtype::boolean || seed % 2 == 1 || seed == kTellingSmall)) what = "zeros and ones";
  if (reals && (seed == kTelling || seed == kTellingSmall)) what = "reals of both signs that use every bit";
  if (reals && seed == kPositive) what = "positive reals that use every bit";
  if (reals && seed == kTellingPositive) what = "positive reals that use every bit, and NaN";
  if (!reals && seed == kTelling && type != Dtype::boolean) what = "whole numbers that use every bit";
  if (seed == 0 && type != Dtype::boolean) what = "counting";
  return what + ", contents(" + std::to_string(seed) + ", " + std::to_string(number) + ")";
}

/// Number of the first input on the storage of input `at`, which determines the contents of the storage.
std::size_t storage_number(const Graph& entry, std::size_t at) {
  for (std::size_t k = 0; k < at; ++k)
    if (!entry.inputs[at].storage.empty() && entry.inputs[k].storage == entry.inputs[at].storage) return k;
  return at;
}

std::string contents_text(const Run::Output& output, std::uint64_t seed, std::size_t number) {
  if (!output.tensor) return output.scalar;
  const Dtype type = output.tensor->dtype;
  const std::size_t elements = output.bytes.size() / element_width(type);
  if (const std::string text = counting(type, output.bytes); !text.empty()) return text;
  if (elements == 1 && output.tensor->shape.empty()) return element_text(type, output.bytes);
  if (elements <= kListed) return listed(type, output.bytes);
  return chosen(type, seed, number);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_inputs(const Case& value,
                                                                 const RunOptions& options) {
  Graph entry = value.after;
  entry.steps.clear();
  entry.finals.clear();
  entry.outputs.clear();
  for (const Input& input : entry.inputs) entry.outputs.push_back(Arg::of(input.value));
  RunOptions plain_options = options;
  plain_options.order.clear();
  const Result<Run> run = run_graph(value, entry, {}, plain_options);
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
    const std::string& name = entry.value(entry.inputs[i].value).name;
    if (!run || i >= run->outputs.size()) continue;
    out.emplace_back(name, contents_text(run->outputs[i], options.contents_seed, storage_number(entry, i)));
  }
  return out;
}

}  // namespace noclobber
