#include "src/formats/fx_text/fx_text_names.h"

#include <algorithm>

#include "src/ops/schema.h"

namespace noclobber {
namespace {

constexpr std::int64_t kMostResults = 65536;
constexpr std::size_t kMostCopied = std::size_t{1} << 30;  // approximate bound on bytes that uses copy

std::string fx_quoted(std::string_view name) { return "'" + std::string(name.substr(0, 80)) + "'"; }

}  // namespace

std::string FxNames::remember(std::string_view name, Meaning meaning) {
  if (meanings_.try_emplace(name, std::move(meaning)).second) return {};
  return fx_quoted(name) + " is defined twice";
}

std::string FxNames::bind(std::string_view name, Arg value) {
  // A name for a list could stand in another list, and that in a third: the size would double each time.
  if (value.kind == Arg::Kind::list || value.kind == Arg::Kind::text) return "a name for a list or a text";
  return remember(name, {Meaning::Kind::arg, std::move(value), 0, 0, false, false});
}

ValueId FxNames::new_value(std::string_view name, Value::From from, std::uint32_t at, std::uint32_t result,
                           SharedType type) {
  graph_.values.push_back({std::string(name), from, at, result, std::move(type)});
  return ValueId(graph_.values.size() - 1);
}

std::string FxNames::add_input(std::string_view name, Input::Kind kind, SharedType type) {
  const auto at = static_cast<std::uint32_t>(graph_.inputs.size());
  Input input;
  input.kind = kind;
  input.value = new_value(name, Value::From::input, at, 0, std::move(type));
  graph_.inputs.push_back(std::move(input));
  return bind(name, Arg::of(graph_.inputs.back().value));
}

std::string FxNames::add_constant(std::string_view name, std::string_view attribute, SharedType type) {
  const auto known = attributes_.find(attribute);
  if (known != attributes_.end()) return bind(name, Arg::of(known->second));
  if (knows(attribute)) return fx_quoted(attribute) + " is an attribute and another value";
  std::string fault = add_input(attribute, Input::Kind::constant, std::move(type));
  if (!fault.empty()) return fault;
  attributes_.emplace(attribute, graph_.inputs.back().value);
  return name == attribute ? "" : bind(name, Arg::of(graph_.inputs.back().value));
}

std::string FxNames::add_step(std::string_view name, Step step, SharedType type) {
  const auto at = static_cast<std::uint32_t>(graph_.steps.size());
  if (!type) step.extras.edit().id = std::string(name);
  graph_.steps.push_back(std::move(step));
  steps_.emplace_back();
  if (!type) return remember(name, {Meaning::Kind::step, Arg(), at, 0, false, false});
  return bind(name, Arg::of(result(name, at, 0, std::move(type))));
}

void FxNames::add_effect(Step step) {
  graph_.steps.push_back(std::move(step));
  steps_.emplace_back();
}

ValueId FxNames::result(std::string_view name, std::uint32_t step, std::uint32_t index, SharedType type) {
  Few<ValueId>& results = graph_.steps[step].results;
  if (Shared<StepExtras>& extras = graph_.steps[step].extras; !extras->id.empty()) extras.edit().id = "";
  if (results.size() <= index) results.resize(index + 1);
  if (!results[index].valid())
    results[index] = new_value(name, Value::From::step, step, index, std::move(type));
  else if (Value& value = graph_.values[results[index].index]; !value.type)
    value.type = std::move(type);
  return results[index];
}

/// The list that `_foreach_add_` writes, else nullptr: FX indexes the step's result although there is none.
const Arg* FxNames::written_list(std::uint32_t step) const {
  const Step& at = graph_.steps[step];
  const std::string_view op = at.op;
  if (!op.starts_with("aten._foreach_") || op.substr(0, op.rfind('.')).back() != '_') return nullptr;
  return !at.args.empty() && at.args.front().kind == Arg::Kind::list ? &at.args.front() : nullptr;
}

std::string FxNames::element(std::string_view name, const Arg& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.list.size());
  if (index < -size || index >= size) return "the list has no element " + std::to_string(index);
  Arg copy = list.list[static_cast<std::size_t>(index < 0 ? index + size : index)];
  return bind(name, std::move(copy));
}

std::string FxNames::flat_index(const Meaning& tuple, std::int64_t index, std::uint32_t& flat) {
  if (index < 0 || index >= kMostResults) return "no step has a result " + std::to_string(index);
  StepState& state = steps_[tuple.step];
  flat = static_cast<std::uint32_t>(index);
  if (tuple.kind == Meaning::Kind::step) {
    if (state.nested && flat > *state.nested) return "results behind a nested tuple have no number";
    return {};
  }
  if (tuple.is_inner) return "results of a tuple in a nested tuple have no number";
  if (state.nested != tuple.index) {
    const auto& results = graph_.steps[tuple.step].results;
    const bool is_used = tuple.index < results.size() && results[tuple.index].valid();
    if (state.nested || state.highest > tuple.index || is_used)
      return "results behind a nested tuple have no number";
    state.nested = tuple.index;
  }
  flat += tuple.index;
  return {};
}

