#include "src/ops/devices.h"

#include <algorithm>

#include "src/ops/overloads.h"
#include "src/ops/schema.h"

namespace noclobber {
namespace {

bool is_said(const Value& value) { return value.type && !value.type->device.empty(); }

bool names_device(const Arg& arg) {
  return arg.kind == Arg::Kind::device || std::any_of(arg.list.begin(), arg.list.end(), names_device);
}

bool names_device(const Step& step) {
  return std::any_of(step.args.begin(), step.args.end(), [](const Arg& a) { return names_device(a); }) ||
         std::any_of(step.kwargs.begin(), step.kwargs.end(),
                     [](const auto& named) { return names_device(named.second); });
}

void add_operands(const Arg& arg, std::vector<ValueId>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(arg.ref);
  for (const Arg& item : arg.list) add_operands(item, out);
}

void add_devices(const Arg& arg, std::set<std::string>& out) {
  if (arg.kind == Arg::Kind::device) out.insert(arg.text);
  for (const Arg& item : arg.list) add_devices(item, out);
}

/// The operand that decides the device of the result, for operators that look at one only: the tensor that
/// the result is to be like, the one written, or the one indexed. Empty for other operators.
std::optional<ValueId> laid_by(const Step& step, const Schema& schema) {
  const Arg* like = step.op->starts_with("aten.type_as.") || step.op->starts_with("aten.to.other")
                        ? argument_given(step, schema, "other")
                        : nullptr;
  for (std::size_t k = 0; like == nullptr && k < schema.arguments.size(); ++k)
    if (schema.arguments[k].written) like = argument_given(step, schema, schema.arguments[k].name);
  if (like == nullptr &&
      (step.op->find(".index") != std::string::npos || step.op->find("index_put") != std::string::npos))
    like = argument_given(step, schema, "self");
  return like != nullptr && like->kind == Arg::Kind::ref ? std::optional(like->ref) : std::nullopt;
}

/// False for attention, whose seeds and offsets are on another device than its results, and for branches and
/// loops, whose bodies are not inspected.
bool stays_on_device(const Step& step) {
  return !step.op->starts_with("higher_order.") && step.op->find("attention") == std::string::npos;
}

}  // namespace

bool names_device(const Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(), [](const Value& v) { return is_said(v); }) ||
         std::any_of(graph.steps.begin(), graph.steps.end(), [](const Step& s) { return names_device(s); });
}

namespace {

/// True if a device other than `first` is named. Sets `first`, if null, to the first named device.
bool names_another(const std::string& device, const std::string*& first) {
  if (device.empty()) return false;
  if (first == nullptr) first = &device;
  return *first != device;
}

bool names_another(const Arg& arg, const std::string*& first) {
  return (arg.kind == Arg::Kind::device && names_another(*arg.text, first)) ||
         std::ranges::any_of(arg.list, [&](const Arg& item) { return names_another(item, first); });
}

bool names_another(const Graph& graph, const std::string*& first) {
  const auto in_value = [&](const Value& value) {
    return value.type && names_another(value.type->device, first);
  };
  const auto in_arg = [&](const Arg& arg) { return names_another(arg, first); };
  const auto in_step = [&](const Step& step) {
    return std::ranges::any_of(step.args, in_arg) ||
           std::ranges::any_of(step.kwargs, [&](const auto& named) { return in_arg(named.second); });
  };
  return names_another(graph.device, first) || std::ranges::any_of(graph.values, in_value) ||
         std::ranges::any_of(graph.steps, in_step);
}

}  // namespace

bool name_several_devices(std::initializer_list<const Graph*> graphs) {
  const std::string* first = nullptr;
  return std::ranges::any_of(graphs, [&](const Graph* graph) { return names_another(*graph, first); });
}

Devices::Devices(const Graph& graph) {
  if (graph.device.empty() && !names_device(graph)) return;
  told_.resize(graph.values.size());
  for (std::size_t k = 0; k < graph.values.size(); ++k)
    if (is_said(graph.values[k])) told_[k] = graph.values[k].type->device;
  for (const Input& input : graph.inputs)
    if (std::string& device = told_[input.value.index]; device.empty()) device = graph.device;
  for (const Step& step : graph.steps) {
    const Schema* schema = find_schema(step.op);
    if (schema == nullptr || !stays_on_device(step)) continue;
    const Arg* asked = argument_given(step, *schema, "device");
    std::string found = graph.device;  // for a factory, which has no operands
    if (asked != nullptr && asked->kind != Arg::Kind::none) {
      found = asked->text;
    } else if (const auto like = laid_by(step, *schema)) {
      found = told_[like->index];
    } else {
      std::vector<ValueId> operands;
      for (const Arg& arg : step.args) add_operands(arg, operands);
      for (const auto& [keyword, arg] : step.kwargs) add_operands(arg, operands);
      const auto at = [&](ValueId id) -> const std::string& { return told_[id.index]; };
      if (!operands.empty())
        found = std::all_of(operands.begin(), operands.end(),
                            [&](ValueId id) { return at(id) == at(operands[0]); })
                    ? at(operands[0])
                    : "";
    }
    for (const ValueId result : step.results)
      if (result.valid() && told_[result.index].empty()) told_[result.index] = found;
  }
}

std::set<std::string> named_devices(const Graph& graph) {
  std::set<std::string> out;
  if (!graph.device.empty()) out.insert(graph.device);
  const std::string* last = nullptr;  // most values are on the device of the one before
  for (const Value& value : graph.values)
    if (is_said(value) && (last == nullptr || *last != *value.type->device))
      last = &*out.insert(value.type->device).first;
  for (const Step& step : graph.steps) {
    for (const Arg& arg : step.args) add_devices(arg, out);
    for (const auto& [keyword, arg] : step.kwargs) add_devices(arg, out);
  }
  return out;
}

const std::string& Devices::of(const Arg& value) const {
  static const std::string nothing;
  return value.kind == Arg::Kind::ref && value.ref.index < told_.size() ? told_[value.ref.index] : nothing;
}

std::string device_kind(const std::string& device) { return device.substr(0, device.find(':')); }

std::set<std::string> device_kinds(const Graph& graph) {
  std::set<std::string> out;
  for (const std::string& device : named_devices(graph)) out.insert(device_kind(device));
  return out;
}

std::optional<bool> same_device(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  if (a == b) return true;
  if (device_kind(a) != device_kind(b)) return false;
  const bool both = a.find(':') != std::string::npos && b.find(':') != std::string::npos;
  return both ? std::optional(false) : std::nullopt;
}

}  // namespace noclobber
