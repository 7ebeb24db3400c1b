#include "src/lower/pte/delegates.h"

#include <algorithm>
#include <cctype>

#include "src/lower/pte/builder.h"
#include "src/lower/pte/calls.h"
#include "src/lower/pte/results.h"
#include "src/lower/xnnpack/steps.h"

namespace noclobber {
namespace {

constexpr std::size_t kNamedDigits = 32;  // of the digest

/// Per value: true if it is defined before anything runs: inputs, data, named state, everything but tensors.
std::vector<bool> named_at_first(const PteMethod& method) {
  std::vector<bool> out;
  for (const PteValue& value : method.values)
    out.push_back(value.kind != PteValue::Kind::tensor || value.tensor.data != 0 ||
                  !value.tensor.fqn.empty());
  for (const std::uint32_t id : method.inputs) out[id] = true;
  return out;
}

/// Per value: true if some kernel stores into it: state, or a result that is updated in place.
std::vector<bool> stored_into(const PteMethod& method) {
  std::vector<bool> out(method.values.size(), false);
  for (const PteInstruction& step : method.instructions) {
    const bool kernel = step.kind == PteInstruction::Kind::kernel;
    const Schema* schema = kernel ? find_schema(method.operators[step.target]) : nullptr;
    for (std::size_t k = 0; schema && k < schema->arguments.size() && k < step.args.size(); ++k)
      if (schema->arguments[k].written && !schema->arguments[k].keyword_only) out[step.args[k]] = true;
  }
  return out;
}

/// Emitters give each result a fresh value: the trailing arguments that no earlier instruction names are the
/// results. Empty if there are none, or if the argument before them may be state.
std::optional<std::size_t> first_result(const std::vector<std::uint32_t>& args,
                                        const std::vector<bool>& named, const std::vector<bool>& stored) {
  std::size_t first = args.size();
  while (first > 0 && !named[args[first - 1]] && !stored[args[first - 1]]) --first;
  if (first == args.size() || (first > 0 && !named[args[first - 1]])) return std::nullopt;
  return first;
}

const char* type_name(const PteValue& value) {
  switch (value.kind) {
    case PteValue::Kind::tensor:
      return "Tensor";
    case PteValue::Kind::integer:
      return "SymInt";
    case PteValue::Kind::boolean:
      return "bool";
    case PteValue::Kind::real:
      return "float";
    default:
      return nullptr;
  }
}

/// `executorch_delegate.BACKEND_ENDING`.
std::string delegate_op(const PteDelegate& delegate, const std::string& ending) {
  std::string name = delegate.id + "_" + ending;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "d");
  return "executorch_delegate." + name + ".default";
}

bool calls(const Graph& graph, const std::string& op) {
  return std::ranges::any_of(graph.steps, [&](const Step& step) { return step.op == op; });
}

/// True if the call takes as many arguments as the functional one, and has no more results.
bool like_call(const PteInstruction& call, const Step& meant) {
  return call.results && meant.args.size() == *call.results &&
         call.args.size() - *call.results <= meant.results.size();
}

/// Identifies the payload independently of its number: the first digits of its digest, as in the recorder
/// (python/noclobber/fx_graph.py).
std::string contents_of(const PteBuilder& p, std::uint32_t number) {
  return p.method.delegates[number].digest.substr(0, kNamedDigits);
}

/// The operator name of a delegate: as in the functional program, else by its number.
std::string name_of(const PteBuilder& p, std::uint32_t number) {
  if (const auto paired = p.meant.paired.find(number); paired != p.meant.paired.end())
    return paired->second->op;
  const PteDelegate& delegate = p.method.delegates[number];
  std::string by_contents = delegate_op(delegate, contents_of(p, number));
  const bool meant = p.functional != nullptr && calls(*p.functional, by_contents);
  return meant ? by_contents : delegate_op(delegate, std::to_string(number));
}

/// Returns the operator that stands for a delegate, and declares it at the first call. "" if the calls of the
/// delegate have different signatures.
std::string declare_delegate(PteBuilder& p, const PteInstruction& call) {
  const PteDelegate& delegate = p.method.delegates[call.target];
  const std::string name = name_of(p, call.target);
  const auto paired = p.meant.paired.find(call.target);
  const std::size_t results =
      paired == p.meant.paired.end() ? call.args.size() - *call.results : paired->second->results.size();
  OpDecl declared;
  const std::size_t dot = name.find('.');
  declared.schema = name.substr(0, dot) + "::" + name.substr(dot + 1, name.rfind('.') - dot - 1) + "(";
  for (std::size_t k = 0; k < *call.results; ++k) {
    if (k > 0) declared.schema += ", ";
    declared.schema += type_name(p.method.values[call.args[k]]);
    declared.schema += " a" + std::to_string(k);
  }
  declared.schema += ") -> (";
  for (std::size_t k = 0; k < results; ++k) declared.schema += k > 0 ? ", Tensor" : "Tensor";
  declared.schema += ")";
  declared.pure = paired != p.meant.paired.end() || (delegate.roles && delegate.roles->is_function);
  const auto [known, fresh] = p.meant.delegates.try_emplace(call.target, declared.schema);
  if (!fresh) return known->second == declared.schema ? name : "";
  p.out.ops.push_back(std::move(declared));
  if (delegate.program) p.out.registers.push_back(*delegate.program);
  if (paired != p.meant.paired.end())
    p.assume("delegate " + delegate.id + " computes what " + paired->second->op +
             " stands for, and writes nothing but its results and what is its own");
  return name;
}

/// Adds the results of the functional call that the delegate does not return.
void add_dropped_results(PteBuilder& p, std::size_t step, const Step& meant) {
  for (auto k = static_cast<std::uint32_t>(p.graph().steps[step].results.size()); k < meant.results.size();
       ++k) {
    const auto type = meant.results[k].valid() ? p.functional->value(meant.results[k]).type : SharedType();
    p.graph().steps[step].results.push_back(
        p.add_value({p.names.fresh("kept" + std::to_string(k)), Value::From::step,
                     static_cast<std::uint32_t>(step), k, type}));
  }
}

/// True if the payload is lowered here: the functional program has the original operators, and no calls of
/// delegates.
bool is_lowered_here(const PteBuilder& p, const PteInstruction& call) {
  const PteDelegate& delegate = p.method.delegates[call.target];
  return p.functional != nullptr && p.levels.size() == 1 && delegate.xnnpack && call.results &&
         std::ranges::none_of(p.functional->steps, [](const Step& step) {
           return step.op->starts_with("delegate.") || step.op->starts_with("executorch_delegate.");
         });
}

/// True if a result overlaps an argument: the steps of the call would read bytes that an earlier one has
/// overwritten.
bool meets_arguments(const PteBuilder& p, const PteInstruction& call) {
  for (std::size_t k = *call.results; k < call.args.size(); ++k)
    for (std::size_t j = 0; j < call.args.size(); ++j) {
      if (j == k) continue;
      const auto &a = p.tensor(call.args[k]).place, &b = p.tensor(call.args[j]).place;
      if (call.args[k] == call.args[j]) return true;
      if (a && b && a->arena == b->arena && a->offset < b->offset + p.bytes_of(call.args[j]) &&
          b->offset < a->offset + p.bytes_of(call.args[k]))
        return true;
    }
  return false;
}

/// The sizes in memory order, as XNNPACK has them. Empty for orders or dtypes that it does not know.
std::optional<std::vector<std::int64_t>> xnn_sizes(const PteTensor& t) {
  if (t.dynamic || (t.dtype != Dtype::f32 && t.dtype != Dtype::i8)) return std::nullopt;
  if (std::ranges::is_sorted(t.dim_order)) return t.sizes;
  if (t.dim_order != std::vector<std::uint8_t>{0, 2, 3, 1}) return std::nullopt;
  return std::vector{t.sizes[0], t.sizes[2], t.sizes[3], t.sizes[1]};
}

ValueId turned(PteBuilder& p, const char* op, ValueId value, Arg order) {
  return emit(p, op, {Arg::of(value), std::move(order)}, std::nullopt, "xnn");
}

/// Lowers a call to the steps of its payload.
void lowered(PteBuilder& p, const PteInstruction& call) {
  const auto refuse = [&](const std::string& why) { p.give_up("xnnpack." + why); };
  const auto known = [&](std::uint32_t arg) { return p.is_tensor(arg) && xnn_sizes(p.tensor(arg)); };
  const auto plain = [&](std::uint32_t arg) { return std::ranges::is_sorted(p.tensor(arg).dim_order); };
  if (!std::ranges::all_of(call.args, known))
    return refuse("argument that is no tensor of f32 or i8 of known sizes");
  if (meets_arguments(p, call)) return refuse("result that lies on an argument");
  std::map<std::uint32_t, XnnGiven> given;
  for (std::uint32_t k = 0; k < *call.results; ++k) {
    ValueId value = read(p, call.args[k]);
    if (!p.going()) return;
    if (!plain(call.args[k])) value = turned(p, "aten.permute_copy.default", value, xnn_list({0, 2, 3, 1}));
    given[k] = {value, *xnn_sizes(p.tensor(call.args[k])), p.tensor(call.args[k]).dtype};
  }
  XnnInto into{p.graph(), p.names, *p.functional, {}, {}, {}};
  for (const Input& input : p.graph().inputs)
    if (const auto meant = p.meant.values.find(input.value.index); meant != p.meant.values.end())
      into.here[meant->second.index] = input.value;
  const auto made = run_xnnpack(*p.method.delegates[call.target].xnnpack, given, into);
  if (!into.refused.empty()) return refuse(into.refused);
  for (std::uint32_t k = *call.results; k < call.args.size(); ++k) {
    const auto at = made.find(k);
    if (at == made.end() || at->second.shape != *xnn_sizes(p.tensor(call.args[k])) ||
        at->second.dtype != p.tensor(call.args[k]).dtype)
      return refuse("result of other sizes, or that nothing makes");
    ValueId value = at->second.value;
    if (!plain(call.args[k])) value = turned(p, "aten.permute.default", value, xnn_list({0, 3, 1, 2}));
    Step stored;
    stored.op = "aten.clone.default";
    stored.args = {Arg::of(value)};
    write_results(p, std::move(stored), {call.args[k]});
    if (!p.going()) return;
  }
  for (const std::string& one : into.assumed) p.assume(one);
  p.assume(
      "nodes of XNNPACK compute what the operators of PyTorch do that they are made of, but for rounding");
}

}  // namespace

