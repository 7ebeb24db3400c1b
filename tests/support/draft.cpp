// What a Draft knows of itself.
#include <algorithm>
#include <set>

#include "tests/support/generator.h"

namespace noclobber::testing {
namespace {

void collect(const Arg& arg, std::vector<int>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(static_cast<int>(arg.ref.index));
  for (const Arg& item : arg.list) collect(item, out);
}

void rename(Arg& arg, const std::map<int, ValueId>& to) {
  if (arg.kind == Arg::Kind::ref) arg.ref = to.at(static_cast<int>(arg.ref.index));
  for (Arg& item : arg.list) rename(item, to);
}

void exchange(Arg& arg, int value, int by) {
  if (arg.kind == Arg::Kind::ref && arg.ref.index == static_cast<std::uint32_t>(value))
    arg.ref = ValueId(static_cast<std::size_t>(by));
  for (Arg& item : arg.list) exchange(item, value, by);
}

Value named(std::string name, Value::From from, std::size_t at) {
  Value out;
  out.name = std::move(name);
  out.from = from;
  out.at = static_cast<std::uint32_t>(at);
  return out;
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

bool writes(const Draft::Call& call) { return call.op.find("_.") != std::string::npos; }

bool is_view(const Draft::Call& call) {
  static const std::set<std::string> kViews{
      "aten.slice.Tensor",       "aten.select.int",   "aten.permute.default", "aten.unsqueeze.default",
      "aten.expand.default",     "aten.view.default", "aten.reshape.default", "aten.diagonal.default",
      "aten.as_strided.default", "aten.view.dtype",   "aten.alias.default"};
  return kViews.contains(call.op);
}

std::vector<int> operands(const Draft::Call& call) {
  std::vector<int> out;
  for (const Arg& arg : call.args) collect(arg, out);
  return out;
}

Graph Draft::graph() const {
  Graph out;
  std::map<int, ValueId> ids;
  for (const Entry& entry : inputs) {
    Value value = named(entry.name, Value::From::input, out.inputs.size());
    const Shown& at = shown.at(entry.value);
    value.type = Type{};
    value.type->dtype = at.dtype;
    value.type->shape.assign(at.shape.begin(), at.shape.end());
    value.type->offset = at.offset;
    ids[entry.value] = ValueId(out.values.size());
    out.values.push_back(std::move(value));
    Input input;
    input.value = ids[entry.value];
    input.storage = entry.storage;
    if (entry.storage_numel) input.storage_numel = SymExpr(*entry.storage_numel);
    out.inputs.push_back(std::move(input));
  }
  for (const Call& call : calls) {
    Step step;
    step.op = call.op;
    step.args = call.args;
    step.kwargs = call.kwargs;
    for (Arg& arg : step.args) rename(arg, ids);
    ids[call.result] = ValueId(out.values.size());
    out.values.push_back(named(prefix + std::to_string(call.result), Value::From::step, out.steps.size()));
    step.results = {ids[call.result]};
    out.steps.push_back(std::move(step));
  }
  for (const int value : outputs) out.outputs.push_back(Arg::of(ids.at(value)));
  return out;
}

bool Draft::is_input_storage(int storage) const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Entry& e) { return shown.at(e.value).storage == storage; });
}

bool Draft::live_after(int storage, std::size_t from) const {
  for (std::size_t k = from; k < calls.size(); ++k)
    for (const int v : operands(calls[k]))
      if (shown.at(v).storage == storage) return true;
  return std::any_of(outputs.begin(), outputs.end(), [&](int v) { return shown.at(v).storage == storage; });
}

void Draft::replace(int value, int by, std::size_t begin) {
  for (std::size_t k = begin; k < calls.size(); ++k)
    for (Arg& arg : calls[k].args) exchange(arg, value, by);
  for (int& output : outputs)
    if (output == value) output = by;
}

Case pair_of_drafts(const Draft& before, const Draft& after) {
  Case out;
  out.name = "generated";
  out.before = before.graph();
  out.after = after.graph();
  return out;
}

}  // namespace noclobber::testing
