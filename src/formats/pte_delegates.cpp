// Calls of delegates: operators of their own, that make results of what they are given and, unless their
// payload tells otherwise, of what lasts in them.
#include <algorithm>
#include <cctype>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

constexpr std::size_t kNamedDigits = 32;  // of the digest

/// Values that mean something before anything runs: what is given, and numbers.
std::vector<bool> named_at_first(const PteMethod& method) {
  std::vector<bool> out;
  for (const PteValue& value : method.values)
    out.push_back(value.kind != PteValue::Kind::tensor || value.tensor.data != 0 ||
                  !value.tensor.fqn.empty());
  for (const std::uint32_t id : method.inputs) out[id] = true;
  return out;
}

/// What some kernel stores into: state, or a result that is changed in place.
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

/// Emitters give each result a value of its own: the last arguments that nothing has named are the results.
/// Nothing where there are none, or where the first of them may be state.
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

}  // namespace

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

/// With the beginning of its payload's digest, as the recorder names it (python/noclobber/fx_graph.py), where
/// the functional program calls that; else with its number.
std::string PteBuilder::name_of(const PteDelegate& delegate, std::uint32_t number) const {
  const auto named = [&](const std::string& ending) {
    std::string name = delegate.id + "_" + ending;
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "d" + name : name;
  };
  std::string by_contents = named(delegate.digest.substr(0, kNamedDigits));
  const std::string op = "executorch_delegate." + by_contents + ".default";
  const bool meant = functional_ != nullptr &&
                     std::ranges::any_of(functional_->steps, [&](const Step& step) { return step.op == op; });
  return meant ? by_contents : named(std::to_string(number));
}

/// The operator that stands for a delegate; declared when it is first called. "": calls differ in their
/// arguments.
std::string PteBuilder::declare_delegate(const PteInstruction& call) {
  const PteDelegate& delegate = method_.delegates[call.target];
  const std::string name = name_of(delegate, call.target);
  OpDecl declared;
  declared.schema = "executorch_delegate::" + name + "(";
  for (std::size_t k = 0; k < *call.results; ++k) {
    if (k > 0) declared.schema += ", ";
    declared.schema += type_name(method_.values[call.args[k]]);
    declared.schema += " a" + std::to_string(k);
  }
  declared.schema += ") -> (";
  for (std::size_t k = *call.results; k < call.args.size(); ++k)
    declared.schema += k > *call.results ? ", Tensor" : "Tensor";
  declared.schema += ")";
  declared.pure = delegate.roles && delegate.roles->is_function;
  const auto [known, fresh] = delegates_.try_emplace(call.target, declared.schema);
  if (!fresh) return known->second == declared.schema ? "executorch_delegate." + name + ".default" : "";
  out_.ops.push_back(std::move(declared));
  if (delegate.program) out_.registers.push_back(*delegate.program);
  return "executorch_delegate." + name + ".default";
}

void PteBuilder::delegate(const PteInstruction& instruction) {
  const std::string& id = method_.delegates[instruction.target].id;
  const auto& args = instruction.args;
  const auto typed = [&](std::uint32_t arg) { return type_name(method_.values[arg]) != nullptr; };
  if (!instruction.results || !std::ranges::all_of(args, typed))
    return static_cast<void>(give_up("executorch_delegate." + id + " (arguments whose roles are not known)"));
  const auto results = args.begin() + static_cast<std::ptrdiff_t>(*instruction.results);
  if (!std::all_of(results, args.end(), [&](std::uint32_t arg) { return is_tensor(arg); }))
    return static_cast<void>(give_up("executorch_delegate." + id + " (results that are no tensors)"));
  Step made;
  made.op = declare_delegate(instruction);
  if (made.op.empty())
    return static_cast<void>(give_up("executorch_delegate." + id + " (calls of other arguments)"));
  for (auto at = args.begin(); at != results; ++at) {
    const auto number = is_tensor(*at) ? Arg::of(read(*at)) : plain_argument(*at, SchemaSlot{});
    if (!going()) return;
    made.args.push_back(number.value_or(Arg{}));
  }
  if (instruction.guessed)
    assume("delegate " + id + " writes the last of its arguments, those that nothing has named before");
  write_results(std::move(made), {results, args.end()});
}

}  // namespace noclobber
