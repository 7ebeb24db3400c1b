#include "src/check/assumable.h"

#include <algorithm>
#include <functional>
#include <ranges>
#include <unordered_map>

#include "src/ops/identities.h"

namespace noclobber {

namespace {

/// How a value may differ from one that is equal up to rounding: in its bits, or also in the sign of zero.
enum Loose : unsigned { kBits = 1, kZeros = 2 };

/// True if the step may give another number when one of these reads has -0 instead of 0.
bool tells_zeros(const TraceStep& step, const std::function<bool(const TraceView&)>& may) {
  if (step.kind != TraceStep::Kind::opaque) return false;
  std::vector<std::string_view> words;
  for (const auto word : std::views::split(*step.key, ';')) words.emplace_back(word.begin(), word.end());
  const std::span arguments = std::span(words).subspan(1);
  std::size_t read = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k] != "T" || read == step.reads.size()) continue;
    if (may(step.reads[read++]) && tells_zeros_apart(words[0], arguments, k)) return true;
  }
  return false;
}

bool is_real(const Text& type) { return type->starts_with('f') || type->starts_with("bf"); }

bool is_about_zeros(const std::string& assumption) { return assumption.starts_with("-0 "); }

/// How far the results of a step's identity may differ, if it is followed; 0: not at all.
unsigned looseness(const TraceStep& step, Identities use) {
  if (!step.identity || use == Identities::none) return 0;
  const TraceIdentity& one = *step.identity;
  if (!one.assumes.empty() && use != Identities::all) return 0;
  const bool exact = one.form == TraceIdentity::Form::folds || one.form == TraceIdentity::Form::number;
  if ((exact && one.assumes.empty()) || std::ranges::none_of(step.writes, is_real, &TraceView::type))
    return 0;
  return is_about_zeros(one.assumes) ? kBits | kZeros : kBits;
}

/// Storages whose contents are accessed as several types, or in parts.
class SeenBits {
 public:
  explicit SeenBits(const Trace& trace) {
    for (const TraceInput& input : trace.inputs) add(input.view);
    for (const TraceStep& step : trace.steps) {
      for (const TraceView& view : step.reads) add(view);
      for (const TraceView& view : step.writes) add(view);
    }
    for (const TraceOutput& output : trace.outputs)
      if (output.view) add(*output.view);
  }
  bool any() const { return any_; }
  bool of(StorageId storage) const {
    const auto at = types_.find(storage);
    return at != types_.end() && at->second == nullptr;
  }

 private:
  void add(const TraceView& view) {
    const auto at = types_.emplace(view.storage, &view.type).first;
    if (at->second != nullptr && view.lanes == 0 && *at->second == view.type) return;
    at->second = nullptr;
    any_ = true;
  }
  std::unordered_map<StorageId, const ElementType*> types_;  // nullptr: several types, or parts
  bool any_ = false;
};

bool looks_at_bits(const Traced& traced) {
  return (traced.before && SeenBits(*traced.before).any()) || SeenBits(traced.after).any();
}

}  // namespace

bool may_follow(const Trace& trace, Identities use) {
  if (std::ranges::none_of(trace.steps, [&](const TraceStep& step) { return looseness(step, use) != 0; }))
    return true;
  const SeenBits seen(trace);
  std::unordered_map<StorageId, unsigned> loose;
  const auto may_be_zero = [&](const TraceView& view) {
    const auto at = loose.find(view.storage);
    return at != loose.end() && (at->second & kZeros) != 0;
  };
  for (const TraceStep& step : trace.steps) {
    unsigned given = 0;
    for (const TraceView& view : step.reads)
      if (const auto at = loose.find(view.storage); at != loose.end()) given |= at->second;
    if ((given != 0 && !step.bodies.empty()) || ((given & kZeros) != 0 && tells_zeros(step, may_be_zero)))
      return false;
    given |= looseness(step, use);
    for (const TraceView& view : step.writes) {
      if (given != 0 && seen.of(view.storage)) return false;
      if (given != 0) loose[view.storage] |= given;
    }
  }
  return true;
}

bool may_build(const Traced& built, const Traced& plain) {
  using enum Identity::Form;
  const bool loose = std::ranges::any_of(identities(), [&](const Identity& row) {
    const bool numbers = row.form == keeps || row.form == converts || row.form == fused || row.form == turned;
    return numbers && built.built_by.contains(std::string(row.name));
  });
  const bool zeros = std::ranges::any_of(built.inexact, is_about_zeros);
  const auto tells = [](const Trace& trace) {
    return std::ranges::any_of(trace.steps, [](const TraceStep& step) {
      return tells_zeros(step, [](const TraceView&) { return true; });
    });
  };
  return !(loose && looks_at_bits(plain)) && !(zeros && (tells(*plain.before) || tells(plain.after)));
}

bool may_stand(std::span<const Check> bodies, const Traced& traced) {
  const auto follows = [](const Trace& trace) {
    return trace.identities != Identities::none && notes_identity(trace);
  };
  const auto loose = [&](const Check& check) {
    return (check.before && follows(*check.before)) || follows(check.after);
  };
  return std::ranges::none_of(bodies, loose) || !looks_at_bits(traced);
}

}  // namespace noclobber
