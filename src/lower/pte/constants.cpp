#include "src/lower/pte/constants.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "src/graph/constant_bytes.h"
#include "src/graph/uses.h"
#include "src/lower/pte/builder.h"
#include "src/lower/pte/inputs.h"

namespace noclobber {
namespace {

/// Compares a number as written with the number that a tensor of that dtype holds. An f32 is written with
/// more digits than f32 holds.
bool same_number(Dtype dtype, const Arg& written, const Arg& held) {
  if (dtype == Dtype::f32 && written.kind == Arg::Kind::real && held.kind == Arg::Kind::real)
    return Arg::of_real(static_cast<double>(static_cast<float>(written.real))) == held;
  return written == held;
}

/// The identity of a constant: contents and dtype, or the index of its data in the file.
std::string key_of(const PteTensor& tensor) {
  if (tensor.external) return "data of " + tensor.fqn;
  if (tensor.digest.empty()) return "data " + std::to_string(tensor.data);
  return tensor.digest + " " + std::to_string(static_cast<int>(tensor.dtype));
}

bool same_sizes(const std::optional<Type>& type, const PteTensor& tensor) {
  const auto equal = [](const SymExpr& a, std::int64_t b) { return a == SymExpr(b); };
  return type && type->dtype == tensor.dtype && std::ranges::equal(type->shape, tensor.sizes, equal);
}

/// Values that are operands of bodies. These are distinguished by position, even if their contents are equal.
std::set<std::uint32_t> given_to_bodies(const Graph& graph) {
  std::set<std::uint32_t> out;
  const std::function<void(const Arg&)> add = [&](const Arg& arg) {
    if (arg.kind == Arg::Kind::ref) out.insert(arg.ref.index);
    for (const Arg& item : arg.list) add(item);
  };
  for (const Step& step : graph.steps)
    if (step.op->starts_with("higher_order.")) std::ranges::for_each(step.args, add);
  return out;
}

/// Per input: the first input that is a constant with the same type and contents, else the input itself.
std::vector<std::size_t> first_alike(const Graph& graph) {
  std::map<std::string, std::vector<std::size_t>> seen;
  const std::set<std::uint32_t> given = given_to_bodies(graph);
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    const Input& input = graph.inputs[k];
    out.push_back(k);
    if (!is_constant_input(input) || input.digest.empty() || given.contains(input.value.index)) continue;
    std::vector<std::size_t>& same = seen[input.digest];
    const auto equal = [&](std::size_t other) {
      return graph.value(graph.inputs[other].value).type == graph.value(input.value).type;
    };
    const auto at = std::ranges::find_if(same, equal);
    if (at != same.end()) out.back() = *at;
    if (at == same.end()) same.push_back(k);
  }
  return out;
}

void add_of_file_alone(PteBuilder& p, std::uint32_t id) {
  Input like;
  like.kind = Input::Kind::constant;
  like.may_write = false;
  like.contents = numbers_of(p.tensor(id).contents, p.tensor(id).dtype);
  const std::string name = p.names.fresh("constant" + std::to_string(id));
  if (like.contents && type_of(p, id)) return add_input(p, like, name, *type_of(p, id), id);
  const ValueId value = emit(p, "executorch.constant_of_the_file_alone", {}, type_of(p, id), name);
  p.now.own[id] = p.define(id, value, std::nullopt);
}

}  // namespace

bool PteBuilder::is_constant(std::uint32_t id) const {
  return is_tensor(id) && (tensor(id).data > 0 || tensor(id).external) && !tensor(id).place;
}

/// Values with data and without a place, in order; each becomes one input.
std::vector<std::uint32_t> constants(const PteBuilder& p) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t id = 0; id < p.method.values.size(); ++id)
    if (p.is_constant(id)) out.push_back(id);
  return out;
}

void PteBuilder::assume(const std::string& what) {
  if (std::ranges::find(out.assumed, what) == out.assumed.end()) out.assumed.push_back(what);
}

/// True if the file's constant `id` can be this input, as far as the contents of both are known.
bool may_be(const PteBuilder& p, const Input& input, std::uint32_t id) {
  if (!same_size(p, *p.functional, input, id)) return false;
  const Dtype dtype = p.tensor(id).dtype;
  const auto numbers = numbers_of(p.tensor(id).contents, dtype);
  const auto same = [&](const Arg& own, const Arg& held) { return same_number(dtype, own, held); };
  return !input.contents || !numbers || std::ranges::equal(*input.contents, *numbers, same);
}

/// Per input: the file's constant with the same contents, which is removed from `constant`. Empty if there is
/// none.
std::vector<std::optional<std::uint32_t>> match_contents(PteBuilder& p,
                                                         std::vector<std::uint32_t>& constant) {
  std::map<std::string, std::vector<std::uint32_t>> by_digest;
  for (const std::uint32_t id : constant)
    if (!p.tensor(id).digest.empty()) by_digest[p.tensor(id).digest].push_back(id);
  const std::vector<std::size_t> first = first_alike(*p.functional);
  std::vector<std::optional<std::uint32_t>> out(first.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    const Input& input = p.functional->inputs[k];
    const auto same = by_digest.find(input.digest);
    if (!is_constant_input(input) || first[k] != k || same == by_digest.end()) continue;
    const auto fits = [&](std::uint32_t id) {
      return same_sizes(p.functional->value(input.value).type, p.tensor(id));
    };
    const auto at = std::ranges::find_if(same->second, fits);
    if (at == same->second.end()) continue;
    out[k] = *at;
    std::erase(constant, *at);
    same->second.erase(at);
  }
  return out;
}

