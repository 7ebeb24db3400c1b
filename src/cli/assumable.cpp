#include "src/cli/assumable.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <unordered_map>

#include "src/ops/identities.h"

namespace noclobber {

namespace {

/// Does the step give another number where what it reads is -0 instead of 0?
bool tells_zeros(const TraceStep& step) {
  if (step.kind != TraceStep::Kind::opaque) return false;
  std::vector<std::string_view> words;
  for (const auto word : std::views::split(*step.key, ';')) words.emplace_back(word.begin(), word.end());
  return tells_zeros_apart(words[0], std::span(words).subspan(1));
}

/// Does it look at the bits of some contents: as another type, or in parts?
bool looks_at_bits(const Trace& trace) {
  std::unordered_map<StorageId, const Text*> types;
  const auto other = [&](const TraceView& view) {
    return view.lanes > 0 || *types.emplace(view.storage, &view.type).first->second != view.type;
  };
  return std::ranges::any_of(trace.steps,
                             [&](const TraceStep& step) {
                               return std::ranges::any_of(step.writes, other) ||
                                      std::ranges::any_of(step.reads, other);
                             }) ||
         std::ranges::any_of(trace.inputs, [&](const TraceInput& input) { return other(input.view); }) ||
         std::ranges::any_of(trace.outputs,
                             [&](const TraceOutput& output) { return output.view && other(*output.view); });
}

}  // namespace

bool may_assume(const std::set<std::string>& what, const Traced& traced) {
  const Trace* const both[] = {&*traced.before, &traced.after};
  const bool zeros = std::ranges::any_of(what, [](const std::string& a) { return a.starts_with("-0 "); });
  return std::ranges::none_of(both, [&](const Trace* trace) {
    return looks_at_bits(*trace) || (zeros && std::ranges::any_of(trace->steps, tells_zeros));
  });
}

}  // namespace noclobber
