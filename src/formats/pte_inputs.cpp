// What a method begins with: user inputs in their order, state, constants.
#include <algorithm>
#include <cstring>
#include <map>
#include <type_traits>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

template <class T>
void add_numbers(const std::string& bytes, std::vector<Arg>& out) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T number{};
    std::memcpy(&number, bytes.data() + at, sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      out.push_back(Arg::of_real(static_cast<double>(number)));
    } else {
      out.push_back(Arg::of(SymExpr(static_cast<std::int64_t>(number))));
    }
  }
}

/// Contents of a constant as numbers; nothing for types that are not plain ones.
std::optional<std::vector<Arg>> numbers_of(const PteTensor& tensor) {
  std::vector<Arg> out;
  if (tensor.contents.empty() || !std::ranges::is_sorted(tensor.dim_order)) return std::nullopt;
  if (tensor.dtype == Dtype::f32) add_numbers<float>(tensor.contents, out);
  if (tensor.dtype == Dtype::f64) add_numbers<double>(tensor.contents, out);
  if (tensor.dtype == Dtype::i64) add_numbers<std::int64_t>(tensor.contents, out);
  if (tensor.dtype == Dtype::i32) add_numbers<std::int32_t>(tensor.contents, out);
  if (tensor.dtype == Dtype::u8) add_numbers<std::uint8_t>(tensor.contents, out);
  return out.empty() ? std::nullopt : std::optional(std::move(out));
}

/// A lifted number has the precision of its tensor.
bool same_number(const Arg& written, const Arg& held) {
  if (written.kind == Arg::Kind::real && held.kind == Arg::Kind::real)
    return static_cast<float>(written.real) == static_cast<float>(held.real);
  return written == held;
}

}  // namespace

void PteBuilder::add_inputs() {
  for (const std::uint32_t id : method_.inputs)
    if (!is_tensor(id)) give_up("executorch.input that is no tensor");
  if (functional_ != nullptr) return match_functional();
  guess_inputs();
}

/// Values with data and no place, in order: one input each.
std::vector<std::uint32_t> PteBuilder::constants() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t id = 0; id < method_.values.size(); ++id)
    if (is_tensor(id) && tensor(id).data > 0 && !tensor(id).place) out.push_back(id);
  return out;
}

/// Placeholders come first: of all names of one place that nothing writes as a whole, the first.
std::uint32_t PteBuilder::eldest_at(std::uint32_t id, const std::vector<bool>& written) const {
  for (std::uint32_t k = 0; k < id; ++k) {
    if (!is_tensor(k) || written[k] || !tensor(k).place || tensor(k).place->arena != tensor(id).place->arena)
      continue;
    if (tensor(k).place->offset == tensor(id).place->offset && bytes_of(k) == bytes_of(id)) return k;
  }
  return id;
}

/// Tensors with a place that are used before any byte of it was written: their contents are from earlier.
std::vector<std::uint32_t> PteBuilder::states() const {
  std::vector<bool> written(method_.values.size(), false);
  std::vector<std::pair<std::uint32_t, bool>> touches;  // (value, writes all of it), in order
  for (const std::uint32_t id : method_.inputs) touches.emplace_back(id, true);
  const auto add = [&](std::uint32_t id, bool whole) {
    const PteValue& value = method_.values[id];
    if (value.kind == PteValue::Kind::tensor) touches.emplace_back(id, whole);
    if (value.kind != PteValue::Kind::tensors) return;
    for (const std::int64_t item : value.items)
      if (item >= 0 && is_tensor(static_cast<std::uint32_t>(item)))
        touches.emplace_back(static_cast<std::uint32_t>(item), whole);
  };
  for (const PteInstruction& step : method_.instructions) {
    const bool kernel = step.kind == PteInstruction::Kind::kernel;
    const Schema* schema = kernel ? find_schema(method_.operators[step.target]) : nullptr;
    const bool own_form =
        kernel && schema == nullptr && step.args.size() >= 2;  // out is named twice at the end
    const std::string op = kernel ? method_.operators[step.target] : "";
    if (op == "aten.sym_size.int") continue;  // asks for no contents
    const bool known = step.kind == PteInstruction::Kind::delegate && method_.payloads[step.target];
    const auto is_out = [&](std::size_t k) {
      if (known) return k >= method_.payloads[step.target]->inputs.size();
      if (op == "executorch_prim.et_copy_index.tensor") return k == 0;
      if (own_form) return step.args[k] == step.args.back();
      if (schema == nullptr) return step.kind == PteInstruction::Kind::move && k == 1;
      return k >= schema->arguments.size() ||
             (schema->arguments[k].written && schema->arguments[k].keyword_only);
    };
    for (std::size_t k = 0; k < step.args.size(); ++k)
      if (!is_out(k)) add(step.args[k], false);
    for (std::size_t k = 0; k < step.args.size(); ++k)
      if (is_out(k) && (schema == nullptr || k < schema->arguments.size())) add(step.args[k], true);
  }
  for (const std::uint32_t id : method_.outputs) add(id, false);
  for (const auto& [id, whole] : touches) written[id] = written[id] || whole;
  PteMemory memory;
  std::vector<std::uint32_t> out;
  for (const auto& [id, whole] : touches) {
    const PteTensor& t = tensor(id);
    std::int64_t end = 0;
    if (!t.place || __builtin_add_overflow(t.place->offset, bytes_of(id), &end)) continue;
    const auto pieces = memory.read(t.place->arena, t.place->offset, end);
    const bool untouched = pieces.size() == 1 && pieces[0].by == PteMemory::kNobody;
    if (!whole && !written[id] && untouched) out.push_back(eldest_at(id, written));
    if (whole || untouched) memory.write(t.place->arena, t.place->offset, end, 0);
  }
  std::ranges::sort(out);
  return out;
}

