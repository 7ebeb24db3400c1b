// What a method begins with: user inputs in their order, state, constants.
#include <algorithm>
#include <map>
#include <set>

#include "src/formats/constant_bytes.h"
#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

constexpr std::int64_t kMostZeros = 1 << 26;  // bytes of state that is compared with zeros
constexpr std::size_t kSmallConstant = 256;   // bytes: scalars and the like, which make a run meaningful

/// Of that many zeros.
std::string zeros_digest(std::int64_t bytes) {
  return digest_of(std::string(static_cast<std::size_t>(bytes), '\0'));
}

bool is_state(const Input& input) {
  return input.kind != Input::Kind::user && input.may_write.value_or(false);
}

}  // namespace

/// The inputs that are tensors. Others must be what the program says: the runtime compares, and refuses to
/// run.
std::vector<std::uint32_t> PteBuilder::tensor_inputs() const {
  std::vector<std::uint32_t> out;
  std::ranges::copy_if(method_.inputs, std::back_inserter(out),
                       [&](std::uint32_t id) { return is_tensor(id); });
  return out;
}

void PteBuilder::add_inputs() {
  const auto is_list = [&](std::uint32_t id) { return method_.values[id].kind >= PteValue::Kind::integers; };
  if (std::ranges::any_of(method_.inputs, is_list)) give_up("executorch.input that is a list");
  if (!going()) return;
  functional_ != nullptr ? match_functional() : guess_inputs();
  if (going()) add_shared();
}

/// State that this method does not touch must be left alone. Where it has its own idea of where state lies,
/// that is placed twice.
void PteBuilder::add_shared() {
  for (const PteTensor& state : method_.shared) {
    const auto is_own = [&](std::uint32_t id) {
      return is_tensor(id) && tensor(id).fqn == state.fqn && own_[id] >= 0;
    };
    std::uint32_t own = 0;
    while (own < method_.values.size() && !is_own(own)) ++own;
    PlanBuffer buffer = pte_buffer("", *state.place, pte_bytes(state).value_or(0));
    if (own < method_.values.size()) {
      const auto& place = tensor(own).place;
      if (place && place->arena == state.place->arena && place->offset == state.place->offset) continue;
      buffer.name = graph().value(definitions_[static_cast<std::size_t>(own_[own])].value).name;
    } else {
      Input like;
      like.kind = Input::Kind::buffer;
      like.may_write = false;
      Type type;
      type.dtype = state.dtype;
      type.shape.assign(state.sizes.begin(), state.sizes.end());
      buffer.name = names_.fresh(state.fqn);
      add_input(like, buffer.name, std::move(type), std::nullopt);
    }
    out_.plan->buffers.push_back(std::move(buffer));
  }
}

/// State with a name and no place: the runtime binds it by its name.
bool PteBuilder::is_named_state(std::uint32_t id) const {
  const PteTensor& t = tensor(id);
  return !t.place && t.data == 0 && !t.external && !t.fqn.empty();
}

/// Placeholders come first: of all names of one place that nothing writes as a whole, the first.
std::uint32_t PteBuilder::eldest_at(std::uint32_t id, const std::vector<bool>& written) const {
  for (std::uint32_t k = 0; k < id; ++k) {
    if (!is_tensor(k) || written[k] || !tensor(k).place || tensor(k).place->arena != tensor(id).place->arena)
      continue;
    const std::string &name = tensor(k).fqn, &own = tensor(id).fqn;
    if (!name.empty() && !own.empty() && name != own) continue;
    if (tensor(k).place->offset == tensor(id).place->offset && bytes_of(k) == bytes_of(id)) return k;
  }
  return id;
}

