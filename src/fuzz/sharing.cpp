#include "src/fuzz/sharing.h"

#include "src/ops/meaning.h"
#include "src/ops/schema.h"

namespace noclobber::fuzz {
namespace {

/// The operand in this slot, by position or by name; an invalid id if there is none.
ValueId operand_at(const Step& step, const Schema& schema, std::size_t slot) {
  const Arg* arg = slot < step.args.size() ? &step.args[slot] : nullptr;
  for (const auto& [name, given] : step.kwargs)
    if (name == schema.arguments[slot].name) arg = &given;
  return arg != nullptr && arg->kind == Arg::Kind::ref ? arg->ref : ValueId();
}

/// The operand that result `r` of this step shares its storage with; an invalid id if it is new.
ValueId shared_operand(const OpSet& ops, const Step& step, std::size_t r) {
  const Schema* schema = ops.find(step.op);
  if (schema == nullptr || r >= schema->returns.size()) return {};
  const bool moves = r == 0 && meaning_of(base_name(step.op), *schema) == Meaning::view;
  for (std::size_t k = 0; k < schema->arguments.size(); ++k) {
    const SchemaSlot& slot = schema->arguments[k];
    const bool shared = !slot.alias.empty() && slot.alias == schema->returns[r].alias;
    if (!shared && !(moves && k == 0)) continue;
    if (const ValueId given = operand_at(step, *schema, k); given.valid()) return given;
  }
  return {};
}

}  // namespace

Sharing sharing_of(const OpSet& ops, const Graph& graph) {
  Sharing out;
  for (std::uint32_t v = 0; v < graph.values.size(); ++v) out.root[v] = v;
  for (const Step& step : graph.steps)
    for (std::size_t r = 0; r < step.results.size(); ++r) {
      const ValueId base = shared_operand(ops, step, r);
      if (!base.valid() || !step.results[r].valid()) continue;
      const std::uint32_t root = out.root[base.index];
      out.root[step.results[r].index] = root;
      std::string& how = out.how[root];
      if (step.op->starts_with("aten.view.dtype"))
        how = "views of another dtype";
      else if (how.empty())
        how = "views";  // the result of a write is another name, too
    }
  return out;
}

}  // namespace noclobber::fuzz