std::string FxNames::new_item(std::string_view name, const Meaning& tuple, std::uint32_t index,
                              const FxAnnotation& annotation) {
  const std::uint32_t step = tuple.step;
  const bool is_inner = tuple.kind == Meaning::Kind::item;
  steps_[step].has_items = true;
  steps_[step].highest = std::max(steps_[step].highest, index);
  switch (annotation.kind) {
    case FxAnnotation::Kind::tensor:
      return bind(name, Arg::of(result(name, step, index, annotation.type)));
    case FxAnnotation::Kind::scalar:
      return bind(name, annotation.scalar);
    case FxAnnotation::Kind::absent:
    case FxAnnotation::Kind::wrapped:
      break;
  }
  items_.push_back(name);
  return remember(name, {Meaning::Kind::item, Arg(), step, index, is_inner, false});
}

std::string FxNames::add_item(std::string_view name, std::string_view tuple, std::int64_t index,
                              const FxAnnotation& annotation) {
  const auto found = meanings_.find(tuple);
  if (found == meanings_.end()) return fx_quoted(tuple) + " is not defined";
  const Meaning& meaning = found->second;
  if (meaning.is_dead) return fx_quoted(tuple) + " is None here";
  if (meaning.kind == Meaning::Kind::arg) {
    return fx_quoted(tuple) + " is indexed and is no tuple";
  }
  if (const Arg* list = written_list(meaning.step)) return element(name, *list, index);
  std::uint32_t flat = 0;
  std::string fault = flat_index(meaning, index, flat);
  return fault.empty() ? new_item(name, meaning, flat, annotation) : fault;
}

bool FxNames::is_tuple(std::string_view name) const {
  const auto found = meanings_.find(name);
  if (found == meanings_.end()) return true;
  if (found->second.kind == Meaning::Kind::arg) return false;
  const std::string_view op = graph_.steps[found->second.step].op;
  const std::string_view space = op.substr(0, op.find('.'));
  return space != "python" && space != "method" && space != "module" && space != "operator";
}

std::string FxNames::add_member(std::string_view name, std::string_view tuple, const std::string& key,
                                const FxAnnotation& annotation) {
  const auto found = meanings_.find(tuple);
  if (found == meanings_.end()) return fx_quoted(tuple) + " is not defined";
  const std::uint32_t step = found->second.step;
  std::vector<std::string>& keys = steps_[step].keys;
  if (keys.empty())
    for (const auto& [keyword, list] : graph_.steps[step].kwargs)
      for (const Arg& cloned : list.list)
        if (keyword == "tensors_to_clone") keys.push_back(cloned.text);
  const auto at = std::find(keys.begin(), keys.end(), key) - keys.begin();
  if (at == static_cast<std::ptrdiff_t>(keys.size())) keys.push_back(key);
  return add_item(name, tuple, at, annotation);
}

std::string FxNames::use(std::string_view name, Arg& out) {
  const auto found = meanings_.find(name);
  if (found == meanings_.end()) return fx_quoted(name) + " is not defined";
  if (found->second.is_dead) return fx_quoted(name) + " is None here";
  return take(name, found->second, out);
}

std::string FxNames::wait_for(std::string_view name, Arg& out) {
  const auto found = meanings_.find(name);
  const bool is_step =
      found != meanings_.end() && !found->second.is_dead && found->second.kind == Meaning::Kind::step;
  return is_step ? "" : use(name, out);
}

std::vector<Arg> FxNames::whole_tuple(std::string_view name) {
  const auto found = meanings_.find(name);
  if (found == meanings_.end() || found->second.is_dead || found->second.kind != Meaning::Kind::step)
    return {};
  const std::uint32_t step = found->second.step;
  const Schema* schema = find_schema(graph_.steps[step].op);
  if (schema == nullptr || schema->returns.size() < 2 || steps_[step].nested || written_list(step)) return {};
  steps_[step].has_items = true;
  std::vector<Arg> out;
  for (std::uint32_t k = 0; k < schema->returns.size(); ++k)
    out.push_back(Arg::of(result(std::string(name) + "__" + std::to_string(k), step, k, {})));
  return out;
}

void FxNames::forget(std::string_view name) {
  const auto found = meanings_.find(name);
  if (found != meanings_.end()) found->second.is_dead = true;
}

std::string FxNames::take(std::string_view name, Meaning& meaning, Arg& out) {
  if (meaning.kind != Meaning::Kind::arg) {
    const StepState& state = steps_[meaning.step];
    const bool whole = meaning.kind == Meaning::Kind::step;
    if (whole ? state.has_items : !meaning.is_inner && state.nested == meaning.index)
      return fx_quoted(name) + " is used both as a tensor and as a tuple";
    if (whole && written_list(meaning.step))
      return fx_quoted(name) + " is used, but its operator returns nothing";
    meaning.arg = Arg::of(result(name, meaning.step, meaning.index, {}));
    meaning.kind = Meaning::Kind::arg;
  }
  copied_ += meaning.arg.sym.nodes().size() * sizeof(SymExpr::Node) + meaning.arg.text.size();
  if (copied_ > kMostCopied) return "the text names too large expressions too often";
  out = meaning.arg;
  return {};
}

void FxNames::settle() {
  for (const std::string_view name : items_) {
    Meaning& meaning = meanings_.find(name)->second;
    if (meaning.kind != Meaning::Kind::item ||
        (!meaning.is_inner && steps_[meaning.step].nested == meaning.index))
      continue;
    Arg unused;
    take(name, meaning, unused);
  }
}

}  // namespace noclobber