/// Delegates that are known only from their calls are paired with the delegates that the functional program
/// calls, in the order of their first calls.
void pair_delegates(PteBuilder& p) {
  if (p.functional == nullptr) return;
  std::vector<const Step*> meant;
  std::set<std::string> seen;
  for (const Step& step : p.functional->steps)
    if (step.op->starts_with("delegate.") && seen.insert(step.op).second) meant.push_back(&step);
  std::vector<const PteInstruction*> called;
  std::set<std::uint32_t> known;
  for (const PteInstruction& step : p.method.instructions)
    if (step.kind == PteInstruction::Kind::delegate && known.insert(step.target).second &&
        !calls(*p.functional, delegate_op(p.method.delegates[step.target], contents_of(p, step.target))))
      called.push_back(&step);
  if (meant.size() != called.size()) return;
  for (std::size_t k = 0; k < meant.size(); ++k)
    if (like_call(*called[k], *meant[k])) p.meant.paired[called[k]->target] = meant[k];
}

void delegate(PteBuilder& p, const PteInstruction& instruction) {
  if (is_lowered_here(p, instruction)) return lowered(p, instruction);
  const std::string& id = p.method.delegates[instruction.target].id;
  const auto& args = instruction.args;
  const auto typed = [&](std::uint32_t arg) { return type_name(p.method.values[arg]) != nullptr; };
  if (!instruction.results || !std::ranges::all_of(args, typed))
    return static_cast<void>(
        p.give_up("executorch_delegate." + id + " (arguments whose roles are not known)"));
  const auto results = args.begin() + static_cast<std::ptrdiff_t>(*instruction.results);
  if (!std::all_of(results, args.end(), [&](std::uint32_t arg) { return p.is_tensor(arg); }))
    return static_cast<void>(p.give_up("executorch_delegate." + id + " (results that are no tensors)"));
  Step made;
  made.op = declare_delegate(p, instruction);
  if (made.op.empty())
    return static_cast<void>(p.give_up("executorch_delegate." + id + " (calls of other arguments)"));
  for (auto at = args.begin(); at != results; ++at) {
    const auto number = p.is_tensor(*at) ? Arg::of(read(p, *at)) : plain_argument(p, *at, SchemaSlot{});
    if (!p.going()) return;
    made.args.push_back(number.value_or(Arg{}));
  }
  if (instruction.guessed)
    p.assume("delegate " + id + " writes the last of its arguments, those that nothing has named before");
  const std::size_t number = p.graph().steps.size();
  write_results(p, std::move(made), {results, args.end()});
  const auto paired = p.meant.paired.find(instruction.target);
  if (p.going() && paired != p.meant.paired.end()) add_dropped_results(p, number, *paired->second);
}

void split_delegate_calls(PteMethod& method) {
  std::vector<bool> named = named_at_first(method);
  const std::vector<bool> stored = stored_into(method);
  for (PteInstruction& step : method.instructions) {
    if (step.kind == PteInstruction::Kind::delegate) {
      const auto& roles = method.delegates[step.target].roles;
      step.guessed = !roles;
      step.results = roles ? std::optional(roles->inputs) : first_result(step.args, named, stored);
      const std::size_t others = step.args.size() - std::min(step.args.size(), step.results.value_or(0));
      if (roles && (others == 0 || roles->outputs.value_or(others) != others)) step.results.reset();
    }
    for (const std::uint32_t id : step.args) {
      named[id] = true;
      if (method.values[id].kind != PteValue::Kind::tensors) continue;
      for (const std::int64_t item : method.values[id].items)
        if (item >= 0) named[static_cast<std::size_t>(item)] = true;
    }
  }
}

}  // namespace noclobber
