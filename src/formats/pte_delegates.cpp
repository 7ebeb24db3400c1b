// Calls of delegates. What most of them do is not known, nor how many of their arguments are results; of one
// whose payload was read it is: a function of its inputs, and of what lasts in it.
#include <algorithm>
#include <cctype>

#include "src/formats/pte_builder.h"

namespace noclobber {
namespace {

/// Does the delegate keep or draw anything between calls?
bool has_effects(const RegisterProgram& payload) {
  if (!payload.states.empty()) return true;
  for (const auto& chain : payload.chains)
    for (const RegisterStep& step : chain)
      if (step.op.empty() || step.op == "UpdateAndAttendNode" || step.op == "RandomBitsNode") return true;
  return false;
}

}  // namespace

/// The operator that stands for a delegate; declared when it is first called.
std::string PteBuilder::declare_delegate(std::uint32_t number, const RegisterProgram& payload) {
  std::string name = method_.delegates[number] + "_" + std::to_string(number);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "d" + name;
  const std::string op = "executorch_delegate." + name + ".default";
  OpDecl declared;
  declared.schema = "executorch_delegate::" + name + "(";
  for (std::size_t k = 0; k < payload.inputs.size(); ++k)
    declared.schema += (k > 0 ? ", Tensor x" : "Tensor x") + std::to_string(k);
  declared.schema += ") -> (";
  for (std::size_t k = 0; k < payload.outputs.size(); ++k) declared.schema += k > 0 ? ", Tensor" : "Tensor";
  declared.schema += ")";
  declared.pure = !has_effects(payload);
  const bool known =
      std::ranges::any_of(out_.ops, [&](const OpDecl& other) { return other.schema == declared.schema; });
  if (known) return op;
  out_.ops.push_back(std::move(declared));
  out_.registers.push_back(payload);
  return op;
}

void PteBuilder::delegate(const PteInstruction& instruction) {
  const std::string name = "executorch_delegate." + method_.delegates[instruction.target];
  const auto& payload = method_.payloads[instruction.target];
  if (!payload) return static_cast<void>(give_up(name));
  const auto& args = instruction.args;
  const std::size_t inputs = payload->inputs.size();
  const bool plain = args.size() == inputs + payload->outputs.size() &&
                     std::ranges::all_of(args, [&](std::uint32_t id) { return is_tensor(id); });
  if (!plain) return static_cast<void>(give_up(name + " (arguments that its payload does not take)"));
  Step made;
  made.op = declare_delegate(instruction.target, *payload);
  for (std::size_t k = 0; k < inputs; ++k) made.args.push_back(Arg::of(read(args[k])));
  if (!going()) return;
  write_results(std::move(made), {args.begin() + static_cast<std::ptrdiff_t>(inputs), args.end()});
}

}  // namespace noclobber
