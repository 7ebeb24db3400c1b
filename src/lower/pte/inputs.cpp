#include "src/lower/pte/inputs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "src/graph/constant_bytes.h"
#include "src/graph/uses.h"
#include "src/lower/pte/builder.h"
#include "src/lower/pte/constants.h"
#include "src/lower/pte/results.h"
#include "src/lower/pte/variants.h"

namespace noclobber {
namespace {

constexpr std::int64_t kMostZeros = 1 << 26;  // bytes; larger state is not compared with zeros

constexpr std::size_t kSmallConstant = 256;  // bytes: scalars and the like, whose values matter to a run

/// The digest of `bytes` zero bytes.
std::string zeros_digest(std::int64_t bytes) {
  return digest_of(std::string(static_cast<std::size_t>(bytes), '\0'));
}

bool is_state(const Input& input) {
  return input.kind != Input::Kind::user && input.may_write.value_or(false);
}

/// State, by value, that the graph does not use and whose final contents are its initial ones: the program of
/// the file need not name it.
std::set<std::uint32_t> left_alone(const Graph& graph) {
  std::set<std::uint32_t> out;
  std::vector<ValueId> used;
  for (const auto& [input, contents] : graph.finals) {
    const bool itself = contents.kind == Arg::Kind::ref && contents.ref == input;
    itself ? void(out.insert(input.index)) : collect_uses(contents, used);
  }
  if (out.empty()) return out;
  for (const Arg& output : graph.outputs) collect_uses(output, used);
  for (const Step& step : graph.steps) std::ranges::copy(uses_of(step), std::back_inserter(used));
  for (const ValueId value : used) out.erase(value.index);
  return out;
}

/// The inputs that are tensors. Other inputs must have the values in the program: the runtime compares them,
/// and refuses to run otherwise.
std::vector<std::uint32_t> tensor_inputs(const PteBuilder& p) {
  std::vector<std::uint32_t> out;
  std::ranges::copy_if(p.method.inputs, std::back_inserter(out),
                       [&](std::uint32_t id) { return p.is_tensor(id); });
  return out;
}

/// Adds shared state that this method does not use, which must be left alone. If the method itself places the
/// state elsewhere, the state is placed twice.
void add_shared(PteBuilder& p) {
  for (const PteTensor& state : p.method.shared) {
    const auto is_own = [&](std::uint32_t id) {
      return p.is_tensor(id) && p.tensor(id).fqn == state.fqn && p.now.own[id] >= 0;
    };
    std::uint32_t own = 0;
    while (own < p.method.values.size() && !is_own(own)) ++own;
    PlanBuffer buffer = pte_buffer("", *state.place, pte_bytes(state).value_or(0));
    if (own < p.method.values.size()) {
      const auto& place = p.tensor(own).place;
      if (place && place->arena == state.place->arena && place->offset == state.place->offset) continue;
      buffer.name = p.graph().value(p.definitions[static_cast<std::size_t>(p.now.own[own])].value).name;
    } else {
      Input like;
      like.kind = Input::Kind::buffer;
      like.may_write = false;
      Type type;
      type.dtype = state.dtype;
      type.shape.assign(state.sizes.begin(), state.sizes.end());
      buffer.name = p.names.fresh(state.fqn);
      add_input(p, like, buffer.name, std::move(type), std::nullopt);
    }
    p.out.plan->buffers.push_back(std::move(buffer));
  }
}

/// True for state with a name and no place, which the runtime binds by its name.
bool is_named_state(const PteBuilder& p, std::uint32_t id) {
  const PteTensor& t = p.tensor(id);
  return !t.place && t.data == 0 && !t.external && !t.fqn.empty();
}

/// The first of all values at this place that no instruction writes as a whole: placeholders come first.
std::uint32_t eldest_at(const PteBuilder& p, std::uint32_t id, const std::vector<bool>& written) {
  for (std::uint32_t k = 0; k < id; ++k) {
    if (!p.is_tensor(k) || written[k] || !p.tensor(k).place ||
        p.tensor(k).place->arena != p.tensor(id).place->arena)
      continue;
    const std::string &name = p.tensor(k).fqn, &own = p.tensor(id).fqn;
    if (!name.empty() && !own.empty() && name != own) continue;
    if (p.tensor(k).place->offset == p.tensor(id).place->offset && p.bytes_of(k) == p.bytes_of(id)) return k;
  }
  return id;
}

/// Tensors that are used before any of their bytes is written: their contents are from earlier calls. Also
/// named state without a place. Sorted.
std::vector<std::uint32_t> states(const PteBuilder& p) {
  std::vector<bool> written(p.method.values.size(), false);
  const std::vector<PteTouch> all = touches(p);
  for (const PteTouch& touch : all)
    written[touch.id] = written[touch.id] || touch.kind != PteTouch::Kind::read;
  PteMemory memory;
  std::vector<std::uint32_t> out;
  std::set<std::uint32_t> named;
  for (const auto& [id, kind] : all) {
    const bool whole = kind != PteTouch::Kind::read;
    const PteTensor& t = p.tensor(id);
    if (is_named_state(p, id) && named.insert(id).second) out.push_back(id);
    std::int64_t end = 0;
    if (!t.place || __builtin_add_overflow(t.place->offset, p.bytes_of(id), &end)) continue;
    const auto pieces = memory.read(t.place->arena, t.place->offset, end);
    const bool untouched = pieces.size() == 1 && pieces[0].by == PteMemory::kNobody;
    if (!whole && !written[id] && untouched) out.push_back(eldest_at(p, id, written));
    if (whole || untouched) memory.write(t.place->arena, t.place->offset, end, 0);
  }
  std::ranges::sort(out);
  return out;
}

/// If an input has a place, the runtime copies the caller's tensor there.
void place_user_input(PteBuilder& p, std::uint32_t id, ValueId value) {
  if (!p.tensor(id).place) {
    p.now.own[id] = p.define(id, value, std::nullopt);
    p.out.inputs_may_overlap = true;
    return;
  }
  const Value& given = p.graph().value(value);
  const std::string name = given.name + "__in";
  std::optional<Type> type = given.type;
  const ValueId copied = emit(p, "aten.clone.default", {Arg::of(value)}, std::move(type), name);
  if (const auto meant = p.meant.values.find(value.index); meant != p.meant.values.end())
    p.meant.values[copied.index] = meant->second;
  define_placed(p, id, copied);
}

/// The caller passes bytes, whose meaning depends on the dimension order: gives up if the two orders differ.
void same_layout(PteBuilder& p, const Type& type, std::uint32_t id) {
  if (type.strides == Type::Strides::unknown || !may_hold(type, p.tensor(id))) return;
  const bool given = type.strides == Type::Strides::given;
  std::optional<std::uint8_t> last;  // the previous dimension of a size other than 1
  for (const std::uint8_t dim : p.tensor(id).dim_order) {
    if (type.shape[dim] == SymExpr(1)) continue;
    const bool known = given && last && type.stride[*last].is_constant() && type.stride[dim].is_constant();
    const bool wrong =
        given ? known && type.stride[dim].constant() > type.stride[*last].constant() : last && dim < *last;
    if (wrong) return static_cast<void>(p.give_up("executorch.input of another order of dimensions"));
    last = dim;
  }
}

/// True if neither this file nor another one gives the state initial contents: memory as the runtime finds
/// it. False above `kMostZeros` bytes.
bool begins_empty(const PteBuilder& p, std::uint32_t id) {
  const PteTensor& t = p.tensor(id);
  return t.place && t.data == 0 && !t.external && p.bytes_of(id) <= kMostZeros;
}

/// The file's state with the name of `input`, else the next one. With `has_name`, only a state of that name
/// matches. Gives up if the initial contents differ.
std::optional<std::uint32_t> state_of(PteBuilder& p, const Input& input, std::vector<std::uint32_t>& held,
                                      bool has_name) {
  const std::string& name = p.functional->value(input.value).name;
  const auto is_named = [&](std::uint32_t id) {
    std::string own = "b_" + p.tensor(id).fqn;
    std::ranges::replace(own, '.', '_');
    return !p.tensor(id).fqn.empty() && own == name;
  };
  auto at = std::ranges::find_if(held, is_named);
  if (at == held.end() && !has_name) {
    at = held.begin();
    if (at != held.end()) p.assume("state and constants match in their order");
  }
  if (at == held.end() || !same_size(p, *p.functional, input, *at)) return {};
  const std::uint32_t id = *at;
  held.erase(at);
  const std::string& digest = p.tensor(id).digest;
  if (digest.empty()) {
    if (begins_empty(p, id) && !input.digest.empty() && *input.digest != zeros_digest(p.bytes_of(id)))
      p.give_up("executorch.state that begins with other contents");
    p.assume("state begins with what the functional program's begins with");
  } else if (!input.digest.empty() && digest != *input.digest) {
    p.give_up("executorch.state that begins with other contents");
  }
  return id;
}

void match_functional(PteBuilder& p) {
  const Graph& functional = *p.functional;
  std::vector<std::uint32_t> constant = constants(p);
  const std::vector<std::uint32_t> users = tensor_inputs(p);
  std::size_t user = 0, next = 0;
  std::vector<std::uint32_t> held = states(p);
  // State that is never changed may be missing from the file. If some state is missing, it is taken to be
  // this.
  std::set<std::uint32_t> missing = left_alone(functional);
  const auto expected = static_cast<std::size_t>(std::ranges::count_if(functional.inputs, is_state));
  if (held.size() >= expected) missing.clear();
  // A method that only reads a buffer may still have it as state, because other methods write it.
  const bool reads_state = held.size() > expected - missing.size();
  const std::vector<std::optional<std::uint32_t>> given = match_contents(p, constant);
  std::size_t left = 0;  // functional constants without a digest, to be matched by order
  for (std::size_t k = 0; k < functional.inputs.size(); ++k)
    left += is_constant_input(functional.inputs[k]) && functional.inputs[k].digest.empty() ? 1 : 0;
  for (const Input& input : functional.inputs) p.names.take(functional.value(input.value).name);
  add_lifted(p, constant, left);
  for (std::size_t k = 0; k < functional.inputs.size(); ++k) {
    const Input& input = functional.inputs[k];
    const Value& value = functional.value(input.value);
    if (!value.type) return void(p.fault = Diagnostic{"", "input '" + value.name + "' has no type"});
    std::optional<std::uint32_t> id = given[k];
    if (input.kind == Input::Kind::user) {
      if (user == users.size() || !same_size(p, functional, input, users[user]))
        return void(p.fault = Diagnostic{"", "user input '" + value.name + "' does not match the program's"});
      id = users[user++];
    } else if (is_state(input) || (reads_state && !id && input.kind == Input::Kind::buffer)) {
      id = state_of(p, input, held, missing.contains(input.value.index));
    } else if (!id && input.digest.empty()) {
      while (next < constant.size() && constant.size() - next > left && !may_be(p, input, constant[next]))
        ++next;
      if (next < constant.size() && may_be(p, input, constant[next])) id = constant[next++];
      if (id && !input.contents) p.assume("constants hold what the functional program's do");
      --left;
    }
    if (id && !may_hold(*value.type, p.tensor(*id))) p.give_up("executorch.input of another shape");
    if (input.kind == Input::Kind::user) same_layout(p, *value.type, *id);
    add_input(p, input, value.name, *value.type, id);
  }
  if (next > 0) p.assume("state and constants match in their order");
  if (user != users.size())
    p.fault = Diagnostic{"", "the program has more inputs than the functional program"};
  add_unmatched(p, constant);
}

/// True if the program stores into the caller's own memory on purpose: only the write-back of a program
/// becomes `copy_`.
bool is_written_back(const PteBuilder& p, std::uint32_t id) {
  const auto stores = [&](const PteInstruction& step) {
    return step.kind == PteInstruction::Kind::kernel &&
           p.method.operators[step.target] == "aten.copy_.default" && !step.args.empty() &&
           step.args[0] == id;
  };
  return !p.tensor(id).place && std::ranges::any_of(p.method.instructions, stores);
}

void guess_inputs(PteBuilder& p) {
  const auto add = [&](std::uint32_t id, Input::Kind kind, const std::string& name) {
    Input like;
    like.kind = kind;
    like.may_write = kind == Input::Kind::buffer || (kind == Input::Kind::user && is_written_back(p, id));
    add_input(p, like, p.names.fresh(name + std::to_string(id)), type_of(p, id).value_or(Type{}), id);
  };
  std::map<std::uint32_t, std::int32_t> by_data;
  for (const std::uint32_t id : states(p)) {
    add(id, Input::Kind::buffer, "state");
    if (!surely_state(p, id))
      p.out.assumed.push_back("value " + std::to_string(id) + " is state of earlier calls");
  }
  const bool bounded =
      std::ranges::any_of(p.method.values, [](const PteValue& v) { return v.tensor.dynamic; });
  if (bounded) p.out.assumed.emplace_back("sizes are their upper bounds");
  for (const std::uint32_t id : constants(p)) {
    if (const auto known = by_data.find(p.tensor(id).data); known != by_data.end()) {
      p.now.bound[id] = known->second;
      continue;
    }
    add(id, Input::Kind::constant, "constant");
    by_data[p.tensor(id).data] = p.now.own[id];
  }
  for (const std::uint32_t id : tensor_inputs(p))
    if (p.going()) add(id, Input::Kind::user, "input");
}

}  // namespace

void add_inputs(PteBuilder& p) {
  const auto is_list = [&](std::uint32_t id) { return p.method.values[id].kind >= PteValue::Kind::integers; };
  if (std::ranges::any_of(p.method.inputs, is_list)) p.give_up("executorch.input that is a list");
  if (!p.going()) return;
  p.functional != nullptr ? match_functional(p) : guess_inputs(p);
  if (p.going()) add_shared(p);
}

/// Tensors in the order in which the program accesses them, and how. The reads of a call come before its
/// writes.
std::vector<PteTouch> touches(const PteBuilder& p) {
  std::vector<PteTouch> out;
  for (const std::uint32_t id : p.method.inputs) out.push_back({id, PteTouch::Kind::given});
  const auto add = [&](std::uint32_t id, PteTouch::Kind kind) {
    const PteValue& value = p.method.values[id];
    if (value.kind == PteValue::Kind::tensor) out.push_back({id, kind});
    if (value.kind != PteValue::Kind::tensors) return;
    for (const std::int64_t item : value.items)
      if (item >= 0 && p.is_tensor(static_cast<std::uint32_t>(item)))
        out.push_back({static_cast<std::uint32_t>(item), kind});
  };
  for (const PteInstruction& step : p.method.instructions) {
    const bool kernel = step.kind == PteInstruction::Kind::kernel;
    const bool move = step.kind == PteInstruction::Kind::move;
    const Schema* schema = schema_of(p, step);
    const bool own_form =
        kernel && schema == nullptr && step.args.size() >= 2;  // the last two arguments name `out`
    const std::string op = kernel ? p.method.operators[step.target] : "";
    if (op == "aten.sym_size.int") continue;  // does not read contents
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
      if (!is_out(k)) add(step.args[k], PteTouch::Kind::read);
    for (std::size_t k = 0; k < step.args.size(); ++k)
      if (is_out(k) && (schema == nullptr || k < schema->arguments.size()))
        add(step.args[k], move ? PteTouch::Kind::moved : PteTouch::Kind::made);
  }
  for (const std::uint32_t id : p.method.outputs) add(id, PteTouch::Kind::read);
  return out;
}

/// Adds an input like one of the functional program, or a new one. `id` is the program's value for it, if
/// any.
void add_input(PteBuilder& p, const Input& like, std::string name, Type type,
               std::optional<std::uint32_t> id) {
  const auto number = static_cast<std::uint32_t>(p.graph().inputs.size());
  const ValueId value = p.add_value({std::move(name), Value::From::input, number, 0, std::move(type)});
  Input input = like;
  input.value = value;
  if (p.functional != nullptr && like.value.valid()) p.meant.values[value.index] = like.value;
  const bool small = id && !p.tensor(*id).place && p.tensor(*id).contents.size() <= kSmallConstant;
  if (small && !input.contents) input.contents = numbers_of(p.tensor(*id).contents, p.tensor(*id).dtype);
  p.graph().inputs.push_back(std::move(input));
  if (!id) return;
  if (like.kind == Input::Kind::user) return place_user_input(p, *id, value);
  define_placed(p, *id, value);
}

bool same_size(const PteBuilder& p, const Graph& functional, const Input& input, std::uint32_t id) {
  const auto& type = functional.value(input.value).type;
  if (!type || type->dtype != p.tensor(id).dtype) return false;
  std::int64_t count = 1, own = 1;
  for (const SymExpr& size : type->shape)
    if (!size.is_constant() || __builtin_mul_overflow(count, size.constant(), &count))
      return true;  // not known
  for (const std::int64_t size : p.tensor(id).sizes)
    if (__builtin_mul_overflow(own, size, &own)) return false;
  return count == own;
}

/// True if an instruction stores into it, or it has a name that outlives the method: it is no temporary that
/// was left unwritten.
bool surely_state(const PteBuilder& p, std::uint32_t id) {
  if (!p.tensor(id).fqn.empty()) return true;
  for (const PteInstruction& step : p.method.instructions) {
    const Schema* schema = schema_of(p, step);
    if (schema == nullptr) continue;
    for (std::size_t k = 0; k < schema->arguments.size() && k < step.args.size(); ++k)
      if (step.args[k] == id && schema->arguments[k].written && !schema->arguments[k].keyword_only)
        return true;
  }
  return false;
}

}  // namespace noclobber
