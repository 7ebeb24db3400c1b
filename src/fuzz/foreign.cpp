// Appends a call that the interpreter cannot run to a generated program: nothing may be claimed of such an
// operator.
#include <nlohmann/json.hpp>

#include "src/formats/case/case_json.h"
#include "src/fuzz/probe.h"

namespace noclobber::fuzz {
namespace {

constexpr std::string_view kForeign[] = {
#include "src/fuzz/foreign.inc"
};

const std::vector<Graph>& foreign_graphs() {
  static const std::vector<Graph> all = [] {
    std::vector<Graph> out;
    for (const std::string_view text : kForeign) {
      Result<Case> read = read_case_json(text);
      NC_CHECK(static_cast<bool>(read), text);
      out.push_back(std::move(read->after));
    }
    return out;
  }();
  return all;
}

using Ids = std::vector<ValueId>;  // ids of the foreign graph's values in the target

void rename_refs(Arg& arg, const Ids& ids) {
  if (arg.kind == Arg::Kind::ref) arg.ref = ids[arg.ref.index];
  for (Arg& item : arg.list.items()) rename_refs(item, ids);
}

ValueId added(Graph& to, Value value, const std::string& name, std::size_t at) {
  value.name = name;
  value.at = static_cast<std::uint32_t>(at);
  to.values.push_back(std::move(value));
  return ValueId(to.values.size() - 1);
}

/// Adds an input like `like`.
ValueId added_input(Graph& to, const Graph& more, const Input& like, const std::string& name) {
  Input input = like;
  input.value = added(to, more.value(like.value), name, to.inputs.size());
  to.inputs.push_back(input);
  return input.value;
}

/// `spare`: adds one more input, like the first one. `by_spare`: the steps use it instead.
void append(Graph& to, const Graph& more, bool spare, bool by_spare) {
  Ids ids(more.values.size());
  for (const Input& input : more.inputs)
    ids[input.value.index] = added_input(to, more, input, "f_" + more.value(input.value).name);
  if (spare) {
    const ValueId other = added_input(to, more, more.inputs[0], "f_spare");
    if (by_spare) ids[more.inputs[0].value.index] = other;
  }
  for (Step step : more.steps) {
    for (Arg& arg : step.args) rename_refs(arg, ids);
    for (auto& [name, arg] : step.kwargs.items()) rename_refs(arg, ids);
    for (ValueId& result : step.results) {
      const Value& made = more.value(result);
      result = ids[result.index] = added(to, made, "f_" + made.name, to.steps.size());
    }
    to.steps.push_back(std::move(step));
  }
  for (Arg output : more.outputs) {
    rename_refs(output, ids);
    to.outputs.push_back(std::move(output));
  }
}

}  // namespace

std::size_t foreign_calls() { return foreign_graphs().size(); }

bool append_foreign(Case& value, std::size_t which, bool other_operand) {
  const Graph& more = foreign_graphs()[which];
  if (other_operand && more.inputs.empty()) return false;
  append(*value.before, more, other_operand, false);
  append(value.after, more, other_operand, other_operand);
  return true;
}

}  // namespace noclobber::fuzz