/// Tensors in the order in which the program names them, and of each whether all of it is written. What a
/// call reads comes before what it writes.
std::vector<PteBuilder::Touch> PteBuilder::touches() const {
  std::vector<Touch> out;
  for (const std::uint32_t id : method_.inputs) out.push_back({id, Touch::Kind::given});
  const auto add = [&](std::uint32_t id, Touch::Kind kind) {
    const PteValue& value = method_.values[id];
    if (value.kind == PteValue::Kind::tensor) out.push_back({id, kind});
    if (value.kind != PteValue::Kind::tensors) return;
    for (const std::int64_t item : value.items)
      if (item >= 0 && is_tensor(static_cast<std::uint32_t>(item)))
        out.push_back({static_cast<std::uint32_t>(item), kind});
  };
  for (const PteInstruction& step : method_.instructions) {
    const bool kernel = step.kind == PteInstruction::Kind::kernel;
    const bool move = step.kind == PteInstruction::Kind::move;
    const Schema* schema = schema_of(step);
    const bool own_form =
        kernel && schema == nullptr && step.args.size() >= 2;  // out is named twice at the end
    const std::string op = kernel ? method_.operators[step.target] : "";
    if (op == "aten.sym_size.int") continue;  // asks for no contents
    const auto is_out = [&](std::size_t k) {
      if (step.results) return k >= *step.results;
      if (op == "executorch_prim.et_copy_index.tensor") return k == 0;
      if (own_form)
        return step.args[k] == step.args[step.args.size() - (op.starts_with("dim_order_ops.") ? 2 : 1)];
      if (schema == nullptr) return move && k == 1;
      return k >= schema->arguments.size() ||
             (schema->arguments[k].written && schema->arguments[k].keyword_only);
    };
    for (std::size_t k = 0; k < step.args.size(); ++k)
      if (!is_out(k)) add(step.args[k], Touch::Kind::read);
    for (std::size_t k = 0; k < step.args.size(); ++k)
      if (is_out(k) && (schema == nullptr || k < schema->arguments.size()))
        add(step.args[k], move ? Touch::Kind::moved : Touch::Kind::made);
  }
  for (const std::uint32_t id : method_.outputs) add(id, Touch::Kind::read);
  return out;
}

