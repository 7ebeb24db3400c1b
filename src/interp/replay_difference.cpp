// Differences of a run from the expected result.
#include <algorithm>

#include "src/interp/replay_expectation.h"
#include "src/ops/devices.h"

namespace noclobber {

namespace {

std::span<const std::uint8_t> at_element(const std::vector<std::uint8_t>& bytes, std::size_t width,
                                         std::int64_t at) {
  const std::size_t first = static_cast<std::size_t>(at) * width;
  if (first + width > bytes.size()) return {};
  return std::span<const std::uint8_t>(bytes).subspan(first, width);
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return index_text(shape); }

Difference about(Difference::Kind kind, int output, std::string expected, std::string actual) {
  Difference d;
  d.kind = kind;
  d.target.output = output;
  d.expected = std::move(expected);
  d.actual = std::move(actual);
  return d;
}

/// Strides that have an effect: not those of dimensions of size 1, none of an empty tensor.
std::vector<std::int64_t> visible_strides(const Tensor& view) {
  std::vector<std::int64_t> out;
  if (element_count(view) == 0) return out;
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] != 1) out.push_back(view.stride[d]);
  }
  return out;
}

/// The first difference in dtype, shape, strides or device of one output.
std::optional<Difference> metadata_difference(const Case& value, const Expectation::Output& expected,
                                              const Run::Output& actual, const std::string& device, int at) {
  using Kind = Difference::Kind;
  if (expected.tensor.has_value() != actual.tensor.has_value()) {
    return about(Kind::dtype, at, expected.tensor ? "a tensor" : "no tensor",
                 actual.tensor ? "a tensor" : "no tensor");
  }
  if (!expected.tensor) return std::nullopt;
  const Tensor& e = *expected.tensor;
  const Tensor& a = *actual.tensor;
  if (e.dtype != a.dtype)
    return about(Kind::dtype, at, std::string(name(e.dtype)), std::string(name(a.dtype)));
  if (e.shape != a.shape) return about(Kind::shape, at, shape_text(e.shape), shape_text(a.shape));
  if (value.compare_strides && visible_strides(e) != visible_strides(a)) {
    return about(Kind::stride, at, shape_text(e.stride), shape_text(a.stride));
  }
  if (same_device(expected.device, device) == false) return about(Kind::device, at, expected.device, device);
  return std::nullopt;
}

std::optional<Difference> output_difference(const Expectation::Output& expected, const Run::Output& actual,
                                            int at) {
  if (!expected.tensor) {
    if (!expected.scalar_known || expected.scalar == actual.scalar) return std::nullopt;
    return about(Difference::Kind::value, at, expected.scalar, actual.scalar);
  }
  const Dtype type = expected.tensor->dtype;
  if (!actual.tensor || actual.tensor->dtype != type || actual.bytes.size() != expected.bytes.size())
    return std::nullopt;
  std::optional<Difference> first;
  const std::size_t width = element_width(type);
  for (std::size_t e = 0; e < expected.known.size(); ++e) {
    const auto element = static_cast<std::int64_t>(e);
    const auto want = at_element(expected.bytes, width, element),
               got = at_element(actual.bytes, width, element);
    if (expected.known[e] == 0 || same_element(type, want, got)) continue;
    if (!first) {
      first = about(Difference::Kind::value, at, element_text(type, want), element_text(type, got));
      first->element = element;
    }
    ++first->count;
  }
  return first;
}

std::optional<Difference> final_difference(const Expectation::Final& expected, const Run& run) {
  const auto storage = run.input_storage.find(expected.input);
  if (storage == run.input_storage.end()) return std::nullopt;
  const std::vector<std::uint8_t>& got = run.storages[storage->second].bytes;
  if (got.size() != expected.bytes.size()) return std::nullopt;
  const std::size_t width = element_width(expected.dtype);
  std::optional<Difference> first;
  for (std::size_t b = 0; b + width <= got.size(); b += width) {
    const bool known =
        std::all_of(&expected.known[b], &expected.known[b] + width, [](std::uint8_t k) { return k != 0; });
    const auto element = static_cast<std::int64_t>(b / width);
    const auto want = at_element(expected.bytes, width, element), have = at_element(got, width, element);
    if (!known || same_element(expected.dtype, want, have)) continue;
    if (!first) {
      first = about(Difference::Kind::value, -1, element_text(expected.dtype, want),
                    element_text(expected.dtype, have));
      first->target.input = expected.input;
      first->element = static_cast<std::int64_t>(b);
    }
    ++first->count;
  }
  return first;
}

/// True if the case allows the sharing: the caller makes one of the outputs anew, and it may share that
/// input.
bool caller_shares(const Case& value, const SharedPlace& share) {
  return std::any_of(value.may_share.begin(), value.may_share.end(), [&](const auto& entry) {
    const auto is = [&](int output) { return entry.first == static_cast<std::uint32_t>(output); };
    return share.input.empty() ? is(share.output) || is(share.other)
                               : is(share.output) && entry.second == share.input;
  });
}