/// An input like one of the functional program (or of our own making), which `id` names.
void PteBuilder::add_input(const Input& like, std::string name, Type type, std::optional<std::uint32_t> id) {
  const auto number = static_cast<std::uint32_t>(graph().inputs.size());
  names_.insert(name);
  const ValueId value = add_value({std::move(name), Value::From::input, number, 0, std::move(type)});
  Input input = like;
  input.value = value;
  if (id && tensor(*id).data > 0 && !tensor(*id).place && !input.contents)
    input.contents = numbers_of(tensor(*id));
  graph().inputs.push_back(std::move(input));
  if (!id) return;
  if (like.kind == Input::Kind::user) return place_user_input(*id, value);
  define_placed(*id, value);
}

/// The runtime copies what the caller gives into the place of an input that has one.
void PteBuilder::place_user_input(std::uint32_t id, ValueId value) {
  if (!tensor(id).place) {
    own_[id] = define(id, value, std::nullopt);
    out_.inputs_may_overlap = true;
    return;
  }
  const Value& given = graph().value(value);
  const std::string name = given.name + "__in";
  std::optional<Type> type = given.type;
  define_placed(id, emit("aten.clone.default", {Arg::of(value)}, std::move(type), name));
}

bool PteBuilder::same_size(const Graph& functional, const Input& input, std::uint32_t id) const {
  const auto& type = functional.value(input.value).type;
  if (!type || type->dtype != tensor(id).dtype) return false;
  std::int64_t count = 1, own = 1;
  for (const SymExpr& size : type->shape)
    if (!size.is_constant() || __builtin_mul_overflow(count, size.constant(), &count))
      return true;  // not known
  for (const std::int64_t size : tensor(id).sizes)
    if (__builtin_mul_overflow(own, size, &own)) return false;
  return count == own;
}

/// Numbers that ExecuTorch made constants of are steps of the functional program; as long as the file has
/// more constants than that, they are steps here too.
void PteBuilder::add_lifted(std::vector<std::uint32_t>& constant, std::size_t wanted) {
  std::vector<std::pair<Dtype, Arg>> numbers;
  for (const Step& step : functional_->steps)
    if (step.op == "aten.full.default" && step.args.size() == 2 && step.args[0].list.empty() &&
        step.kwargs.size() == 1 && step.kwargs[0].first == "dtype")
      numbers.emplace_back(step.kwargs[0].second.dtype, step.args[1]);
  std::map<std::uint32_t, std::int32_t> by_data;
  for (std::size_t k = 0; k < constant.size();) {
    const std::uint32_t id = constant[k];
    const auto number = tensor(id).sizes.empty() ? numbers_of(tensor(id)) : std::nullopt;
    const auto same = [&](const auto& entry) {
      return number && entry.first == tensor(id).dtype && same_number(entry.second, number->front());
    };
    const auto known = by_data.find(tensor(id).data);
    const bool first = known == by_data.end() && constant.size() > wanted;
    if (!std::ranges::any_of(numbers, same) || (!first && known == by_data.end())) {
      ++k;
      continue;
    }
    constant.erase(constant.begin() + static_cast<std::ptrdiff_t>(k));
    if (!first) {
      bound_[id] = known->second;
      continue;
    }
    const ValueId value = emit("aten.full.default", {Arg::of(std::vector<Arg>{}), number->front()},
                               type_of(id), "number" + std::to_string(id));
    graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(tensor(id).dtype)}};
    by_data[tensor(id).data] = own_[id] = define(id, value, std::nullopt);
  }
}

