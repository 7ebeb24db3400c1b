#include "src/graph/composed.h"

#include <algorithm>
#include <set>

#include "src/graph/value_names.h"

namespace noclobber {
namespace {

constexpr const char* kSecondPart = "backward.";  // prefix of the names of the bodies of `second`

/// Appends `second` to `first`. `saved`: the saved outputs of `first`.
class Follower {
 public:
  Follower(Graph& first, const Graph& second)
      : first_(first), second_(second), to_(second.values.size()), names_(names_beside(first)) {}
  void follow(const std::vector<Arg>& saved) {
    bind_numbers(saved);
    bind_inputs(saved);
    if (!fault_.empty()) return;
    move_values();
    for (const Step& step : second_.steps) first_.steps.push_back(moved(step));
    for (const Arg& output : second_.outputs) first_.outputs.push_back(moved(output));
    for (const auto& [input, content] : second_.finals)
      first_.finals.emplace_back(to_[input.index], moved(content));
    for (const auto& [name, body] : second_.bodies) first_.bodies.emplace(kSecondPart + name, body);
  }
  std::string take_fault() { return std::move(fault_); }

 private:
  void bind_numbers(const std::vector<Arg>& saved);
  void bind_inputs(const std::vector<Arg>& saved);
  ValueId named_input(const Input& input);
  bool fits(ValueId from, const Value& input) const;
  void move_values();
  Arg moved(Arg arg) const;
  Step moved(Step step) const;
  void fail(std::string message) {
    if (fault_.empty()) fault_ = std::move(message);
  }

  Graph& first_;
  const Graph& second_;
  std::vector<ValueId> to_;  // per value of `second_`
  UniqueNames names_;
  std::string fault_;
};

/// Numbers have no storage, and a symbol has one meaning in both graphs, so only their order is checked.
void Follower::bind_numbers(const std::vector<Arg>& saved) {
  std::size_t at = 0;
  for (const Arg& output : saved) {
    if (output.kind == Arg::Kind::ref) continue;
    if (output.kind != Arg::Kind::sym) return fail("something is saved that is no tensor and no number");
    if (output.sym.is_constant()) continue;
    if (at == second_.numbers.size()) return fail("more numbers are saved than the second graph is given");
    const auto& [name, number] = second_.numbers[at++];
    if (!(number == output.sym))
      return fail("saved is the number " + output.sym.text() + ", and " + name + " is " + number.text());
  }
}

/// False if the two types are known to differ. Strides of size-1 dimensions are ignored.
bool Follower::fits(ValueId from, const Value& input) const {
  const SharedType &have = first_.value(from).type, &want = input.type;
  if (!have || !want) return true;
  if (have->dtype != want->dtype || have->shape != want->shape) return false;
  if (have->stride.size() != want->stride.size()) return true;
  for (std::size_t k = 0; k < have->stride.size(); ++k) {
    const SymExpr& extent = have->shape[k];
    const bool counts = !extent.is_constant() || extent.constant() > 1;
    if (counts && !(have->stride[k] == want->stride[k])) return false;
  }
  return true;
}

void Follower::bind_inputs(const std::vector<Arg>& saved) {
  std::vector<ValueId> tensors;
  for (const Arg& output : saved)
    if (output.kind == Arg::Kind::ref) tensors.push_back(output.ref);
  std::size_t at = 0;
  for (const Input& input : second_.inputs) {
    const Value& value = second_.value(input.value);
    if (input.kind == Input::Kind::constant || at == tensors.size()) {
      to_[input.value.index] = named_input(input);
      continue;
    }
    const ValueId from = tensors[at++];
    if (!fits(from, value))
      return fail("saved is " + first_.value(from).name + ", and " + value.name + " is of another type");
    to_[input.value.index] = from;
  }
  if (at < tensors.size()) fail("more tensors are saved than the second graph is given");
}

/// The input of the result: the input of `first` of this name and kind, or a new one.
ValueId Follower::named_input(const Input& input) {
  const Value& value = second_.value(input.value);
  for (const Input& known : first_.inputs)
    if (first_.value(known.value).name == value.name && known.kind == input.kind) return known.value;
  Value added = value;
  added.name = names_.fresh(value.name);
  added.at = static_cast<std::uint32_t>(first_.inputs.size());
  Input given = input;
  given.value = ValueId(first_.values.size());
  first_.values.push_back(std::move(added));
  first_.inputs.push_back(std::move(given));
  return first_.inputs.back().value;
}

void Follower::move_values() {
  for (std::size_t k = 0; k < second_.values.size(); ++k) {
    const Value& value = second_.values[k];
    if (value.from == Value::From::input) continue;
    Value added = value;
    added.name = names_.fresh(value.name);
    added.at += static_cast<std::uint32_t>(first_.steps.size());
    to_[k] = ValueId(first_.values.size());
    first_.values.push_back(std::move(added));
  }
}

Arg Follower::moved(Arg arg) const {
  if (arg.kind == Arg::Kind::ref && arg.ref.valid()) arg.ref = to_[arg.ref.index];
  if (arg.kind == Arg::Kind::graph && second_.bodies.contains(arg.text)) arg.text = kSecondPart + *arg.text;
  for (Arg& item : arg.list.items()) item = moved(std::move(item));
  return arg;
}

Step Follower::moved(Step step) const {
  for (ValueId& result : step.results)
    if (result.valid()) result = to_[result.index];
  for (Arg& arg : step.args) arg = moved(std::move(arg));
  for (auto& [key, arg] : step.kwargs.items()) arg = moved(std::move(arg));
  if (step.extras->after.empty()) return step;
  for (std::string& before : step.extras.edit().after)
    if (const ValueId named = second_.find(before); named.valid())
      before = first_.value(to_[named.index]).name;
  return step;
}

}  // namespace

Result<Graph> composed(Graph first, const Graph& second, std::size_t returned) {
  if (first.outputs.size() < returned)
    return Diagnostic{"", "the first graph returns fewer values than the whole does"};
  const std::vector<Arg> saved(first.outputs.begin() + static_cast<std::ptrdiff_t>(returned),
                               first.outputs.end());
  first.outputs.resize(returned);
  first.output_keys.clear();
  Follower follower(first, second);
  follower.follow(saved);
  if (std::string fault = follower.take_fault(); !fault.empty()) return Diagnostic{"", std::move(fault)};
  return first;
}

}  // namespace noclobber