/// Sharing in `after` that no run of `before` has; `lost`: sharing in all runs of `before` that `after`
/// lacks.
std::set<SharedPlace> sharing_found(const Expectation& expected, const Shown& now, bool lost) {
  std::optional<std::set<SharedPlace>> out;
  for (const Shown& then : expected.shown) {
    std::set<SharedPlace> more = lost ? new_sharing(then, now) : new_sharing(now, then);
    if (out) std::erase_if(more, [&](const SharedPlace& share) { return !out->contains(share); });
    out = std::move(more);
  }
  return out.value_or(std::set<SharedPlace>{});
}

void sharing_differences(const Case& value, const Expectation& expected, const Run& run,
                         std::vector<Difference>& out) {
  const Shown now = shown_by(value.after, run);
  for (const bool lost : {false, true}) {
    if (lost ? value.sharing_may_shrink : value.sharing_may_grow) continue;
    std::set<int> told;       // outputs with a difference already: one each
    std::set<int> of_inputs;  // outputs that share an input: sharing with other outputs there is implied
    for (const SharedPlace& share : sharing_found(expected, now, lost)) {
      if (caller_shares(value, share)) continue;
      if (share.other < 0) of_inputs.insert(share.output);
      const bool implied =
          share.other >= 0 && (of_inputs.contains(share.output) || of_inputs.contains(share.other));
      if (implied || !told.insert(share.output).second) continue;
      Difference d;
      d.kind = Difference::Kind::sharing;
      d.lost = lost;
      d.target.output = share.output;
      d.other = {share.other, share.input};
      const auto& shown = run.outputs[static_cast<std::size_t>(d.target.output)].tensor;
      if (shown) d.bytes = byte_extent(*shown);
      out.push_back(std::move(d));
    }
  }
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::optional<Difference> value_difference(const Expectation& expected, const Run& run,
                                           const Target& target) {
  if (target.output >= 0) {
    const auto at = static_cast<std::size_t>(target.output);
    if (at >= expected.outputs.size() || at >= run.outputs.size()) return std::nullopt;
    return output_difference(expected.outputs[at], run.outputs[at], target.output);
  }
  for (const Expectation::Final& final : expected.finals) {
    if (final.input == target.input) return final_difference(final, run);
  }
  return std::nullopt;
}

bool element_right(const Expectation& meant, const Run& run, const Target& target, std::int64_t element) {
  if (target.output >= 0) {
    const auto at = static_cast<std::size_t>(target.output);
    if (at >= meant.outputs.size() || at >= run.outputs.size()) return false;
    const Expectation::Output& expected = meant.outputs[at];
    const Run::Output& actual = run.outputs[at];
    if (!expected.tensor || !actual.tensor) return expected.scalar == actual.scalar;
    const Dtype type = expected.tensor->dtype;
    if (actual.tensor->dtype != type || actual.tensor->shape != expected.tensor->shape) return false;
    const std::size_t width = element_width(type);
    const auto want = at_element(expected.bytes, width, element),
               got = at_element(actual.bytes, width, element);
    return !got.empty() && same_element(type, want, got);
  }
  for (const Expectation::Final& final : meant.finals) {
    const auto storage = run.input_storage.find(final.input);
    if (final.input != target.input || storage == run.input_storage.end()) continue;
    const auto width = static_cast<std::int64_t>(element_width(final.dtype));
    const auto want = at_element(final.bytes, static_cast<std::size_t>(width), element / width);
    const auto got =
        at_element(run.storages[storage->second].bytes, static_cast<std::size_t>(width), element / width);
    return !got.empty() && same_element(final.dtype, want, got);
  }
  return false;
}

std::vector<Difference> differences(const Case& value, const Expectation& expected, const Run& run) {
  std::vector<Difference> out;
  if (expected.outputs.size() != run.outputs.size()) {
    out.push_back(about(Difference::Kind::count, 0, std::to_string(expected.outputs.size()),
                        std::to_string(run.outputs.size())));
    return out;
  }
  const Devices devices(value.after);
  for (std::size_t i = 0; i < run.outputs.size(); ++i) {
    const int at = static_cast<int>(i);
    std::optional<Difference> found = metadata_difference(value, expected.outputs[i], run.outputs[i],
                                                          devices.of(value.after.outputs[i]), at);
    if (found) out.push_back(*found);
    if (std::optional<Difference> other = output_difference(expected.outputs[i], run.outputs[i], at))
      out.push_back(*other);
  }
  for (const Expectation::Final& final : expected.finals) {
    if (std::optional<Difference> found = final_difference(final, run)) out.push_back(*found);
  }
  sharing_differences(value, expected, run, out);
  if (expected.effects_known && expected.effects != run.effects) {
    out.push_back(about(Difference::Kind::effects, -1, list_text(expected.effects), list_text(run.effects)));
  }
  for (const std::uint32_t step :
       std::set<std::uint32_t>(run.immutable_writes.begin(), run.immutable_writes.end())) {
    Difference d;
    d.kind = Difference::Kind::immutable;
    d.step = step;
    out.push_back(std::move(d));
  }
  return out;
}

}  // namespace noclobber
