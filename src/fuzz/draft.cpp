// The members of Draft, and layouts.
#include <algorithm>
#include <numeric>
#include <set>

#include "src/fuzz/draft.h"
#include "src/fuzz/layout.h"
#include "src/ops/meaning.h"

namespace noclobber::fuzz {
namespace {

void collect(const Arg& arg, std::vector<int>& out) {
  if (arg.kind == Arg::Kind::ref) out.push_back(static_cast<int>(arg.ref.index));
  for (const Arg& item : arg.list) collect(item, out);
}

void rename(Arg& arg, const std::map<int, ValueId>& to) {
  if (arg.kind == Arg::Kind::ref) arg.ref = to.at(static_cast<int>(arg.ref.index));
  for (Arg& item : arg.list.items()) rename(item, to);
}

void exchange(Arg& arg, int value, int by) {
  if (arg.kind == Arg::Kind::ref && arg.ref.index == static_cast<std::uint32_t>(value))
    arg.ref = ValueId(static_cast<std::size_t>(by));
  for (Arg& item : arg.list.items()) exchange(item, value, by);
}

Value named(std::string name, Value::From from, std::size_t at) {
  Value out;
  out.name = std::move(name);
  out.from = from;
  out.at = static_cast<std::uint32_t>(at);
  return out;
}

bool writes_unsaid(const std::string& op, const Schema& schema) {
  const Meaning meaning = meaning_of(base_name(op), schema);
  return meaning == Meaning::rebind || meaning == Meaning::set || meaning == Meaning::resize ||
         meaning == Meaning::normalize_running;
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

Type type_of(const Shown& at) {
  Type out;
  out.dtype = at.dtype;
  out.shape.assign(at.shape.begin(), at.shape.end());
  out.offset = at.offset;
  out.strides = Type::Strides::given;
  out.stride.assign(at.stride.begin(), at.stride.end());
  return out;
}

std::int64_t count(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

bool contiguous(const Shown& at) { return at.known && at.stride == row_major(at.shape); }

bool shows_once(const Shown& at) {
  std::set<std::int64_t> seen;
  for (std::int64_t k = 0; k < count(at.shape); ++k) {
    std::int64_t rest = k, position = 0;
    for (std::size_t d = at.shape.size(); d-- > 0; rest /= at.shape[d])
      position += rest % at.shape[d] * at.stride[d];
    if (!seen.insert(position).second) return false;
  }
  return true;
}

std::vector<int> Draft::Call::results() const {
  std::vector<int> out = more;
  if (result >= 0) out.insert(out.begin(), result);
  return out;
}

std::vector<int> operands(const Draft::Call& call) {
  std::vector<int> out;
  for (const Arg& arg : call.args) collect(arg, out);
  for (const auto& [name, arg] : call.kwargs) collect(arg, out);
  return out;
}

std::vector<int> written(const Draft::Call& call) {
  const Schema* schema = find_schema(call.op);
  if (schema == nullptr || writes_unsaid(call.op, *schema)) return operands(call);
  std::vector<int> out;
  for (std::size_t k = 0; k < schema->arguments.size(); ++k) {
    const SchemaSlot& slot = schema->arguments[k];
    if (!slot.written) continue;
    if (k < call.args.size()) collect(call.args[k], out);
    for (const auto& [name, arg] : call.kwargs)
      if (name == slot.name) collect(arg, out);
  }
  return out;
}

bool is_effect(const Draft::Call& call) {
  const Schema* schema = find_schema(call.op);
  return schema == nullptr || is_random(base_name(call.op), *schema) ||
         is_impure(base_name(call.op), *schema);
}

bool Draft::is_view(const Call& call) const {
  for (const int r : call.results())
    for (const int v : operands(call))
      if (shown.at(r).storage == shown.at(v).storage) return true;
  return false;
}

Graph Draft::graph() const {
  Graph out;
  out.device = "cpu";
  std::map<int, ValueId> ids;
  for (const Entry& entry : inputs) {
    Value value = named(entry.name, Value::From::input, out.inputs.size());
    const Shown& at = shown.at(entry.value);
    value.type = Type{};
    value.type.edit().dtype = at.dtype;
    value.type.edit().shape.assign(at.shape.begin(), at.shape.end());
    value.type.edit().offset = at.offset;
    if (at.stride != row_major(at.shape)) {
      value.type.edit().strides = Type::Strides::given;
      value.type.edit().stride.assign(at.stride.begin(), at.stride.end());
    }
    ids[entry.value] = ValueId(out.values.size());
    out.values.push_back(std::move(value));
    Input input;
    input.value = ids[entry.value];
    input.storage = entry.storage;
    if (!entry.contents.empty()) {
      input.kind = Input::Kind::constant;
      input.contents.emplace();
      for (const std::int64_t v : entry.contents) input.contents->push_back(Arg::of(SymExpr(v)));
    }
    if (entry.storage_numel) input.storage_numel = SymExpr(*entry.storage_numel);
    out.inputs.push_back(std::move(input));
  }
  for (const Call& call : calls) {
    Step step;
    step.op = call.op;
    step.args = call.args;
    step.kwargs = call.kwargs;
    step.barrier = call.barrier;
    for (Arg& arg : step.args) rename(arg, ids);
    for (auto& [name, arg] : step.kwargs.items()) rename(arg, ids);
    for (const int result : call.results()) {
      ids[result] = ValueId(out.values.size());
      Value made = named(prefix + std::to_string(result), Value::From::step, out.steps.size());
      made.result = static_cast<std::uint32_t>(step.results.size());
      if (made.result < call.types.size()) made.type = call.types[made.result];
      out.values.push_back(std::move(made));
      step.results.push_back(ids[result]);
    }
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
  for (std::size_t k = begin; k < calls.size(); ++k) {
    for (Arg& arg : calls[k].args) exchange(arg, value, by);
    for (auto& [name, arg] : calls[k].kwargs) exchange(arg, value, by);
  }
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

}  // namespace noclobber::fuzz
