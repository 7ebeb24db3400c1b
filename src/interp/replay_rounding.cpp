#include "src/interp/replay_rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/number.h"
#include "src/graph/bodies.h"
#include "src/ops/array.h"

namespace noclobber {
namespace {

/// Largest magnitude among the numbers in these bytes; infinite if one is not finite.
double magnitude(Dtype type, const std::vector<std::uint8_t>& bytes) {
  const std::size_t width = element_width(type);
  double largest = 0;
  for (std::size_t b = 0; b + width <= bytes.size(); b += width) {
    const double x = std::abs(element_number(type, std::span<const std::uint8_t>(bytes).subspan(b, width)));
    if (!std::isfinite(x)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, x);
  }
  return largest;
}

/// The relative gap that rounding cannot explain. A coarse type may lose much more.
double rounding_bound(Dtype type) {
  if (type == Dtype::f64 || type == Dtype::f32) return 1e-2;
  return 0.5;
}

}  // namespace

bool is_beyond_rounding(const Difference& difference, const Expectation& expected) {
  Dtype type = Dtype::other;
  double scale = 0;
  if (difference.target.output >= 0) {
    const Expectation::Output& output = expected.outputs[static_cast<std::size_t>(difference.target.output)];
    if (!output.tensor) return false;
    type = output.tensor->dtype;
    scale = magnitude(type, output.bytes);
  } else {
    for (const Expectation::Final& final : expected.finals) {
      if (final.input != difference.target.input) continue;
      type = final.dtype;
      scale = magnitude(type, final.bytes);
    }
  }
  if (is_complex(type) || type == Dtype::other || !std::isfinite(scale)) return false;
  const auto want = leading_number<double>(difference.expected),
             got = leading_number<double>(difference.actual);
  const double gap = want && got ? std::abs(*want - *got) : 0;
  if (!std::isfinite(gap)) return false;
  return gap > 1e-3 && gap > rounding_bound(type) * std::max({scale, std::abs(*want), std::abs(*got)});
}

static bool is_whole(const Graph& graph, ValueId id) {
  if (!id.valid()) return true;
  const SharedType& type = graph.value(id).type;
  return type && (is_integer(type->dtype) || type->dtype == Dtype::boolean);
}

static bool whole_within(const Case& value, const Graph& body, int depth) {
  constexpr int kDeepest = 16;
  if (depth > kDeepest) return false;
  const auto whole = [&](ValueId id) { return is_whole(body, id); };
  return std::ranges::all_of(body.inputs, [&](const Input& input) { return whole(input.value); }) &&
         std::ranges::all_of(body.steps, [&](const Step& step) {
           const auto is_known = [&](const auto& given) {
             const Graph* inner = find_body(value, body, given.second);
             return inner != nullptr && whole_within(value, *inner, depth + 1);
           };
           const auto bodies = bodies_given(step);
           return (step.op->starts_with("aten.") || !bodies.empty()) &&
                  std::ranges::all_of(step.results, whole) && std::ranges::all_of(bodies, is_known);
         });
}

bool only_whole_numbers(const Case& value, const Graph& body) { return whole_within(value, body, 0); }

}  // namespace noclobber