void PteBuilder::match_functional() {
  const Graph& functional = *functional_;
  std::vector<std::uint32_t> users = method_.inputs, held = states(), constant = constants();
  std::size_t user = 0, state = 0, next = 0;
  const auto is_state = [](const Input& input) {
    return input.kind != Input::Kind::user && input.may_write.value_or(false);
  };
  const bool left_over = functional.inputs.size() > users.size();
  std::size_t left = 0;  // constants of the functional program that wait for one of the file
  for (const Input& input : functional.inputs)
    left += input.kind != Input::Kind::user && !is_state(input) ? 1 : 0;
  for (const Input& input : functional.inputs) names_.insert(functional.value(input.value).name);
  add_lifted(constant, left);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> aliases;  // (value, earlier value of the same data)
  for (const Input& input : functional.inputs) {
    const Value& value = functional.value(input.value);
    if (!value.type) return void(fault_ = Diagnostic{"", "input '" + value.name + "' has no type"});
    std::optional<std::uint32_t> id;
    if (input.kind == Input::Kind::user) {
      if (user == users.size() || !same_size(functional, input, users[user]))
        return void(fault_ = Diagnostic{"", "user input '" + value.name + "' does not match the program's"});
      id = users[user++];
    } else if (is_state(input)) {
      if (state < held.size() && same_size(functional, input, held[state])) id = held[state++];
    } else {
      while (next < constant.size() && constant.size() - next > left &&
             !same_size(functional, input, constant[next]))
        ++next;
      if (next < constant.size() && same_size(functional, input, constant[next])) id = constant[next++];
      --left;
    }
    add_input(input, value.name, *value.type, id);
  }
  if (left_over) out_.assumed.emplace_back("state and constants match in their order");
  if (user != users.size())
    fault_ = Diagnostic{"", "the program has more inputs than the functional program"};
  std::map<std::uint32_t, std::int32_t> by_data;
  for (const std::uint32_t id : constant) {
    if (own_[id] >= 0) {
      by_data.try_emplace(tensor(id).data, own_[id]);
    } else if (const auto known = by_data.find(tensor(id).data); known != by_data.end()) {
      bound_[id] = known->second;
    } else if (!fault_) {
      const ValueId value =
          emit("executorch.constant_of_the_file_alone", {}, type_of(id), "constant" + std::to_string(id));
      by_data[tensor(id).data] = own_[id] = define(id, value, std::nullopt);
    }
  }
}

/// An instruction stores into it, or it has a name that outlives the method: no temporary left unwritten.
bool PteBuilder::surely_state(std::uint32_t id) const {
  if (!tensor(id).fqn.empty()) return true;
  for (const PteInstruction& step : method_.instructions) {
    if (step.kind != PteInstruction::Kind::kernel) continue;
    const Schema* schema = find_schema(method_.operators[step.target]);
    if (schema == nullptr) continue;
    for (std::size_t k = 0; k < schema->arguments.size() && k < step.args.size(); ++k)
      if (step.args[k] == id && schema->arguments[k].written && !schema->arguments[k].keyword_only)
        return true;
  }
  return false;
}

void PteBuilder::guess_inputs() {
  const auto add = [&](std::uint32_t id, Input::Kind kind, const std::string& name) {
    Input like;
    like.kind = kind;
    like.may_write = kind == Input::Kind::buffer;
    add_input(like, fresh_name(name + std::to_string(id)), type_of(id).value_or(Type{}), id);
  };
  std::map<std::uint32_t, std::int32_t> by_data;
  for (const std::uint32_t id : states()) {
    add(id, Input::Kind::buffer, "state");
    if (!surely_state(id))
      out_.assumed.push_back("value " + std::to_string(id) + " is state of earlier calls");
  }
  const bool bounded =
      std::ranges::any_of(method_.values, [](const PteValue& v) { return v.tensor.dynamic; });
  if (bounded) out_.assumed.emplace_back("sizes are their upper bounds");
  for (const std::uint32_t id : constants()) {
    if (const auto known = by_data.find(tensor(id).data); known != by_data.end()) {
      bound_[id] = known->second;
      continue;
    }
    add(id, Input::Kind::constant, "constant");
    by_data[tensor(id).data] = own_[id];
  }
  for (const std::uint32_t id : method_.inputs)
    if (going()) add(id, Input::Kind::user, "input");
}

}  // namespace noclobber