/// Tensors with a place that are used before any byte of it was written: their contents are from earlier.
std::vector<std::uint32_t> PteBuilder::states() const {
  std::vector<bool> written(method_.values.size(), false);
  const std::vector<Touch> all = touches();
  for (const Touch& touch : all) written[touch.id] = written[touch.id] || touch.kind != Touch::Kind::read;
  PteMemory memory;
  std::vector<std::uint32_t> out;
  std::set<std::uint32_t> named;
  for (const auto& [id, kind] : all) {
    const bool whole = kind != Touch::Kind::read;
    const PteTensor& t = tensor(id);
    if (is_named_state(id) && named.insert(id).second) out.push_back(id);
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
  const ValueId value = add_value({std::move(name), Value::From::input, number, 0, std::move(type)});
  Input input = like;
  input.value = value;
  if (functional_ != nullptr && like.value.valid()) meant_[value.index] = like.value;
  const bool small = id && !tensor(*id).place && tensor(*id).contents.size() <= kSmallConstant;
  if (small && !input.contents) input.contents = numbers_of(tensor(*id).contents, tensor(*id).dtype);
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
  const ValueId copied = emit("aten.clone.default", {Arg::of(value)}, std::move(type), name);
  if (const auto meant = meant_.find(value.index); meant != meant_.end())
    meant_[copied.index] = meant->second;
  define_placed(id, copied);
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

/// What the caller gives are bytes, which mean the same in one order of dimensions alone.
void PteBuilder::same_layout(const Type& type, std::uint32_t id) {
  if (type.strides == Type::Strides::unknown || !may_hold(type, tensor(id))) return;
  const bool given = type.strides == Type::Strides::given;
  std::optional<std::uint8_t> last;  // dimension of more than one
  for (const std::uint8_t dim : tensor(id).dim_order) {
    if (type.shape[dim] == SymExpr(1)) continue;
    const bool known = given && last && type.stride[*last].is_constant() && type.stride[dim].is_constant();
    const bool wrong =
        given ? known && type.stride[dim].constant() > type.stride[*last].constant() : last && dim < *last;
    if (wrong) return static_cast<void>(give_up("executorch.input of another order of dimensions"));
    last = dim;
  }
}

void PteBuilder::match_functional() {
  const Graph& functional = *functional_;
  std::vector<std::uint32_t> constant = constants();
  const std::vector<std::uint32_t> users = tensor_inputs();
  std::size_t user = 0, next = 0;
  std::vector<std::uint32_t> held = states();
  // A method that only reads a buffer may still have it as state, for the others.
  const bool reads_state =
      held.size() > static_cast<std::size_t>(std::ranges::count_if(functional.inputs, is_state));
  const std::vector<std::optional<std::uint32_t>> given = match_contents(constant);
  std::size_t left = 0;  // constants of the functional program that wait for one of the file
  for (std::size_t k = 0; k < functional.inputs.size(); ++k)
    left += is_constant_input(functional.inputs[k]) && functional.inputs[k].digest.empty() ? 1 : 0;
  for (const Input& input : functional.inputs) names_.take(functional.value(input.value).name);
  add_lifted(constant, left);
  for (std::size_t k = 0; k < functional.inputs.size(); ++k) {
    const Input& input = functional.inputs[k];
    const Value& value = functional.value(input.value);
    if (!value.type) return void(fault_ = Diagnostic{"", "input '" + value.name + "' has no type"});
    std::optional<std::uint32_t> id = given[k];
    if (input.kind == Input::Kind::user) {
      if (user == users.size() || !same_size(functional, input, users[user]))
        return void(fault_ = Diagnostic{"", "user input '" + value.name + "' does not match the program's"});
      id = users[user++];
    } else if (is_state(input) || (reads_state && !id && input.kind == Input::Kind::buffer)) {
      id = state_of(input, held);
    } else if (!id && input.digest.empty()) {
      while (next < constant.size() && constant.size() - next > left && !may_be(input, constant[next]))
        ++next;
      if (next < constant.size() && may_be(input, constant[next])) id = constant[next++];
      if (id && !input.contents) assume("constants hold what the functional program's do");
      --left;
    }
    if (id && !may_hold(*value.type, tensor(*id))) give_up("executorch.input of another shape");
    if (input.kind == Input::Kind::user) same_layout(*value.type, *id);
    add_input(input, value.name, *value.type, id);
  }
  if (next > 0) assume("state and constants match in their order");
  if (user != users.size())
    fault_ = Diagnostic{"", "the program has more inputs than the functional program"};
  add_unmatched(constant);
}

/// The file gives it nothing to begin with, nor names another that does: memory as the runtime finds it.
bool PteBuilder::begins_empty(std::uint32_t id) const {
  const PteTensor& t = tensor(id);
  return t.place && t.data == 0 && !t.external && bytes_of(id) <= kMostZeros;
}

/// The state of the file that has this one's name, else the next one; it must begin with what this one does.
std::optional<std::uint32_t> PteBuilder::state_of(const Input& input, std::vector<std::uint32_t>& held) {
  const std::string& name = functional_->value(input.value).name;
  const auto is_named = [&](std::uint32_t id) {
    std::string own = "b_" + tensor(id).fqn;
    std::ranges::replace(own, '.', '_');
    return !tensor(id).fqn.empty() && own == name;
  };
  auto at = std::ranges::find_if(held, is_named);
  if (at == held.end()) {
    at = held.begin();
    if (at != held.end()) assume("state and constants match in their order");
  }
  if (at == held.end() || !same_size(*functional_, input, *at)) return {};
  const std::uint32_t id = *at;
  held.erase(at);
  const std::string& digest = tensor(id).digest;
  if (digest.empty()) {
    if (begins_empty(id) && !input.digest.empty() && *input.digest != zeros_digest(bytes_of(id)))
      give_up("executorch.state that begins with other contents");
    assume("state begins with what the functional program's begins with");
  } else if (!input.digest.empty() && digest != *input.digest) {
    give_up("executorch.state that begins with other contents");
  }
  return id;
}

/// An instruction stores into it, or it has a name that outlives the method: no temporary left unwritten.
bool PteBuilder::surely_state(std::uint32_t id) const {
  if (!tensor(id).fqn.empty()) return true;
  for (const PteInstruction& step : method_.instructions) {
    const Schema* schema = schema_of(step);
    if (schema == nullptr) continue;
    for (std::size_t k = 0; k < schema->arguments.size() && k < step.args.size(); ++k)
      if (step.args[k] == id && schema->arguments[k].written && !schema->arguments[k].keyword_only)
        return true;
  }
  return false;
}

/// The caller's own memory, stored into on purpose: `copy_` is what a program's write-back becomes, and
/// nothing else does.
bool PteBuilder::is_written_back(std::uint32_t id) const {
  const auto stores = [&](const PteInstruction& step) {
    return step.kind == PteInstruction::Kind::kernel &&
           method_.operators[step.target] == "aten.copy_.default" && !step.args.empty() && step.args[0] == id;
  };
  return !tensor(id).place && std::ranges::any_of(method_.instructions, stores);
}

void PteBuilder::guess_inputs() {
  const auto add = [&](std::uint32_t id, Input::Kind kind, const std::string& name) {
    Input like;
    like.kind = kind;
    like.may_write = kind == Input::Kind::buffer || (kind == Input::Kind::user && is_written_back(id));
    add_input(like, names_.fresh(name + std::to_string(id)), type_of(id).value_or(Type{}), id);
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
  for (const std::uint32_t id : tensor_inputs())
    if (going()) add(id, Input::Kind::user, "input");
}

}  // namespace noclobber