/// Numbers that ExecuTorch lifted to constants are steps of the functional program. While the file has more
/// than `wanted` constants, these become steps here too.
void add_lifted(PteBuilder& p, std::vector<std::uint32_t>& constant, std::size_t wanted) {
  std::vector<std::pair<Dtype, Arg>> numbers;
  for (const Step& step : p.functional->steps)
    if (step.op == "aten.full.default" && step.args.size() == 2 && step.args[0].list.empty() &&
        step.kwargs.size() == 1 && step.kwargs[0].first == "dtype")
      numbers.emplace_back(step.kwargs[0].second.dtype, step.args[1]);
  std::map<std::uint32_t, std::int32_t> by_data;
  for (std::size_t k = 0; k < constant.size();) {
    const std::uint32_t id = constant[k];
    const auto number =
        p.tensor(id).sizes.empty() ? numbers_of(p.tensor(id).contents, p.tensor(id).dtype) : std::nullopt;
    const auto same = [&](const auto& entry) {
      const Dtype dtype = p.tensor(id).dtype;
      return number && entry.first == dtype && same_number(dtype, entry.second, number->front());
    };
    const auto known = by_data.find(p.tensor(id).data);
    const bool first = known == by_data.end() && constant.size() > wanted;
    if (!std::ranges::any_of(numbers, same) || (!first && known == by_data.end())) {
      ++k;
      continue;
    }
    constant.erase(constant.begin() + static_cast<std::ptrdiff_t>(k));
    if (!first) {
      p.now.bound[id] = known->second;
      continue;
    }
    const ValueId value = emit(p, "aten.full.default", {Arg::of(std::vector<Arg>{}), number->front()},
                               type_of(p, id), "number" + std::to_string(id));
    p.graph().steps.back().kwargs = {{"dtype", Arg::of_dtype(p.tensor(id).dtype)}};
    by_data[p.tensor(id).data] = p.now.own[id] = p.define(id, value, std::nullopt);
  }
}

/// Binds the remaining constants: aliases of constants that have an input, or constants that only the file
/// has.
void add_unmatched(PteBuilder& p, const std::vector<std::uint32_t>& constant) {
  std::map<std::string, std::vector<std::int32_t>> known;
  for (std::uint32_t id = 0; id < p.method.values.size(); ++id)
    if (p.is_constant(id) && p.now.own[id] >= 0) known[key_of(p.tensor(id))].push_back(p.now.own[id]);
  for (const std::uint32_t id : constant) {
    if (p.now.own[id] >= 0 || p.fault) continue;
    std::vector<std::int32_t>& same = known[key_of(p.tensor(id))];
    const auto fits = [&](std::int32_t number) {
      return same_shape(p, id, p.definitions[static_cast<std::size_t>(number)].id);
    };
    if (const auto at = std::ranges::find_if(same, fits); at != same.end() || !same.empty()) {
      p.now.bound[id] = at != same.end() ? *at : same.front();
    } else {
      add_of_file_alone(p, id);
      same.push_back(p.now.own[id]);
    }
  }
}

void merge_equal_constants(Graph& functional) {
  const std::vector<std::size_t> first = first_alike(functional);
  std::map<std::uint32_t, ValueId> by;
  for (std::size_t k = 0; k < first.size(); ++k)
    if (first[k] != k) by[functional.inputs[k].value.index] = functional.inputs[first[k]].value;
  replace_uses(functional, by);
}

void forget_weights(Graph& graph) {
  for (Input& input : graph.inputs)
    if (input.bytes.size() > kKeptConstant) input.bytes = {};
}

void know_constants(Graph& functional, Graph& program) {
  std::map<std::string, Input*> here;
  for (Input& input : functional.inputs) here[functional.value(input.value).name] = &input;
  std::vector<const Input*> alone;
  for (Input& input : program.inputs) {
    const auto at = here.find(program.value(input.value).name);
    if (at == here.end())
      alone.push_back(&input);
    else if (!at->second->contents)
      at->second->contents = input.contents;
  }
  for (Input& input : program.inputs) {
    const auto at = here.find(program.value(input.value).name);
    const bool small = at != here.end() && at->second->bytes.size() <= kKeptConstant;
    if (alone.empty() || !small || input.contents || at->second->bytes.empty()) continue;
    const Type& type = *program.value(input.value).type;
    input.contents = at->second->contents = numbers_of(*at->second->bytes, type.dtype);
  }
  for (const Input* input : alone) {
    Value value = program.value(input->value);
    value.at = static_cast<std::uint32_t>(functional.inputs.size());
    functional.values.push_back(std::move(value));
    functional.inputs.push_back(*input);
    functional.inputs.back().value = ValueId(functional.values.size() - 1);
  }
  forget_weights(functional);
  forget_weights(program);
}

}  // namespace noclobber
